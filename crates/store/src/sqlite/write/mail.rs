//! What turns take from others and leave for them, and the keys under which messages began instances.

use rusqlite::{Connection, Transaction, params};
use tyer_engine::StartWanted;

use crate::chain::Written;
use crate::mail::{Errand, Letter, Message, Signal, StartEventKey, Take};
use crate::words;

pub(super) fn write(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        start_key(transaction, one)?;
        for mail in &one.mail {
            if let Some(take) = &mail.takes {
                taken(transaction, take)?;
            }
            for letter in &mail.leaves {
                put(transaction, letter)?;
            }
        }
    }
    Ok(())
}

fn start_key(transaction: &Transaction<'_>, one: &Written) -> rusqlite::Result<()> {
    if let Some(key) = one.new_start_key() {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO start_key (tenant, process, key, instance) VALUES (?1, ?2, ?3, ?4)",
        )?;
        insert.execute(params![one.tenant(), one.process.id, key, one.instance.0])?;
    }
    if let Some(key) = one.freed_start_key() {
        let mut delete = transaction
            .prepare_cached("DELETE FROM start_key WHERE tenant = ?1 AND process = ?2 AND key = ?3")?;
        delete.execute(params![one.tenant(), one.process.id, key])?;
    }
    Ok(())
}

fn taken(transaction: &Transaction<'_>, take: &Take) -> rusqlite::Result<()> {
    match take {
        Take::Errand { id, .. } => {
            transaction.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([id])?;
        }
        Take::Message { id, taker } | Take::Signal { id, taker } => {
            let mut insert =
                transaction.prepare_cached("INSERT INTO taken (letter, taker) VALUES (?1, ?2)")?;
            insert.execute(params![id, taker])?;
        }
        Take::StartTimer { event: StartEventKey { definition, node, position }, next, .. } => match next {
            Some((due, cycle)) => {
                let mut update = transaction.prepare_cached(
                    "UPDATE start_event SET due_at = ?4, cycle = ?5
                     WHERE definition = ?1 AND node = ?2 AND position = ?3",
                )?;
                update.execute(params![definition, node, position, due.0, cycle.as_deref()])?;
            }
            None => {
                let mut delete = transaction.prepare_cached(
                    "DELETE FROM start_event WHERE definition = ?1 AND node = ?2 AND position = ?3",
                )?;
                delete.execute(params![definition, node, position])?;
            }
        },
    }
    Ok(())
}

fn put(transaction: &Transaction<'_>, letter: &Letter) -> rusqlite::Result<()> {
    match letter {
        Letter::Errand(Errand { id, target, sender, due, kind, body }) => {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO inbox (id, target, sender, due_at, kind, body) VALUES (?1,?2,?3,?4,?5,?6)",
            )?;
            insert.execute(params![id, target.0, sender.0, due.0, kind, body])?;
        }
        Letter::Message(message) => put_message(transaction, message)?,
        Letter::Signal(signal) => put_signal(transaction, signal)?,
    }
    Ok(())
}

/// Written again it is the same.
pub(in crate::sqlite) fn put_message(connection: &Connection, message: &Message) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO message (id, name, key, message_id, published_at, expires_at, due_at, variables, tenant)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
    )?;
    let due = message.due.map(|due| due.0);
    let (published, expires) = (message.published_at.0, message.expires_at.0);
    let (name, key, id) = (&*message.name, &message.key, &message.message_id);
    let (variables, tenant) = (&message.variables, message.tenant.as_str());
    insert.execute(params![message.id, name, key, id, published, expires, due, variables, tenant])?;
    Ok(())
}

/// Written again it is the same.
pub(in crate::sqlite) fn put_signal(connection: &Connection, signal: &Signal) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO signal (id, name, sender, published_at, cursor_instance, cursor_n, due_at, variables,
         tenant) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
    )?;
    let (sender, (instance, n)) = (signal.sender.map(|id| id.0), signal.cursor);
    let (name, at, due) = (&*signal.name, signal.published_at.0, signal.due.0);
    let (variables, tenant) = (&signal.variables, signal.tenant.as_str());
    insert.execute(params![signal.id, name, sender, at, instance.0, n, due, variables, tenant])?;
    Ok(())
}

/// The start events of a new version wait instead of those of the versions before.
pub(in crate::sqlite) fn replace_starts(
    connection: &Connection,
    definition: i64,
    (tenant, process): (&str, &str),
    starts: &[(String, u32, StartWanted)],
) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM start_event WHERE tenant = ?1 AND process = ?2", [tenant, process])?;
    for (node, position, wanted) in starts {
        let (kind, name, due, cycle) = words::start_wanted(wanted);
        connection.execute(
            "INSERT INTO start_event (definition, node, position, process, kind, name, due_at, cycle, tenant)
             VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
            params![definition, node, position, process, kind, name, due, cycle, tenant],
        )?;
    }
    Ok(())
}
