//! The suite's conditions, written in no language that has a name, as FEEL.
//!
//! **Invariant:** only the text inside of expression elements changes.

/// Elements that hold an expression.
const EXPRESSIONS: [&str; 6] = [
    "conditionExpression",
    "condition",
    "loopCondition",
    "loopCardinality",
    "completionCondition",
    "activationCondition",
];

/// The file with its conditions in FEEL.
pub(super) fn translate(xml: &str) -> String {
    let mut out = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some((before, tag, text, after)) = next_expression(rest) {
        out.push_str(before);
        out.push_str(tag);
        out.push_str(&feel(text));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What stands before the next expression element, its opening tag, its text and the rest.
fn next_expression(xml: &str) -> Option<(&str, &str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + xml[from..].find('<')?;
        let close = open + xml[open..].find('>')?;
        let tag = &xml[open..=close];
        let name = tag[1..].split([' ', '\t', '\n', '\r', '>', '/']).next().unwrap_or_default();
        let local = name.rsplit(':').next().unwrap_or_default();
        if EXPRESSIONS.contains(&local) && !name.starts_with('/') && !tag.ends_with("/>") {
            let end = close + 1 + xml[close + 1..].find("</")?;
            return Some((&xml[..open], tag, &xml[close + 1..end], &xml[end..]));
        }
        from = close + 1;
    }
}

/// `!test.contains("a") && integerVariable == 3` becomes `not(contains(test, "a")) and integerVariable = 3`.
fn feel(text: &str) -> String {
    let text = text.trim();
    let verbatim = text.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"));
    let escaped = verbatim.map(|inner| inner.replace('&', "&amp;").replace('<', "&lt;"));
    let mut text = escaped.as_deref().unwrap_or(text).trim();
    for open in ["${", "#{"] {
        text = text.strip_prefix(open).and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
    }
    let text =
        text.replace("&amp;&amp;", " and ").replace("||", " or ").replace("==", "=").replace('\'', "\"");
    let words: Vec<String> = text.split(" and ").map(alternatives).collect();
    format!("={}", words.join(" and "))
}

fn alternatives(text: &str) -> String {
    let words: Vec<String> = text.split(" or ").map(|atom| containment(atom.trim())).collect();
    words.join(" or ")
}

fn containment(atom: &str) -> String {
    if let Some(negated) = atom.strip_prefix('!').filter(|rest| !rest.starts_with('=')) {
        return format!("not({})", containment(negated.trim()));
    }
    match atom.split_once(".contains(") {
        Some((variable, argument)) => format!("contains({variable}, {argument}"),
        None => atom.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_become_feel_and_the_rest_stays() {
        for (written, expected) in [
            (r#"test.contains("a")"#, r#"=contains(test, "a")"#),
            (r#"!test.contains("a")"#, r#"=not(contains(test, "a"))"#),
            ("integerVariable&lt;3", "=integerVariable&lt;3"),
            ("${integerVariable}", "=integerVariable"),
            ("${test.contains('a')}", r#"=contains(test, "a")"#),
            ("\n  <![CDATA[integerVariable<3]]>\n", "=integerVariable&lt;3"),
            (
                r#"test.contains("a") &amp;&amp; !test.contains("b")"#,
                r#"=contains(test, "a") and not(contains(test, "b"))"#,
            ),
            ("integerVariable != 3", "=integerVariable != 3"),
        ] {
            let xml = format!("<a:b/><a:condition x=\"y\">{written}</a:condition><c>{written}</c>");
            let wanted = format!("<a:b/><a:condition x=\"y\">{expected}</a:condition><c>{written}</c>");
            assert_eq!(translate(&xml), wanted);
        }
    }
}
