"""Users of a server: a file of names, password hashes, bans and access tokens."""
