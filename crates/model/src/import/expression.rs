//! Expressions and texts that may be expressions.
//!
//! **Invariant:** an expression is parsed here, once; what cannot be parsed is reported where it stands.

use std::sync::Arc;

use tyer_feel::ast::{Expr, Kind};
use tyer_feel::{Expression, Names, ParseError, Value};
use tyer_xml::Element;

use super::context::Context;
use crate::code::Code;
use crate::process::Text;
use crate::report::{label, shortened};

/// Languages that are FEEL by another name; everything else that is named is not evaluated.
const FEEL_LANGUAGES: [&str; 4] = [
    "feel",
    "https://www.omg.org/spec/DMN/20191111/FEEL/",
    "http://www.omg.org/spec/FEEL/20140401",
    "https://www.omg.org/spec/DMN/20180521/FEEL/",
];

/// What an element such as `conditionExpression` says: `=feel`, plain FEEL or `${…}`.
pub(crate) fn condition(
    expression: Element<'_>,
    owner: Element<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Expression> {
    let text = expression.text();
    let text = text.trim();
    let name = expression.local_name();
    if let Some(language) = expression.attribute("language").filter(|language| !is_known(language, text)) {
        let message = format!("{name} of {} is written in {language:?}", label(owner));
        context.report.error(Code::ExpressionNotSupported, owner, message, "write it in FEEL");
        return None;
    }
    if text.is_empty() {
        let message = format!("{name} of {} is empty", label(owner));
        context.report.error(Code::ExpressionInvalid, owner, message, "write a FEEL expression or remove it");
        return None;
    }
    formula(text, owner, context)
}

/// What must be computed, however it is marked: `=feel`, plain FEEL or `${…}`.
pub(crate) fn formula(text: &str, owner: Element<'_>, context: &mut Context<'_, '_>) -> Option<Expression> {
    let text = text.trim();
    if is_juel(text) {
        return juel(text, owner, context);
    }
    match text.strip_prefix('=') {
        Some(marked) => feel(marked, owner, context),
        None => {
            let read = unmarked(text, &context.names);
            read.map_err(|error| invalid(text, &error, owner, context)).ok()
        }
    }
}

/// A value that is fixed unless it begins with `=` or holds `${…}`.
pub(crate) fn text(value: &str, owner: Element<'_>, context: &mut Context<'_, '_>) -> Option<Text> {
    match value.trim().strip_prefix('=') {
        Some(expression) => feel(expression, owner, context).map(Text::Expression),
        None if is_juel(value) => juel(value, owner, context).map(Text::Expression),
        None => Some(Text::Literal(Arc::from(value))),
    }
}

/// As [`text()`], for what may be left out or empty.
pub(crate) fn optional(
    value: Option<&str>,
    owner: Element<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Text> {
    let written = value.map(str::trim).filter(|written| !written.is_empty())?;
    text(written, owner, context)
}

/// The value of a variable, whatever its name looks like.
pub(crate) fn variable(name: &str) -> Expression {
    Expression::from_tree(name, Expr::new(Kind::Name(Arc::from(name))), &Names::default())
}

/// Nothing.
pub(crate) fn null() -> Expression {
    Expression::from_tree("null", Expr::new(Kind::Literal(Value::Null)), &Names::default())
}

fn is_known(language: &str, text: &str) -> bool {
    let juel = language.eq_ignore_ascii_case("juel") && is_juel(text);
    juel || is_feel(language)
}

/// Whether a language is FEEL.
pub(crate) fn is_feel(language: &str) -> bool {
    FEEL_LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(language.trim()))
}

/// Whether a text is in the expression language of the mapped dialects.
pub(crate) fn is_juel(text: &str) -> bool {
    text.contains("${") || text.contains("#{")
}

/// Neither marked as FEEL nor as `${…}`: files that name no language mean what their engine made of it. Methods are
/// not FEEL, so a text with one is read as `${…}` if that can be done.
fn unmarked(text: &str, names: &Names) -> Result<Expression, ParseError> {
    let read = Expression::parse(text, names);
    if read.is_ok() && !calls_method(text) {
        return read;
    }
    Expression::parse_juel(&format!("${{{text}}}"), names).or(read)
}

/// Whether a text holds a call such as `a.b(c)`: FEEL has no methods.
fn calls_method(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        before.len() < at && before.ends_with('.')
    })
}

fn feel(text: &str, owner: Element<'_>, context: &mut Context<'_, '_>) -> Option<Expression> {
    let read = Expression::parse(text.trim(), &context.names);
    read.map_err(|error| invalid(text, &error, owner, context)).ok()
}

fn juel(text: &str, owner: Element<'_>, context: &mut Context<'_, '_>) -> Option<Expression> {
    let unsupported = |error: ParseError| {
        let message = format!("expression `{}` of {}: {error}", shortened(text), label(owner));
        let hint = "write it in FEEL, beginning with `=`";
        context.report.error(Code::ExpressionNotSupported, owner, message, hint);
    };
    Expression::parse_juel(text.trim(), &Names::default()).map_err(unsupported).ok()
}

fn invalid(text: &str, error: &ParseError, owner: Element<'_>, context: &mut Context<'_, '_>) {
    let message = format!("expression `{}` of {}: {error}", shortened(text), label(owner));
    context.report.error(Code::ExpressionInvalid, owner, message, "mend the FEEL expression");
}
