"""The numbers of riichi mahjong that no ruleset changes. The numbers of tiles are in ``ump.model.tiles``."""

from __future__ import annotations

DEALT_TILES = 13
"""Tiles of a hand between turns; a meld counts three."""
FULL_HAND = 14
"""Tiles of a hand after its draw; a meld counts three."""
MAX_MELDS = 4
"""Melds that one player can have."""

LIVE_WALL = 70
"""Tiles in the live wall after the deal to four players."""
DEAD_WALL = 14
"""Tiles in the dead wall, always."""
MAX_KANS = 4
"""Kans that all players together can make in a kyoku."""
MAX_INDICATORS = 1 + MAX_KANS
"""Dora indicators: the first one, and one for each kan."""

KYUSHU_KINDS = 9
"""Different terminals and honours in hand with which a player may abort the kyoku on the first draw."""

STICK_POINTS = 1_000
"""Points of a riichi stick."""
HONBA_POINTS = 100
"""Points that each other player owes for each honba; on ron one player pays for all."""

YAKUMAN_HAN = 13
"""Han with which each yakuman is listed, and from which a hand is a kazoe yakuman."""

MANGAN = 2_000
"""Base points of a mangan. A payment is a multiple of base points: 1, 2, 4 or 6 times."""
HANEMAN = 3_000
"""Base points of a haneman."""
BAIMAN = 4_000
"""Base points of a baiman."""
SANBAIMAN = 6_000
"""Base points of a sanbaiman."""
YAKUMAN = 8_000
"""Base points of each yakuman, and of a kazoe yakuman."""
