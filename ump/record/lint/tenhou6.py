"""Read tenhou.net/6 JSON for the linter: every kyoku as its columns state it."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model import events as ev
from ump.model.constants import DEALT_TILES, MAX_INDICATORS
from ump.model.notation import NotationError
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import NORTH, Face
from ump.record import tenhou6
from ump.record.lint.findings import (
    WHOLE,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    StatedKyoku,
    Unclear,
    check_fields,
    read_fields,
    with_length,
    with_start,
)
from ump.record.record_format import FIELD, stated_rules
from ump.record.recorded_game import RecordError, Stated
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON

FORM = FormatStatements(DoraPlace.LISTED, sticks=False)

_GAME = (
    *("title", "name", "rule", "log", "ver", "ref", "ratingc", "lobby", "dan", "rate", "sx", "sc", "connection"),
    *("_target_actor", "playerMapping", FIELD),
)
_RULE = ("disp", "aka", "aka51", "aka52", "aka53", "ver")
_RESULT = 16
"""The place of the result among the elements of a kyoku."""


def read_games(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file, and report what is wrong in their kyoku; raise RecordError if it has no form."""
    objects = list(tenhou6.read_objects(data.strip(), read_fields))
    for number, fields in objects:
        place = FilePlace("line", number) if len(objects) > 1 else WHOLE
        check_fields(findings, place, "game", dict_of(fields), _GAME, ("name", "log"))
        check_fields(findings, place, "rule", fields.get("rule"), _RULE)
    games = [_game(fields, rules, findings) for fields in tenhou6.joined_games(objects)]
    return [game for game in games if game.kyoku]


def dict_of(fields: tenhou6.Fields) -> JSON:
    """Return fields as JSON."""
    return fields if isinstance(fields, dict) else None


def _game(fields: tenhou6.Fields, rules: Ruleset | None, findings: Findings) -> StatedGame:
    names, log, own, rule = (fields.get(name) for name in ("name", "log", FIELD, "rule"))
    if not isinstance(names, list) or len(names) != tenhou6.SEATS or not all(isinstance(name, str) for name in names):
        findings.add(WHOLE, Rule.WRONG_VALUE, f"name: {tenhou6.SEATS} texts", ascii(names)[:60])
    stated, ended = rules, None
    players = tenhou6.players_of(log) if isinstance(log, list) and log else tenhou6.SEATS
    assumed = tenhou6.assumed_rules(rule if isinstance(rule, dict) else {}, players)
    try:
        stated = stated_rules(own) or rules
        ended = tenhou6.read_end(fields["sc"], players) if "sc" in fields else None
    except RecordError as error:
        findings.add(WHOLE, Rule.WRONG_VALUE, "rules, scores and results", str(error))
    kyoku: list[StatedKyoku] = []
    for given in log if isinstance(log, list) else []:
        findings.kyoku += 1
        read = _StatedColumns(given, stated or assumed, findings).read()
        if read is not None:
            kyoku.append(read)
    ruleset = stated or with_start(assumed, kyoku[0].started if kyoku else None)
    own_counting = isinstance(own, dict) and own.get("own_counting") is True
    game = StatedGame(ruleset, stated is not None, tuple(kyoku), ended, WHOLE, own_counting)
    return game if own is not None else with_length(game, tenhou6.stated_length(rule if isinstance(rule, dict) else {}))


class _StatedColumns:
    """One kyoku."""

    def __init__(self, given: JSON, ruleset: Ruleset, findings: Findings) -> None:
        self._given = given if isinstance(given, list) else []
        self._ruleset = ruleset
        self._players = ruleset.seats
        self._findings = findings
        self._entries: list[StatedEntry] = []
        self._is_cut = False
        self._in_riichi: set[Seat] = set()
        self._dealer: Seat = 0

    def read(self) -> StatedKyoku | None:
        """Return the kyoku; None if it is unreadable, which is a finding."""
        if len(self._given) != tenhou6.COLUMNS:
            self._findings.add(WHOLE, Rule.UNREADABLE, f"an array of {tenhou6.COLUMNS}", f"one of {len(self._given)}")
            return None
        try:
            return self._kyoku()
        except (RecordError, NotationError) as error:
            self._findings.add(WHOLE, Rule.WRONG_VALUE, "a kyoku as the format has it", str(error))
            return None

    def _kyoku(self) -> StatedKyoku | None:
        given = self._given
        number, honba, sticks = tenhou6.read_numbers(given[0], 3, tenhou6.MOST_COUNT)
        bakaze, self._dealer = divmod(number, tenhou6.SEATS)
        scores = tenhou6.read_points_of(given[1], self._players)
        indicators = tenhou6.read_faces(given[2], MAX_INDICATORS)
        hands = [tenhou6.read_faces(given[4 + 3 * seat], 2 * DEALT_TILES) for seat in range(self._players)]
        wrong = [seat for seat in range(self._players) if len(hands[seat]) != DEALT_TILES]
        for seat in wrong:
            found = f"{len(hands[seat])} tiles"
            self._findings.add(
                FilePlace(f"hand of {LETTERS[seat]}"), Rule.DEAL, f"{DEALT_TILES} tiles for {LETTERS[seat]}", found
            )
        if not indicators or bakaze >= tenhou6.SEATS or self._dealer >= self._players:
            raise RecordError(f"no dora indicator, or round {number}")
        if not wrong:
            self._follow()
        started = ev.KyokuStarted(bakaze, self._dealer, honba, sticks, scores, (1, 1))
        return StatedKyoku(
            WHOLE,
            started,
            tuple(None if seat in wrong else hands[seat] for seat in range(self._players)),
            indicators[0],
            tuple(self._entries),
            indicators[1:],
            self._is_cut or bool(wrong),
            self._findings.kyoku,
        )

    def _follow(self) -> None:
        """Add the moves and the result."""
        takes = [tenhou6.read_column(self._given[5 + 3 * seat]) for seat in range(self._players)]
        discards = [tenhou6.read_column(self._given[6 + 3 * seat]) for seat in range(self._players)]
        self._compare_lengths(takes, discards)
        columns = tenhou6.Columns(takes, discards)
        try:
            moves: Sequence[tenhou6.Move] = columns.ordered(self._dealer)
        except RecordError as error:
            moves = columns.furthest
            self._is_cut = True
            place = _place(moves[-1]) if moves else WHOLE
            rule = Rule.MELD if "meld" in str(error) else Rule.COLUMNS
            self._findings.add(place, rule, "a move of another seat that fits after this one", str(error))
        last: Face | None = None
        for move in moves:
            last = self._move(move)
        if self._is_cut:
            self._entries.append(StatedEntry(WHOLE, Unclear()))
        try:
            self._finish(self._given[_RESULT], last)
        except (RecordError, NotationError) as error:
            self._is_cut = True
            self._findings.add(FilePlace("result"), Rule.WRONG_VALUE, "a result as the format has it", str(error))

    def _compare_lengths(self, takes: Sequence[Sequence[int | str]], discards: Sequence[Sequence[int | str]]) -> None:
        """Report a seat that gives more tiles than it has taken, or keeps more than one."""
        for seat in range(self._players):
            open_kans = sum(isinstance(entry, str) and "m" in entry for entry in takes[seat])
            given = len(discards[seat]) - discards[seat].count(0) + open_kans
            taken, who = len(takes[seat]), LETTERS[seat]
            if given > taken:
                found = f"{taken}, for {given} discards"
                place = FilePlace(f"takes of {who}, entry", taken)
                self._findings.add(place, Rule.MISSING_DRAW, f"a take of {who} for each discard", found)
            elif given < taken - 1:
                found = f"{given}, for {taken} takes"
                place = FilePlace(f"discards of {who}, entry", len(discards[seat]))
                self._findings.add(place, Rule.TURN_ORDER, f"a discard of {who} for each take", found)

    def _move(self, move: tenhou6.Move) -> Face | None:
        """Add a move; return the tile that it takes or gives."""
        place, seat = _place(move), move.seat
        if move.entry == tenhou6.KITA and not move.is_take:
            self._entries.append(StatedEntry(place, ev.KitaDeclared(seat)))
            return NORTH
        try:
            if isinstance(move.entry, str):
                return self._meld(place, move, move.entry)
            face = tenhou6.face_of(move.entry)
        except NotationError as error:
            rule = Rule.MELD if isinstance(move.entry, str) else Rule.WRONG_VALUE
            self._findings.add(place, rule, "a tile or a meld", str(error))
            self._entries.append(StatedEntry(place, Unclear(seat)))
            return None
        if move.is_take:
            self._entries.append(StatedEntry(place, ev.TileDrawn(seat, 0, face)))
            return face
        if move.riichi:
            self._in_riichi.add(seat)
            self._entries.append(StatedEntry(place, ev.RiichiDeclared(seat)))
        self._entries.append(StatedEntry(place, ev.TileDiscarded(seat, face, move.tsumogiri, move.riichi)))
        return face

    def _meld(self, place: FilePlace, move: tenhou6.Move, text: str) -> Face | None:
        meld = tenhou6.read_meld(text, move.seat)
        is_call = meld.called is not None and meld.added is None
        if is_call is not move.is_take:
            column = "takes" if is_call else "discards"
            self._findings.add(place, Rule.WRONG_VALUE, f"{text} among the {column}", "the other column")
            self._entries.append(StatedEntry(place, Unclear(move.seat)))
            return None
        event = ev.TileCalled(move.seat, meld) if is_call else ev.KanDeclared(move.seat, meld)
        self._entries.append(StatedEntry(place, event))
        return meld.added if meld.added is not None else meld.own[-1]

    def _finish(self, result: JSON, last: Face | None) -> None:
        """Add the result; an unfinished kyoku has an empty one."""
        if result == []:
            self._is_cut = True
            return
        if not isinstance(result, list) or not result or not isinstance(result[0], str):
            raise RecordError("expected a result")
        text, rest, place = result[0], result[1:], FilePlace("result")
        if text in tenhou6.WINS:
            if not rest or len(rest) % 2:
                raise RecordError("a win needs payments and details")
            for paid, detail in zip(rest[::2], rest[1::2], strict=True):
                if last is not None:
                    self._entries.append(self._win(place, tenhou6.read_points_of(paid, self._players), detail, last))
            return
        if text == tenhou6.ALL_TENPAI:
            for seat in range(self._players):
                self._entries.append(StatedEntry(place, ev.TenpaiDeclared(seat, True, None, ())))
        self._entries.append(StatedEntry(place, tenhou6.read_draw(text, rest, self._players)))

    def _win(self, place: FilePlace, changes: tuple[int, ...], detail: JSON, tile: Face) -> StatedEntry:
        if not isinstance(detail, list) or len(detail) < 4:
            raise RecordError("a win needs winner, source, liable player and points")
        winner, source, liable = (tenhou6.read_count(each, "seat", self._players - 1) for each in detail[:3])
        stated = tenhou6.read_points(detail[3], self._players)
        loser = None if source == winner else source
        is_dealer = winner == self._dealer
        value = tenhou6.read_value(
            detail[4:], stated.fu, stated.worth, self._ruleset, is_dealer=is_dealer, is_tsumo=loser is None
        )
        _, unknown = tenhou6.read_yaku(detail[4:])
        if unknown is not None:
            self._findings.add(place, Rule.WRONG_VALUE, "names of yaku, with their han", unknown)
        ura = tenhou6.read_faces(self._given[3], MAX_INDICATORS) if winner in self._in_riichi else ()
        responsible = None if liable == winner else liable
        won = ev.HandWon(winner, loser, tile, (), (), False, ura, value, changes, responsible)
        return StatedEntry(place, won, Stated(worth=stated.worth))


def _place(move: tenhou6.Move) -> FilePlace:
    return FilePlace(f"{'takes' if move.is_take else 'discards'} of {LETTERS[move.seat]}, entry", move.index + 1)
