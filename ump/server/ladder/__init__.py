"""The ladder: ratings from rated games, pairing by rating, and flags for what looks unfair."""
