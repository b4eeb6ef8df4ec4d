-- What lists are found by. A column of a row that turns rewrite is indexed only if few turns change it. A definition is
-- of one tenant, so that an index by definition needs no tenant.
CREATE INDEX process_instance_status ON process_instance (status, definition, id);
CREATE INDEX process_instance_ended ON process_instance (tenant, ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX process_instance_business_key ON process_instance (tenant, business_key, id) WHERE business_key IS NOT NULL;
CREATE INDEX token_node ON token (tenant, node, instance);
CREATE INDEX incident_newest ON incident (tenant, instance, n);
-- Variables that instances are found by: those that the process declares, of the instance itself. A truth value is a text.
CREATE TABLE variable_index (
    instance bigint NOT NULL,
    number   double precision,
    shard    smallint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    name     text COLLATE "C" NOT NULL,
    text     text COLLATE "C",
    PRIMARY KEY (shard, instance, name)
) WITH (fillfactor = 80);
CREATE INDEX variable_index_number ON variable_index (tenant, name, number, instance) WHERE number IS NOT NULL;
CREATE INDEX variable_index_text ON variable_index (tenant, name, text, instance) WHERE text IS NOT NULL;
-- Who may do a task: `kind` is user or group.
CREATE TABLE task_candidate (
    instance bigint NOT NULL,
    n        bigint NOT NULL,
    shard    smallint NOT NULL,
    tenant   text NOT NULL DEFAULT '',
    kind     text NOT NULL,
    who      text NOT NULL,
    PRIMARY KEY (shard, instance, n, kind, who)
);
CREATE INDEX task_candidate_who ON task_candidate (tenant, kind, who, instance, n);
INSERT INTO task_candidate (shard, instance, n, tenant, kind, who)
    SELECT t.shard, t.instance, t.n, t.tenant, 'user', c FROM user_task t, json_array_elements_text(t.candidate_users::json) c
    UNION SELECT t.shard, t.instance, t.n, t.tenant, 'group', c FROM user_task t,
    json_array_elements_text(t.candidate_groups::json) c;
CREATE INDEX user_task_assignee ON user_task (tenant, assignee, instance, n) WHERE assignee IS NOT NULL;
CREATE INDEX user_task_taken ON user_task (tenant, instance, n) WHERE assignee IS NOT NULL;
CREATE INDEX user_task_free ON user_task (tenant, instance, n) WHERE assignee IS NULL;
CREATE INDEX user_task_due ON user_task (tenant, due_at, instance, n) WHERE due_at IS NOT NULL;
CREATE INDEX user_task_priority ON user_task (tenant, priority, instance, n) WHERE priority <> 50;
