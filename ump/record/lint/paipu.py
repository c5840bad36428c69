"""Read Majiang's paipu for the linter: every entry as it stands there."""

from __future__ import annotations

from dataclasses import replace

from ump.model import events as ev
from ump.model.notation import NotationError, parse_shoupai
from ump.record.game_builder import AT_THE_END
from ump.record.hand_values import reason_named, stated_value
from ump.record.lint.findings import (
    WHOLE,
    CheckedFields,
    Collector,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    check_fields,
    read_fields,
    with_start,
)
from ump.record.paipu import SEATS, assumed_rules, read_end, read_hupai
from ump.record.record_format import FIELD, stated_rules
from ump.record.recorded_game import RecordError, Stated
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON
from ump.wire.majiang.read import MajiangReader
from ump.wire.text import WireError

FORM = FormatStatements(DoraPlace.NEARBY, sticks=False, marks_replacements=True)

_GAME = ("title", "player", "qijia", "log", "defen", "point", "rank", "rule", FIELD)
_NEEDED_IN_GAME = ("player", "log")
_KNOWN: dict[str, tuple[str, ...]] = {
    "qipai": ("zhuangfeng", "jushu", "changbang", "lizhibang", "defen", "baopai", "shoupai"),
    "zimo": ("l", "p"),
    "gangzimo": ("l", "p"),
    "dapai": ("l", "p"),
    "fulou": ("l", "m"),
    "gang": ("l", "m"),
    "kaigang": ("baopai",),
    "hule": ("l", "shoupai", "fenpei"),
    "pingju": ("name", "shoupai", "fenpei"),
}
"""The fields that each entry needs."""

_ALSO = {"hule": ("baojia", "fubaopai", "fu", "fanshu", "damanguan", "defen", "hupai")}
"""The further fields of an entry."""


def read_games(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file, and report what is wrong with their entries; raise RecordError if it is no paipu."""
    try:
        read = read_fields(data)
    except WireError as error:
        raise RecordError(str(error)) from None
    games = []
    for given in read if isinstance(read, list) else [read]:
        if not isinstance(given, CheckedFields):
            findings.add(WHOLE, Rule.UNREADABLE, "a game as an object", type(given).__name__)
            continue
        games += _StatedPaipu(given, rules, findings).read()
    return games


class _StatedPaipu:
    """One game."""

    def __init__(self, given: CheckedFields, rules: Ruleset | None, findings: Findings) -> None:
        self._given = given
        self._findings = findings
        self._reader = MajiangReader(judges=False)
        self._collector = Collector(findings)
        self._stated = rules
        self._own_counting = False
        own = given.get(FIELD)
        if isinstance(own, dict):
            self._own_counting = own.get("own_counting") is True
            try:
                self._stated = stated_rules(own) or rules
            except RecordError as error:
                findings.add(WHOLE, Rule.WRONG_VALUE, "rules", str(error))

    def read(self) -> list[StatedGame]:
        """Return the game, if it has a kyoku."""
        given, log = self._given, self._given.get("log")
        check_fields(self._findings, WHOLE, "game", given, _GAME, _NEEDED_IN_GAME)
        if not isinstance(log, list):
            raise RecordError("log: expected an array")
        try:
            self._reader.read("kaiju", {"id": 0, "player": given.get("player"), "qijia": given.get("qijia", 0)})
        except WireError as error:
            self._findings.add(WHOLE, Rule.WRONG_VALUE, "player and qijia", str(error))
        for kyoku in log:
            self._read_kyoku(kyoku)
        kyoku_read = self._collector.finished()
        if not kyoku_read:
            return []
        ruleset = self._stated or with_start(assumed_rules(given), kyoku_read[0].started)
        return [StatedGame(ruleset, self._stated is not None, kyoku_read, self._end(), WHOLE, self._own_counting)]

    def _end(self) -> ev.GameEnded | None:
        try:
            return read_end(self._given)
        except RecordError as error:
            self._findings.add(WHOLE, Rule.WRONG_VALUE, "scores, results and places", str(error))
            return None

    def _read_kyoku(self, kyoku: JSON) -> None:
        if not isinstance(kyoku, list) or not kyoku:
            self._collector.skip_kyoku()
            self._findings.add(WHOLE, Rule.UNREADABLE, "a kyoku as an array", type(kyoku).__name__)
            return
        for number, entry in enumerate(kyoku, 1):
            place = FilePlace("entry", number)
            if number == 1 and not (isinstance(entry, dict) and "qipai" in entry):
                self._collector.skip_kyoku()
                self._findings.add(place, Rule.UNREADABLE, "qipai", _short(entry))
            if not isinstance(entry, CheckedFields) or len(entry) != 1:
                self._findings.add(place, Rule.WRONG_VALUE, "an object with one key", _short(entry))
                self._collector.lose(place, None)
                continue
            ((type_, content),) = entry.items()
            self._read_entry(place, type_, content)

    def _read_entry(self, place: FilePlace, type_: str, content: JSON) -> None:
        if type_ not in _KNOWN:
            self._findings.add(place, Rule.UNKNOWN_EVENT, f"one of {', '.join(_KNOWN)}", ascii(type_[:40]))
            return
        needed = _KNOWN[type_]
        check_fields(self._findings, place, type_, content, (*needed, *_ALSO.get(type_, ())), needed)
        try:
            for event in self._reader.read(type_, content):
                match event:
                    case ev.RiichiPaid() | ev.KyokuEnded():
                        pass  # the reader has inferred it
                    case ev.HandWon() if isinstance(content, dict):
                        self._collector.enter(self._win(place, event, content))
                    case ev.KyokuDrawn() if isinstance(content, dict):
                        self._draw(place, event, content)
                    case _:
                        self._collector.add(place, event)
        except (WireError, RecordError, NotationError) as error:
            self._report(place, type_, content, str(error))

    def _report(self, place: FilePlace, type_: str, content: JSON, error: str) -> None:
        if type_ == "qipai":
            self._collector.skip_kyoku()
        rule = Rule.MELD if type_ in ("fulou", "gang") and "must" not in error else Rule.WRONG_VALUE
        self._findings.add(place, rule, f"{type_} as the format has it", error)
        wind = content.get("l") if isinstance(content, dict) else None
        is_wind = type(wind) is int and 0 <= wind < SEATS and bool(self._collector.kyoku)
        dealer = self._collector.kyoku[-1].started.dealer if is_wind else 0
        self._collector.lose(place, (dealer + wind) % SEATS if is_wind and isinstance(wind, int) else None)

    def _win(self, place: FilePlace, won: ev.HandWon, content: dict[str, JSON]) -> StatedEntry:
        yaku, liable, unknown = read_hupai(content, won.seat)
        if unknown is not None:
            self._findings.add(place, Rule.WRONG_VALUE, "hupai: names of yaku", unknown)
        points = content.get("defen")
        worth = points if type(points) is int else None
        is_dealer = bool(self._collector.kyoku) and won.seat == self._collector.kyoku[-1].started.dealer
        given = won.value
        value = stated_value(
            yaku,
            given.han,
            given.fu,
            given.yakuman,
            worth,
            seats=SEATS,
            is_dealer=is_dealer,
            is_tsumo=won.loser is None,
        )
        return StatedEntry(place, replace(won, value=value, liable=liable), Stated(worth=worth))

    def _draw(self, place: FilePlace, drawn: ev.KyokuDrawn, content: dict[str, JSON]) -> None:
        """Add a draw, and the hands that are shown."""
        reason, shown = reason_named(str(content.get("name"))), content.get("shoupai")
        dealer = self._collector.kyoku[-1].started.dealer if self._collector.kyoku else 0
        for wind, hand in enumerate(shown if isinstance(shown, list) else []):
            seat = (dealer + wind) % SEATS
            faces = parse_shoupai(hand, seat).faces if isinstance(hand, str) and hand else None
            if reason in AT_THE_END:
                self._collector.add(place, ev.TenpaiDeclared(seat, faces is not None, faces, ()))
            elif faces is not None and reason is not ev.DrawReason.SANCHAHO:
                self._collector.add(place, ev.HandOpened(seat, faces, ()))
        self._collector.enter(StatedEntry(place, ev.KyokuDrawn(reason, drawn.changes)))


def _short(entry: JSON) -> str:
    names = ", ".join(entry) if isinstance(entry, dict) else type(entry).__name__
    return ascii(names[:60])
