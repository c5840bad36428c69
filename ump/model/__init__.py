"""The values of the game: tiles, melds, hands, seats, actions, claims, events, notations. No rules."""
