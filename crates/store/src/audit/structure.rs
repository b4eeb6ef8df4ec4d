//! What must hold of the structure of an instance: nothing waits in vain, nothing outlives its owner.

use tyer_engine::{Instance, Number, ROOT, Scope, ScopeKind, Status, Wait};
use tyer_map::Set;
use tyer_model::Process;

/// Everything that should hold of the instance and does not: empty when all is well.
pub fn audit(process: &Process, instance: &Instance) -> Vec<String> {
    let mut broken = Vec::new();
    if instance.version > 0 {
        life(instance, &mut broken);
        for number in instance.tokens.keys() {
            token(process, instance, *number, &mut broken);
        }
        sources(process, instance, &mut broken);
        scopes(instance, &mut broken);
        undoing(instance, &mut broken);
    }
    broken
}

/// I1: a live instance has a token; an ended one has nothing left.
fn life(instance: &Instance, broken: &mut Vec<String>) {
    let left = [
        ("tokens", instance.tokens.len()),
        ("inner scopes", instance.scopes.len().saturating_sub(1)),
        ("tasks", instance.tasks.len()),
        ("timers", instance.timers.len()),
        ("subscriptions", instance.subscriptions.len()),
        ("records", instance.records.len()),
        ("sagas", instance.sagas.len()),
        ("incidents", instance.incidents.len()),
    ];
    if instance.status.is_ended() {
        for (what, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            broken.push(format!("I1: the instance is {:?} and still has {what}: {count}", instance.status));
        }
    } else if instance.tokens.is_empty() {
        broken.push(format!("I1: the instance is {:?} and has no token", instance.status));
    }
    if instance.status.is_ended() != instance.ended_at.is_some() {
        broken.push("I1: an instance has an end exactly when it has ended".to_owned());
    }
}

/// I2: what a token waits for is there, and is its own.
fn token(process: &Process, instance: &Instance, number: Number, broken: &mut Vec<String>) {
    let token = &instance.tokens[&number];
    let has_source = match &token.wait {
        Wait::Nothing => instance.status != Status::Running,
        Wait::Job(job) => instance.token_of_job(job.number) == Some(number),
        Wait::Call(call) => instance.token_of_call(*call) == Some(number),
        Wait::Task(task) => instance.tasks.get(task).is_some_and(|task| task.token == number),
        Wait::Timer(timer) => instance.timers.get(timer).is_some_and(|timer| timer.token == Some(number)),
        Wait::Event => {
            instance.timers.values().any(|timer| timer.token == Some(number))
                || instance.subscriptions.values().any(|wanted| wanted.token == Some(number))
        }
        Wait::Join => {
            process.node(token.node).incoming.len() > 1 || process.node(token.node).start_quantity > 1
        }
        Wait::Turn => instance.members(token.scope).any(|other| instance.tokens[&other].wait != Wait::Turn),
        Wait::Scope => token.owns.is_some(),
        Wait::Saga(saga) => instance.sagas.get(saga).is_some_and(|saga| saga.token == number),
        Wait::Incident(incident) => {
            instance.incidents.get(incident).is_some_and(|incident| incident.token == Some(number))
        }
    };
    let node = &process.node(token.node).id;
    if !has_source {
        broken.push(format!(
            "I2: token {number} at `{node}` waits for {:?} and nothing will wake it",
            token.wait
        ));
    }
    match instance.scopes.get(&token.scope) {
        Some(scope) if scope.holds_tokens() => {}
        Some(_) => broken.push(format!("token {number} at `{node}` is in a scope for variables only")),
        None => {
            broken.push(format!("token {number} at `{node}` is in scope {}, which is not open", token.scope))
        }
    }
    if let Some(owned) = token.owns
        && instance.scopes.get(&owned).is_none_or(|scope| scope.owner != Some(number))
    {
        broken.push(format!("token {number} at `{node}` owns scope {owned}, which is not its own"));
    }
}

/// I2: every source has an owner that lives.
fn sources(process: &Process, instance: &Instance, broken: &mut Vec<String>) {
    let lives = |token: Option<Number>, scope: Option<Number>| match (token, scope) {
        (Some(token), _) => instance.tokens.contains_key(&token),
        (None, Some(scope)) => instance.scopes.contains_key(&scope),
        (None, None) => false,
    };
    for (number, timer) in &instance.timers {
        if !lives(timer.token, timer.scope) {
            broken.push(format!(
                "I2: timer {number} of `{}` has outlived its owner",
                process.node(timer.node).id
            ));
        }
    }
    for (number, subscription) in &instance.subscriptions {
        if !lives(subscription.token, subscription.scope) {
            let node = &process.node(subscription.node).id;
            broken.push(format!("I2: subscription {number} of `{node}` has outlived its owner"));
        }
    }
    for (number, task) in &instance.tasks {
        if instance.tokens.get(&task.token).is_none_or(|token| token.wait != Wait::Task(*number)) {
            broken.push(format!("I2: nobody waits for task {number}"));
        }
    }
    for (number, incident) in &instance.incidents {
        let stands =
            |token: Number| instance.tokens.get(&token).is_some_and(|t| t.wait == Wait::Incident(*number));
        if incident.token.is_some_and(|token| !stands(token)) {
            broken.push(format!("I2: incident {number} has outlived its token"));
        }
    }
}

/// Every scope but the root has an owner that lives; a scope without tokens is over; I10: rounds add up.
fn scopes(instance: &Instance, broken: &mut Vec<String>) {
    let owned: Set<Number> = instance.tokens.values().filter_map(|token| token.owns).collect();
    for (number, scope) in instance.scopes.iter().filter(|(number, _)| **number != ROOT) {
        let owner = scope.owner.and_then(|owner| instance.tokens.get(&owner));
        let is_round = matches!(scope.kind, ScopeKind::Round { .. });
        let is_branch = scope.kind == ScopeKind::Branch;
        if is_branch && !is_inhabited(instance, *number) {
            broken.push(format!("no token is in branch {number} any more"));
        } else if !is_branch && (owner.is_none() || !(is_round || owned.contains(number))) {
            broken.push(format!("scope {number} has no owner"));
        }
        if !instance.scopes.contains_key(&scope.parent) {
            broken.push(format!("scope {number} stands in scope {}, which is not open", scope.parent));
        }
        let waits = owner.is_some_and(|owner| owner.wait == Wait::Scope);
        if waits && scope.kind == ScopeKind::Body && instance.members(*number).next().is_none() {
            broken.push(format!("scope {number} has no token and is still open"));
        }
        if let ScopeKind::Rounds { total } = scope.kind {
            let live = instance.scopes.values().filter(|round| round.parent == *number);
            let active = live.filter(|round| round.variables.get("loop output").is_none()).count();
            let rounds = &scope.rounds;
            let counted = rounds.started - rounds.completed - rounds.terminated;
            if active != counted as usize || total.is_some_and(|total| rounds.started > total) {
                broken.push(format!(
                    "I10: rounds of scope {number} do not add up: {active} active, {rounds:?} of {total:?}"
                ));
            }
        }
    }
}

/// Is a token, or a branch inside, in this branch of a fork?
fn is_inhabited(instance: &Instance, branch: Number) -> bool {
    let is_inside = |scope: &Scope| scope.kind == ScopeKind::Branch && scope.parent == branch;
    instance.tokens.values().any(|token| token.branch == Some(branch))
        || instance.scopes.values().any(is_inside)
}

/// I7: a record belongs to a scope that is open, or to a step that is recorded itself; a saga has its carrier.
fn undoing(instance: &Instance, broken: &mut Vec<String>) {
    let inner: Set<Number> = instance.records.values().filter_map(|record| record.inner).collect();
    for (number, record) in &instance.records {
        if !instance.scopes.contains_key(&record.scope) && !inner.contains(&record.scope) {
            broken.push(format!("I7: record {number} belongs to scope {}, which is gone", record.scope));
        }
    }
    for (number, saga) in &instance.sagas {
        let carried = instance.tokens.get(&saga.token).is_some_and(|token| token.wait == Wait::Saga(*number));
        if !carried {
            broken.push(format!("saga {number} has lost its carrier"));
        }
    }
}
