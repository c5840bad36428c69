"""Users of a server: a database of names, password hashes, bans and access tokens."""
