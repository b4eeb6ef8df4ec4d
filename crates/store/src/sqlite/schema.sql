-- Tyer on SQLite. Moments are milliseconds since 1970-01-01T00:00Z; elements are named by their BPMN ids.
CREATE TABLE deployment (
    id          INTEGER PRIMARY KEY,
    checksum    TEXT NOT NULL UNIQUE,
    resource    BLOB NOT NULL,
    deployed_at INTEGER NOT NULL
);
CREATE TABLE process_definition (
    id         INTEGER PRIMARY KEY,
    deployment INTEGER NOT NULL REFERENCES deployment (id),
    key        TEXT NOT NULL,
    version    INTEGER NOT NULL,
    UNIQUE (key, version)
);
CREATE TABLE process_instance (
    id           INTEGER PRIMARY KEY,
    definition   INTEGER NOT NULL,
    status       TEXT NOT NULL,
    version      INTEGER NOT NULL,
    counter      INTEGER NOT NULL,
    business_key TEXT,
    started_by   TEXT,
    priority     INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    retries      INTEGER NOT NULL,
    errors       INTEGER NOT NULL,
    last_error   TEXT
);
-- A job is the token's: at most one at a time. A lease is held by a worker until a moment, or by a node for as
-- long as the node lives.
CREATE TABLE token (
    instance    INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    node        TEXT NOT NULL,
    flow        TEXT,
    status      TEXT NOT NULL,
    mode        TEXT NOT NULL,
    scope       INTEGER NOT NULL,
    parent      INTEGER,
    branch      INTEGER,
    attempt     INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    job         INTEGER,
    job_type    TEXT,
    lease       INTEGER NOT NULL,
    lease_owner TEXT,
    lease_node  INTEGER,
    lease_since INTEGER,
    lease_until INTEGER,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE INDEX token_ready ON token (job_type) WHERE status = 'ready';
CREATE INDEX token_lease_node ON token (lease_node) WHERE lease_node IS NOT NULL;
CREATE INDEX token_lease_until ON token (lease_until) WHERE lease_until IS NOT NULL;
CREATE TABLE scope (
    instance  INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    variables TEXT NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE TABLE user_task (
    instance         INTEGER NOT NULL,
    n                INTEGER NOT NULL,
    token            INTEGER NOT NULL,
    node             TEXT NOT NULL,
    name             TEXT,
    assignee         TEXT,
    candidate_users  TEXT NOT NULL,
    candidate_groups TEXT NOT NULL,
    form             TEXT,
    priority         INTEGER NOT NULL,
    due_at           INTEGER,
    created_at       INTEGER NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE TABLE timer (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    token    INTEGER NOT NULL,
    due_at   INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    visits   INTEGER,
    held     INTEGER NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE INDEX timer_due ON timer (due_at) WHERE held = 0;
CREATE TABLE incident (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    token    INTEGER,
    kind     TEXT NOT NULL,
    message  TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE TABLE history (
    instance  INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    count     INTEGER NOT NULL,
    turn      INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    format    INTEGER NOT NULL,
    events    TEXT NOT NULL,
    PRIMARY KEY (instance, first_seq)
) WITHOUT ROWID;
CREATE TABLE idempotency (
    key      TEXT PRIMARY KEY,
    instance INTEGER NOT NULL,
    at       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE node (
    number     INTEGER PRIMARY KEY,
    owner      TEXT NOT NULL,
    until      INTEGER NOT NULL,
    high_water INTEGER NOT NULL
);
-- Tokens that wait at a join, as the join sees them.
CREATE VIEW parallel_join AS
    SELECT instance, node, scope, flow, count(*) AS arrived FROM token
    WHERE status = 'waiting' AND flow IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM timer WHERE timer.instance = token.instance AND timer.token = token.n)
      AND NOT EXISTS (SELECT 1 FROM user_task WHERE user_task.instance = token.instance AND user_task.token = token.n)
    GROUP BY instance, node, scope, flow;
