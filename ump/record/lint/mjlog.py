"""Read Tenhou's mjlog for the linter: every element as it stands there."""

from __future__ import annotations

import re
from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.record.findings import (
    WHOLE,
    Collector,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedGame,
)
from ump.record.game_builder import ASSUMED
from ump.record.mjlog import BEFORE, DISCARDED, DRAWN, SILENT, KyokuReader, game_rules, is_own_counting, read_end
from ump.record.mjlog_elements import Element, numbers_in, read_elements
from ump.record.recorded_game import RecordError
from ump.rules.ruleset import Ruleset

FORM = FormatStatements(DoraPlace.IN_PLACE, sticks=True)

_RESULT = ("ba", "sc", "owari")
_KNOWN: dict[str, tuple[str, ...]] = {
    "SHUFFLE": ("seed", "ref"),
    "GO": ("type", "lobby", "ump"),
    "TAIKYOKU": ("oya", "log"),
    "INIT": ("seed", "ten", "oya", *(f"hai{seat}" for seat in range(4)), "shuffle", "chip", "wall"),
    "N": ("who", "m"),
    "REACH": ("who", "step", "ten"),
    "DORA": ("hai",),
    "BYE": ("who",),
    "CHAT": ("text", "uname"),
    "AGARI": (
        *("hai", "machi", "ten", "yaku", "yakuman", "doraHai", "doraHaiUra", "who", "fromWho", "paoWho", "m"),
        *("ratio", "chip"),
        *_RESULT,
    ),
    "RYUUKYOKU": (*(f"hai{seat}" for seat in range(4)), "type", "ratio", "chip", *_RESULT),
    "UN": (*(f"n{seat}" for seat in range(4)), "dan", "rate", "sx", "gold", "rc", "jan"),
}
"""The attributes of each element."""

_ACTOR = re.compile(r"[TUVWDEFG]\d*")
"""The elements of a move, which begin with the letter of a seat."""


def read_games(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the game of a file, and report what is wrong with its elements; raise RecordError if it has no form."""
    elements = read_elements(data)
    reading = _StatedElements(elements, findings)
    for number, element in enumerate(elements, 1):
        reading.read(FilePlace("element", number), element)
    return reading.finished()


class _StatedElements:
    """One game."""

    def __init__(self, elements: tuple[Element, ...], findings: Findings) -> None:
        self._findings = findings
        self._own_counting = False
        try:
            self._rules = game_rules(elements)
            self._own_counting = is_own_counting(elements)
        except RecordError as error:
            findings.add(WHOLE, Rule.WRONG_VALUE, "GO with the type of the game", str(error))
            self._rules = ASSUMED
        self._collector = Collector(findings)
        self._reader: KyokuReader | None = None
        self._tiles: set[int] = set()
        """The physical tiles that have turned up in the kyoku."""
        self._ended: tuple[ev.GameEnded | None, FilePlace] = (None, FilePlace())

    def finished(self) -> list[StatedGame]:
        """Return the game, if it has a kyoku."""
        kyoku = self._collector.finished()
        ended, place = self._ended
        return [StatedGame(FORM, self._rules, True, kyoku, ended, place, self._own_counting)] if kyoku else []

    def read(self, place: FilePlace, element: Element) -> None:
        """Read one element."""
        tag, fields = element.tag, dict(element.fields)
        is_move = tag in DRAWN or tag in DISCARDED
        if not is_move and tag not in _KNOWN:
            self._findings.add(place, Rule.UNKNOWN_EVENT, f"a move, or one of {', '.join(_KNOWN)}", ascii(tag[:40]))
            if _ACTOR.fullmatch(tag):
                self._collector.lose(place, None)
            return
        self._findings.check_fields(place, tag, dict(fields), () if is_move else _KNOWN[tag])
        if tag == "INIT":
            self._reader, self._tiles = KyokuReader(self._rules.red_fives, self._rules.seats), set()
        if self._reader is None or tag in SILENT:
            if tag not in BEFORE:
                self._findings.add(place, Rule.UNREADABLE, "INIT", tag)
            return
        try:
            self._add_events(place, element, self._reader)
            if "owari" in fields:
                ended = read_end(fields["owari"], self._rules.seats)
                self._ended = (replace(ended, places=()), place)  # the format states none
        except RecordError as error:
            self._report(place, tag, fields, str(error))

    def _add_events(self, place: FilePlace, element: Element, reader: KyokuReader) -> None:
        before = len(reader.events)
        reader.read(element)
        for index in range(before, len(reader.events)):
            event, stated = reader.events[index], reader.stated.get(index)
            if isinstance(event, ev.HandDealt | ev.TileDrawn | ev.DoraRevealed):
                self._count(place, reader.tiles[index])
            if isinstance(event, ev.HandWon) and not event.riichi:
                event = replace(event, ura=())
            if isinstance(event, ev.DoraRevealed) and before == 0:
                stated = reader.stated.get(0)
            self._collector.add(place, event, stated)

    def _count(self, place: FilePlace, tiles: tuple[int, ...]) -> None:
        for tile in tiles:
            if tile in self._tiles:
                self._findings.add(place, Rule.FIFTH_TILE, f"tile {tile} once", "the same tile again")
            self._tiles.add(tile)

    def _report(self, place: FilePlace, tag: str, fields: dict[str, str], error: str) -> None:
        if tag == "INIT":
            self._collector.skip_kyoku()
            self._reader = None
            sizes = [_size(fields.get(f"hai{seat}", "")) for seat in range(self._rules.seats)]
            if any(size != DEALT_TILES for size in sizes):
                found = ", ".join(map(str, sizes))
                self._findings.add(place, Rule.DEAL, f"hands of {DEALT_TILES} tiles", f"hands of {found}")
                return
        rule = Rule.MELD if tag == "N" and "meld" in error else Rule.WRONG_VALUE
        self._findings.add(place, rule, f"{tag} as the format has it", error)
        who = fields.get("who", "")
        self._collector.lose(place, int(who) if who in ("0", "1", "2", "3")[: self._rules.seats] else None)


def _size(text: str) -> int:
    try:
        return len(numbers_in(text, "hai"))
    except RecordError:
        return 0
