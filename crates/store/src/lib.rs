//! Durable rows: memory, SQLite and PostgreSQL behind one contract.
