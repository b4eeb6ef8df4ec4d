//! What tasks, calls and ad-hoc sub-processes say.

use super::event;
use super::says::Says;
use super::tree::Tree;
use super::words::unquoted;
use super::xml::Shelf;

/// `job <type> retries 3 backoff fixed PT10S`.
pub(super) fn job(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let job_type = says.take_head().ok_or("a job has a type: `job charge-card`")?;
    if let Some(second) =
        (!job_type.starts_with(['"', '='])).then(|| job_type.split_whitespace().nth(1)).flatten()
    {
        return Err(format!("`job` does not say `{second}`"));
    }
    let mut job = Tree::new("tyer:job").with("type", unquoted(job_type));
    for keyword in ["retries", "backoff"] {
        job = job.with_some(keyword, says.text(keyword));
    }
    tree.extend(job);
    Ok(tree)
}

/// `user assignee anna candidates "bob, carl" groups sales due 2030-01-02T00:00:00Z priority 75 form approve`.
pub(super) fn user(mut tree: Tree, says: &mut Says<'_>) -> Tree {
    const SAID: [(&str, &str, &str); 6] = [
        ("assignee", "assignmentDefinition", "assignee"),
        ("candidates", "assignmentDefinition", "candidateUsers"),
        ("groups", "assignmentDefinition", "candidateGroups"),
        ("due", "taskSchedule", "dueDate"),
        ("priority", "priorityDefinition", "priority"),
        ("form", "formDefinition", "formKey"),
    ];
    let said: Vec<_> = SAID
        .into_iter()
        .filter_map(|(keyword, element, attribute)| Some((element, attribute, says.text(keyword)?)))
        .collect();
    for group in said.chunk_by(|one, other| one.0 == other.0) {
        let mut extension = Tree::new(&format!("zeebe:{}", group[0].0));
        group.iter().for_each(|(_, attribute, value)| extension.set(attribute, value.as_str()));
        tree.extend(extension);
    }
    tree
}

/// `script amount * 2 into double`; `script "…" language javascript into x` is work for a worker.
pub(super) fn script(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let code =
        says.take_head().ok_or("a script has something to compute: `script amount * 2 into double`")?;
    let into = says.text("into");
    match says.text("language") {
        Some(language) => {
            tree.set("scriptFormat", language);
            tree.push(Tree::formal("script", &unquoted(code)));
        }
        None => {
            let script = Tree::new("zeebe:script").with("expression", format!("={code}"));
            tree.extend(script.with_some("resultVariable", into));
        }
    }
    Ok(tree)
}

/// `decision discount into rebate`.
pub(super) fn decision(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let id = says.take_head().ok_or("a decision has an id: `decision discount into rebate`")?;
    let called = Tree::new("zeebe:calledDecision").with("decisionId", unquoted(id));
    tree.extend(called.with("resultVariable", says.text("into").unwrap_or_else(|| unquoted(id))));
    Ok(tree)
}

/// `send message paid key orderId`, `receive message paid key orderId begins`.
pub(super) fn message_task(mut tree: Tree, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let text = says.take_head().unwrap_or_default();
    let text = text.strip_prefix("message ").ok_or("say which: `send message paid`")?;
    let (name, key) = event::split_at_word(text, "key");
    let name = unquoted(name);
    if says.kind == "send" {
        tree.set("messageRef", shelf.message(&name, None));
        let key = key.map(|key| Tree::new("zeebe:publishMessage").with("correlationKey", format!("={key}")));
        key.into_iter().for_each(|key| tree.extend(key));
    } else {
        tree.set("messageRef", shelf.message(&name, key));
        if says.flag("begins") {
            tree.set("instantiate", "true");
        }
    }
    Ok(tree)
}

/// `call child passing own returning mapped version 2 key orderId`.
pub(super) fn call(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let process = says.take_head().ok_or("a call has a process: `call billing`")?;
    let mut called = Tree::new("zeebe:calledElement").with("processId", unquoted(process));
    for (keyword, restricted, attribute) in [
        ("passing", "own", "propagateAllParentVariables"),
        ("returning", "mapped", "propagateAllChildVariables"),
    ] {
        if says.text(keyword).as_deref() == Some(restricted) {
            called.set(attribute, "false");
        }
    }
    if says.flag("deployed") {
        called.set("bindingType", "deployment");
    }
    if let Some(tag) = says.text("tag") {
        called = called.with("bindingType", "versionTag").with("versionTag", tag);
    }
    tree.extend(called.with_some("businessId", says.text("key")));
    Ok(tree)
}

/// `adhoc sequential done count > 2 keep choosing ["a"] collect x as xs`.
pub(super) fn ad_hoc(mut tree: Tree, says: &mut Says<'_>) -> Tree {
    tree.set("ordering", if says.flag("sequential") { "Sequential" } else { "Parallel" });
    if says.flag("keep") {
        tree.set("cancelRemainingInstances", "false");
    }
    let (choosing, collect) = (says.raw("choosing"), says.raw("collect"));
    if choosing.is_some() || collect.is_some() {
        let mut own = Tree::new("zeebe:adHoc");
        own = own.with_some("activeElementsCollection", choosing.map(|list| format!("={list}")));
        if let Some((element, Some(collection))) = collect.map(|said| event::split_at_word(said, "as")) {
            own = own.with("outputCollection", collection).with("outputElement", format!("={element}"));
        }
        tree.extend(own);
    }
    if let Some(condition) = says.raw("done") {
        let condition = condition.strip_prefix("when ").unwrap_or(condition);
        tree.push(Tree::formal("completionCondition", condition));
    }
    tree
}
