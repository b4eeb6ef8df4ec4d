//! What the developer has asked for.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask conformance [SUITE --dir DIR [--min N]]";

/// The command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// No suite was named.
    List,
    Run(Run),
}

/// One suite to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) suite: String,
    pub(crate) dir: Option<PathBuf>,
    /// So many passes are a success, whatever else fails.
    pub(crate) min: Option<u64>,
}

impl Arguments {
    pub(crate) fn parse(words: &[String]) -> Result<Arguments> {
        let (mut suite, mut dir, mut min) = (None, None, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--dir" => dir = Some(PathBuf::from(words.next().context("--dir needs a folder")?)),
                "--min" => {
                    let number = words.next().context("--min needs a number")?;
                    min = Some(
                        number.parse().with_context(|| format!("--min needs a number, not `{number}`"))?,
                    );
                }
                flag if flag.starts_with('-') => bail!("`{flag}` is not an option; {USAGE}"),
                _ if suite.is_some() => bail!("`{word}` is one word too many; {USAGE}"),
                name => suite = Some(name.to_owned()),
            }
        }
        match (suite, dir) {
            (None, None) if min.is_none() => Ok(Arguments::List),
            (None, _) => bail!("no suite is named; {USAGE}"),
            // A missing folder is complained about later: an unknown suite is the graver mistake.
            (Some(suite), dir) => Ok(Arguments::Run(Run { suite, dir, min })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments> {
        Arguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_suite_has_a_folder_and_perhaps_a_minimum_in_any_order() {
        let run = |min| Arguments::Run(Run { suite: "tck".to_owned(), dir: Some(PathBuf::from("x")), min });
        assert_eq!(parse("tck --dir x").expect("good arguments"), run(None));
        assert_eq!(parse("--min 12 --dir x tck").expect("good arguments"), run(Some(12)));
        assert_eq!(parse("").expect("good arguments"), Arguments::List);
    }

    #[test]
    fn a_wrong_line_says_what_is_wrong() {
        let error = |line| parse(line).map_or_else(|error| error.to_string(), |_| "accepted".to_owned());
        assert_eq!(error("tck --dir"), "--dir needs a folder");
        assert_eq!(error("tck --min many"), "--min needs a number, not `many`");
        assert!(error("tck more").starts_with("`more` is one word too many"));
        assert!(error("--dir x").starts_with("no suite is named"));
        assert!(error("tck --fast").starts_with("`--fast` is not an option"));
    }
}
