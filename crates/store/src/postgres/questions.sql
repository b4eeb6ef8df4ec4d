-- Common questions, for people with a prompt: docs/schema.md. Nothing in the program reads these.
CREATE VIEW waiting AS
    SELECT i.tenant, p.key AS process, p.version AS process_version, t.instance, i.business_key, i.status AS instance_status,
        t.n AS token, t.node, CASE WHEN t.job IS NULL THEN coalesce(t.wait, 'nothing') ELSE 'job' END AS wait, t.job_type, t.lease_owner,
        to_timestamp(t.since / 1000.0) AS since
    FROM token t JOIN process_instance i ON i.shard = t.shard AND i.id = t.instance
        LEFT JOIN process_definition p ON p.id = i.definition;
CREATE VIEW open_incident AS
    SELECT x.tenant, p.key AS process, p.version AS process_version, x.instance, i.business_key, x.n AS incident, t.node,
        x.kind, x.message, to_timestamp(x.at / 1000.0) AS at
    FROM incident x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
        LEFT JOIN process_definition p ON p.id = i.definition
        LEFT JOIN token t ON t.shard = x.shard AND t.instance = x.instance AND t.n = x.token;
CREATE VIEW instance_count AS
    SELECT i.tenant, p.key AS process, p.version AS process_version, i.status, count(*) AS instances
    FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition
    GROUP BY i.tenant, p.key, p.version, i.status;
CREATE VIEW overdue_timer AS
    SELECT i.tenant, p.key AS process, t.instance, t.n AS timer, t.node, t.kind, to_timestamp(t.due_at / 1000.0) AS due,
        extract(epoch FROM clock_timestamp()) - t.due_at / 1000.0 AS seconds_late
    FROM timer t JOIN process_instance i ON i.shard = t.shard AND i.id = t.instance
        LEFT JOIN process_definition p ON p.id = i.definition
    WHERE NOT t.held AND t.due_at < extract(epoch FROM clock_timestamp()) * 1000;
CREATE VIEW open_task AS
    SELECT u.tenant, p.key AS process, u.instance, i.business_key, u.n AS task, u.node, u.name, u.assignee,
        u.candidate_users, u.candidate_groups, u.priority, to_timestamp(u.created_at / 1000.0) AS created,
        to_timestamp(u.due_at / 1000.0) AS due
    FROM user_task u JOIN process_instance i ON i.shard = u.shard AND i.id = u.instance
        LEFT JOIN process_definition p ON p.id = i.definition;
CREATE VIEW history_event AS
    SELECT h.instance, h.first_seq + e.place - 1 AS seq, h.turn, to_timestamp(h.at / 1000.0) AS at,
        e.event ->> 'type' AS type, e.event ->> 'token' AS token, e.event ->> 'node' AS node, e.event ->> 'flow' AS flow,
        e.event -> 'data' AS data
    FROM history h CROSS JOIN LATERAL json_array_elements(h.events::json) WITH ORDINALITY AS e (event, place);
