//! Lines and columns of a text, worked out from byte offsets when somebody asks.
//!
//! **Invariant:** an answer looks at no more than one block of the text, however long its lines are.

use crate::Position;

/// Bytes between the places whose position is kept.
const BLOCK: usize = 4096;

/// The position of the first character of every block.
#[derive(Debug)]
pub(crate) struct Lines(Vec<Position>);

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        let mut position = Position { line: 1, column: 1 };
        let mut passed = 0;
        let mut kept = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in 0..=text.len() / BLOCK {
            let start = start_of(text, block);
            position.advance(&text[passed..start]);
            passed = start;
            kept.push(position);
        }
        Lines(kept)
    }

    /// The position of a character's first byte in the text these lines were made of.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let block = offset / BLOCK;
        let mut position = self.0[block];
        position.advance(&text[start_of(text, block)..offset]);
        position
    }
}

/// Where the character begins that the block begins in.
fn start_of(text: &str, block: usize) -> usize {
    text.floor_char_boundary(block * BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_has_the_position_that_counting_gives() {
        let text = "añ\n€ 𝄞\r\n".repeat(1_500) + &"ü".repeat(5_000) + "\nend";
        let lines = Lines::of(&text);
        let mut counted = Position { line: 1, column: 1 };
        for (offset, character) in text.char_indices() {
            assert_eq!(lines.position(&text, offset), counted, "{offset}");
            counted.advance(character.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(lines.position(&text, text.len()), counted);
    }
}
