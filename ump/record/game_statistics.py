"""Statistics of players over recorded games of every format: the figures, their report, and their data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias, assert_never

from ump.model import events as ev
from ump.model.constants import STICK_POINTS
from ump.model.hand import Hand
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.players.observation import Observation
from ump.record.decisions import games_of
from ump.record.figures import (
    AVERAGE_LOSS,
    AVERAGE_PLACE,
    AVERAGE_POINTS,
    AVERAGE_WIN,
    CALL_RATE,
    COMPLETED,
    DEAL_IN_RATE,
    KYOKU,
    RIICHI_RATE,
    TENPAI_RATE,
    TSUMO_RATE,
    WIN_RATE,
    FigureForm,
    PlayerFigure,
    count,
    mean,
    place_interval,
    points,
    rate,
    rounded,
    wilson_95,
)
from ump.record.journal import JOURNAL, JournalError, read_header
from ump.record.player_counts import COUNTED, GameCounter
from ump.record.record_files import RecordSource, files_at, read_source, records_in, unpacked
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordedKyoku, RecordError
from ump.record.verify import Assumptions
from ump.rules.analysis import shanten, waits_of
from ump.table.view import view
from ump.text.layout import columns, printable, shortened
from ump.text.win import yaku_words
from ump.text.wording import counted
from ump.web import pieces

# All that the players of a recorded game did, counted: what ``GameCounter`` counts, and what needs a whole kyoku.
#
# ``TABLES`` in ``ump.record.game_statistics`` makes figures of them; docs/records.md defines these.

DORA = (Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA)
"""The yaku that are counted in han, not in wins."""

MANGAN = 2_000
"""The base points of a mangan."""

GOOD_WAIT = 6
"""The unseen tiles of a good wait, at least."""

MAXIMA = ("longest_renchan", "longest_answer")
"""The counts of which games have a greatest one, and no sum."""

WAYS = ("riichi", "open", "dama")
"""The hands that win: in riichi, open, or closed without riichi."""

Counts: TypeAlias = Counter[str]
"""The counts of one player."""

_Payment: TypeAlias = tuple[str, int | None]
"""The way of the win that a player dealt in to, and the points that it paid; None if the record does not say."""


def game_counts(game: RecordedGame) -> tuple[Counts, ...]:
    """Return the counts of the players of a game, by seat.

    A kyoku without a result counts nothing. Hands that the record hides count nothing about their tiles.
    """
    seats = len(game.names)
    basic = GameCounter(seats)
    counts = tuple(Counter[str]() for _ in range(seats))
    renchan = 0
    dealer: Seat | None = None
    for kyoku in game.kyoku:
        basic.see_all(kyoku.events)
        if not kyoku.complete:
            continue
        _KyokuCounter(game, kyoku, counts).count()
        if kyoku.started.dealer != dealer:
            renchan = 0
        renchan += 1
        dealer = kyoku.started.dealer
        counts[dealer]["longest_renchan"] = max(counts[dealer]["longest_renchan"], renchan)
    for seat, deeds in enumerate(basic.counts()):
        for name in COUNTED:
            counts[seat][name] += getattr(deeds, name)
        _count_end(game, seat, counts[seat])
    return counts


def _count_end(game: RecordedGame, seat: Seat, counts: Counts) -> None:
    """Count the end of the game, if the record has it."""
    counts["games"] += 1
    ended = game.ended
    if ended is None or not ended.places or not ended.points:
        return
    place = ended.places[seat]
    counts["completed"] += 1
    counts[f"place_{place}"] += 1
    counts["place"] += place
    counts["place_squares"] += place * place
    counts["points"] += ended.points[seat]
    counts["busted"] += ended.points[seat] < 0
    if ended.results:
        counts["with_results"] += 1
        counts["result"] += ended.results[seat]


class _KyokuCounter:
    """Counts one kyoku that has a result."""

    def __init__(self, game: RecordedGame, kyoku: RecordedKyoku, counts: Sequence[Counts]) -> None:
        self._game = game
        self._kyoku = kyoku
        self._counts = counts
        self._dealer = kyoku.started.dealer
        self._seats = range(len(counts))
        self._discards = [0] * len(counts)
        self._riichi: list[Seat] = []
        """The seats in riichi, in the order of their declarations."""
        self._called: set[Seat] = set()
        self._changes = [0] * len(counts)
        self._are_paid = True
        """Whether the record states all payments."""
        self._dealt_in: dict[Seat, list[_Payment]] = {}
        """The payments of the seats that dealt in: a double ron has two."""
        self._declaring: Seat | None = None
        """The seat whose riichi waits for its tile to pass."""
        self._has_discarded: Seat | None = None
        """The seat that has just discarded its riichi tile."""

    def count(self) -> None:
        """Count everything in the kyoku."""
        for place, event in enumerate(self._kyoku.events):
            match event:
                case ev.HandDealt(seat=seat, faces=faces) if faces is not None:
                    self._deal(seat, shanten(Hand(faces).kinds))
                case ev.TileDiscarded(seat=seat):
                    self._discard(seat, place)
                case ev.TileDrawn():
                    self._has_discarded = None
                case ev.TileCalled(seat=seat):
                    self._called.add(seat)
                    self._has_discarded = None
                case ev.RiichiDeclared(seat=seat):
                    self._declare(seat)
                case ev.RiichiPaid(seat=seat):
                    self._changes[seat] -= STICK_POINTS
                case ev.HandWon():
                    self._win(event)
                case ev.KyokuDrawn():
                    self._draw(event)
                case _:
                    pass
        self._finish()

    def _deal(self, seat: Seat, number: int) -> None:
        name = "dealt"
        if seat == self._dealer:
            name = "dealt_as_dealer"
        self._counts[seat][name] += 1
        self._counts[seat][f"{name}_shanten"] += number

    def _discard(self, seat: Seat, place: int) -> None:
        self._discards[seat] += 1
        self._has_discarded = None
        if self._declaring == seat:
            self._declaring, self._has_discarded = None, seat
            if seat not in self._kyoku.hidden:
                self._count_wait(seat, place)

    def _declare(self, seat: Seat) -> None:
        counts = self._counts[seat]
        counts["riichi_turns"] += self._discards[seat] + 1
        counts["chasing"] += bool(self._riichi)
        if self._riichi:  # those before it have been chased already
            self._counts[self._riichi[-1]]["chased"] += 1
        self._riichi.append(seat)
        self._declaring = seat

    def _count_wait(self, seat: Seat, place: int) -> None:
        """Count the wait of a riichi, as its seat sees it after its discard."""
        seen = Observation(seat, self._game.ruleset)
        try:
            for event in self._kyoku.events[: place + 1]:
                seen.see(view(event, seat))
        except ValueError:  # the record contradicts the hand
            return
        waits = waits_of(seen.hand, seen.ruleset.own_copies)
        counts = self._counts[seat]
        counts["riichi_seen"] += 1
        counts["riichi_good"] += sum(map(seen.unseen, waits)) >= GOOD_WAIT
        counts["riichi_many"] += len(waits) > 1
        counts["riichi_furiten"] += seen.is_furiten(waits)

    def _win(self, won: ev.HandWon) -> None:
        counts, seat = self._counts[won.seat], won.seat
        way = _way_of(won)
        counts[f"{way}_wins"] += 1
        counts["called_wins"] += seat in self._called
        counts["win_turns"] += self._discards[seat] + (won.loser is None)
        self._pay(won.changes)
        if won.changes:
            counts[f"{way}_win_points"] += won.changes[seat]
            counts[f"{way}_wins_paid"] += 1
        if won.value.base:
            counts["valued_wins"] += 1
            is_dealer, is_tsumo = seat == self._dealer, won.loser is None
            counts["win_value"] += won.value.points(len(self._seats), is_dealer=is_dealer, is_tsumo=is_tsumo)
        self._count_yaku(won)
        if won.loser is None:
            self._lose_by_tsumo(won)
        else:
            self._deal_in(won, won.loser, way)

    def _count_yaku(self, won: ev.HandWon) -> None:
        counts = self._counts[won.seat]
        if not won.value.yaku:
            return
        counts["wins_with_yaku"] += 1
        for yaku, han in won.value.yaku:
            if yaku in DORA:
                counts[_yaku_key(yaku)] += han
            else:
                counts[_yaku_key(yaku)] += 1
        if won.riichi:
            names = {yaku for yaku, _ in won.value.yaku}
            counts["riichi_wins_with_yaku"] += 1
            counts["ippatsu"] += Yaku.IPPATSU in names
            counts["ura"] += Yaku.URA_DORA in names

    def _lose_by_tsumo(self, won: ev.HandWon) -> None:
        for seat in self._seats:
            if seat != won.seat:
                self._counts[seat]["others_tsumo"] += 1
        if self._dealer != won.seat:
            self._counts[self._dealer]["hit_as_dealer"] += won.value.base >= MANGAN

    def _deal_in(self, won: ev.HandWon, loser: Seat, way: str) -> None:
        paid: int | None = None
        if won.changes:
            paid = -won.changes[loser]
        payments = self._dealt_in.setdefault(loser, [])
        payments.append((way, paid))
        if len(payments) > 1:
            return
        counts = self._counts[loser]
        counts["deal_in_kyoku"] += 1
        if self._has_discarded == loser:
            counts["riichi_tile_deal_ins"] += 1
        elif loser in self._riichi:
            counts["riichi_deal_ins"] += 1
        counts["deal_ins_while_open"] += loser in self._called

    def _draw(self, drawn: ev.KyokuDrawn) -> None:
        self._pay(drawn.changes)
        if drawn.reason is not ev.DrawReason.EXHAUSTED:
            for counts in self._counts:
                counts["aborts"] += 1
            return
        for seat in self._called:
            self._counts[seat]["called_draws"] += 1

    def _pay(self, changes: Sequence[int]) -> None:
        self._are_paid = self._are_paid and bool(changes)
        for seat, change in enumerate(changes):
            self._changes[seat] += change

    def _finish(self) -> None:
        """Count what is known at the end of the kyoku."""
        self._counts[self._dealer]["dealer_kyoku"] += 1
        for loser, payments in self._dealt_in.items():
            self._lose(loser, "all", [paid for _, paid in payments])
            for way in WAYS:
                self._lose(loser, way, [paid for to, paid in payments if to == way])
        for seat, counts in enumerate(self._counts):
            if self._are_paid:
                counts["paid_kyoku"] += 1
                counts["balance"] += self._changes[seat]
            if seat in self._riichi and self._are_paid:
                counts["riichi_paid_kyoku"] += 1
                counts["riichi_balance"] += self._changes[seat]

    def _lose(self, loser: Seat, name: str, paid: Sequence[int | None]) -> None:
        """Count the sum of the payments of a deal-in as one loss, unless the record lacks one of them."""
        known = [points for points in paid if points is not None]
        if not paid or len(known) < len(paid):
            return
        self._counts[loser][f"{name}_deal_ins_paid"] += 1
        self._counts[loser][f"{name}_deal_in_points"] += sum(known)


def _way_of(won: ev.HandWon) -> str:
    """Return which of ``WAYS`` a hand won."""
    if won.riichi:
        return "riichi"
    if any(meld.is_open for meld in won.melds):
        return "open"
    return "dama"


def _yaku_key(yaku: Yaku) -> str:
    return f"yaku_{yaku.name.lower()}"


# Games


class Split(Enum):
    """A word that tells rows of the same name apart."""

    SEAT = "seat"
    ROOM = "room"
    RULES = "rules"
    DATE = "date"
    MONTH = "month"


@value
class CountedGame:
    """The players of one game, with their counts; it can be pickled."""

    names: tuple[str, ...]
    counts: tuple[Counts, ...]
    rules: str
    room: str
    """Empty but for journals."""
    date: str
    """As in 2022-01-31; empty if neither the record nor its name says it."""

    def key(self, seat: int, splits: Sequence[Split]) -> tuple[str, ...]:
        """Return the key of the row of a seat."""
        return self.names[seat], *(self._part(seat, split) for split in splits)

    def _part(self, seat: Seat, split: Split) -> str:
        match split:
            case Split.SEAT:
                return LETTERS[seat]
            case Split.ROOM:
                return self.room
            case Split.RULES:
                return self.rules
            case Split.DATE:
                return self.date
            case Split.MONTH:
                return self.date[:7]
            case _:
                assert_never(split)


_TENHOU_DATE = re.compile(r"(20\d\d)(\d\d)(\d\d)\d\dgm-")
"""The date in the name of Tenhou's records."""

_ARENA_NAME = re.compile(r"(.+)-([0-3])")
"""A name in an arena's records: the player, and its seat."""


@value
class CountedRecord:
    """The games of one record, or why it is unreadable."""

    name: str
    games: tuple[CountedGame, ...] = ()
    damage: str = ""
    empty: int = 0
    """Its games that were left before a kyoku came to a result, so that nothing can be counted."""


def count_source(source: RecordSource, assumptions: Assumptions) -> CountedRecord:
    """Read one record and count its games."""
    room = ""
    try:
        room, date = _origin(source)
        games = [_counted(game, room, date) for game in games_of(source, assumptions)]
        begun = tuple(game for game in games if game.counts[0]["kyoku"])
        return CountedRecord(source.name, begun, empty=len(games) - len(begun))
    except RecordError as error:
        if room and isinstance(error, NoKyokuError):  # a journal: in other formats kyoku may be damaged
            return CountedRecord(source.name, empty=1)
        return CountedRecord(source.name, damage=str(error))


def _counted(game: RecordedGame, room: str, date: str) -> CountedGame:
    rules = ""
    if game.rules_stated:
        rules = game.ruleset.name
    return CountedGame(_joined_names(game.names), game_counts(game), rules, room, date)


def _joined_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without their seats, if all have them: those of an arena's records."""
    players: list[str] = []
    for seat, name in enumerate(names):
        match = _ARENA_NAME.fullmatch(name)
        if match is None or match[2] != str(seat):
            return tuple(names)
        players.append(match[1])
    return tuple(players)


def _origin(source: RecordSource) -> tuple[str, str]:
    """Return the room and the date of a record, as far as a journal or a file name says them."""
    data = unpacked(read_source(source))
    if data.startswith(JOURNAL):
        try:
            header = read_header(data.split(b"\n", 1)[0].decode())
        except (JournalError, UnicodeError) as error:
            raise RecordError(str(error)) from error
        return header.room, header.began[:10]
    date = _TENHOU_DATE.search(source.name)
    if date is None:
        return "", ""
    return "", "-".join(date.groups())


MOST_SHOWN = 20
"""The players whose figures a notebook shows."""


class PlayerTotals:
    """The counts of all players over many records."""

    def __init__(self, splits: Sequence[Split] = ()) -> None:
        self.splits = tuple(splits)
        self.files = 0
        self.games = 0
        self.completed = 0
        """The games among them that were played to their end, and have places."""
        self.empty = 0
        """The games that were left before a kyoku came to a result, which are not among ``games``."""
        self.damaged: list[CountedRecord] = []
        self.rows: dict[tuple[str, ...], Counts] = {}
        self.everybody: Counts = Counter()

    def add(self, record: CountedRecord) -> None:
        """Count the games of one record."""
        self.files += 1
        if record.damage:
            self.damaged.append(record)
        self.empty += record.empty
        for game in record.games:
            self.games += 1
            self.completed += game.counts[0]["completed"]
            for seat, counts in enumerate(game.counts):
                add_counts(self.rows.setdefault(game.key(seat, self.splits), Counter()), counts)
                add_counts(self.everybody, counts)

    def _repr_html_(self) -> str:
        """Show the tables in a notebook: everybody, and the players with the most games."""
        rows = [("(everybody)", self.everybody)]
        rows += [(_row_name(key), counts) for key, counts in self.sorted_rows()[:MOST_SHOWN]]
        parts = [pieces.line(each) for each in summary(self)]
        for of, (head, *cells) in tables_of(rows):
            parts += [pieces.line(of), pieces.table(head, cells)]
        return pieces.piece(*parts)

    def sorted_rows(self, player: str | None = None) -> list[tuple[tuple[str, ...], Counts]]:
        """Return the rows of one player or of all, those with the most games first."""
        chosen = [(key, counts) for key, counts in self.rows.items() if player in (None, key[0])]
        return sorted(chosen, key=lambda row: (-row[1]["games"], row[0]))


def statistics(*paths: Path | str) -> PlayerTotals:
    """Count what the players of recorded games did, as ``ump stats`` does.

    ``paths`` are records of any format, folders and archives. Unreadable records are listed in ``damaged``; a folder
    without records raises RecordError.
    """
    totals = PlayerTotals()
    chosen = list(map(Path, paths))
    for file in files_at(chosen):
        for source in records_in(file, is_given=file in chosen):
            totals.add(count_source(source, Assumptions()))
    return totals


def add_counts(total: Counts, counts: Counts) -> None:
    """Add the counts of a game to others."""
    greatest = {name: max(total[name], counts[name]) for name in MAXIMA}
    total.update(counts)
    for name, most in greatest.items():
        total[name] = most


# Figures


@value
class StatisticTable:
    """Figures with one thing that they are of."""

    of: str
    figures: tuple[PlayerFigure, ...]


TABLES: tuple[StatisticTable, ...] = (
    StatisticTable(
        "of games played to their end",
        (
            COMPLETED,
            replace(AVERAGE_PLACE, form=FigureForm.MEAN),
            *(rate(f"place_{place}_rate", f"{place}.", f"place_{place}", "completed") for place in (1, 2, 3, 4)),
            AVERAGE_POINTS,
            PlayerFigure("average_result", "result", "result", "with_results", FigureForm.MEAN, scale=10),
            rate("busted_rate", "below 0", "busted", "completed"),
        ),
    ),
    StatisticTable(
        "of kyoku",
        (
            KYOKU,
            WIN_RATE,
            replace(DEAL_IN_RATE, above="deal_in_kyoku"),
            RIICHI_RATE,
            CALL_RATE,
            rate("draw_rate", "draw", "draws", "kyoku"),
            points("balance", "balance", "balance", "paid_kyoku"),
            mean("dealt_shanten", "dealt shanten", "dealt_shanten", "dealt"),
            mean("dealt_shanten_as_dealer", "as dealer", "dealt_as_dealer_shanten", "dealt_as_dealer"),
            count("longest_renchan", "longest renchan"),
        ),
    ),
    StatisticTable(
        "of wins (points with honba and sticks, value without)",
        (
            count("wins", "wins"),
            TSUMO_RATE,
            rate("riichi_win_share", "riichi", "riichi_wins", "wins"),
            rate("open_win_share", "open", "open_wins", "wins"),
            rate("dama_rate", "dama", "dama_wins", "wins"),
            replace(AVERAGE_WIN, heading="points", below="paid_wins"),
            points("average_riichi_win", "by riichi", "riichi_win_points", "riichi_wins_paid"),
            points("average_open_win", "open", "open_win_points", "open_wins_paid"),
            points("average_dama_win", "dama", "dama_win_points", "dama_wins_paid"),
            points("average_value", "value", "win_value", "valued_wins"),
            mean("win_turn", "turn", "win_turns", "wins"),
        ),
    ),
    StatisticTable(
        "of deal-ins (points with honba; a double ron is one, with the sum of both payments)",
        (
            count("deal_in_kyoku", "deal-ins"),
            replace(AVERAGE_LOSS, heading="points", above="all_deal_in_points", below="all_deal_ins_paid"),
            points("average_loss_to_riichi", "to riichi", "riichi_deal_in_points", "riichi_deal_ins_paid"),
            points("average_loss_to_open", "to open", "open_deal_in_points", "open_deal_ins_paid"),
            points("average_loss_to_dama", "to dama", "dama_deal_in_points", "dama_deal_ins_paid"),
            rate("deal_in_with_riichi_tile", "riichi tile", "riichi_tile_deal_ins", "deal_in_kyoku"),
            rate("deal_in_while_riichi", "in riichi", "riichi_deal_ins", "deal_in_kyoku"),
            rate("deal_in_while_open", "open", "deal_ins_while_open", "deal_in_kyoku"),
        ),
    ),
    StatisticTable(
        "of riichi (balance with sticks)",
        (
            count("riichi", "riichi"),
            rate("first_rate", "first", "first", "riichi"),
            rate("chasing_rate", "chasing", "chasing", "riichi"),
            rate("chased_rate", "chased", "chased", "riichi"),
            rate("riichi_win_rate", "win", "riichi_wins", "riichi"),
            rate("riichi_deal_in_rate", "deal-in", "riichi_deal_ins_all", "riichi"),
            rate("later_riichi_deal_in_rate", "but its tile", "riichi_deal_ins", "riichi"),
            points("riichi_balance", "balance", "riichi_balance", "riichi_paid_kyoku"),
            mean("riichi_turn", "turn", "riichi_turns", "riichi"),
            rate("good_wait_rate", "6+ tiles", "riichi_good", "riichi_seen"),
            rate("many_sided_rate", "2+ kinds", "riichi_many", "riichi_seen"),
            rate("furiten_riichi_rate", "furiten", "riichi_furiten", "riichi_seen"),
            rate("ippatsu_rate", "ippatsu/win", "ippatsu", "riichi_wins_with_yaku"),
            rate("ura_rate", "ura/win", "ura", "riichi_wins_with_yaku"),
        ),
    ),
    StatisticTable(
        "of kyoku with a call; tenpai of exhaustive draws; hit as dealer of others' tsumo",
        (
            count("calls", "with call"),
            rate("called_win_rate", "win", "called_wins", "calls"),
            rate("called_deal_in_rate", "deal-in", "deal_ins_while_open", "calls"),
            rate("called_draw_rate", "draw", "called_draws", "calls"),
            count("draws", "draws"),
            TENPAI_RATE,
            count("aborts", "aborts"),
            rate("hit_as_dealer_rate", "hit as dealer", "hit_as_dealer", "others_tsumo"),
        ),
    ),
)
"""All figures, in the tables of the report; docs/records.md defines them."""

_DERIVED = {
    "paid_wins": ("riichi_wins_paid", "open_wins_paid", "dama_wins_paid"),
    "riichi_deal_ins_all": ("riichi_tile_deal_ins", "riichi_deal_ins"),
}
"""Sums of counts."""


def _sums(counts: Counts) -> Counts:
    """Return counts with the sums of them that figures need."""
    sums = counts.copy()
    sums["first"] = counts["riichi"] - counts["chasing"]
    for name, parts in _DERIVED.items():
        sums[name] = sum(counts[part] for part in parts)
    return sums


def yaku_shares(counts: Counts) -> dict[Yaku, float]:
    """Return how often a win has each yaku, and how many dora; the frequent ones first, nothing without wins."""
    wins = counts["wins_with_yaku"]
    shares: dict[Yaku, float] = {}
    for yaku in sorted(Yaku, key=lambda yaku: -counts[_yaku_key(yaku)]):
        times = counts[_yaku_key(yaku)]
        if times:
            shares[yaku] = times / wins
    return shares


# Data


def totals_data(totals: PlayerTotals, player: str | None = None) -> dict[str, object]:
    """Return the statistics as data for JSON."""
    return {
        "files": totals.files,
        "games": totals.games,
        "completed": totals.completed,
        "empty": totals.empty,
        "unreadable": [{"file": record.name, "why": record.damage} for record in totals.damaged],
        "everybody": row_data([""] * (1 + len(totals.splits)), totals.everybody, totals.splits),
        "players": [row_data(key, counts, totals.splits) for key, counts in totals.sorted_rows(player)],
    }


def row_data(key: Sequence[str], counts: Counts, splits: Sequence[Split]) -> dict[str, object]:
    """Return the statistics of a row as a flat object, for JSON and CSV; docs/records.md defines each key."""
    data: dict[str, object] = {"name": key[0]}
    for split, part in zip(splits, key[1:], strict=True):
        data[split.value] = part
    data["games"] = counts["games"]
    sums = _sums(counts)
    for table in TABLES:
        for figure in table.figures:
            data[figure.key] = rounded(figure.of(sums))
            if figure.form is FigureForm.RATE:
                _add_interval(data, figure.key, _rate_interval(figure, sums))
    _add_interval(data, "average_place", place_interval(counts))
    shares = yaku_shares(counts)
    for yaku in Yaku:
        data[_yaku_key(yaku)] = rounded(shares.get(yaku, 0.0))
    return data


def _rate_interval(figure: PlayerFigure, sums: Counts) -> tuple[float, float] | None:
    cases = sums[figure.below]
    if not cases:
        return None
    return wilson_95(sums[figure.above], cases)


def _add_interval(data: dict[str, object], key: str, interval: tuple[float, float] | None) -> None:
    low, high = interval or (None, None)
    data[f"{key}_low"], data[f"{key}_high"] = rounded(low), rounded(high)


# Text


_YAKU_COLUMNS = 4


def totals_lines(totals: PlayerTotals, most: int, player: str | None = None, lang: str = "romaji") -> Iterator[str]:
    """Yield the tables of everybody and of the players with the most games, and the frequencies of yaku."""
    yield from summary(totals)
    rows = totals.sorted_rows(player)
    shown: list[tuple[str, Counts]] = []
    if player is None:
        shown.append(("(everybody)", totals.everybody))
    shown += [(_row_name(key), counts) for key, counts in rows[:most]]
    if not totals.games or (player is not None and not rows):
        yield "no such games"
        return
    for of, cells in tables_of(shown):
        yield ""
        yield of
        yield from columns(cells, right=range(1, len(cells[0])))
    if len(rows) > most:
        yield f"and {len(rows) - most} more rows; --most, --csv and --json list them"
    yield ""
    yield f"of wins: yaku, and dora in han ({shown[0][0]})"
    yield from _yaku_lines(shown[0][1], lang)


def tables_of(rows: Sequence[tuple[str, Counts]]) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the title and the cells of each table, the head first, for counts with their names."""
    for table in TABLES:
        cells = [["player", *(figure.heading for figure in table.figures)]]
        for name, counts in rows:
            sums = _sums(counts)
            cells.append([name, *(_cell(figure, sums) for figure in table.figures)])
        yield table.of, cells


def rates_of(figure: PlayerFigure, rows: Mapping[str, Counts]) -> dict[str, tuple[float, float]]:
    """Return the 95 % interval of a rate for each name with cases, for a plot."""
    found = {}
    for name, counts in rows.items():
        interval = _rate_interval(figure, _sums(counts))
        if interval is not None:
            found[name] = interval
    return found


def _row_name(key: Sequence[str]) -> str:
    return " ".join(shortened(printable(part)) for part in key if part)


def summary(totals: PlayerTotals) -> Iterator[str]:
    """Yield how many records and games were counted, the games without an end, and the unreadable records."""
    records, games, rows = (
        counted(totals.files, "record"),
        counted(totals.games, "game"),
        counted(len(totals.rows), "row"),
    )
    yield f"{records}, {games}, {rows}, {len(totals.damaged)} unreadable"
    unfinished = totals.games - totals.completed
    if unfinished:
        yield f"{counted(unfinished, 'game')} without an end: counted without a place"
    if totals.empty:
        yield f"{counted(totals.empty, 'game')} left before a kyoku came to a result: not counted"
    for record in totals.damaged:
        yield f"{record.name}: unreadable: {record.damage}"


def _cell(figure: PlayerFigure, sums: Counts) -> str:
    number = figure.of(sums)
    if number is None:
        return "-"
    written = format(number, figure.form.value)
    if figure.key != AVERAGE_PLACE.key:
        return written
    interval = place_interval(sums)
    if interval is None:
        return written
    return f"{written} ({interval[0]:.2f}-{interval[1]:.2f})"


def yaku_cells(counts: Counts, lang: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each yaku, and how often a win has it."""
    for yaku, share in yaku_shares(counts).items():
        yield yaku_words(yaku, lang), f"{share:.2f} han" if yaku in DORA else f"{share:.1%}"


def _yaku_lines(counts: Counts, lang: str) -> Iterator[str]:
    cells = list(map(" ".join, yaku_cells(counts, lang)))
    cells += [""] * (-len(cells) % _YAKU_COLUMNS)
    yield from columns([cells[at : at + _YAKU_COLUMNS] for at in range(0, len(cells), _YAKU_COLUMNS)])


def places_shares(rows: Mapping[str, Counts]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield for each name with finished games the shares of its places, for a plot."""
    for name, counts in rows.items():
        if counts["completed"]:
            yield name, tuple(counts[f"place_{place}"] / counts["completed"] for place in (1, 2, 3, 4))
