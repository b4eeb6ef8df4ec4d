//! Reads the tables, and works out what is asked for often.

use super::{Attribute, Child, Content, Family, Kind, Schema, Targets, Type, Value};

impl Schema {
    pub(super) fn read(&mut self, line: &'static str) {
        let words = line.split_whitespace();
        if line.is_empty() {
        } else if !line.starts_with(' ') {
            self.begin(words.collect());
        } else if line.trim_start().starts_with('@') {
            let attributes = words.skip(1).map(attribute);
            self.last().attributes.extend(attributes);
        } else {
            let children = words.clone().filter(|word| *word != "**").map(child);
            self.last().children.extend(children);
            self.last().open |= words.clone().any(|word| word == "**");
        }
    }

    fn begin(&mut self, words: Vec<&'static str>) {
        let after = |mark| words.iter().skip_while(|word| **word != mark).nth(1).copied();
        let base =
            after("<").map(|base| self.find(base).expect("a base stands before what inherits from it"));
        let kind = Kind(u16::try_from(self.types.len()).expect("BPMN has few elements"));
        self.by_name.insert(words[0], kind);
        let (group, open) = (after("^"), false);
        self.types.push(Type {
            name: words[0],
            base,
            group,
            children: Vec::new(),
            attributes: Vec::new(),
            open,
            names: Vec::new(),
        });
    }

    fn last(&mut self) -> &mut Type {
        self.types.last_mut().expect("a table begins with an element")
    }

    /// Puts what bases have before what their heirs have. Bases stand first, so theirs is complete.
    pub(super) fn inherit(&mut self) {
        for position in 0..self.types.len() {
            let Some(base) = self.types[position].base else {
                continue;
            };
            let base = self.of(base);
            let (children, attributes, open) = (base.children.clone(), base.attributes.clone(), base.open);
            let heir = &mut self.types[position];
            heir.children.splice(0..0, children);
            heir.attributes.splice(0..0, attributes);
            heir.open |= open;
        }
    }

    /// Works out all that is asked for often.
    pub(super) fn sort(&mut self) {
        self.families = Family::NAMES.iter().map(|name| self.kinds(name)).collect();
        for position in 0..self.types.len() {
            let mut kind = self.types[position].clone();
            for place in &mut kind.children {
                if let Content::Reference(targets) = &mut place.content {
                    self.complete(targets);
                }
            }
            for attribute in &mut kind.attributes {
                if let Value::Reference(targets) = &mut attribute.value {
                    self.complete(targets);
                }
            }
            kind.names = self.names_in(&kind);
            self.types[position] = kind;
        }
    }

    fn complete(&mut self, targets: &mut Targets) {
        targets.kinds = self.kinds(targets.names);
        let known = self.targets.iter().position(|known| known.names == targets.names);
        targets.number = u16::try_from(known.unwrap_or(self.targets.len())).expect("BPMN has few references");
        if known.is_none() {
            self.targets.push(*targets);
        }
    }

    /// Every element that may stand in another by name; the first place that takes it counts.
    fn names_in(&self, parent: &Type) -> Vec<(&'static str, usize, Option<Kind>)> {
        let mut names = Vec::new();
        for (rank, place) in parent.children.iter().enumerate() {
            match place.content {
                Content::Named => {
                    names.push((place.name, rank, self.find(place.name)));
                    let members = self.types.iter().filter(|kind| self.may_replace(kind.name, place.name));
                    names.extend(members.map(|kind| (kind.name, rank, self.find(kind.name))));
                }
                Content::Of(name) => names.push((place.name, rank, self.find(name))),
                Content::Reference(_) => names.push((place.name, rank, None)),
            }
        }
        names.sort_by_key(|(name, rank, _)| (*name, *rank));
        names.dedup_by_key(|(name, ..)| *name);
        names
    }
}

fn child(word: &'static str) -> Child {
    let end = word.find(['?', '*', '+', '=', '>']).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    let (required, many) = match rest.chars().next() {
        Some('?') => (false, false),
        Some('*') => (false, true),
        Some('+') => (true, true),
        _ => (true, false),
    };
    let content = match (rest.split_once('='), rest.split_once('>')) {
        (Some((_, kind)), _) => Content::Of(kind),
        (_, Some((_, targets))) => Content::Reference(Targets::named(targets)),
        _ => Content::Named,
    };
    Child { name, content, required, many }
}

fn attribute(word: &'static str) -> Attribute {
    let (required, word) = word.strip_prefix('!').map_or((false, word), |word| (true, word));
    let end = word.find(['=', '>']).unwrap_or(word.len());
    let (name, rest) = word.split_at(end);
    let value = match rest {
        "" => Value::Text,
        "=id" => Value::Id,
        "=boolean" => Value::Boolean,
        "=integer" => Value::Integer,
        _ if rest.starts_with('>') => Value::Reference(Targets::named(&rest[1..])),
        _ => Value::OneOf(&rest[1..]),
    };
    Attribute { name, required, value }
}
