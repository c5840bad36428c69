"""Databases: SQLite files and PostgreSQL, their tables and migrations."""
