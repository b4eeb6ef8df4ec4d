-- Who is told of every turn from a moment on; `settings` are JSON.
CREATE TABLE sink (
    since    bigint NOT NULL,
    name     text COLLATE "C" NOT NULL PRIMARY KEY,
    kind     text NOT NULL,
    settings text NOT NULL
);
-- The history of an instance on its way to a sink: events from next_seq to last_seq have not arrived. `state` is ready
-- or dead; a ready stream whose moment is still to come waits for its next try, or is in somebody's hands until then.
CREATE TABLE outbox (
    instance bigint NOT NULL,
    next_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    due_at   bigint NOT NULL,
    lease    bigint NOT NULL,
    attempt  bigint NOT NULL,
    shard    smallint NOT NULL,
    sink     text COLLATE "C" NOT NULL,
    state    text NOT NULL,
    error    text,
    PRIMARY KEY (shard, instance, sink)
) WITH (fillfactor = 70);
CREATE INDEX outbox_due ON outbox (sink, due_at, instance) WHERE state = 'ready';
CREATE INDEX outbox_dead ON outbox (sink, instance) WHERE state = 'dead';
