CREATE SCHEMA upgrade_sample;
CREATE TABLE upgrade_sample.compensation_record (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    scope bigint NOT NULL,
    inner_scope bigint,
    shard smallint NOT NULL,
    status text NOT NULL,
    node text NOT NULL,
    variables text NOT NULL
);
CREATE TABLE upgrade_sample.deployment (
    id bigint NOT NULL,
    deployed_at bigint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    checksum text NOT NULL,
    resource bytea NOT NULL
);
CREATE TABLE upgrade_sample.history (
    instance bigint NOT NULL,
    first_seq bigint NOT NULL,
    turn bigint NOT NULL,
    at bigint NOT NULL,
    count integer NOT NULL,
    shard smallint NOT NULL,
    format smallint NOT NULL,
    events text NOT NULL
);
CREATE VIEW upgrade_sample.history_event AS
 SELECT h.instance,
    ((h.first_seq + e.place) - 1) AS seq,
    h.turn,
    to_timestamp((((h.at)::numeric / 1000.0))::double precision) AS at,
    (e.event ->> 'type'::text) AS type,
    (e.event ->> 'token'::text) AS token,
    (e.event ->> 'node'::text) AS node,
    (e.event ->> 'flow'::text) AS flow,
    (e.event -> 'data'::text) AS data
   FROM (upgrade_sample.history h
     CROSS JOIN LATERAL json_array_elements((h.events)::json) WITH ORDINALITY e(event, place));
CREATE TABLE upgrade_sample.idempotency (
    instance bigint NOT NULL,
    at bigint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    key text NOT NULL
);
CREATE TABLE upgrade_sample.inbox (
    id bigint NOT NULL,
    target bigint NOT NULL,
    sender bigint NOT NULL,
    due_at bigint NOT NULL,
    shard smallint NOT NULL,
    kind text NOT NULL,
    body text NOT NULL
);
CREATE TABLE upgrade_sample.incident (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    token bigint,
    at bigint NOT NULL,
    shard smallint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    message text NOT NULL
);
CREATE TABLE upgrade_sample.process_definition (
    id bigint NOT NULL,
    deployment bigint NOT NULL,
    version bigint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    key text NOT NULL,
    version_tag text
);
CREATE TABLE upgrade_sample.process_instance (
    id bigint NOT NULL,
    definition bigint NOT NULL,
    version bigint NOT NULL,
    counter bigint NOT NULL,
    parent bigint,
    parent_call bigint,
    started_at bigint NOT NULL,
    ended_at bigint,
    retries bigint NOT NULL,
    errors bigint NOT NULL,
    shard smallint NOT NULL,
    priority smallint NOT NULL,
    status text NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    business_key text,
    started_by text,
    last_error text,
    start_key text
)
WITH (fillfactor='70');
CREATE VIEW upgrade_sample.instance_count AS
 SELECT i.tenant,
    p.key AS process,
    p.version AS process_version,
    i.status,
    count(*) AS instances
   FROM (upgrade_sample.process_instance i
     LEFT JOIN upgrade_sample.process_definition p ON ((p.id = i.definition)))
  GROUP BY i.tenant, p.key, p.version, i.status;
CREATE TABLE upgrade_sample.message (
    id bigint NOT NULL,
    published_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    due_at bigint,
    tenant text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    key text,
    message_id text,
    variables text NOT NULL
);
CREATE TABLE upgrade_sample.node (
    generation bigint NOT NULL,
    until bigint NOT NULL,
    high_water bigint NOT NULL,
    number smallint NOT NULL,
    owner text
)
WITH (fillfactor='50');
CREATE TABLE upgrade_sample.token (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    scope bigint NOT NULL,
    owns bigint,
    branch bigint,
    parent bigint,
    fork bigint,
    source bigint,
    attempt bigint NOT NULL,
    tries bigint,
    since bigint NOT NULL,
    job bigint,
    lease bigint NOT NULL,
    lease_node bigint,
    lease_since bigint,
    lease_until bigint,
    shard smallint NOT NULL,
    status text NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    mode text NOT NULL,
    node text NOT NULL,
    flow text,
    wait text,
    marks text,
    job_type text,
    lease_owner text
)
WITH (fillfactor='80');
CREATE VIEW upgrade_sample.open_incident AS
 SELECT x.tenant,
    p.key AS process,
    p.version AS process_version,
    x.instance,
    i.business_key,
    x.n AS incident,
    t.node,
    x.kind,
    x.message,
    to_timestamp((((x.at)::numeric / 1000.0))::double precision) AS at
   FROM (((upgrade_sample.incident x
     JOIN upgrade_sample.process_instance i ON (((i.shard = x.shard) AND (i.id = x.instance))))
     LEFT JOIN upgrade_sample.process_definition p ON ((p.id = i.definition)))
     LEFT JOIN upgrade_sample.token t ON (((t.shard = x.shard) AND (t.instance = x.instance) AND (t.n = x.token))));
CREATE TABLE upgrade_sample.user_task (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    token bigint NOT NULL,
    due_at bigint,
    created_at bigint NOT NULL,
    shard smallint NOT NULL,
    priority smallint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    node text NOT NULL,
    name text,
    assignee text,
    candidate_users text NOT NULL,
    candidate_groups text NOT NULL,
    form text
);
CREATE VIEW upgrade_sample.open_task AS
 SELECT u.tenant,
    p.key AS process,
    u.instance,
    i.business_key,
    u.n AS task,
    u.node,
    u.name,
    u.assignee,
    u.candidate_users,
    u.candidate_groups,
    u.priority,
    to_timestamp((((u.created_at)::numeric / 1000.0))::double precision) AS created,
    to_timestamp((((u.due_at)::numeric / 1000.0))::double precision) AS due
   FROM ((upgrade_sample.user_task u
     JOIN upgrade_sample.process_instance i ON (((i.shard = u.shard) AND (i.id = u.instance))))
     LEFT JOIN upgrade_sample.process_definition p ON ((p.id = i.definition)));
CREATE TABLE upgrade_sample.outbox (
    instance bigint NOT NULL,
    next_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    due_at bigint NOT NULL,
    lease bigint NOT NULL,
    attempt bigint NOT NULL,
    shard smallint NOT NULL,
    sink text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    error text
)
WITH (fillfactor='70');
CREATE TABLE upgrade_sample.timer (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    token bigint,
    scope bigint,
    due_at bigint NOT NULL,
    visits bigint,
    shard smallint NOT NULL,
    held boolean NOT NULL,
    kind text NOT NULL,
    node text NOT NULL,
    cycle text
);
CREATE VIEW upgrade_sample.overdue_timer AS
 SELECT i.tenant,
    p.key AS process,
    t.instance,
    t.n AS timer,
    t.node,
    t.kind,
    to_timestamp((((t.due_at)::numeric / 1000.0))::double precision) AS due,
    (EXTRACT(epoch FROM clock_timestamp()) - ((t.due_at)::numeric / 1000.0)) AS seconds_late
   FROM ((upgrade_sample.timer t
     JOIN upgrade_sample.process_instance i ON (((i.shard = t.shard) AND (i.id = t.instance))))
     LEFT JOIN upgrade_sample.process_definition p ON ((p.id = i.definition)))
  WHERE ((NOT t.held) AND ((t.due_at)::numeric < (EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric)));
CREATE VIEW upgrade_sample.parallel_join AS
 SELECT token.shard,
    token.instance,
    token.node,
    token.scope,
    token.flow,
    count(*) AS arrived
   FROM upgrade_sample.token
  WHERE (token.wait = 'join'::text)
  GROUP BY token.shard, token.instance, token.node, token.scope, token.flow;
CREATE TABLE upgrade_sample.saga (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    scope bigint NOT NULL,
    token bigint NOT NULL,
    since bigint,
    shard smallint NOT NULL,
    cause text NOT NULL,
    message text
);
CREATE TABLE upgrade_sample.schema_version (
    one boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT schema_version_one_check CHECK (one)
);
CREATE TABLE upgrade_sample.scope (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    parent bigint NOT NULL,
    owner bigint NOT NULL,
    total bigint,
    started bigint NOT NULL,
    completed bigint NOT NULL,
    terminated bigint NOT NULL,
    shard smallint NOT NULL,
    kind text NOT NULL,
    node text NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE upgrade_sample.signal (
    id bigint NOT NULL,
    sender bigint,
    published_at bigint NOT NULL,
    cursor_instance bigint NOT NULL,
    cursor_n bigint NOT NULL,
    due_at bigint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    variables text NOT NULL
);
CREATE TABLE upgrade_sample.sink (
    since bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    settings text NOT NULL
);
CREATE TABLE upgrade_sample.start_event (
    definition bigint NOT NULL,
    "position" bigint NOT NULL,
    due_at bigint,
    node text NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    process text NOT NULL,
    kind text NOT NULL,
    name text,
    cycle text
);
CREATE TABLE upgrade_sample.start_key (
    instance bigint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    process text NOT NULL,
    key text NOT NULL
);
CREATE TABLE upgrade_sample.subscription (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    token bigint,
    scope bigint,
    "position" bigint,
    since bigint NOT NULL,
    shard smallint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    node text NOT NULL,
    name text,
    key text
);
CREATE TABLE upgrade_sample.taken (
    letter bigint NOT NULL,
    taker text NOT NULL
);
CREATE TABLE upgrade_sample.task_candidate (
    instance bigint NOT NULL,
    n bigint NOT NULL,
    shard smallint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    who text NOT NULL
);
CREATE TABLE upgrade_sample.variable_index (
    instance bigint NOT NULL,
    number double precision,
    shard smallint NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    text text COLLATE pg_catalog."C"
)
WITH (fillfactor='80');
CREATE TABLE upgrade_sample.variables (
    instance bigint NOT NULL,
    scope bigint NOT NULL,
    shard smallint NOT NULL,
    document text NOT NULL
)
WITH (fillfactor='70');
CREATE VIEW upgrade_sample.waiting AS
 SELECT i.tenant,
    p.key AS process,
    p.version AS process_version,
    t.instance,
    i.business_key,
    i.status AS instance_status,
    t.n AS token,
    t.node,
        CASE
            WHEN (t.job IS NULL) THEN COALESCE(t.wait, 'nothing'::text)
            ELSE 'job'::text
        END AS wait,
    t.job_type,
    t.lease_owner,
    to_timestamp((((t.since)::numeric / 1000.0))::double precision) AS since
   FROM ((upgrade_sample.token t
     JOIN upgrade_sample.process_instance i ON (((i.shard = t.shard) AND (i.id = t.instance))))
     LEFT JOIN upgrade_sample.process_definition p ON ((p.id = i.definition)));
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200008, 3, 0, NULL, 58, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200006, 3, 0, NULL, 1, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200036, 3, 0, NULL, 104, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200049, 3, 0, NULL, 172, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200055, 3, 0, NULL, 215, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.compensation_record VALUES (794354201395200079, 3, 0, NULL, 204, 'completed', 'book', '{}');
INSERT INTO upgrade_sample.deployment VALUES (794354201395200000, 1767225600000, '', '8288d1d906cffaa2fc322af54c6b6f1df6f25a7442d19439b835faf14556e598', '\x3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c646566696e6974696f6e7320786d6c6e733d22687474703a2f2f7777772e6f6d672e6f72672f737065632f42504d4e2f32303130303532342f4d4f44454c2220786d6c6e733a63616d756e64613d22687474703a2f2f63616d756e64612e6f72672f736368656d612f312e302f62706d6e220a20202020202020202020202020786d6c6e733a7a656562653d22687474703a2f2f63616d756e64612e6f72672f736368656d612f7a656562652f312e302220786d6c6e733a747965723d2275726e3a747965723a62706d6e3a3122207461726765744e616d6573706163653d2275706772616465223e0a20203c6d6573736167652069643d227061696422206e616d653d2270616964223e0a202020203c657874656e73696f6e456c656d656e74733e3c7a656562653a737562736372697074696f6e20636f7272656c6174696f6e4b65793d223d6f72646572222f3e3c2f657874656e73696f6e456c656d656e74733e0a20203c2f6d6573736167653e0a20203c6d6573736167652069643d22676f22206e616d653d22676f222f3e0a20203c7369676e616c2069643d2273746f726d22206e616d653d2273746f726d222f3e0a20203c70726f636573732069643d2265766572797468696e672220697345786563757461626c653d22747275652220747965723a696e64657865643d22616d6f756e74223e0a202020203c73746172744576656e742069643d227374617274222f3e0a202020203c73746172744576656e742069643d22746f6c64223e3c6d6573736167654576656e74446566696e6974696f6e206d6573736167655265663d22676f222f3e3c2f73746172744576656e743e0a202020203c736572766963655461736b2069643d22626f6f6b222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22626f6f6b222f3e0a202020203c626f756e646172794576656e742069643d22756e646f6e6522206174746163686564546f5265663d22626f6f6b223e3c636f6d70656e736174654576656e74446566696e6974696f6e2f3e3c2f626f756e646172794576656e743e0a202020203c736572766963655461736b2069643d22756e626f6f6b22206973466f72436f6d70656e736174696f6e3d2274727565222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22756e626f6f6b222f3e0a202020203c6173736f63696174696f6e2069643d22756e646f696e6722206173736f63696174696f6e446972656374696f6e3d224f6e652220736f757263655265663d22756e646f6e6522207461726765745265663d22756e626f6f6b222f3e0a202020203c706172616c6c656c476174657761792069643d22666f726b222f3e0a202020203c736572766963655461736b2069643d22776f726b222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22776f726b222f3e0a202020203c757365725461736b2069643d2261736b222063616d756e64613a63616e64696461746555736572733d22616e6e2c626f62222063616d756e64613a63616e64696461746547726f7570733d227374616666222063616d756e64613a7072696f726974793d223730222f3e0a202020203c626f756e646172794576656e742069643d226e6167222063616e63656c41637469766974793d2266616c736522206174746163686564546f5265663d2261736b223e0a2020202020203c74696d65724576656e74446566696e6974696f6e3e3c74696d654475726174696f6e3e505431483c2f74696d654475726174696f6e3e3c2f74696d65724576656e74446566696e6974696f6e3e0a202020203c2f626f756e646172794576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d226c61746572223e0a2020202020203c74696d65724576656e74446566696e6974696f6e3e3c74696d654475726174696f6e3e505432483c2f74696d654475726174696f6e3e3c2f74696d65724576656e74446566696e6974696f6e3e0a202020203c2f696e7465726d65646961746543617463684576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d22706179223e3c6d6573736167654576656e74446566696e6974696f6e206d6573736167655265663d2270616964222f3e3c2f696e7465726d65646961746543617463684576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d2273746f726d73223e3c7369676e616c4576656e74446566696e6974696f6e207369676e616c5265663d2273746f726d222f3e3c2f696e7465726d65646961746543617463684576656e743e0a202020203c6578636c7573697665476174657761792069643d2267617465222f3e0a202020203c63616c6c41637469766974792069643d2263616c6c222063616c6c6564456c656d656e743d2263616c6c6564222f3e0a202020203c73756250726f636573732069643d22696e6e6572223e0a2020202020203c73746172744576656e742069643d22656e746572222f3e3c757365725461736b2069643d22726f756e6473223e3c6d756c7469496e7374616e63654c6f6f7043686172616374657269737469637320697353657175656e7469616c3d2274727565223e0a20202020202020203c6c6f6f7043617264696e616c6974793e333c2f6c6f6f7043617264696e616c6974793e3c2f6d756c7469496e7374616e63654c6f6f704368617261637465726973746963733e3c2f757365725461736b3e3c656e644576656e742069643d226c65617665222f3e0a2020202020203c73657175656e6365466c6f772069643d2269312220736f757263655265663d22656e74657222207461726765745265663d22726f756e6473222f3e0a2020202020203c73657175656e6365466c6f772069643d2269322220736f757263655265663d22726f756e647322207461726765745265663d226c65617665222f3e0a202020203c2f73756250726f636573733e0a202020203c706172616c6c656c476174657761792069643d226a6f696e222f3e0a202020203c656e644576656e742069643d22656e64222f3e0a202020203c656e644576656e742069643d226e6167676564222f3e0a202020203c73657175656e6365466c6f772069643d2266312220736f757263655265663d22737461727422207461726765745265663d22626f6f6b222f3e3c73657175656e6365466c6f772069643d2266322220736f757263655265663d22746f6c6422207461726765745265663d22626f6f6b222f3e0a202020203c73657175656e6365466c6f772069643d2266332220736f757263655265663d22626f6f6b22207461726765745265663d22666f726b222f3e0a202020203c73657175656e6365466c6f772069643d2261312220736f757263655265663d22666f726b22207461726765745265663d22776f726b222f3e3c73657175656e6365466c6f772069643d2261322220736f757263655265663d22776f726b22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2262312220736f757263655265663d22666f726b22207461726765745265663d2261736b222f3e3c73657175656e6365466c6f772069643d2262322220736f757263655265663d2261736b22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2262332220736f757263655265663d226e616722207461726765745265663d226e6167676564222f3e0a202020203c73657175656e6365466c6f772069643d2263312220736f757263655265663d22666f726b22207461726765745265663d226c61746572222f3e3c73657175656e6365466c6f772069643d2263322220736f757263655265663d226c6174657222207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2264312220736f757263655265663d22666f726b22207461726765745265663d22706179222f3e3c73657175656e6365466c6f772069643d2264322220736f757263655265663d2270617922207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2265312220736f757263655265663d22666f726b22207461726765745265663d2273746f726d73222f3e3c73657175656e6365466c6f772069643d2265322220736f757263655265663d2273746f726d7322207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2267312220736f757263655265663d22666f726b22207461726765745265663d2267617465222f3e0a202020203c73657175656e6365466c6f772069643d2267322220736f757263655265663d226761746522207461726765745265663d226a6f696e223e3c636f6e646974696f6e45787072657373696f6e3e3d206f70656e3c2f636f6e646974696f6e45787072657373696f6e3e3c2f73657175656e6365466c6f773e0a202020203c73657175656e6365466c6f772069643d2268312220736f757263655265663d22666f726b22207461726765745265663d2263616c6c222f3e3c73657175656e6365466c6f772069643d2268322220736f757263655265663d2263616c6c22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d226a312220736f757263655265663d22666f726b22207461726765745265663d22696e6e6572222f3e3c73657175656e6365466c6f772069643d226a322220736f757263655265663d22696e6e657222207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d226b2220736f757263655265663d226a6f696e22207461726765745265663d22656e64222f3e0a20203c2f70726f636573733e0a20203c70726f636573732069643d2263616c6c65642220697345786563757461626c653d2274727565223e0a202020203c73746172744576656e742069643d22626567696e222f3e3c757365725461736b2069643d22616e73776572222f3e3c656e644576656e742069643d22646f6e65222f3e0a202020203c73657175656e6365466c6f772069643d226c312220736f757263655265663d22626567696e22207461726765745265663d22616e73776572222f3e3c73657175656e6365466c6f772069643d226c322220736f757263655265663d22616e7377657222207461726765745265663d22646f6e65222f3e0a20203c2f70726f636573733e0a20203c70726f636573732069643d22717569636b2220697345786563757461626c653d2274727565223e0a202020203c73746172744576656e742069643d226669727374222f3e3c656e644576656e742069643d226c617374222f3e3c73657175656e6365466c6f772069643d22712220736f757263655265663d22666972737422207461726765745265663d226c617374222f3e0a20203c2f70726f636573733e0a3c2f646566696e6974696f6e733e0a');
INSERT INTO upgrade_sample.deployment VALUES (794354201395200043, 1767225600000, 'acme', '8288d1d906cffaa2fc322af54c6b6f1df6f25a7442d19439b835faf14556e598', '\x3c3f786d6c2076657273696f6e3d22312e302220656e636f64696e673d225554462d38223f3e0a3c646566696e6974696f6e7320786d6c6e733d22687474703a2f2f7777772e6f6d672e6f72672f737065632f42504d4e2f32303130303532342f4d4f44454c2220786d6c6e733a63616d756e64613d22687474703a2f2f63616d756e64612e6f72672f736368656d612f312e302f62706d6e220a20202020202020202020202020786d6c6e733a7a656562653d22687474703a2f2f63616d756e64612e6f72672f736368656d612f7a656562652f312e302220786d6c6e733a747965723d2275726e3a747965723a62706d6e3a3122207461726765744e616d6573706163653d2275706772616465223e0a20203c6d6573736167652069643d227061696422206e616d653d2270616964223e0a202020203c657874656e73696f6e456c656d656e74733e3c7a656562653a737562736372697074696f6e20636f7272656c6174696f6e4b65793d223d6f72646572222f3e3c2f657874656e73696f6e456c656d656e74733e0a20203c2f6d6573736167653e0a20203c6d6573736167652069643d22676f22206e616d653d22676f222f3e0a20203c7369676e616c2069643d2273746f726d22206e616d653d2273746f726d222f3e0a20203c70726f636573732069643d2265766572797468696e672220697345786563757461626c653d22747275652220747965723a696e64657865643d22616d6f756e74223e0a202020203c73746172744576656e742069643d227374617274222f3e0a202020203c73746172744576656e742069643d22746f6c64223e3c6d6573736167654576656e74446566696e6974696f6e206d6573736167655265663d22676f222f3e3c2f73746172744576656e743e0a202020203c736572766963655461736b2069643d22626f6f6b222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22626f6f6b222f3e0a202020203c626f756e646172794576656e742069643d22756e646f6e6522206174746163686564546f5265663d22626f6f6b223e3c636f6d70656e736174654576656e74446566696e6974696f6e2f3e3c2f626f756e646172794576656e743e0a202020203c736572766963655461736b2069643d22756e626f6f6b22206973466f72436f6d70656e736174696f6e3d2274727565222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22756e626f6f6b222f3e0a202020203c6173736f63696174696f6e2069643d22756e646f696e6722206173736f63696174696f6e446972656374696f6e3d224f6e652220736f757263655265663d22756e646f6e6522207461726765745265663d22756e626f6f6b222f3e0a202020203c706172616c6c656c476174657761792069643d22666f726b222f3e0a202020203c736572766963655461736b2069643d22776f726b222063616d756e64613a747970653d2265787465726e616c222063616d756e64613a746f7069633d22776f726b222f3e0a202020203c757365725461736b2069643d2261736b222063616d756e64613a63616e64696461746555736572733d22616e6e2c626f62222063616d756e64613a63616e64696461746547726f7570733d227374616666222063616d756e64613a7072696f726974793d223730222f3e0a202020203c626f756e646172794576656e742069643d226e6167222063616e63656c41637469766974793d2266616c736522206174746163686564546f5265663d2261736b223e0a2020202020203c74696d65724576656e74446566696e6974696f6e3e3c74696d654475726174696f6e3e505431483c2f74696d654475726174696f6e3e3c2f74696d65724576656e74446566696e6974696f6e3e0a202020203c2f626f756e646172794576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d226c61746572223e0a2020202020203c74696d65724576656e74446566696e6974696f6e3e3c74696d654475726174696f6e3e505432483c2f74696d654475726174696f6e3e3c2f74696d65724576656e74446566696e6974696f6e3e0a202020203c2f696e7465726d65646961746543617463684576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d22706179223e3c6d6573736167654576656e74446566696e6974696f6e206d6573736167655265663d2270616964222f3e3c2f696e7465726d65646961746543617463684576656e743e0a202020203c696e7465726d65646961746543617463684576656e742069643d2273746f726d73223e3c7369676e616c4576656e74446566696e6974696f6e207369676e616c5265663d2273746f726d222f3e3c2f696e7465726d65646961746543617463684576656e743e0a202020203c6578636c7573697665476174657761792069643d2267617465222f3e0a202020203c63616c6c41637469766974792069643d2263616c6c222063616c6c6564456c656d656e743d2263616c6c6564222f3e0a202020203c73756250726f636573732069643d22696e6e6572223e0a2020202020203c73746172744576656e742069643d22656e746572222f3e3c757365725461736b2069643d22726f756e6473223e3c6d756c7469496e7374616e63654c6f6f7043686172616374657269737469637320697353657175656e7469616c3d2274727565223e0a20202020202020203c6c6f6f7043617264696e616c6974793e333c2f6c6f6f7043617264696e616c6974793e3c2f6d756c7469496e7374616e63654c6f6f704368617261637465726973746963733e3c2f757365725461736b3e3c656e644576656e742069643d226c65617665222f3e0a2020202020203c73657175656e6365466c6f772069643d2269312220736f757263655265663d22656e74657222207461726765745265663d22726f756e6473222f3e0a2020202020203c73657175656e6365466c6f772069643d2269322220736f757263655265663d22726f756e647322207461726765745265663d226c65617665222f3e0a202020203c2f73756250726f636573733e0a202020203c706172616c6c656c476174657761792069643d226a6f696e222f3e0a202020203c656e644576656e742069643d22656e64222f3e0a202020203c656e644576656e742069643d226e6167676564222f3e0a202020203c73657175656e6365466c6f772069643d2266312220736f757263655265663d22737461727422207461726765745265663d22626f6f6b222f3e3c73657175656e6365466c6f772069643d2266322220736f757263655265663d22746f6c6422207461726765745265663d22626f6f6b222f3e0a202020203c73657175656e6365466c6f772069643d2266332220736f757263655265663d22626f6f6b22207461726765745265663d22666f726b222f3e0a202020203c73657175656e6365466c6f772069643d2261312220736f757263655265663d22666f726b22207461726765745265663d22776f726b222f3e3c73657175656e6365466c6f772069643d2261322220736f757263655265663d22776f726b22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2262312220736f757263655265663d22666f726b22207461726765745265663d2261736b222f3e3c73657175656e6365466c6f772069643d2262322220736f757263655265663d2261736b22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2262332220736f757263655265663d226e616722207461726765745265663d226e6167676564222f3e0a202020203c73657175656e6365466c6f772069643d2263312220736f757263655265663d22666f726b22207461726765745265663d226c61746572222f3e3c73657175656e6365466c6f772069643d2263322220736f757263655265663d226c6174657222207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2264312220736f757263655265663d22666f726b22207461726765745265663d22706179222f3e3c73657175656e6365466c6f772069643d2264322220736f757263655265663d2270617922207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2265312220736f757263655265663d22666f726b22207461726765745265663d2273746f726d73222f3e3c73657175656e6365466c6f772069643d2265322220736f757263655265663d2273746f726d7322207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d2267312220736f757263655265663d22666f726b22207461726765745265663d2267617465222f3e0a202020203c73657175656e6365466c6f772069643d2267322220736f757263655265663d226761746522207461726765745265663d226a6f696e223e3c636f6e646974696f6e45787072657373696f6e3e3d206f70656e3c2f636f6e646974696f6e45787072657373696f6e3e3c2f73657175656e6365466c6f773e0a202020203c73657175656e6365466c6f772069643d2268312220736f757263655265663d22666f726b22207461726765745265663d2263616c6c222f3e3c73657175656e6365466c6f772069643d2268322220736f757263655265663d2263616c6c22207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d226a312220736f757263655265663d22666f726b22207461726765745265663d22696e6e6572222f3e3c73657175656e6365466c6f772069643d226a322220736f757263655265663d22696e6e657222207461726765745265663d226a6f696e222f3e0a202020203c73657175656e6365466c6f772069643d226b2220736f757263655265663d226a6f696e22207461726765745265663d22656e64222f3e0a20203c2f70726f636573733e0a20203c70726f636573732069643d2263616c6c65642220697345786563757461626c653d2274727565223e0a202020203c73746172744576656e742069643d22626567696e222f3e3c757365725461736b2069643d22616e73776572222f3e3c656e644576656e742069643d22646f6e65222f3e0a202020203c73657175656e6365466c6f772069643d226c312220736f757263655265663d22626567696e22207461726765745265663d22616e73776572222f3e3c73657175656e6365466c6f772069643d226c322220736f757263655265663d22616e7377657222207461726765745265663d22646f6e65222f3e0a20203c2f70726f636573733e0a20203c70726f636573732069643d22717569636b2220697345786563757461626c653d2274727565223e0a202020203c73746172744576656e742069643d226669727374222f3e3c656e644576656e742069643d226c617374222f3e3c73657175656e6365466c6f772069643d22712220736f757263655265663d22666972737422207461726765745265663d226c617374222f3e0a20203c2f70726f636573733e0a3c2f646566696e6974696f6e733e0a');
INSERT INTO upgrade_sample.history VALUES (794354201395200004, 1, 794354201395200005, 1767225600000, 8, 54, 1, '[{"type":"workflow.started","data":{"definition":794354201395200003,"process":"quick","version":1,"businessKey":"short","startedBy":null,"priority":50}},{"token":1,"node":"first","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"first","type":"node.started"},{"token":1,"node":"first","type":"node.completed"},{"token":1,"node":"last","flow":"q","type":"node.started"},{"token":1,"node":"last","type":"node.completed"},{"token":1,"node":"last","type":"token.completed"},{"type":"workflow.completed"}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200006, 1, 794354201395200007, 1767225600000, 7, 1, 1, '[{"type":"workflow.started","data":{"definition":794354201395200001,"process":"everything","version":1,"businessKey":"B-1","startedBy":"ann","priority":75}},{"type":"variable.updated","data":{"scope":0,"values":{"amount":1,"order":"A-1","text":"☃ '' \" \\ \u0001"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200008, 1, 794354201395200009, 1767225600000, 7, 58, 1, '[{"type":"workflow.started","data":{"definition":794354201395200001,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"open":true,"order":"P"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200008, 8, 794354201395200014, 1767225600000, 47, 58, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"P"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"node.completed"},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":18,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":19,"parent":0,"kind":"body"}},{"token":20,"node":"enter","type":"token.created","data":{"scope":19,"parent":null,"group":null}},{"token":9,"node":"join","flow":"g2","type":"token.waiting"},{"token":20,"node":"enter","type":"node.started"},{"token":20,"node":"enter","type":"node.completed"},{"token":20,"node":"rounds","flow":"i1","type":"node.started"},{"token":20,"node":"rounds","type":"scope.opened","data":{"scope":21,"parent":19,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":21,"started":1,"completed":0,"terminated":0}},{"token":20,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":21,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":22,"values":{"loopCounter":1}}},{"token":23,"node":"rounds","type":"token.created","data":{"scope":22,"parent":null,"group":null}},{"token":23,"node":"rounds","type":"node.started"},{"token":23,"node":"rounds","type":"task.created","data":{"task":24,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200006, 8, 794354201395200010, 1767225600000, 47, 1, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"A-1"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200016, 1, 794354201395200018, 1767225600000, 6, 254, 1, '[{"type":"workflow.started","data":{"definition":794354201395200002,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200008,"number":18}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200012, 1, 794354201395200019, 1767225600000, 6, 118, 1, '[{"type":"workflow.started","data":{"definition":794354201395200002,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200006,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200008, 55, 794354201395200020, 1767225600000, 1, 58, 1, '[{"type":"workflow.paused","data":{"reason":"for the next version"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200022, 1, 794354201395200023, 1767225600000, 7, 173, 1, '[{"type":"workflow.started","data":{"definition":794354201395200001,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"order":"C"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200016, 7, 794354201395200024, 1767225600000, 1, 254, 1, '[{"type":"workflow.paused","data":{"reason":"for the next version"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200022, 8, 794354201395200025, 1767225600000, 47, 173, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"C"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200027, 1, 794354201395200029, 1767225600000, 6, 176, 1, '[{"type":"workflow.started","data":{"definition":794354201395200002,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200022,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200022, 55, 794354201395200030, 1767225600000, 22, 173, 1, '[{"token":4,"node":"work","type":"token.terminated"},{"token":5,"node":"ask","type":"task.cancelled","data":{"task":14}},{"token":5,"node":"nag","type":"timer.cancelled","data":{"timer":13}},{"token":5,"node":"ask","type":"token.terminated"},{"token":6,"node":"later","type":"timer.cancelled","data":{"timer":15}},{"token":6,"node":"later","type":"token.terminated"},{"token":7,"node":"pay","type":"subscription.closed","data":{"subscription":16}},{"token":7,"node":"pay","type":"token.terminated"},{"token":8,"node":"storms","type":"subscription.closed","data":{"subscription":17}},{"token":8,"node":"storms","type":"token.terminated"},{"token":9,"node":"gate","type":"incident.resolved","data":{"incident":18}},{"token":9,"node":"gate","type":"token.terminated"},{"token":10,"node":"call","type":"call.cancelled","data":{"call":19}},{"token":10,"node":"call","type":"token.terminated"},{"token":24,"node":"rounds","type":"task.cancelled","data":{"task":25}},{"token":24,"node":"rounds","type":"token.terminated"},{"node":"rounds","type":"scope.closed","data":{"scope":23}},{"node":"rounds","type":"scope.closed","data":{"scope":22}},{"token":21,"node":"rounds","type":"token.terminated"},{"node":"inner","type":"scope.closed","data":{"scope":20}},{"token":11,"node":"inner","type":"token.terminated"},{"type":"workflow.cancelled","data":{"reason":"not wanted"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200036, 1, 794354201395200037, 1767225600000, 7, 104, 1, '[{"type":"workflow.started","data":{"definition":794354201395200001,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"order":"M"}}},{"token":1,"node":"told","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"told","type":"node.started"},{"token":1,"node":"told","type":"node.completed"},{"token":1,"node":"book","flow":"f2","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200055, 1, 794354201395200056, 1767225600000, 7, 215, 1, '[{"type":"workflow.started","data":{"definition":794354201395200044,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"open":true,"order":"P"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200055, 8, 794354201395200057, 1767225600000, 47, 215, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"P"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"node.completed"},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":18,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":19,"parent":0,"kind":"body"}},{"token":20,"node":"enter","type":"token.created","data":{"scope":19,"parent":null,"group":null}},{"token":9,"node":"join","flow":"g2","type":"token.waiting"},{"token":20,"node":"enter","type":"node.started"},{"token":20,"node":"enter","type":"node.completed"},{"token":20,"node":"rounds","flow":"i1","type":"node.started"},{"token":20,"node":"rounds","type":"scope.opened","data":{"scope":21,"parent":19,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":21,"started":1,"completed":0,"terminated":0}},{"token":20,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":21,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":22,"values":{"loopCounter":1}}},{"token":23,"node":"rounds","type":"token.created","data":{"scope":22,"parent":null,"group":null}},{"token":23,"node":"rounds","type":"node.started"},{"token":23,"node":"rounds","type":"task.created","data":{"task":24,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200059, 7, 794354201395200067, 1767225600000, 1, 114, 1, '[{"type":"workflow.paused","data":{"reason":"for the next version"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200070, 7, 794354201395200076, 1767225600000, 4, 143, 1, '[{"token":1,"node":"answer","type":"task.cancelled","data":{"task":2}},{"token":1,"node":"answer","type":"token.terminated"},{"type":"call.answered","data":{"instance":794354201395200065,"call":19,"answer":{"failed":{"message":"it was cancelled: its caller does not wait any more"}}}},{"type":"workflow.cancelled","data":{"reason":"its caller does not wait any more"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200027, 7, 794354201395200033, 1767225600000, 4, 176, 1, '[{"token":1,"node":"answer","type":"task.cancelled","data":{"task":2}},{"token":1,"node":"answer","type":"token.terminated"},{"type":"call.answered","data":{"instance":794354201395200022,"call":19,"answer":{"failed":{"message":"it was cancelled: its caller does not wait any more"}}}},{"type":"workflow.cancelled","data":{"reason":"its caller does not wait any more"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200036, 8, 794354201395200038, 1767225600000, 47, 104, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"M"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200040, 1, 794354201395200042, 1767225600000, 6, 231, 1, '[{"type":"workflow.started","data":{"definition":794354201395200002,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200036,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200047, 1, 794354201395200048, 1767225600000, 8, 49, 1, '[{"type":"workflow.started","data":{"definition":794354201395200046,"process":"quick","version":1,"businessKey":"short","startedBy":null,"priority":50}},{"token":1,"node":"first","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"first","type":"node.started"},{"token":1,"node":"first","type":"node.completed"},{"token":1,"node":"last","flow":"q","type":"node.started"},{"token":1,"node":"last","type":"node.completed"},{"token":1,"node":"last","type":"token.completed"},{"type":"workflow.completed"}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200049, 1, 794354201395200050, 1767225600000, 7, 172, 1, '[{"type":"workflow.started","data":{"definition":794354201395200044,"process":"everything","version":1,"businessKey":"B-2","startedBy":"ann","priority":75}},{"type":"variable.updated","data":{"scope":0,"values":{"amount":2,"order":"A-2","text":"☃ '' \" \\ \u0001"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200049, 8, 794354201395200051, 1767225600000, 47, 172, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"A-2"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200053, 1, 794354201395200061, 1767225600000, 6, 165, 1, '[{"type":"workflow.started","data":{"definition":794354201395200045,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200049,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200059, 1, 794354201395200062, 1767225600000, 6, 114, 1, '[{"type":"workflow.started","data":{"definition":794354201395200045,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200055,"number":18}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200055, 55, 794354201395200063, 1767225600000, 1, 215, 1, '[{"type":"workflow.paused","data":{"reason":"for the next version"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200065, 1, 794354201395200066, 1767225600000, 7, 232, 1, '[{"type":"workflow.started","data":{"definition":794354201395200044,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"order":"C"}}},{"token":1,"node":"start","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"start","type":"node.started"},{"token":1,"node":"start","type":"node.completed"},{"token":1,"node":"book","flow":"f1","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200065, 8, 794354201395200068, 1767225600000, 47, 232, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"C"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200070, 1, 794354201395200072, 1767225600000, 6, 143, 1, '[{"type":"workflow.started","data":{"definition":794354201395200045,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200065,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200065, 55, 794354201395200073, 1767225600000, 22, 232, 1, '[{"token":4,"node":"work","type":"token.terminated"},{"token":5,"node":"ask","type":"task.cancelled","data":{"task":14}},{"token":5,"node":"nag","type":"timer.cancelled","data":{"timer":13}},{"token":5,"node":"ask","type":"token.terminated"},{"token":6,"node":"later","type":"timer.cancelled","data":{"timer":15}},{"token":6,"node":"later","type":"token.terminated"},{"token":7,"node":"pay","type":"subscription.closed","data":{"subscription":16}},{"token":7,"node":"pay","type":"token.terminated"},{"token":8,"node":"storms","type":"subscription.closed","data":{"subscription":17}},{"token":8,"node":"storms","type":"token.terminated"},{"token":9,"node":"gate","type":"incident.resolved","data":{"incident":18}},{"token":9,"node":"gate","type":"token.terminated"},{"token":10,"node":"call","type":"call.cancelled","data":{"call":19}},{"token":10,"node":"call","type":"token.terminated"},{"token":24,"node":"rounds","type":"task.cancelled","data":{"task":25}},{"token":24,"node":"rounds","type":"token.terminated"},{"node":"rounds","type":"scope.closed","data":{"scope":23}},{"node":"rounds","type":"scope.closed","data":{"scope":22}},{"token":21,"node":"rounds","type":"token.terminated"},{"node":"inner","type":"scope.closed","data":{"scope":20}},{"token":11,"node":"inner","type":"token.terminated"},{"type":"workflow.cancelled","data":{"reason":"not wanted"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200079, 1, 794354201395200080, 1767225600000, 7, 204, 1, '[{"type":"workflow.started","data":{"definition":794354201395200044,"process":"everything","version":1,"businessKey":null,"startedBy":null,"priority":50}},{"type":"variable.updated","data":{"scope":0,"values":{"order":"M"}}},{"token":1,"node":"told","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"told","type":"node.started"},{"token":1,"node":"told","type":"node.completed"},{"token":1,"node":"book","flow":"f2","type":"node.started"},{"token":1,"node":"book","type":"job.created","data":{"job":2,"jobType":"book"}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200079, 8, 794354201395200081, 1767225600000, 47, 204, 1, '[{"token":1,"node":"book","type":"job.completed","data":{"job":2,"worker":"node-0","since":1767225600000}},{"type":"variable.updated","data":{"scope":0,"values":{"booked":true}}},{"token":1,"node":"book","type":"compensation.recorded","data":{"record":3,"scope":0,"variables":{},"inner":null}},{"token":1,"node":"book","type":"node.completed"},{"token":1,"node":"fork","flow":"f3","type":"node.started"},{"token":1,"node":"fork","type":"node.completed"},{"token":4,"node":"work","flow":"a1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":5,"node":"ask","flow":"b1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":6,"node":"later","flow":"c1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":7,"node":"pay","flow":"d1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":8,"node":"storms","flow":"e1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":9,"node":"gate","flow":"g1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":10,"node":"call","flow":"h1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":11,"node":"inner","flow":"j1","type":"token.created","data":{"scope":0,"parent":1,"group":1}},{"token":1,"node":"fork","type":"token.completed"},{"token":4,"node":"work","flow":"a1","type":"node.started"},{"token":4,"node":"work","type":"job.created","data":{"job":12,"jobType":"work"}},{"token":5,"node":"ask","flow":"b1","type":"node.started"},{"token":5,"node":"nag","type":"timer.created","data":{"timer":13,"due":1767229200000,"kind":"catch"}},{"token":5,"node":"ask","type":"task.created","data":{"task":14,"name":null,"assignee":null,"candidateUsers":["ann","bob"],"candidateGroups":["staff"],"form":null,"priority":70,"due":null}},{"token":6,"node":"later","flow":"c1","type":"node.started"},{"token":6,"node":"later","type":"timer.created","data":{"timer":15,"due":1767232800000,"kind":"catch"}},{"token":6,"node":"later","type":"token.listening"},{"token":7,"node":"pay","flow":"d1","type":"node.started"},{"token":7,"node":"pay","type":"subscription.opened","data":{"subscription":16,"wanted":{"message":{"name":"paid","key":"M"}}}},{"token":7,"node":"pay","type":"token.listening"},{"token":8,"node":"storms","flow":"e1","type":"node.started"},{"token":8,"node":"storms","type":"subscription.opened","data":{"subscription":17,"wanted":{"signal":{"name":"storm"}}}},{"token":8,"node":"storms","type":"token.listening"},{"token":9,"node":"gate","flow":"g1","type":"node.started"},{"token":9,"node":"gate","type":"token.failed"},{"token":9,"node":"gate","type":"incident.opened","data":{"incident":18,"kind":"no_flow","message":"no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)"}},{"token":10,"node":"call","flow":"h1","type":"node.started"},{"token":10,"node":"call","type":"call.started","data":{"call":19,"process":"called","version":null,"tag":null,"sameDeployment":false,"businessKey":null,"variables":{}}},{"token":11,"node":"inner","flow":"j1","type":"node.started"},{"token":11,"node":"inner","type":"scope.opened","data":{"scope":20,"parent":0,"kind":"body"}},{"token":21,"node":"enter","type":"token.created","data":{"scope":20,"parent":null,"group":null}},{"token":21,"node":"enter","type":"node.started"},{"token":21,"node":"enter","type":"node.completed"},{"token":21,"node":"rounds","flow":"i1","type":"node.started"},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":22,"parent":20,"kind":{"rounds":{"total":3}}}},{"node":"rounds","type":"round.counted","data":{"scope":22,"started":1,"completed":0,"terminated":0}},{"token":21,"node":"rounds","type":"scope.opened","data":{"scope":23,"parent":22,"kind":{"round":{"index":1}}}},{"type":"variable.updated","data":{"scope":23,"values":{"loopCounter":1}}},{"token":24,"node":"rounds","type":"token.created","data":{"scope":23,"parent":null,"group":null}},{"token":24,"node":"rounds","type":"node.started"},{"token":24,"node":"rounds","type":"task.created","data":{"task":25,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.history VALUES (794354201395200083, 1, 794354201395200085, 1767225600000, 6, 209, 1, '[{"type":"workflow.started","data":{"definition":794354201395200045,"process":"called","version":1,"businessKey":null,"startedBy":null,"priority":50,"parent":{"instance":794354201395200079,"number":19}}},{"token":1,"node":"begin","type":"token.created","data":{"scope":0,"parent":null,"group":null}},{"token":1,"node":"begin","type":"node.started"},{"token":1,"node":"begin","type":"node.completed"},{"token":1,"node":"answer","flow":"l1","type":"node.started"},{"token":1,"node":"answer","type":"task.created","data":{"task":2,"name":null,"assignee":null,"candidateUsers":[],"candidateGroups":[],"form":null,"priority":50,"due":null}}]');
INSERT INTO upgrade_sample.idempotency VALUES (794354201395200004, 1767225600000, '', 'quick');
INSERT INTO upgrade_sample.idempotency VALUES (794354201395200006, 1767225600000, '', 'once');
INSERT INTO upgrade_sample.idempotency VALUES (794354201395200047, 1767225600000, 'acme', 'quick');
INSERT INTO upgrade_sample.idempotency VALUES (794354201395200049, 1767225600000, 'acme', 'once');
INSERT INTO upgrade_sample.incident VALUES (794354201395200006, 18, 9, 1767225600000, 1, '', 'no_flow', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)');
INSERT INTO upgrade_sample.incident VALUES (794354201395200036, 18, 9, 1767225600000, 104, '', 'no_flow', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)');
INSERT INTO upgrade_sample.incident VALUES (794354201395200049, 18, 9, 1767225600000, 172, 'acme', 'no_flow', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)');
INSERT INTO upgrade_sample.incident VALUES (794354201395200079, 18, 9, 1767225600000, 204, 'acme', 'no_flow', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)');
INSERT INTO upgrade_sample.message VALUES (794354201395200032, 1767225600000, 3344025600000, NULL, '', 'nobody', 'waits', NULL, '{"x":1}');
INSERT INTO upgrade_sample.message VALUES (794354201395200035, 1767225600000, 3344025600000, NULL, '', 'go', 'K', NULL, '{"order":"M"}');
INSERT INTO upgrade_sample.message VALUES (794354201395200075, 1767225600000, 3344025600000, NULL, 'acme', 'nobody', 'waits', NULL, '{"x":1}');
INSERT INTO upgrade_sample.message VALUES (794354201395200078, 1767225600000, 3344025600000, NULL, 'acme', 'go', 'K', NULL, '{"order":"M"}');
INSERT INTO upgrade_sample.node VALUES (1, 1794819533142, 1794819533142, 0, '28434-1767225600000');
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200001, 794354201395200000, 1, '', 'everything', NULL);
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200002, 794354201395200000, 1, '', 'called', NULL);
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200003, 794354201395200000, 1, '', 'quick', NULL);
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200044, 794354201395200043, 1, 'acme', 'everything', NULL);
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200045, 794354201395200043, 1, 'acme', 'called', NULL);
INSERT INTO upgrade_sample.process_definition VALUES (794354201395200046, 794354201395200043, 1, 'acme', 'quick', NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200004, 794354201395200003, 8, 1, NULL, NULL, 1767225600000, 1767225600000, 0, 0, 54, 50, 'completed', '', 'short', NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200006, 794354201395200001, 54, 25, NULL, NULL, 1767225600000, NULL, 0, 1, 1, 75, 'running', '', 'B-1', 'ann', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200012, 794354201395200002, 6, 2, 794354201395200006, 19, 1767225600000, NULL, 0, 0, 118, 50, 'running', '', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200008, 794354201395200001, 55, 24, NULL, NULL, 1767225600000, NULL, 0, 0, 58, 50, 'paused', '', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200016, 794354201395200002, 7, 2, 794354201395200008, 18, 1767225600000, NULL, 0, 0, 254, 50, 'paused', '', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200022, 794354201395200001, 76, 25, NULL, NULL, 1767225600000, 1767225600000, 0, 1, 173, 50, 'cancelled', '', NULL, NULL, 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200027, 794354201395200002, 10, 2, 794354201395200022, 19, 1767225600000, 1767225600000, 0, 0, 176, 50, 'cancelled', '', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200036, 794354201395200001, 54, 25, NULL, NULL, 1767225600000, NULL, 0, 1, 104, 50, 'running', '', NULL, NULL, 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', 'K');
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200040, 794354201395200002, 6, 2, 794354201395200036, 19, 1767225600000, NULL, 0, 0, 231, 50, 'running', '', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200047, 794354201395200046, 8, 1, NULL, NULL, 1767225600000, 1767225600000, 0, 0, 49, 50, 'completed', 'acme', 'short', NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200049, 794354201395200044, 54, 25, NULL, NULL, 1767225600000, NULL, 0, 1, 172, 75, 'running', 'acme', 'B-2', 'ann', 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200053, 794354201395200045, 6, 2, 794354201395200049, 19, 1767225600000, NULL, 0, 0, 165, 50, 'running', 'acme', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200055, 794354201395200044, 55, 24, NULL, NULL, 1767225600000, NULL, 0, 0, 215, 50, 'paused', 'acme', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200059, 794354201395200045, 7, 2, 794354201395200055, 18, 1767225600000, NULL, 0, 0, 114, 50, 'paused', 'acme', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200065, 794354201395200044, 76, 25, NULL, NULL, 1767225600000, 1767225600000, 0, 1, 232, 50, 'cancelled', 'acme', NULL, NULL, 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200070, 794354201395200045, 10, 2, 794354201395200065, 19, 1767225600000, 1767225600000, 0, 0, 143, 50, 'cancelled', 'acme', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200079, 794354201395200044, 54, 25, NULL, NULL, 1767225600000, NULL, 0, 1, 204, 50, 'running', 'acme', NULL, NULL, 'no condition of `gate` holds and it has no default flow; the condition of flow `g2`: `open` gave null, expected true or false (no variable is called `open`)', 'K');
INSERT INTO upgrade_sample.process_instance VALUES (794354201395200083, 794354201395200045, 6, 2, 794354201395200079, 19, 1767225600000, NULL, 0, 0, 209, 50, 'running', 'acme', NULL, NULL, NULL, NULL);
INSERT INTO upgrade_sample.schema_version VALUES (true, 5);
INSERT INTO upgrade_sample.scope VALUES (794354201395200008, 19, 0, 11, NULL, 0, 0, 0, 58, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200008, 21, 19, 20, 3, 1, 0, 0, 58, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200008, 22, 21, 20, 1, 0, 0, 0, 58, 'round', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200006, 20, 0, 11, NULL, 0, 0, 0, 1, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200006, 22, 20, 21, 3, 1, 0, 0, 1, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200006, 23, 22, 21, 1, 0, 0, 0, 1, 'round', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200036, 20, 0, 11, NULL, 0, 0, 0, 104, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200036, 22, 20, 21, 3, 1, 0, 0, 104, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200036, 23, 22, 21, 1, 0, 0, 0, 104, 'round', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200049, 20, 0, 11, NULL, 0, 0, 0, 172, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200049, 22, 20, 21, 3, 1, 0, 0, 172, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200049, 23, 22, 21, 1, 0, 0, 0, 172, 'round', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200055, 19, 0, 11, NULL, 0, 0, 0, 215, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200055, 21, 19, 20, 3, 1, 0, 0, 215, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200055, 22, 21, 20, 1, 0, 0, 0, 215, 'round', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200079, 20, 0, 11, NULL, 0, 0, 0, 204, 'body', 'inner');
INSERT INTO upgrade_sample.scope VALUES (794354201395200079, 22, 20, 21, 3, 1, 0, 0, 204, 'rounds', 'rounds');
INSERT INTO upgrade_sample.scope VALUES (794354201395200079, 23, 22, 21, 1, 0, 0, 0, 204, 'round', 'rounds');
INSERT INTO upgrade_sample.start_event VALUES (794354201395200001, 0, NULL, 'told', '', 'everything', 'message', 'go', NULL);
INSERT INTO upgrade_sample.start_event VALUES (794354201395200044, 0, NULL, 'told', 'acme', 'everything', 'message', 'go', NULL);
INSERT INTO upgrade_sample.start_key VALUES (794354201395200036, '', 'everything', 'K');
INSERT INTO upgrade_sample.start_key VALUES (794354201395200079, 'acme', 'everything', 'K');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200008, 16, 7, NULL, NULL, 1767225600000, 58, '', 'message', 'pay', 'paid', 'P');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200008, 17, 8, NULL, NULL, 1767225600000, 58, '', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.subscription VALUES (794354201395200006, 16, 7, NULL, NULL, 1767225600000, 1, '', 'message', 'pay', 'paid', 'A-1');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200006, 17, 8, NULL, NULL, 1767225600000, 1, '', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.subscription VALUES (794354201395200036, 16, 7, NULL, NULL, 1767225600000, 104, '', 'message', 'pay', 'paid', 'M');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200036, 17, 8, NULL, NULL, 1767225600000, 104, '', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.subscription VALUES (794354201395200049, 16, 7, NULL, NULL, 1767225600000, 172, 'acme', 'message', 'pay', 'paid', 'A-2');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200049, 17, 8, NULL, NULL, 1767225600000, 172, 'acme', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.subscription VALUES (794354201395200055, 16, 7, NULL, NULL, 1767225600000, 215, 'acme', 'message', 'pay', 'paid', 'P');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200055, 17, 8, NULL, NULL, 1767225600000, 215, 'acme', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.subscription VALUES (794354201395200079, 16, 7, NULL, NULL, 1767225600000, 204, 'acme', 'message', 'pay', 'paid', 'M');
INSERT INTO upgrade_sample.subscription VALUES (794354201395200079, 17, 8, NULL, NULL, 1767225600000, 204, 'acme', 'signal', 'storms', 'storm', NULL);
INSERT INTO upgrade_sample.taken VALUES (794354201395200035, 'everything');
INSERT INTO upgrade_sample.taken VALUES (794354201395200078, 'everything');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200008, 14, 58, '', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200008, 14, 58, '', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200008, 14, 58, '', 'group', 'staff');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200006, 14, 1, '', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200006, 14, 1, '', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200006, 14, 1, '', 'group', 'staff');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200036, 14, 104, '', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200036, 14, 104, '', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200036, 14, 104, '', 'group', 'staff');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200049, 14, 172, 'acme', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200049, 14, 172, 'acme', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200049, 14, 172, 'acme', 'group', 'staff');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200055, 14, 215, 'acme', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200055, 14, 215, 'acme', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200055, 14, 215, 'acme', 'group', 'staff');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200079, 14, 204, 'acme', 'user', 'ann');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200079, 14, 204, 'acme', 'user', 'bob');
INSERT INTO upgrade_sample.task_candidate VALUES (794354201395200079, 14, 204, 'acme', 'group', 'staff');
INSERT INTO upgrade_sample.timer VALUES (794354201395200006, 13, 5, NULL, 1767229200000, NULL, 1, false, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200006, 15, 6, NULL, 1767232800000, NULL, 1, false, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200008, 13, 5, NULL, 1767229200000, NULL, 58, true, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200008, 15, 6, NULL, 1767232800000, NULL, 58, true, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200036, 13, 5, NULL, 1767229200000, NULL, 104, false, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200036, 15, 6, NULL, 1767232800000, NULL, 104, false, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200049, 13, 5, NULL, 1767229200000, NULL, 172, false, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200049, 15, 6, NULL, 1767232800000, NULL, 172, false, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200055, 13, 5, NULL, 1767229200000, NULL, 215, true, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200055, 15, 6, NULL, 1767232800000, NULL, 215, true, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200079, 13, 5, NULL, 1767229200000, NULL, 204, false, 'catch', 'nag', NULL);
INSERT INTO upgrade_sample.timer VALUES (794354201395200079, 15, 6, NULL, 1767232800000, NULL, 204, false, 'catch', 'later', NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 9, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'join', 'g2', 'join', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 10, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 11, 0, 19, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 20, 19, 21, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 23, 22, NULL, NULL, NULL, NULL, 24, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 58, 'waiting', '', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 9, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'failed', '', 'forward', 'gate', NULL, 'incident', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 10, 0, NULL, NULL, 1, 1, 19, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 11, 0, 20, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 21, 20, 22, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 24, 23, NULL, NULL, NULL, NULL, 25, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 1, 'waiting', '', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200016, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 254, 'waiting', '', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200012, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 118, 'waiting', '', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200008, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 0, NULL, NULL, NULL, 58, 'created', '', 'forward', 'work', NULL, NULL, NULL, 'work', NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 0, NULL, NULL, NULL, 104, 'ready', '', 'forward', 'work', NULL, NULL, NULL, 'work', NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 9, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'failed', '', 'forward', 'gate', NULL, 'incident', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 10, 0, NULL, NULL, 1, 1, 19, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 11, 0, 20, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 21, 20, 22, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200036, 24, 23, NULL, NULL, NULL, NULL, 25, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 104, 'waiting', '', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200006, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 1, NULL, 1767225600000, 1767225660000, 1, 'executing', '', 'forward', 'work', NULL, NULL, NULL, 'work', 'somebody');
INSERT INTO upgrade_sample.token VALUES (794354201395200040, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 231, 'waiting', '', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 9, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'failed', 'acme', 'forward', 'gate', NULL, 'incident', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 10, 0, NULL, NULL, 1, 1, 19, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 11, 0, 20, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 21, 20, 22, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 24, 23, NULL, NULL, NULL, NULL, 25, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 172, 'waiting', 'acme', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200053, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 165, 'waiting', 'acme', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200059, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 114, 'waiting', 'acme', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 0, NULL, NULL, NULL, 204, 'ready', 'acme', 'forward', 'work', NULL, NULL, NULL, 'work', NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 9, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'failed', 'acme', 'forward', 'gate', NULL, 'incident', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 10, 0, NULL, NULL, 1, 1, 19, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 11, 0, 20, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 21, 20, 22, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200079, 24, 23, NULL, NULL, NULL, NULL, 25, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 204, 'waiting', 'acme', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200083, 1, 0, NULL, NULL, NULL, NULL, 2, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 209, 'waiting', 'acme', 'forward', 'answer', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200049, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 1, NULL, 1767225600000, 1767225660000, 172, 'executing', 'acme', 'forward', 'work', NULL, NULL, NULL, 'work', 'somebody');
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 5, 0, NULL, NULL, 1, 1, 14, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'ask', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 6, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'later', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 7, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'pay', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 8, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'storms', NULL, 'event', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 9, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'join', 'g2', 'join', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 10, 0, NULL, NULL, 1, 1, 18, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'call', NULL, 'call', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 11, 0, 19, NULL, 1, 1, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'inner', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 20, 19, 21, NULL, NULL, NULL, NULL, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'rounds', NULL, 'scope', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 23, 22, NULL, NULL, NULL, NULL, 24, 0, NULL, 1767225600000, NULL, 0, NULL, NULL, NULL, 215, 'waiting', 'acme', 'forward', 'rounds', NULL, 'task', NULL, NULL, NULL);
INSERT INTO upgrade_sample.token VALUES (794354201395200055, 4, 0, NULL, NULL, 1, 1, NULL, 0, NULL, 1767225600000, 12, 0, NULL, NULL, NULL, 215, 'created', 'acme', 'forward', 'work', NULL, NULL, NULL, 'work', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200008, 14, 5, NULL, 1767225600000, 58, 70, '', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200008, 24, 23, NULL, 1767225600000, 58, 50, '', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200006, 14, 5, NULL, 1767225600000, 1, 70, '', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200006, 25, 24, NULL, 1767225600000, 1, 50, '', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200016, 2, 1, NULL, 1767225600000, 254, 50, '', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200012, 2, 1, NULL, 1767225600000, 118, 50, '', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200036, 14, 5, NULL, 1767225600000, 104, 70, '', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200036, 25, 24, NULL, 1767225600000, 104, 50, '', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200040, 2, 1, NULL, 1767225600000, 231, 50, '', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200049, 14, 5, NULL, 1767225600000, 172, 70, 'acme', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200049, 25, 24, NULL, 1767225600000, 172, 50, 'acme', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200055, 14, 5, NULL, 1767225600000, 215, 70, 'acme', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200055, 24, 23, NULL, 1767225600000, 215, 50, 'acme', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200053, 2, 1, NULL, 1767225600000, 165, 50, 'acme', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200059, 2, 1, NULL, 1767225600000, 114, 50, 'acme', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200079, 14, 5, NULL, 1767225600000, 204, 70, 'acme', 'ask', NULL, NULL, '["ann","bob"]', '["staff"]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200079, 25, 24, NULL, 1767225600000, 204, 50, 'acme', 'rounds', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.user_task VALUES (794354201395200083, 2, 1, NULL, 1767225600000, 209, 50, 'acme', 'answer', NULL, NULL, '[]', '[]', NULL);
INSERT INTO upgrade_sample.variable_index VALUES (794354201395200006, 1, 1, '', 'amount', NULL);
INSERT INTO upgrade_sample.variable_index VALUES (794354201395200049, 2, 172, 'acme', 'amount', NULL);
INSERT INTO upgrade_sample.variables VALUES (794354201395200008, 0, 58, '{"booked":true,"open":true,"order":"P"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200008, 22, 58, '{"loopCounter":1}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200006, 0, 1, '{"amount":1,"booked":true,"order":"A-1","text":"☃ '' \" \\ \u0001"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200006, 23, 1, '{"loopCounter":1}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200022, 0, 173, '{"booked":true,"order":"C"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200036, 0, 104, '{"booked":true,"order":"M"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200036, 23, 104, '{"loopCounter":1}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200049, 0, 172, '{"amount":2,"booked":true,"order":"A-2","text":"☃ '' \" \\ \u0001"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200049, 23, 172, '{"loopCounter":1}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200055, 0, 215, '{"booked":true,"open":true,"order":"P"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200055, 22, 215, '{"loopCounter":1}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200065, 0, 232, '{"booked":true,"order":"C"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200079, 0, 204, '{"booked":true,"order":"M"}');
INSERT INTO upgrade_sample.variables VALUES (794354201395200079, 23, 204, '{"loopCounter":1}');
ALTER TABLE ONLY upgrade_sample.compensation_record
    ADD CONSTRAINT compensation_record_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY upgrade_sample.deployment
    ADD CONSTRAINT deployment_tenant_checksum_key UNIQUE (tenant, checksum);
ALTER TABLE ONLY upgrade_sample.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (shard, instance, first_seq);
ALTER TABLE ONLY upgrade_sample.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (tenant, key);
ALTER TABLE ONLY upgrade_sample.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (shard, id);
ALTER TABLE ONLY upgrade_sample.incident
    ADD CONSTRAINT incident_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY upgrade_sample.node
    ADD CONSTRAINT node_pkey PRIMARY KEY (number);
ALTER TABLE ONLY upgrade_sample.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (shard, instance, sink);
ALTER TABLE ONLY upgrade_sample.process_definition
    ADD CONSTRAINT process_definition_pkey PRIMARY KEY (id);
ALTER TABLE ONLY upgrade_sample.process_definition
    ADD CONSTRAINT process_definition_tenant_key_version_key UNIQUE (tenant, key, version);
ALTER TABLE ONLY upgrade_sample.process_instance
    ADD CONSTRAINT process_instance_pkey PRIMARY KEY (shard, id);
ALTER TABLE ONLY upgrade_sample.saga
    ADD CONSTRAINT saga_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (one);
ALTER TABLE ONLY upgrade_sample.scope
    ADD CONSTRAINT scope_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.signal
    ADD CONSTRAINT signal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY upgrade_sample.sink
    ADD CONSTRAINT sink_pkey PRIMARY KEY (name);
ALTER TABLE ONLY upgrade_sample.start_event
    ADD CONSTRAINT start_event_pkey PRIMARY KEY (definition, node, "position");
ALTER TABLE ONLY upgrade_sample.start_key
    ADD CONSTRAINT start_key_pkey PRIMARY KEY (tenant, process, key);
ALTER TABLE ONLY upgrade_sample.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.taken
    ADD CONSTRAINT taken_pkey PRIMARY KEY (letter, taker);
ALTER TABLE ONLY upgrade_sample.task_candidate
    ADD CONSTRAINT task_candidate_pkey PRIMARY KEY (shard, instance, n, kind, who);
ALTER TABLE ONLY upgrade_sample.timer
    ADD CONSTRAINT timer_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.user_task
    ADD CONSTRAINT user_task_pkey PRIMARY KEY (shard, instance, n);
ALTER TABLE ONLY upgrade_sample.variable_index
    ADD CONSTRAINT variable_index_pkey PRIMARY KEY (shard, instance, name);
ALTER TABLE ONLY upgrade_sample.variables
    ADD CONSTRAINT variables_pkey PRIMARY KEY (shard, instance, scope);
CREATE INDEX idempotency_instance ON upgrade_sample.idempotency USING btree (instance);
CREATE INDEX inbox_due ON upgrade_sample.inbox USING btree (due_at);
CREATE INDEX incident_newest ON upgrade_sample.incident USING btree (tenant, instance, n);
CREATE INDEX message_due ON upgrade_sample.message USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX message_expiry ON upgrade_sample.message USING btree (expires_at);
CREATE INDEX message_name ON upgrade_sample.message USING btree (tenant, name, key, id);
CREATE INDEX message_newest ON upgrade_sample.message USING btree (tenant, id);
CREATE UNIQUE INDEX message_once ON upgrade_sample.message USING btree (tenant, name, COALESCE(key, ''::text), message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX outbox_dead ON upgrade_sample.outbox USING btree (sink, instance) WHERE (state = 'dead'::text);
CREATE INDEX outbox_due ON upgrade_sample.outbox USING btree (sink, due_at, instance) WHERE (state = 'ready'::text);
CREATE INDEX process_definition_deployment ON upgrade_sample.process_definition USING btree (deployment);
CREATE INDEX process_instance_business_key ON upgrade_sample.process_instance USING btree (tenant, business_key, id) WHERE (business_key IS NOT NULL);
CREATE INDEX process_instance_ended ON upgrade_sample.process_instance USING btree (tenant, ended_at, id) WHERE (ended_at IS NOT NULL);
CREATE INDEX process_instance_parent ON upgrade_sample.process_instance USING btree (parent, parent_call) WHERE (parent IS NOT NULL);
CREATE INDEX process_instance_status ON upgrade_sample.process_instance USING btree (status, definition, id);
CREATE INDEX start_event_due ON upgrade_sample.start_event USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX start_event_name ON upgrade_sample.start_event USING btree (tenant, kind, name) WHERE (name IS NOT NULL);
CREATE INDEX start_event_process ON upgrade_sample.start_event USING btree (tenant, process);
CREATE INDEX subscription_wanted ON upgrade_sample.subscription USING btree (tenant, kind, name, key, instance, n) WHERE (name IS NOT NULL);
CREATE INDEX task_candidate_who ON upgrade_sample.task_candidate USING btree (tenant, kind, who, instance, n);
CREATE INDEX timer_due ON upgrade_sample.timer USING btree (due_at, instance, n) WHERE (NOT held);
CREATE INDEX token_lease_node ON upgrade_sample.token USING btree (lease_node) WHERE (lease_node IS NOT NULL);
CREATE INDEX token_lease_until ON upgrade_sample.token USING btree (lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX token_node ON upgrade_sample.token USING btree (tenant, node, instance);
CREATE INDEX token_ready ON upgrade_sample.token USING btree (job_type, instance, n) WHERE (status = 'ready'::text);
CREATE INDEX token_ready_tenant ON upgrade_sample.token USING btree (tenant, job_type, instance, n) WHERE ((status = 'ready'::text) AND (tenant <> ''::text));
CREATE INDEX user_task_assignee ON upgrade_sample.user_task USING btree (tenant, assignee, instance, n) WHERE (assignee IS NOT NULL);
CREATE INDEX user_task_due ON upgrade_sample.user_task USING btree (tenant, due_at, instance, n) WHERE (due_at IS NOT NULL);
CREATE INDEX user_task_free ON upgrade_sample.user_task USING btree (tenant, instance, n) WHERE (assignee IS NULL);
CREATE INDEX user_task_oldest ON upgrade_sample.user_task USING btree (tenant, instance, n);
CREATE INDEX user_task_priority ON upgrade_sample.user_task USING btree (tenant, priority, instance, n) WHERE (priority <> 50);
CREATE INDEX user_task_taken ON upgrade_sample.user_task USING btree (tenant, instance, n) WHERE (assignee IS NOT NULL);
CREATE INDEX variable_index_number ON upgrade_sample.variable_index USING btree (tenant, name, number, instance) WHERE (number IS NOT NULL);
CREATE INDEX variable_index_text ON upgrade_sample.variable_index USING btree (tenant, name, text, instance) WHERE (text IS NOT NULL);
ALTER TABLE ONLY upgrade_sample.process_definition
    ADD CONSTRAINT process_definition_deployment_fkey FOREIGN KEY (deployment) REFERENCES upgrade_sample.deployment(id);
