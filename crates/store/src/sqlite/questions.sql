-- Common questions, for people with a prompt: docs/schema.md. Nothing in the program reads these.
CREATE VIEW waiting AS
    SELECT i.tenant, p.key AS process, p.version AS process_version, t.instance, i.business_key, i.status AS instance_status,
        t.n AS token, t.node, CASE WHEN t.job IS NULL THEN coalesce(t.wait, 'nothing') ELSE 'job' END AS wait, t.job_type, t.lease_owner,
        strftime('%Y-%m-%dT%H:%M:%fZ', t.since / 1000.0, 'unixepoch') AS since
    FROM token t JOIN process_instance i ON i.id = t.instance LEFT JOIN process_definition p ON p.id = i.definition;
CREATE VIEW open_incident AS
    SELECT x.tenant, p.key AS process, p.version AS process_version, x.instance, i.business_key, x.n AS incident, t.node,
        x.kind, x.message, strftime('%Y-%m-%dT%H:%M:%fZ', x.at / 1000.0, 'unixepoch') AS at
    FROM incident x JOIN process_instance i ON i.id = x.instance LEFT JOIN process_definition p ON p.id = i.definition
        LEFT JOIN token t ON t.instance = x.instance AND t.n = x.token;
CREATE VIEW instance_count AS
    SELECT i.tenant, p.key AS process, p.version AS process_version, i.status, count(*) AS instances
    FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition
    GROUP BY i.tenant, p.key, p.version, i.status;
CREATE VIEW overdue_timer AS
    SELECT i.tenant, p.key AS process, t.instance, t.n AS timer, t.node, t.kind,
        strftime('%Y-%m-%dT%H:%M:%fZ', t.due_at / 1000.0, 'unixepoch') AS due,
        unixepoch('subsec') - t.due_at / 1000.0 AS seconds_late
    FROM timer t JOIN process_instance i ON i.id = t.instance LEFT JOIN process_definition p ON p.id = i.definition
    WHERE t.held = 0 AND t.due_at < unixepoch('subsec') * 1000;
CREATE VIEW open_task AS
    SELECT u.tenant, p.key AS process, u.instance, i.business_key, u.n AS task, u.node, u.name, u.assignee,
        u.candidate_users, u.candidate_groups, u.priority,
        strftime('%Y-%m-%dT%H:%M:%fZ', u.created_at / 1000.0, 'unixepoch') AS created,
        strftime('%Y-%m-%dT%H:%M:%fZ', u.due_at / 1000.0, 'unixepoch') AS due
    FROM user_task u JOIN process_instance i ON i.id = u.instance LEFT JOIN process_definition p ON p.id = i.definition;
CREATE VIEW history_event AS
    SELECT h.instance, h.first_seq + e.key AS seq, h.turn,
        strftime('%Y-%m-%dT%H:%M:%fZ', h.at / 1000.0, 'unixepoch') AS at, e.value ->> 'type' AS type,
        e.value ->> 'token' AS token, e.value ->> 'node' AS node, e.value ->> 'flow' AS flow, e.value -> 'data' AS data
    FROM history h, json_each(h.events) e;
