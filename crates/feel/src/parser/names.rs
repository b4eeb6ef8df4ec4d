//! Where a name ends: known names by longest match, otherwise one identifier.

use super::Parser;
use crate::builtins;
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};
use crate::lexicon::KnownName;
use std::sync::Arc;

impl Parser<'_> {
    /// The longest known name that starts here, and how many tokens it takes.
    pub(super) fn known_name(&self) -> Option<(Arc<str>, usize)> {
        let rest = &self.tokens[self.at..];
        let local = self.local_names.longest(self.text, rest);
        let declared = self.names.longest(self.text, rest);
        let builtin = builtins::names_with_spaces().longest(self.text, rest);
        // The first of equal length wins: what is nearer shadows what is further away.
        [builtin, declared, local].into_iter().flatten().max_by_key(|(_, length)| *length)
    }

    /// A name in an expression.
    pub(super) fn name(&mut self) -> Result<Arc<str>, ParseError> {
        let token = self.peek();
        match token.kind {
            TokenKind::Quoted => {
                self.advance();
                Ok(self.text_of(token).into())
            }
            TokenKind::Word => {
                if let Some((name, length)) = self.known_name() {
                    self.at += length;
                    return Ok(name);
                }
                self.advance();
                Ok(self.text_of(token).into())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// A name after a dot: any key that this text or its declarations know, else one identifier.
    pub(super) fn property_name(&mut self) -> Result<Arc<str>, ParseError> {
        let rest = &self.tokens[self.at..];
        let key = self.keys.longest(self.text, rest);
        let property = builtins::properties_with_spaces().longest(self.text, rest);
        let declared = self.names.longest(self.text, rest);
        let longest = [property, declared, key].into_iter().flatten().max_by_key(|(_, length)| *length);
        match longest {
            Some((name, length)) => {
                self.at += length;
                Ok(name)
            }
            None if matches!(self.peek().kind, TokenKind::Word | TokenKind::Quoted) => {
                let token = self.advance();
                Ok(self.text_of(token).into())
            }
            None => Err(self.unexpected("a name after the dot")),
        }
    }

    /// A new name, of any number of words, up to a symbol that cannot be part of it.
    pub(super) fn name_until(&mut self, end: Symbol) -> Result<Arc<str>, ParseError> {
        self.new_name(|parser| {
            matches!(parser.peek().kind, TokenKind::Symbol(symbol) if symbol == end || symbol == Symbol::Comma || symbol == Symbol::Close)
        })
    }

    /// A new name, of any number of words, up to the word `in`.
    pub(super) fn name_until_in(&mut self) -> Result<Arc<str>, ParseError> {
        self.new_name(|parser| parser.is_word("in"))
    }

    fn new_name(&mut self, ends: impl Fn(&Self) -> bool) -> Result<Arc<str>, ParseError> {
        let first = self.peek();
        if first.kind == TokenKind::Quoted {
            self.advance();
            return Ok(self.text_of(first).into());
        }
        if first.kind != TokenKind::Word {
            return Err(self.unexpected("a name"));
        }
        let mut name = self.text_of(first).to_owned();
        let mut end = first.span.end;
        self.advance();
        while !ends(self) {
            let token = self.peek();
            let part = match token.kind {
                TokenKind::Word | TokenKind::Number => true,
                TokenKind::Symbol(symbol) => matches!(
                    symbol,
                    Symbol::Dot
                        | Symbol::Slash
                        | Symbol::Minus
                        | Symbol::Apostrophe
                        | Symbol::Plus
                        | Symbol::Star
                        | Symbol::Power
                ),
                TokenKind::Quoted | TokenKind::Text | TokenKind::End => false,
            };
            if !part {
                return Err(self.unexpected("the rest of a name"));
            }
            if token.span.start > end {
                name.push(' ');
            }
            name.push_str(self.text_of(token));
            end = token.span.end;
            self.advance();
        }
        Ok(name.into())
    }

    /// Brings a name into scope, if it takes more than one token to write it.
    pub(super) fn bind(&mut self, name: &str) {
        if let Some(known) = KnownName::new(name) {
            // Plain names shadow longer ones only by being matched as they are, so only these need an entry.
            if !known.is_plain() {
                self.local_names.insert(&known);
                self.locals.push(known);
            }
        }
    }

    pub(super) fn remember_key(&mut self, key: &str) {
        if let Some(known) = KnownName::new(key)
            && !known.is_plain()
            && !self.keys.contains(&known)
        {
            self.keys.insert(&known);
        }
    }
}
