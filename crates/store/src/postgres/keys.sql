-- Indexes of lists have parts of keys in them. A planner that believes a table to be empty (its statistics were taken when all
-- had ended) takes any of them to find a row whose whole key is named, and then reads all of it. Conditions that always hold
-- keep it from that: they follow from what a list asks for, never from a key.
DROP INDEX process_instance_status;
CREATE INDEX process_instance_status ON process_instance (status, definition, id) WHERE status IS NOT NULL;
DROP INDEX token_node;
CREATE INDEX token_node ON token (tenant, node, instance) WHERE node IS NOT NULL;
DROP INDEX user_task_oldest;
CREATE INDEX user_task_oldest ON user_task (tenant, instance, n) WHERE tenant IS NOT NULL;
DROP INDEX incident_newest;
CREATE INDEX incident_newest ON incident (tenant, instance, n) WHERE tenant IS NOT NULL;
DROP INDEX task_candidate_who;
CREATE INDEX task_candidate_who ON task_candidate (tenant, kind, who, instance, n) WHERE who IS NOT NULL;
