//! The statements that find pages of instances.
//!
//! **Invariant:** no statement here scans a table, and none gathers more than a page of what is many (a test reads their
//! plans).

/// What an instance must be, whichever way it is found. What is not asked for is null.
macro_rules! residual {
    () => {
        "i.tenant = :tenant AND i.id > :above AND i.id < :below
        AND (:statuses IS NULL OR i.status IN (SELECT value FROM json_each(:statuses)))
        AND (:definitions IS NULL OR i.definition IN (SELECT value FROM json_each(:definitions)))
        AND (:key IS NULL OR i.business_key = :key)
        AND (:started_from IS NULL OR i.started_at >= :started_from)
        AND (:started_to IS NULL OR i.started_at < :started_to)
        AND (:ended_from IS NULL OR i.ended_at >= :ended_from) AND (:ended_to IS NULL OR i.ended_at < :ended_to)
        AND (:incident IS NULL OR :incident = EXISTS (SELECT 1 FROM incident x WHERE x.instance = i.id))
        AND (:node IS NULL OR EXISTS (SELECT 1 FROM token x WHERE x.instance = i.id AND x.node = :node))
        AND (:tests IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(:tests) t WHERE NOT EXISTS (
            SELECT 1 FROM variable_index x WHERE x.instance = i.id AND x.name = t.value ->> 'name'
            AND CASE t.value ->> 'is'
                WHEN 'eq' THEN coalesce(x.number = t.value ->> 'number', x.text = t.value ->> 'text')
                WHEN 'gt' THEN coalesce(x.number > t.value ->> 'number', x.text > t.value ->> 'text')
                WHEN 'ge' THEN coalesce(x.number >= t.value ->> 'number', x.text >= t.value ->> 'text')
                WHEN 'lt' THEN coalesce(x.number < t.value ->> 'number', x.text < t.value ->> 'text')
                ELSE coalesce(x.number <= t.value ->> 'number', x.text <= t.value ->> 'text') END)))"
    };
}

pub(super) const BY_STATUS: &str = concat!(
    "SELECT i.id, NULL FROM process_instance i INDEXED BY process_instance_status
     WHERE i.status = :one_status AND i.definition = :one_definition AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
pub(super) const BY_KEY: &str = concat!(
    "SELECT i.id, NULL FROM process_instance i INDEXED BY process_instance_business_key
     WHERE i.business_key = :key AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
pub(super) const BY_END: &str = concat!(
    "SELECT i.id, i.ended_at FROM process_instance i INDEXED BY process_instance_ended
     WHERE i.tenant = :tenant AND i.ended_at >= :first_end AND i.ended_at < :last_end AND (i.ended_at, i.id) < (:after_end, :after_id) AND ",
    residual!(),
    " ORDER BY i.ended_at DESC, i.id DESC LIMIT :limit"
);
/// Grouped in the order of the index, so that it ends with the page; `DISTINCT` would gather all of them first.
pub(super) const BY_INCIDENT: &str = concat!(
    "SELECT f.instance, NULL FROM incident f INDEXED BY incident_newest
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " GROUP BY f.instance ORDER BY f.instance DESC LIMIT :limit"
);
pub(super) const BY_NODE: &str = concat!(
    "SELECT f.instance, NULL FROM token f INDEXED BY token_node CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.node = :node AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " GROUP BY f.instance ORDER BY f.instance DESC LIMIT :limit"
);
pub(super) const BY_NUMBER: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_number
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.number = :number AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
pub(super) const BY_TEXT: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_text
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.text = :text AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
/// Those in a range of values, which is few or has no other condition; `:except` is an end that is not in it. They are
/// sorted by whoever asks: to keep the newest of many in a tree costs SQLite more than to tell all of them.
pub(super) const NUMBERS: &str = "SELECT instance FROM variable_index INDEXED BY variable_index_number
    WHERE tenant = :tenant AND name = :name AND number BETWEEN :least AND :most AND number IS NOT :except
    AND instance > :above AND instance < :below LIMIT :limit";
pub(super) const TEXTS: &str = "SELECT instance FROM variable_index INDEXED BY variable_index_text
    WHERE tenant = :tenant AND name = :name AND text BETWEEN :least AND :most AND text IS NOT :except
    AND instance > :above AND instance < :below LIMIT :limit";
/// The newest slice of ids before another that has a value at all.
pub(super) const SLICE_OF_NUMBERS: &str =
    "SELECT instance >> 46 FROM variable_index INDEXED BY variable_index_number_slice
    WHERE tenant = ?1 AND name = ?2 AND number IS NOT NULL AND instance >> 46 < ?3
    AND instance >> 46 >= (?4 >> 46) ORDER BY instance >> 46 DESC LIMIT 1";
pub(super) const SLICE_OF_TEXTS: &str =
    "SELECT instance >> 46 FROM variable_index INDEXED BY variable_index_text_slice
    WHERE tenant = ?1 AND name = ?2 AND text IS NOT NULL AND instance >> 46 < ?3
    AND instance >> 46 >= (?4 >> 46) ORDER BY instance >> 46 DESC LIMIT 1";
/// All of a slice that is in a range.
pub(super) const NUMBERS_OF_SLICE: &str =
    "SELECT instance FROM variable_index INDEXED BY variable_index_number_slice
    WHERE tenant = :tenant AND name = :name AND instance >> 46 = :slice AND number BETWEEN :least AND :most
    AND number IS NOT :except AND instance > :above AND instance < :below";
pub(super) const TEXTS_OF_SLICE: &str =
    "SELECT instance FROM variable_index INDEXED BY variable_index_text_slice
    WHERE tenant = :tenant AND name = :name AND instance >> 46 = :slice AND text BETWEEN :least AND :most
    AND text IS NOT :except AND instance > :above AND instance < :below";
/// Is it this one?
pub(super) const FITS: &str =
    concat!("SELECT i.id, NULL FROM process_instance i WHERE i.id = :one AND ", residual!());
/// So many are newer.
pub(super) const NEAR: &str = "SELECT id FROM process_instance INDEXED BY process_instance_status
    WHERE status = ?1 AND definition = ?2 AND id < ?3 ORDER BY id DESC LIMIT 1 OFFSET ?4";
pub(super) const FEW_IN_STATUS: &str =
    "SELECT count(*) FROM (SELECT 1 FROM process_instance INDEXED BY process_instance_status
    WHERE status = ?1 AND definition = ?2 AND id > ?3 AND id < ?4 LIMIT ?5)";
pub(super) const COUNT: &str = concat!("SELECT count(*), NULL FROM process_instance i WHERE ", residual!());
pub(super) const COUNT_STATUS: &str =
    "SELECT count(*) FROM process_instance INDEXED BY process_instance_status
    WHERE status = ?1 AND definition = ?2";
pub(in crate::sqlite) const LISTED: &str = "SELECT i.id, i.definition, i.status, i.business_key, i.parent, i.parent_call, i.started_at,
    i.ended_at, coalesce(p.key, ''), coalesce(p.version, 0), (SELECT count(*) FROM incident x WHERE x.instance = i.id),
    i.tenant FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition";

#[cfg(test)]
mod tests_of_plans {
    use super::*;
    use crate::sqlite::plans::no_scan;

    #[test]
    fn no_page_of_instances_is_found_by_a_scan() {
        for sql in [
            BY_STATUS,
            BY_KEY,
            BY_END,
            BY_INCIDENT,
            BY_NODE,
            BY_NUMBER,
            BY_TEXT,
            NUMBERS,
            TEXTS,
            SLICE_OF_NUMBERS,
            SLICE_OF_TEXTS,
            NUMBERS_OF_SLICE,
            TEXTS_OF_SLICE,
            FITS,
            NEAR,
            FEW_IN_STATUS,
            COUNT_STATUS,
        ] {
            no_scan(sql);
        }
        no_scan(&format!("{LISTED} WHERE i.id = ?1"));
    }
}
