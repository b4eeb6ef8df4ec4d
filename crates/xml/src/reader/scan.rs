//! What bytes are in tags.

/// White space.
pub(super) const BLANK: u8 = 1;
/// What ends a name in a tag.
pub(super) const ENDS_NAME: u8 = 2;
/// What ends a value in double quotes.
pub(super) const DOUBLE: u8 = 4;
/// What ends a value in single quotes.
pub(super) const SINGLE: u8 = 8;
/// What a value does not mean as it stands.
pub(super) const DECODED: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' => BLANK | ENDS_NAME,
            b'\t' | b'\n' | b'\r' => BLANK | ENDS_NAME | DECODED,
            b'&' => DECODED,
            b'=' | b'/' | b'>' => ENDS_NAME,
            b'<' => ENDS_NAME | DOUBLE | SINGLE,
            b'"' => ENDS_NAME | DOUBLE,
            b'\'' => ENDS_NAME | SINGLE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte is of one of these classes.
#[inline]
pub(super) fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

/// The position of the first byte from `at` on that is of one of these classes, or the end.
#[inline]
pub(super) fn find(bytes: &[u8], at: usize, classes: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| is(*byte, classes)).unwrap_or(rest.len())
}

/// The position of the first byte from `at` on that is no white space, or the end.
#[inline]
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is(*byte, BLANK)).unwrap_or(rest.len())
}

/// Whether there is nothing but white space.
#[inline]
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| is(*byte, BLANK))
}
