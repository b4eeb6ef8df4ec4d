-- Tyer on SQLite. Moments are milliseconds since 1970-01-01T00:00Z; elements are named by their BPMN ids.
-- Whatever a person names is looked up with its tenant first; the default tenant is the empty text.
CREATE TABLE deployment (
    id          INTEGER PRIMARY KEY,
    tenant      TEXT NOT NULL DEFAULT '',
    checksum    TEXT NOT NULL,
    resource    BLOB NOT NULL,
    deployed_at INTEGER NOT NULL,
    UNIQUE (tenant, checksum)
);
CREATE TABLE process_definition (
    id         INTEGER PRIMARY KEY,
    deployment INTEGER NOT NULL REFERENCES deployment (id),
    tenant     TEXT NOT NULL DEFAULT '',
    key        TEXT NOT NULL,
    version    INTEGER NOT NULL,
    version_tag TEXT,
    UNIQUE (tenant, key, version)
);
CREATE INDEX process_definition_deployment ON process_definition (deployment);
-- What the start events of the newest version of a process wait for: a message, a signal or a moment.
CREATE TABLE start_event (
    definition INTEGER NOT NULL,
    node       TEXT NOT NULL,
    position   INTEGER NOT NULL,
    tenant     TEXT NOT NULL DEFAULT '',
    process    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT,
    due_at     INTEGER,
    cycle      TEXT,
    PRIMARY KEY (definition, node, position)
) WITHOUT ROWID;
CREATE INDEX start_event_process ON start_event (tenant, process);
CREATE INDEX start_event_name ON start_event (tenant, kind, name) WHERE name IS NOT NULL;
CREATE INDEX start_event_due ON start_event (due_at) WHERE due_at IS NOT NULL;
-- Of a process only one instance lives that a message with this key has begun.
CREATE TABLE start_key (
    tenant   TEXT NOT NULL DEFAULT '',
    process  TEXT NOT NULL,
    key      TEXT NOT NULL,
    instance INTEGER NOT NULL,
    PRIMARY KEY (tenant, process, key)
) WITHOUT ROWID;
CREATE TABLE process_instance (
    id           INTEGER PRIMARY KEY,
    definition   INTEGER NOT NULL,
    tenant       TEXT NOT NULL DEFAULT '',
    status       TEXT NOT NULL,
    version      INTEGER NOT NULL,
    counter      INTEGER NOT NULL,
    business_key TEXT,
    started_by   TEXT,
    priority     INTEGER NOT NULL,
    parent       INTEGER,
    parent_call  INTEGER,
    start_key    TEXT,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    retries      INTEGER NOT NULL,
    errors       INTEGER NOT NULL,
    last_error   TEXT
);
CREATE INDEX process_instance_parent ON process_instance (parent, parent_call) WHERE parent IS NOT NULL;
-- What a token waits for is a word (`wait`) and the number of a thing (`source`). A job is the token's own: at most one
-- at a time. A lease is held by a worker until a moment, or by a node for as long as the node lives.
CREATE TABLE token (
    instance    INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    node        TEXT NOT NULL,
    flow        TEXT,
    status      TEXT NOT NULL,
    wait        TEXT,
    source      INTEGER,
    mode        TEXT NOT NULL,
    scope       INTEGER NOT NULL,
    owns        INTEGER,
    branch      INTEGER,
    parent      INTEGER,
    fork        INTEGER,
    marks       TEXT,
    attempt     INTEGER NOT NULL,
    tries       INTEGER,
    since       INTEGER NOT NULL,
    job         INTEGER,
    job_type    TEXT,
    lease       INTEGER NOT NULL,
    lease_owner TEXT,
    lease_node  INTEGER,
    lease_since INTEGER,
    lease_until INTEGER,
    tenant      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
-- Workers inside the program take jobs of every tenant, those outside of one. Whoever has no tenants pays nothing for it.
CREATE INDEX token_ready ON token (job_type) WHERE status = 'ready';
CREATE INDEX token_ready_tenant ON token (tenant, job_type) WHERE status = 'ready' AND tenant <> '';
CREATE INDEX token_lease_node ON token (lease_node) WHERE lease_node IS NOT NULL;
CREATE INDEX token_lease_until ON token (lease_until) WHERE lease_until IS NOT NULL;
-- Every scope but the root, of which there is nothing to say. `total` is what its kind counts: how many rounds there
-- will be, which round it is, which record is being undone.
CREATE TABLE scope (
    instance   INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    parent     INTEGER NOT NULL,
    owner      INTEGER NOT NULL,
    node       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    total      INTEGER,
    started    INTEGER NOT NULL,
    completed  INTEGER NOT NULL,
    terminated INTEGER NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
-- Variables of a scope, 0 is the root: one JSON object, apart from what else changes in the scope.
CREATE TABLE variables (
    instance INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (instance, scope)
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
    tenant           TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
-- Of a token, or of a scope when no token waits for it.
CREATE TABLE timer (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    token    INTEGER,
    scope    INTEGER,
    node     TEXT NOT NULL,
    due_at   INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    visits   INTEGER,
    cycle    TEXT,
    held     INTEGER NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE INDEX timer_due ON timer (due_at) WHERE held = 0;
-- Of a token, or of a scope when no token waits for it. `position` is which of the event's conditions it is.
CREATE TABLE subscription (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    token    INTEGER,
    scope    INTEGER,
    node     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    name     TEXT,
    key      TEXT,
    position INTEGER,
    since    INTEGER NOT NULL,
    tenant   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE INDEX subscription_wanted ON subscription (tenant, kind, name, key) WHERE name IS NOT NULL;
-- A completed step that can be undone, with its own variables; `inner_scope` is where the records of its inner steps are.
CREATE TABLE compensation_record (
    instance  INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    scope     INTEGER NOT NULL,
    node      TEXT NOT NULL,
    status    TEXT NOT NULL,
    inner_scope INTEGER,
    variables TEXT NOT NULL,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE TABLE saga (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    token    INTEGER NOT NULL,
    cause    TEXT NOT NULL,
    message  TEXT,
    since    INTEGER,
    PRIMARY KEY (instance, n)
) WITHOUT ROWID;
CREATE TABLE incident (
    instance INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    token    INTEGER,
    kind     TEXT NOT NULL,
    message  TEXT NOT NULL,
    at       INTEGER NOT NULL,
    tenant   TEXT NOT NULL DEFAULT '',
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
-- What an instance has to say to another: written with the sender's turn, gone with the receiver's.
CREATE TABLE inbox (
    id     INTEGER PRIMARY KEY,
    target INTEGER NOT NULL,
    sender INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    body   TEXT NOT NULL
);
CREATE INDEX inbox_due ON inbox (due_at);
-- A message, until its time is over. `due_at`: receivers are still to be looked for.
CREATE TABLE message (
    id           INTEGER PRIMARY KEY,
    tenant       TEXT NOT NULL DEFAULT '',
    name         TEXT NOT NULL,
    key          TEXT,
    message_id   TEXT,
    published_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    due_at       INTEGER,
    variables    TEXT NOT NULL
);
CREATE INDEX message_name ON message (tenant, name, key);
CREATE INDEX message_newest ON message (tenant, id);
CREATE INDEX message_expiry ON message (expires_at);
CREATE INDEX message_due ON message (due_at) WHERE due_at IS NOT NULL;
-- A signal, until everybody has it who waited for it when it was sent: all up to the cursor do.
CREATE TABLE signal (
    id              INTEGER PRIMARY KEY,
    tenant          TEXT NOT NULL DEFAULT '',
    name            TEXT NOT NULL,
    sender          INTEGER,
    published_at    INTEGER NOT NULL,
    cursor_instance INTEGER NOT NULL,
    cursor_n        INTEGER NOT NULL,
    due_at          INTEGER NOT NULL,
    variables       TEXT NOT NULL
);
-- Who has a message (a process) or a signal (a subscription, or a process that it began).
CREATE TABLE taken (
    letter INTEGER NOT NULL,
    taker  TEXT NOT NULL,
    PRIMARY KEY (letter, taker)
) WITHOUT ROWID;
CREATE TABLE idempotency (
    tenant   TEXT NOT NULL DEFAULT '',
    key      TEXT NOT NULL,
    instance INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
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
    WHERE wait = 'join' GROUP BY instance, node, scope, flow;
