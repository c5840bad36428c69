"""The pure half of a running server: who gets what from a table, and who waits for one. No Twisted, no clock."""
