"""Write a recorded game as a paipu: the messages of a game, with all hands."""

from __future__ import annotations

import json

from ump.record.mjai.record_writer import told
from ump.record.own_fields import FIELD, own_fields
from ump.record.recorded_game import RecordedGame
from ump.wire.majiang.events import Narrator


def write_paipu(game: RecordedGame) -> bytes:
    """Return the paipu as one JSON object; an unfinished game has no final scores."""
    narrator = Narrator(None, game.ruleset, "ump")
    paipu: dict[str, object] = {}
    for event in told(game):
        message = narrator.tell(event)
        if message is not None and message.type == "jieju":
            paipu = dict(message.content)
    if game.ended is None:
        paipu = {"title": "ump", "player": list(game.names), "qijia": 0, "log": narrator.log}
    if game.ended is None or not game.ended.results:
        paipu |= {"defen": list(game.ended.points) if game.ended else [], "point": [], "rank": []}
    own = own_fields(game)
    return json.dumps(paipu | ({FIELD: own} if own else {}), ensure_ascii=False, separators=(",", ":")).encode()
