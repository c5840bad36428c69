"""Users of a server: who a client is, checked beside the games, and a database of names, hashes, bans and tokens."""
