-- Keys go when their instance is forgotten.
CREATE INDEX idempotency_instance ON idempotency (instance);
