//! Expressions and texts that may be expressions.
//!
//! **Invariant:** an expression is parsed here, once; what cannot be parsed is reported where it stands.

use std::sync::Arc;

use tyer_feel::{Expression, Names};
use tyer_xml::Element;

use crate::code::Code;
use crate::process::Text;
use crate::report::{Report, label, shortened};

/// Languages that are FEEL by another name; everything else that is named is not evaluated.
const FEEL_LANGUAGES: [&str; 4] = [
    "feel",
    "https://www.omg.org/spec/DMN/20191111/FEEL/",
    "http://www.omg.org/spec/FEEL/20140401",
    "https://www.omg.org/spec/DMN/20180521/FEEL/",
];

/// A condition: `=feel`, plain FEEL or `${…}`.
pub(crate) fn condition(
    expression: Element<'_>,
    owner: Element<'_>,
    report: &mut Report,
) -> Option<Expression> {
    let text = expression.text();
    let text = text.trim();
    if let Some(language) = expression.attribute("language").filter(|language| !is_known(language, text)) {
        let message = || format!("condition of {} is written in {language:?}", label(owner));
        report.error(Code::ExpressionNotSupported, owner, message(), "write it in FEEL");
        return None;
    }
    if text.is_empty() {
        let message = || format!("condition of {} is empty", label(owner));
        report.error(Code::ExpressionInvalid, owner, message(), "write a FEEL expression or remove it");
        return None;
    }
    if is_juel(text) {
        juel(text, owner, report)
    } else {
        feel(text.strip_prefix('=').unwrap_or(text), owner, report)
    }
}

/// A value that is fixed unless it begins with `=` or holds `${…}`.
pub(crate) fn text(value: &str, owner: Element<'_>, report: &mut Report) -> Option<Text> {
    match value.trim().strip_prefix('=') {
        Some(expression) => feel(expression, owner, report).map(Text::Expression),
        None if is_juel(value) => juel(value, owner, report).map(Text::Expression),
        None => Some(Text::Literal(Arc::from(value))),
    }
}

fn is_known(language: &str, text: &str) -> bool {
    let juel = language.eq_ignore_ascii_case("juel") && is_juel(text);
    juel || FEEL_LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(language.trim()))
}

/// Whether a text is in the expression language of the mapped dialects.
pub(crate) fn is_juel(text: &str) -> bool {
    text.contains("${") || text.contains("#{")
}

fn feel(text: &str, owner: Element<'_>, report: &mut Report) -> Option<Expression> {
    Expression::parse(text.trim(), &Names::default())
        .map_err(|error| invalid(text, &error.to_string(), owner, report))
        .ok()
}

fn juel(text: &str, owner: Element<'_>, report: &mut Report) -> Option<Expression> {
    Expression::parse_juel(text.trim(), &Names::default())
        .map_err(|error| {
            let message = || format!("expression `{}` of {}: {error}", shortened(text), label(owner));
            report.error(
                Code::ExpressionNotSupported,
                owner,
                message(),
                "write it in FEEL, beginning with `=`",
            );
        })
        .ok()
}

fn invalid(text: &str, error: &str, owner: Element<'_>, report: &mut Report) {
    let message = || format!("expression `{}` of {}: {error}", shortened(text), label(owner));
    report.error(Code::ExpressionInvalid, owner, message(), "mend the FEEL expression");
}
