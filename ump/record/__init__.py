"""Records of games: read from the formats of other programs, replayed, and compared with our rules."""
