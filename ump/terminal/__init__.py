"""The terminal program: a table drawn with textual, for players and spectators. One more client of UMP 0.1."""
