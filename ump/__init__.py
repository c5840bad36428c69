"""The open riichi-mahjong table: a pure game, its protocols, and a server that seats every bot and person."""
