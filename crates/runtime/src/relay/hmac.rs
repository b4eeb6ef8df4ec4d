//! The signatures of webhooks: HMAC-SHA256 in hexadecimal digits.

/// The code of a message under a key.
pub(crate) fn hmac_sha256(key: &[u8], message: &[u8]) -> String {
    hmac_sha256::HMAC::mac(message, key).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hmac_sha256;

    /// RFC 4231, cases 1, 2 and 6.
    #[test]
    fn codes_are_those_of_the_standard() {
        assert_eq!(
            hmac_sha256(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hmac_sha256(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac_sha256(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
