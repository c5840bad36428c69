"""Kobalab's records, played again by Majiang clients that answer as the record says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.majiang_table import MajiangTable, Said, type_of
from support.paipu import SEATS, read_paipu

from ump.game.game import Game
from ump.record.physical_tiles import deal_of
from ump.rules.ruleset import Ruleset

MASKED = ("zimo", "gangzimo")


class Rememberer:
    """A client that compares every message with the record of its game, and answers as the record says."""

    def __init__(self, log: Sequence[Sequence[Said]], seat: int) -> None:
        self._log = log
        self._seat = seat
        self._kyoku = -1
        self._place = 0
        """The number of the next entry that must come in this kyoku, without indicators."""
        self.differences: list[tuple[Said, Said]] = []
        """Each message that differs from the record, and the record's entry."""

    def hear(self, message: Said) -> Said | None:
        """Compare a message and reply to it."""
        if "seq" not in message:
            return None
        type_ = type_of(message)
        reply: Said = {"seq": message["seq"]}
        if type_ in ("kaiju", "jieju"):
            return reply
        if type_ == "qipai":
            self._kyoku, self._place = self._kyoku + 1, 0
        expected = masked(self._entries[self._place], self._l)
        if {type_: message[type_]} != expected:
            self.differences.append(({type_: message[type_]}, expected))
        self._place += 1
        return reply | self._reply(type_, message[type_])

    @property
    def _entries(self) -> list[Said]:
        return [entry for entry in self._log[self._kyoku] if "kaigang" not in entry]

    @property
    def _l(self) -> int:
        (qipai,) = self._entries[0].values()
        return int(self._seat - qipai["jushu"]) % SEATS

    def _reply(self, type_: str, content: Said) -> Said:
        """Return the next action of this seat in the record, if the message asks for it."""
        if type_ not in ("zimo", "gangzimo", "dapai", "fulou", "gang"):
            return {}
        following = self._entries[self._place :]
        ((next_type, next_content),) = following[0].items()
        if next_type == "pingju":
            return self._reply_to_pingju(type_, content, next_content)
        if next_type == "hule":
            winners = [entry["hule"]["l"] for entry in following if "hule" in entry]
            return {"hule": "-"} if self._l in winners else {}
        answers = ("fulou",) if type_ in ("dapai", "gang") else ("dapai", "gang")
        if next_content["l"] != self._l or next_type not in answers:
            return {}
        return {next_type: next_content["p" if next_type == "dapai" else "m"]}

    def _reply_to_pingju(self, type_: str, content: Said, pingju: Said) -> Said:
        shows = bool(pingju["shoupai"][self._l])
        if pingju["name"] == "三家和":
            return {"hule": "-"} if shows else {}
        if pingju["name"] == "九種九牌" and content["l"] == self._l:
            return {"daopai": "-"}
        return {"daopai": "-"} if type_ == "dapai" and shows else {}


def masked(entry: Said, own: int) -> Said:
    """Return an entry of a record as the seat of this wind may see it, without fields that do not apply."""
    ((type_, content),) = entry.items()
    content = {name: value for name, value in content.items() if value is not None or name in ("baojia", "fubaopai")}
    if type_ == "qipai":
        content["shoupai"] = [hand if wind == own else "" for wind, hand in enumerate(content["shoupai"])]
    if type_ in MASKED and content["l"] != own:
        content["p"] = ""
    return {type_: content}


def by_seat(by_id: Sequence[Any], first: int) -> list[Any]:
    """Return a list by id as a list by our seats, from the first dealer on."""
    return [*by_id[first:], *by_id[:first]]


def play_again(record: Said, ruleset: Ruleset) -> tuple[MajiangTable, list[Rememberer]]:
    """Play a record to its end, on its walls, with four clients."""
    recorded = read_paipu(record, ruleset)
    deals = [deal_of(kyoku, SEATS) for kyoku in recorded.kyoku]
    game = Game(ruleset, recorded.names, lambda at: deals[at.number])
    clients = [Rememberer(record["log"], seat) for seat in range(SEATS)]
    return MajiangTable(game, clients).play(), clients
