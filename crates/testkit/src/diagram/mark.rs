//! What any node can say besides its kind: mappings, declared inputs, repetition, merge mode.

use super::event::{self, Side, split_at_word};
use super::says::Says;
use super::tree::Tree;
use super::words::{split_list, split_once, unquoted};
use super::xml::Shelf;

/// Puts everything into the element that does not belong to one kind alone.
pub(super) fn put(says: &mut Says<'_>, tree: &mut Tree, shelf: &mut Shelf) -> Result<(), String> {
    let attributes = [
        ("merge", "tyer:mergeMode"),
        ("failure", "tyer:onFailure"),
        ("branches", "tyer:branchScope"),
        ("takes", "startQuantity"),
        ("gives", "completionQuantity"),
        ("saga", "tyer:saga"),
        ("inflight", "tyer:sagaInFlight"),
    ];
    for (keyword, attribute) in attributes {
        if let Some(value) = says.text(keyword) {
            tree.set(attribute, value);
        }
    }
    mappings(says, tree)?;
    needs(says, tree)?;
    if let Some(repetition) = repetition(says, shelf)? {
        tree.push(repetition);
    }
    Ok(())
}

/// `with a = 1, b.c = x` goes in, `giving total = a + 1` comes out.
fn mappings(says: &mut Says<'_>, tree: &mut Tree) -> Result<(), String> {
    let mut mappings = Tree::new("zeebe:ioMapping");
    let mut any = false;
    for (keyword, element) in [("with", "zeebe:input"), ("giving", "zeebe:output")] {
        for written in says.raw(keyword).into_iter().flat_map(split_list) {
            let (target, source) = split_once(written, "=")
                .ok_or_else(|| format!("`{keyword}` is followed by `name = expression`, not `{written}`"))?;
            let source = format!("={}", source.trim());
            mappings.push(Tree::new(element).with("source", source).with("target", target.trim()));
            any = true;
        }
    }
    if any {
        tree.extend(mappings);
    }
    Ok(())
}

/// `needs amount number, note string optional`.
fn needs(says: &mut Says<'_>, tree: &mut Tree) -> Result<(), String> {
    for written in says.raw("needs").into_iter().flat_map(split_list) {
        let mut words: Vec<&str> = written.split_whitespace().collect();
        let optional = words.last() == Some(&"optional");
        if optional {
            words.pop();
        }
        let (name, type_name) = match words[..] {
            [name] => (name, None),
            [name, type_name] => (name, Some(type_name)),
            _ => return Err(format!("`needs` is followed by `name type`, not `{written}`")),
        };
        let input = Tree::new("tyer:input").with("name", name).with_some("type", type_name);
        tree.extend(input.with_some("required", optional.then_some("false")));
    }
    Ok(())
}

fn repetition(says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Option<Tree>, String> {
    let limit = says.text("limit");
    // `while x` asks before each round, `repeat while x` and `repeat` after it.
    let (after, condition) = (says.flag("repeat"), says.raw("while"));
    if after || condition.is_some() {
        let before = (!after).then_some("true");
        return Ok(Some(standard(condition.unwrap_or_default(), limit).with_some("testBefore", before)));
    }
    let (each, times) = (says.raw("for"), says.raw("times"));
    if each.is_none() && times.is_none() {
        return Ok(None);
    }
    let mut tree = Tree::new("multiInstanceLoopCharacteristics");
    if says.flag("sequentially") {
        tree.set("isSequential", "true");
    }
    let mut own = Tree::new("zeebe:loopCharacteristics");
    let mut is_own = false;
    if let Some(each) = each {
        let (item, list) = split_at_word(each, "in");
        let list = list.ok_or_else(|| format!("`for` is followed by `item in list`, not `{each}`"))?;
        own = own.with("inputCollection", format!("={list}")).with("inputElement", item);
        is_own = true;
    }
    if let Some(gathered) = says.raw("gather") {
        let (element, collection) = split_at_word(gathered, "as");
        let collection = collection.ok_or("`gather` is followed by `expression as name`")?;
        own = own.with("outputElement", format!("={element}")).with("outputCollection", collection);
        is_own = true;
    }
    if is_own {
        tree.extend(own);
    }
    behaviour(says, &mut tree, times, shelf)?;
    Ok(Some(tree))
}

fn standard(condition: &str, limit: Option<String>) -> Tree {
    let tree = Tree::new("standardLoopCharacteristics").with_some("loopMaximum", limit);
    if condition.is_empty() { tree } else { tree.holding(Tree::formal("loopCondition", condition)) }
}

/// How often, until when, and what a finished round throws: `throws signal done each`, `once` or `if condition`.
fn behaviour(
    says: &mut Says<'_>,
    tree: &mut Tree,
    times: Option<&str>,
    shelf: &mut Shelf,
) -> Result<(), String> {
    let until = says.raw("until");
    if let Some(times) = times {
        tree.push(Tree::formal("loopCardinality", times));
    }
    if let Some(thrown) = says.raw("throws") {
        let (definition, condition) = split_at_word(thrown, "if");
        let (rest, word) = definition.rsplit_once(char::is_whitespace).unwrap_or((definition, ""));
        let definition = if condition.is_some() { definition } else { rest };
        let mut definitions = event::read(definition, Side::Throws, shelf)?.trees;
        match (condition, word) {
            (Some(condition), _) => {
                tree.set("behavior", "Complex");
                let mut event = Tree::new("event").with("id", shelf.next("thrown"));
                definitions.into_iter().for_each(|definition| event.push(definition));
                let complex = Tree::new("complexBehaviorDefinition").with("id", shelf.next("behaviour"));
                tree.push(complex.holding(Tree::formal("condition", condition)).holding(event));
            }
            (None, "each" | "once") => {
                let (behaviour, attribute) = match word {
                    "each" => ("None", "noneBehaviorEventRef"),
                    _ => ("One", "oneBehaviorEventRef"),
                };
                let definition = definitions.pop().ok_or("`throws` is followed by what is thrown")?;
                tree.set("behavior", behaviour);
                tree.set(attribute, shelf.definition(definition));
            }
            (None, other) => {
                return Err(format!("`throws` ends with `each`, `once` or `if <condition>`, not `{other}`"));
            }
        }
    }
    if let Some(until) = until {
        tree.push(Tree::formal("completionCondition", until));
    }
    Ok(())
}

/// What a process or sub-process says of its inside.
pub(super) fn data(says: &mut Says<'_>, shelf: &mut Shelf) -> Vec<Tree> {
    let names = says.raw("data").into_iter().flat_map(split_list);
    names
        .map(|name| Tree::new("dataObject").with("id", shelf.next("data")).with("name", unquoted(name)))
        .collect()
}
