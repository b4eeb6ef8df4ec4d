-- Who is told of every turn from a moment on; `settings` are JSON.
CREATE TABLE sink (
    name     TEXT NOT NULL PRIMARY KEY,
    kind     TEXT NOT NULL,
    settings TEXT NOT NULL,
    since    INTEGER NOT NULL
) WITHOUT ROWID;
-- The history of an instance on its way to a sink: events from next_seq to last_seq have not arrived. `state` is ready
-- or dead; a ready stream whose moment is still to come waits for its next try, or is in somebody's hands until then.
CREATE TABLE outbox (
    instance INTEGER NOT NULL,
    sink     TEXT NOT NULL,
    next_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    state    TEXT NOT NULL,
    due_at   INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    lease    INTEGER NOT NULL,
    error    TEXT,
    PRIMARY KEY (instance, sink)
) WITHOUT ROWID;
CREATE INDEX outbox_due ON outbox (sink, due_at, instance) WHERE state = 'ready';
CREATE INDEX outbox_dead ON outbox (sink, instance) WHERE state = 'dead';
