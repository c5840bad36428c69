"""What exists at a mahjong table: tiles, melds, hands, seats, actions, claims, events. Values without rules."""
