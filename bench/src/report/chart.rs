//! The chart: instances a second beside what storage allows, and the part of it that the engine reaches.
//!
//! Left a scale of powers of ten, on which only points stand (a bar has no foot there); right a scale from zero.
//!
//! **Invariant:** the picture needs nothing but itself: no font, no script, no address is fetched.

use std::fmt::Write;

use super::{Row, Sample};

const ROW: f64 = 22.0;
const TOP: f64 = 84.0;
/// Where the two scales begin and how wide they are.
const SPEED: (f64, f64) = (130.0, 420.0);
const PART: (f64, f64) = (610.0, 250.0);
const WIDTH: f64 = 900.0;
const ENGINE: &str = "#1f5fa8";
const FLOOR: &str = "#8a8f98";
const GRID: &str = "#e3e5e8";
const INK: &str = "#22262b";
const PROMISED: &str = "#b3471d";
/// What the engine must reach of its own rows on W1 to W3.
const PROMISE: f64 = 0.5;

/// A whole file.
pub(crate) fn svg(rows: &[Row]) -> String {
    let height = TOP + ROW * rows.len() as f64 + 34.0;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"{INK}\">\n<rect width=\"{WIDTH}\" \
         height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let bottom = TOP + ROW * rows.len() as f64;
    headings(&mut picture);
    let scale = Speeds::of(rows);
    scale.grid(&mut picture, bottom);
    let most = rows.iter().map(|row| row.median(Sample::of_own)).filter(|part| part.is_finite());
    let most = most.fold(1.0, f64::max).ceil();
    parts_grid(&mut picture, bottom, most);
    for (at, row) in rows.iter().enumerate() {
        let y = TOP + ROW * (at as f64 + 0.5);
        text(&mut picture, (10.0, y + 4.0), "start", INK, &format!("{} {}", row.workload, row.store));
        scale.points(&mut picture, row, y);
        part(&mut picture, row, y, most);
    }
    picture.push_str("</svg>\n");
    picture
}

fn headings(picture: &mut String) {
    let middle = 30.0;
    text(
        picture,
        (SPEED.0, middle),
        "start",
        INK,
        "Instances a second (median; each step is ten times the last)",
    );
    text(picture, (PART.0, middle), "start", INK, "Part of its own rows that the engine reaches");
    let legend = [(ENGINE, 0.0, "engine"), (FLOOR, 80.0, "own rows without an engine")];
    for (color, right, name) in legend {
        let x = SPEED.0 + right + 5.0;
        circle(picture, (x, middle + 18.0), color, color == ENGINE);
        text(picture, (x + 10.0, middle + 22.0), "start", INK, name);
    }
    rhombus(picture, (SPEED.0 + 265.0, middle + 18.0));
    text(picture, (SPEED.0 + 275.0, middle + 22.0), "start", INK, "thin floor");
    text(picture, (PART.0, middle + 22.0), "start", PROMISED, "dashed: promised for W1 to W3");
}

/// A scale of powers of ten.
struct Speeds {
    first: f64,
    last: f64,
}

impl Speeds {
    fn of(rows: &[Row]) -> Speeds {
        let all = rows.iter().flat_map(speeds).filter(|speed| speed.is_finite() && *speed > 0.0);
        let (least, most) =
            all.fold((f64::MAX, 1.0_f64), |(least, most), speed| (least.min(speed), most.max(speed)));
        Speeds { first: least.min(most).log10().floor(), last: most.log10().ceil() }
    }

    fn x(&self, speed: f64) -> f64 {
        SPEED.0 + SPEED.1 * (speed.log10() - self.first) / (self.last - self.first).max(1.0)
    }

    fn grid(&self, picture: &mut String, bottom: f64) {
        for power in self.first as i32..=self.last as i32 {
            let speed = 10_f64.powi(power);
            line(picture, self.x(speed), bottom, GRID, false);
            text(picture, (self.x(speed), bottom + 18.0), "middle", INK, &spaced(speed));
        }
    }

    fn points(&self, picture: &mut String, row: &Row, y: f64) {
        let [engine, own, thin] = speeds(row);
        if own.is_finite() {
            circle(picture, (self.x(own), y), FLOOR, false);
            rhombus(picture, (self.x(thin), y));
        }
        circle(picture, (self.x(engine), y), ENGINE, true);
    }
}

fn speeds(row: &Row) -> [f64; 3] {
    [
        row.median(|sample| sample.engine.rate()),
        row.median(|sample| sample.own.rate()),
        row.median(|sample| sample.thin.rate()),
    ]
}

fn parts_grid(picture: &mut String, bottom: f64, most: f64) {
    let mut at = 0.0;
    while at <= most {
        let x = PART.0 + PART.1 * at / most;
        line(picture, x, bottom, GRID, false);
        text(picture, (x, bottom + 18.0), "middle", INK, &format!("{at:.1}"));
        at += most / 4.0;
    }
    line(picture, PART.0 + PART.1 * PROMISE / most, bottom, PROMISED, true);
}

fn part(picture: &mut String, row: &Row, y: f64, most: f64) {
    let part = row.median(Sample::of_own);
    if !part.is_finite() {
        return text(picture, (PART.0 + 6.0, y + 4.0), "start", FLOOR, "nothing is stored");
    }
    let width = PART.1 * part / most;
    let (x, top) = (PART.0, y - 6.0);
    let _ = writeln!(
        picture,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{width:.1}\" height=\"12\" fill=\"{ENGINE}\"/>"
    );
    text(picture, (x + width + 6.0, y + 4.0), "start", INK, &format!("{part:.2}"));
}

fn line(picture: &mut String, x: f64, bottom: f64, color: &str, dashed: bool) {
    let dashes = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
    let top = TOP - 6.0;
    let _ = writeln!(picture, "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"{color}\"{dashes}/>");
}

fn circle(picture: &mut String, (x, y): (f64, f64), color: &str, full: bool) {
    let fill = if full { color } else { "#fff" };
    let _ = writeln!(
        picture,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"1.6\"/>"
    );
}

fn rhombus(picture: &mut String, (x, y): (f64, f64)) {
    let _ = writeln!(
        picture,
        "<path d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\" fill=\"#fff\" stroke=\"{FLOOR}\" stroke-width=\"1.6\"/>",
        y - 5.0
    );
}

fn text(picture: &mut String, (x, y): (f64, f64), anchor: &str, color: &str, words: &str) {
    let _ = writeln!(
        picture,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
    );
}

/// 20000 is read as 20 000.
fn spaced(number: f64) -> String {
    if number < 1.0 {
        return format!("{number}");
    }
    let digits = format!("{number:.0}");
    let mut words = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            words.push('\u{2009}');
        }
        words.push(digit);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_evenly_apart() {
        let speeds = Speeds { first: 0.0, last: 4.0 };
        assert_eq!(speeds.x(1.0), SPEED.0);
        assert!((speeds.x(100.0) - (SPEED.0 + SPEED.1 / 2.0)).abs() < 1e-9);
        assert_eq!(spaced(100_000.0), "100\u{2009}000");
        assert!(svg(&[]).ends_with("</svg>\n"));
    }
}
