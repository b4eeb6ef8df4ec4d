//! Lists of the memory store: it looks at everything.

use tyer_engine::{InstanceId, ItemId, ROOT, Timestamp};
use tyer_map::Map;

use super::{Kept, Tables};
use crate::filter::{InstanceFilter, InstancePlace, TaskFilter, TaskPlace};
use crate::indexed;
use crate::mail::Message;
use crate::rows::TaskRow;
use crate::tenant::Tenant;
use crate::views::{ListedDefinition, ListedIncident, ListedInstance, OpenTask, Standing};

impl Tables {
    pub(in crate::memory) fn list(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Vec<ListedInstance> {
        let calls = |kept: &Kept| kept.row.parent.map(|parent| parent.instance);
        let mut found: Vec<InstanceId> = self
            .instances
            .iter()
            .filter(|(_, kept)| tenant.is_none_or(|tenant| kept.row.tenant == *tenant))
            .filter(|(id, kept)| **id > after && (called_by.is_none() || calls(kept) == called_by))
            .map(|(id, _)| *id)
            .collect();
        found.sort();
        found.into_iter().take(limit).map(|id| self.listed(id)).collect()
    }

    pub(in crate::memory) fn find(
        &self,
        filter: &InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Vec<ListedInstance> {
        let by_end = !filter.ended.is_open();
        let place = |id: InstanceId| {
            let ended = self.instances[&id].row.ended_at.filter(|_| by_end);
            (ended, id)
        };
        let mut found: Vec<_> = self.fitting(filter).map(place).collect();
        found.retain(|place| after.is_none_or(|after| *place < (after.ended, after.id)));
        found.sort();
        found.into_iter().rev().take(limit).map(|(_, id)| self.listed(id)).collect()
    }

    pub(in crate::memory) fn count(&self, filter: &InstanceFilter) -> u64 {
        self.fitting(filter).count() as u64
    }

    fn fitting<'a>(&'a self, filter: &'a InstanceFilter) -> impl Iterator<Item = InstanceId> + 'a {
        self.instances.iter().filter(|(id, kept)| self.fits(**id, kept, filter)).map(|(id, _)| *id)
    }

    fn fits(&self, id: InstanceId, kept: &Kept, filter: &InstanceFilter) -> bool {
        let (row, process) = (&kept.row, &kept.process);
        let stands = |node: &String| kept.tokens.values().any(|t| process.node(t.token.node).id == *node);
        let version = self.definitions.get(&row.definition).map(|definition| definition.version);
        filter.tenant == row.tenant
            && (filter.statuses.is_empty() || filter.statuses.contains(&row.status))
            && filter.process.as_ref().is_none_or(|process| process == &kept.process.id)
            && filter.version.is_none_or(|wanted| version == Some(wanted))
            && filter.business_key.as_ref().is_none_or(|key| row.business_key.as_ref() == Some(key))
            && filter.node.as_ref().is_none_or(stands)
            && filter.has_incident.is_none_or(|has| has != kept.incidents.is_empty())
            && filter.started.has(Some(row.started_at))
            && filter.ended.has(row.ended_at)
            && filter.ids.0.is_none_or(|above| id > above)
            && filter.ids.1.is_none_or(|below| id < below)
            && kept.passes(filter)
    }

    fn listed(&self, id: InstanceId) -> ListedInstance {
        let kept = &self.instances[&id];
        let definition = self.definitions.get(&kept.row.definition);
        ListedInstance {
            id,
            definition: kept.row.definition,
            tenant: kept.row.tenant.clone(),
            process: definition.map(|definition| definition.key.clone()).unwrap_or_default(),
            process_version: definition.map_or(0, |definition| definition.version),
            incidents: u32::try_from(kept.incidents.len()).unwrap_or(u32::MAX),
            status: kept.row.status,
            business_key: kept.row.business_key.clone(),
            parent: kept.row.parent,
            started_at: kept.row.started_at,
            ended_at: kept.row.ended_at,
        }
    }

    pub(in crate::memory) fn tasks(
        &self,
        filter: &TaskFilter,
        after: Option<TaskPlace>,
        limit: usize,
    ) -> Vec<OpenTask> {
        let mut found = Map::new();
        for (id, kept) in self.instances.iter().filter(|(_, kept)| kept.row.tenant == filter.tenant) {
            for (number, task) in kept.tasks.iter().filter(|(_, task)| fits(*id, task, filter)) {
                let due = task.asked.due.filter(|_| filter.due_before.is_some());
                found.insert((due, ItemId { instance: *id, number: *number }), (kept, task));
            }
        }
        let rest = found.into_iter().filter(|(place, _)| after.is_none_or(|a| *place > (a.due, a.id)));
        let open = rest.take(limit).map(|((_, id), (kept, task))| OpenTask {
            instance: id.instance,
            token: task.token,
            node: kept.process.node(task.node).id.clone(),
            asked: task.asked.clone(),
            created_at: task.created_at,
        });
        open.collect()
    }

    pub(in crate::memory) fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Vec<ListedIncident> {
        let mut found = Map::new();
        let asked =
            |id: InstanceId, kept: &Kept| kept.row.tenant == *tenant && instance.is_none_or(|one| one == id);
        for (id, kept) in self.instances.iter().filter(|(id, kept)| asked(**id, kept)) {
            for (number, incident) in &kept.incidents {
                found.insert(ItemId { instance: *id, number: *number }, (kept, incident));
            }
        }
        let rest = found.iter().rev().filter(|(id, _)| below.is_none_or(|below| **id < below));
        let listed = rest.take(limit).map(|(id, (kept, incident))| {
            let token = incident.token.and_then(|token| kept.tokens.get(&token));
            let definition = self.definitions.get(&kept.row.definition);
            ListedIncident {
                id: *id,
                token: incident.token,
                node: token.map(|token| kept.process.node(token.token.node).id.clone()),
                process: definition.map(|definition| definition.key.clone()).unwrap_or_default(),
                kind: incident.kind,
                message: incident.message.clone(),
                at: incident.at,
            }
        });
        listed.collect()
    }

    pub(in crate::memory) fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Vec<Message> {
        self.letters.unmatched(tenant, below, now, limit)
    }

    pub(in crate::memory) fn listed_definitions(
        &self,
        tenant: &Tenant,
        key: Option<&str>,
    ) -> Vec<ListedDefinition> {
        let mut found: Vec<_> = self
            .definitions
            .values()
            .filter(|one| one.tenant == *tenant && key.is_none_or(|key| one.key == key))
            .map(|one| ListedDefinition {
                id: one.id,
                key: one.key.clone(),
                version: one.version,
                version_tag: one.version_tag.clone(),
                deployed_at: one.deployed_at,
            })
            .collect();
        found.sort_by(|a, b| (&a.key, b.version).cmp(&(&b.key, a.version)));
        if key.is_none() {
            found.dedup_by(|later, first| later.key == first.key);
        }
        found
    }

    pub(in crate::memory) fn standing(&self, definition: i64) -> Vec<Standing> {
        let mut nodes: Map<&str, (u64, u64)> = Map::new();
        for kept in self.instances.values().filter(|kept| kept.row.definition == definition) {
            for (number, token) in &kept.tokens {
                let counted = nodes.entry(&kept.process.node(token.token.node).id).or_default();
                counted.0 += 1;
                counted.1 += u64::from(kept.incidents.values().any(|one| one.token == Some(*number)));
            }
        }
        let told = nodes.into_iter();
        told.map(|(node, (tokens, incidents))| Standing { node: node.to_owned(), tokens, incidents })
            .collect()
    }
}

impl Kept {
    /// Its declared variables are as asked.
    fn passes(&self, filter: &InstanceFilter) -> bool {
        let document = self.variables.get(&ROOT).map_or("{}", |document| document);
        let declared = &self.process.body(None).indexed;
        filter.variables.iter().all(|test| {
            let mut values = indexed::values(declared, document);
            values.any(|(name, value)| name == test.name && value.is_some_and(|value| test.holds(&value)))
        })
    }
}

fn fits(id: InstanceId, task: &TaskRow, filter: &TaskFilter) -> bool {
    let asked = &task.asked;
    let has = |who: &String| asked.assignee.as_ref() == Some(who);
    let may = |who: &String| asked.candidate_users.contains(who);
    filter.instance.is_none_or(|instance| instance == id)
        && filter.assignee.as_ref().is_none_or(has)
        && filter.candidate_user.as_ref().is_none_or(may)
        && filter.candidate_group.as_ref().is_none_or(|group| asked.candidate_groups.contains(group))
        && filter.user.as_ref().is_none_or(|who| has(who) || may(who))
        && filter.claimed.is_none_or(|claimed| claimed == asked.assignee.is_some())
        && filter.due_before.is_none_or(|before| asked.due.is_some_and(|due| due < before))
        && filter.priority.is_none_or(|priority| priority == asked.priority)
}
