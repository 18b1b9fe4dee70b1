"""Stores of events: in memory, in a SQLite file, in PostgreSQL."""
