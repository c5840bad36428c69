"""All common notations, one module for each: a table of faces, and pairs of ``parse_`` and ``format_`` functions.

| notation | a tile | a hand, a wall | a meld |
|---|---|---|---|
| ``ump`` | ``5m`` ``5M`` ``6z`` | ``1m5M<2p3p4p>`` | ``<2p3p4p>`` ``(6z6z6z6z)`` |
| ``mjai`` | ``5m`` ``5mr`` ``F`` | ``1m 5mr F`` | |
| ``majiang`` | ``m5`` ``m0`` ``z6`` | ``m10z6,s67-8`` | ``s67-8`` ``z666=6`` |
| ``mpsz`` | ``5m`` ``0m`` ``6z`` | ``10m6z`` | |
| ``tenhou`` | ``17`` ``16`` ``128`` | ``0,16,128`` | |
| ``ids`` | ``150`` ``153`` ``460`` | ``[110, 153, 460]`` ``1m0m6z`` | ``s67-8`` ``z66-66_2`` |

``written`` reads a hand in any of them, and in upper case, kanji or Unicode tiles (``signs``). To write a face, index
the table with it. A parser accepts any string, and returns a value or raises ``NotationError``; the length of its input
is limited. If a notation loses information (UMP's melds, serialised walls), the docstring of its parser says so.
"""

from __future__ import annotations

from ump.model.notation.ids import (
    format_id_meld,
    format_id_tiles,
    format_serialised,
    parse_id_meld,
    parse_id_tiles,
    parse_serialised,
)
from ump.model.notation.majiang import (
    DIRECTIONS,
    MAJIANG_FACES,
    MajiangTile,
    Shoupai,
    format_majiang_meld,
    format_majiang_tile,
    format_shoupai,
    parse_majiang_face,
    parse_majiang_meld,
    parse_majiang_tile,
    parse_shoupai,
)
from ump.model.notation.mjai import MJAI_FACES, format_mjai_faces, parse_mjai_face, parse_mjai_faces
from ump.model.notation.mpsz import MPSZ_FACES, format_mpsz, parse_mpsz
from ump.model.notation.signs import KANJI_FACES, UNICODE_KINDS
from ump.model.notation.tables import NotationError
from ump.model.notation.tenhou import format_tenhou_tiles, parse_tenhou_tiles
from ump.model.notation.ump import (
    UMP_FACES,
    format_ump_faces,
    format_ump_hand,
    format_ump_meld,
    parse_ump_face,
    parse_ump_faces,
    parse_ump_hand,
)
from ump.model.notation.written import WrittenHand, parse_written_hand, parse_written_tiles

__all__ = [
    "DIRECTIONS",
    "KANJI_FACES",
    "MAJIANG_FACES",
    "MJAI_FACES",
    "MPSZ_FACES",
    "UMP_FACES",
    "UNICODE_KINDS",
    "MajiangTile",
    "NotationError",
    "Shoupai",
    "WrittenHand",
    "format_id_meld",
    "format_id_tiles",
    "format_majiang_meld",
    "format_majiang_tile",
    "format_mjai_faces",
    "format_mpsz",
    "format_serialised",
    "format_shoupai",
    "format_tenhou_tiles",
    "format_ump_faces",
    "format_ump_hand",
    "format_ump_meld",
    "parse_id_meld",
    "parse_id_tiles",
    "parse_majiang_face",
    "parse_majiang_meld",
    "parse_majiang_tile",
    "parse_mjai_face",
    "parse_mjai_faces",
    "parse_mpsz",
    "parse_serialised",
    "parse_shoupai",
    "parse_tenhou_tiles",
    "parse_ump_face",
    "parse_ump_faces",
    "parse_ump_hand",
    "parse_written_hand",
    "parse_written_tiles",
]
