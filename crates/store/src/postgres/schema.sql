-- Tyer on PostgreSQL. Moments are milliseconds since 1970-01-01T00:00Z; elements are named by their BPMN ids.
-- Keys of an instance's rows begin with its shard, so that the tables can be spread by it. Wide columns come first:
-- alignment costs no bytes that way. Rows that turns update in place leave room in their page.
-- Whatever a person names is looked up with its tenant first; the default tenant is the empty text.
CREATE TABLE deployment (
    id          bigint PRIMARY KEY,
    deployed_at bigint NOT NULL,
    tenant      text NOT NULL DEFAULT '',
    checksum    text NOT NULL,
    resource    bytea NOT NULL,
    UNIQUE (tenant, checksum)
);
CREATE TABLE process_definition (
    id         bigint PRIMARY KEY,
    deployment bigint NOT NULL REFERENCES deployment (id),
    version    bigint NOT NULL,
    tenant     text NOT NULL DEFAULT '',
    key        text NOT NULL,
    version_tag text,
    UNIQUE (tenant, key, version)
);
CREATE INDEX process_definition_deployment ON process_definition (deployment);
-- What the start events of the newest version of a process wait for: a message, a signal or a moment.
CREATE TABLE start_event (
    definition bigint NOT NULL,
    position   bigint NOT NULL,
    due_at     bigint,
    node       text NOT NULL,
    tenant     text NOT NULL DEFAULT '',
    process    text NOT NULL,
    kind       text NOT NULL,
    name       text,
    cycle      text,
    PRIMARY KEY (definition, node, position)
);
CREATE INDEX start_event_process ON start_event (tenant, process);
CREATE INDEX start_event_name ON start_event (tenant, kind, name) WHERE name IS NOT NULL;
CREATE INDEX start_event_due ON start_event (due_at) WHERE due_at IS NOT NULL;
-- Of a process only one instance lives that a message with this key has begun.
CREATE TABLE start_key (
    instance bigint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    process  text NOT NULL,
    key      text NOT NULL,
    PRIMARY KEY (tenant, process, key)
);
CREATE TABLE process_instance (
    id           bigint NOT NULL,
    definition   bigint NOT NULL,
    version      bigint NOT NULL,
    counter      bigint NOT NULL,
    parent       bigint,
    parent_call  bigint,
    started_at   bigint NOT NULL,
    ended_at     bigint,
    retries      bigint NOT NULL,
    errors       bigint NOT NULL,
    shard        smallint NOT NULL,
    priority     smallint NOT NULL,
    status       text NOT NULL,
    tenant       text NOT NULL DEFAULT '',
    business_key text,
    started_by   text,
    last_error   text,
    start_key    text,
    PRIMARY KEY (shard, id)
) WITH (fillfactor = 70);
CREATE INDEX process_instance_parent ON process_instance (parent, parent_call) WHERE parent IS NOT NULL;
-- What a token waits for is a word (`wait`) and the number of a thing (`source`). A job is the token's own: at most one
-- at a time. A lease is held by a worker until a moment, or by a node for as long as the node lives: `lease_node` is the
-- node's number and which of its lives (1024 * generation + number).
CREATE TABLE token (
    instance    bigint NOT NULL,
    n           bigint NOT NULL,
    scope       bigint NOT NULL,
    owns        bigint,
    branch      bigint,
    parent      bigint,
    fork        bigint,
    source      bigint,
    attempt     bigint NOT NULL,
    tries       bigint,
    since       bigint NOT NULL,
    job         bigint,
    lease       bigint NOT NULL,
    lease_node  bigint,
    lease_since bigint,
    lease_until bigint,
    shard       smallint NOT NULL,
    status      text NOT NULL,
    tenant      text NOT NULL DEFAULT '',
    mode        text NOT NULL,
    node        text NOT NULL,
    flow        text,
    wait        text,
    marks       text,
    job_type    text,
    lease_owner text,
    PRIMARY KEY (shard, instance, n)
) WITH (fillfactor = 80);
-- Workers inside the program take jobs of every tenant, those outside of one. Whoever has no tenants pays nothing for it.
CREATE INDEX token_ready ON token (job_type, instance, n) WHERE status = 'ready';
CREATE INDEX token_ready_tenant ON token (tenant, job_type, instance, n) WHERE status = 'ready' AND tenant <> '';
CREATE INDEX token_lease_node ON token (lease_node) WHERE lease_node IS NOT NULL;
CREATE INDEX token_lease_until ON token (lease_until) WHERE lease_until IS NOT NULL;
-- Every scope but the root, of which there is nothing to say. `total` is what its kind counts: how many rounds there
-- will be, which round it is, which record is being undone.
CREATE TABLE scope (
    instance   bigint NOT NULL,
    n          bigint NOT NULL,
    parent     bigint NOT NULL,
    owner      bigint NOT NULL,
    total      bigint,
    started    bigint NOT NULL,
    completed  bigint NOT NULL,
    terminated bigint NOT NULL,
    shard      smallint NOT NULL,
    kind       text NOT NULL,
    node       text NOT NULL,
    PRIMARY KEY (shard, instance, n)
) WITH (fillfactor = 70);
-- Variables of a scope, 0 is the root: one JSON object, apart from what else changes in the scope.
CREATE TABLE variables (
    instance bigint NOT NULL,
    scope    bigint NOT NULL,
    shard    smallint NOT NULL,
    document text NOT NULL,
    PRIMARY KEY (shard, instance, scope)
) WITH (fillfactor = 70);
CREATE TABLE user_task (
    instance         bigint NOT NULL,
    n                bigint NOT NULL,
    token            bigint NOT NULL,
    due_at           bigint,
    created_at       bigint NOT NULL,
    shard            smallint NOT NULL,
    priority         smallint NOT NULL,
    tenant           text NOT NULL DEFAULT '',
    node             text NOT NULL,
    name             text,
    assignee         text,
    candidate_users  text NOT NULL,
    candidate_groups text NOT NULL,
    form             text,
    PRIMARY KEY (shard, instance, n)
);
CREATE INDEX user_task_oldest ON user_task (tenant, instance, n);
-- Of a token, or of a scope when no token waits for it.
CREATE TABLE timer (
    instance bigint NOT NULL,
    n        bigint NOT NULL,
    token    bigint,
    scope    bigint,
    due_at   bigint NOT NULL,
    visits   bigint,
    shard    smallint NOT NULL,
    held     boolean NOT NULL,
    kind     text NOT NULL,
    node     text NOT NULL,
    cycle    text,
    PRIMARY KEY (shard, instance, n)
);
CREATE INDEX timer_due ON timer (due_at, instance, n) WHERE NOT held;
-- Of a token, or of a scope when no token waits for it. `position` is which of the event's conditions it is.
CREATE TABLE subscription (
    instance bigint NOT NULL,
    n        bigint NOT NULL,
    token    bigint,
    scope    bigint,
    position bigint,
    since    bigint NOT NULL,
    shard    smallint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    kind     text NOT NULL,
    node     text NOT NULL,
    name     text,
    key      text,
    PRIMARY KEY (shard, instance, n)
);
CREATE INDEX subscription_wanted ON subscription (tenant, kind, name, key, instance, n) WHERE name IS NOT NULL;
-- A completed step that can be undone, with its own variables; `inner_scope` is where the records of its inner steps are.
CREATE TABLE compensation_record (
    instance    bigint NOT NULL,
    n           bigint NOT NULL,
    scope       bigint NOT NULL,
    inner_scope bigint,
    shard       smallint NOT NULL,
    status      text NOT NULL,
    node        text NOT NULL,
    variables   text NOT NULL,
    PRIMARY KEY (shard, instance, n)
);
CREATE TABLE saga (
    instance bigint NOT NULL,
    n        bigint NOT NULL,
    scope    bigint NOT NULL,
    token    bigint NOT NULL,
    since    bigint,
    shard    smallint NOT NULL,
    cause    text NOT NULL,
    message  text,
    PRIMARY KEY (shard, instance, n)
);
CREATE TABLE incident (
    instance bigint NOT NULL,
    n        bigint NOT NULL,
    token    bigint,
    at       bigint NOT NULL,
    shard    smallint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    kind     text NOT NULL,
    message  text NOT NULL,
    PRIMARY KEY (shard, instance, n)
);
CREATE TABLE history (
    instance  bigint NOT NULL,
    first_seq bigint NOT NULL,
    turn      bigint NOT NULL,
    at        bigint NOT NULL,
    count     integer NOT NULL,
    shard     smallint NOT NULL,
    format    smallint NOT NULL,
    events    text NOT NULL,
    PRIMARY KEY (shard, instance, first_seq)
);
-- What an instance has to say to another: written with the sender's turn, gone with the receiver's.
CREATE TABLE inbox (
    id     bigint NOT NULL,
    target bigint NOT NULL,
    sender bigint NOT NULL,
    due_at bigint NOT NULL,
    shard  smallint NOT NULL,
    kind   text NOT NULL,
    body   text NOT NULL,
    PRIMARY KEY (shard, id)
);
CREATE INDEX inbox_due ON inbox (due_at);
-- A message, until its time is over. `due_at`: receivers are still to be looked for.
CREATE TABLE message (
    id           bigint PRIMARY KEY,
    published_at bigint NOT NULL,
    expires_at   bigint NOT NULL,
    due_at       bigint,
    tenant       text NOT NULL DEFAULT '',
    name         text NOT NULL,
    key          text,
    message_id   text,
    variables    text NOT NULL
);
CREATE INDEX message_name ON message (tenant, name, key, id);
CREATE INDEX message_newest ON message (tenant, id);
CREATE INDEX message_expiry ON message (expires_at);
CREATE INDEX message_due ON message (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX message_once ON message (tenant, name, coalesce(key, ''), message_id) WHERE message_id IS NOT NULL;
-- A signal, until everybody has it who waited for it when it was sent: all up to the cursor do.
CREATE TABLE signal (
    id              bigint PRIMARY KEY,
    sender          bigint,
    published_at    bigint NOT NULL,
    cursor_instance bigint NOT NULL,
    cursor_n        bigint NOT NULL,
    due_at          bigint NOT NULL,
    tenant          text NOT NULL DEFAULT '',
    name            text NOT NULL,
    variables       text NOT NULL
);
-- Who has a message (a process) or a signal (a subscription, or a process that it began).
CREATE TABLE taken (
    letter bigint NOT NULL,
    taker  text NOT NULL,
    PRIMARY KEY (letter, taker)
);
CREATE TABLE idempotency (
    instance bigint NOT NULL,
    at       bigint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    key      text NOT NULL,
    PRIMARY KEY (tenant, key)
);
-- Every number a node may have; `generation` counts its lives.
CREATE TABLE node (
    generation bigint NOT NULL,
    until      bigint NOT NULL,
    high_water bigint NOT NULL,
    number     smallint PRIMARY KEY,
    owner      text
) WITH (fillfactor = 50);
INSERT INTO node (number, generation, until, high_water) SELECT number, 0, 0, 0 FROM generate_series(0, 1023) AS number;
-- Tokens that wait at a join, as the join sees them.
CREATE VIEW parallel_join AS
    SELECT shard, instance, node, scope, flow, count(*) AS arrived FROM token
    WHERE wait = 'join' GROUP BY shard, instance, node, scope, flow;
