//! The attributes of one start tag, as written.
//!
//! **Invariant:** reads each byte once; values are slices of the tag, not yet decoded.

/// One attribute as it stands in the tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Raw<'a> {
    /// The qualified name.
    pub(crate) name: &'a str,
    /// The value between the quotes.
    pub(crate) value: &'a str,
    /// Where the name begins, from the start of the scanned text.
    pub(crate) offset: usize,
    /// Where the value begins.
    pub(crate) value_offset: usize,
}

/// Why the text is not a list of attributes, and where.
pub(crate) type Malformed = (usize, &'static str);

/// Walks the part of a start tag that follows the element's name.
#[derive(Debug)]
pub(crate) struct Attributes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Attributes<'a> {
    pub(crate) fn new(text: &'a str) -> Attributes<'a> {
        Attributes { text, at: 0 }
    }

    /// The next attribute.
    pub(crate) fn next(&mut self) -> Result<Option<Raw<'a>>, Malformed> {
        let before = self.at;
        self.skip_blanks();
        if self.at == self.text.len() {
            return Ok(None);
        }
        if self.at == before {
            return Err((self.at, "white space is missing before an attribute"));
        }
        let offset = self.at;
        let name = self.name();
        self.skip_blanks();
        if !self.text[self.at..].starts_with('=') {
            return Err((offset, "attribute without value; write name=\"value\""));
        }
        self.at += 1;
        self.skip_blanks();
        let value_offset = self.at + 1;
        let value = self.value()?;
        Ok(Some(Raw { name, value, offset, value_offset }))
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    }

    fn name(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|byte| matches!(byte, b'=' | b' ' | b'\t' | b'\r' | b'\n'));
        let name = &rest[..end.unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    fn value(&mut self) -> Result<&'a str, Malformed> {
        let rest = &self.text[self.at..];
        let quote = match rest.bytes().next() {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => return Err((self.at, "attribute value without quotes")),
        };
        let Some(length) = memchr::memchr2(quote, b'<', &rest.as_bytes()[1..]) else {
            return Err((self.at, "attribute value without closing quote"));
        };
        let value = &rest[1..=length];
        if rest.as_bytes()[1 + length] == b'<' {
            return Err((self.at + 1 + length, "`<` in an attribute value; write `&lt;`"));
        }
        self.at += length + 2;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<(&str, &str)>, Malformed> {
        let mut attributes = Attributes::new(text);
        let mut found = Vec::new();
        while let Some(raw) = attributes.next()? {
            found.push((raw.name, raw.value));
        }
        Ok(found)
    }

    #[test]
    fn attributes_are_read_in_either_quote() {
        assert_eq!(all(" a=\"1\"\n b = '\"' "), Ok(vec![("a", "1"), ("b", "\"")]));
        assert_eq!(all(""), Ok(vec![]));
    }

    #[test]
    fn what_is_no_attribute_is_refused() {
        for text in [" a", " a=1", " a='1'b='2'", " a=\"<\"", " a=\"1", " =", " a=", "a='1'"] {
            assert!(all(text).is_err(), "{text:?} must be refused");
        }
    }
}
