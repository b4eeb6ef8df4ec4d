//! Whether two files say the same: prefixes, order of attributes and blanks do not count.

use tyer_xml::Element;

use super::in_order;
use crate::definitions::Definitions;

impl PartialEq for Definitions {
    fn eq(&self, other: &Definitions) -> bool {
        let mut waiting = vec![(self.root(), other.root())];
        while let Some((one, two)) = waiting.pop() {
            if !is_same(one, two) {
                return false;
            }
            let ones = in_order(one, self.kind(one));
            let twos = in_order(two, other.kind(two));
            if ones.len() != twos.len() {
                return false;
            }
            waiting.extend(ones.into_iter().zip(twos));
        }
        true
    }
}

fn is_same(one: Element<'_>, two: Element<'_>) -> bool {
    one.name() == two.name() && attributes(one) == attributes(two) && one.text().trim() == two.text().trim()
}

fn attributes<'d>(element: Element<'d>) -> Vec<(tyer_xml::Name<'d>, &'d str)> {
    let mut found: Vec<_> = element.attributes().map(|attribute| (attribute.name, attribute.value)).collect();
    found.sort_unstable();
    found
}
