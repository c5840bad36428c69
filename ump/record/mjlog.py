"""Read mjlog, the XML records of Tenhou, as recorded games, and write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import assert_never
from urllib.parse import quote, unquote
from xml.sax.saxutils import quoteattr

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, others_after, seats_from
from ump.model.tiles import COPIES, TILES, WINDS, Face, Tile, faces_of_tiles, sort_faces, tiles_of
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
from ump.record.game_builder import ASSUMED, AT_THE_END, liable_payer
from ump.record.lobby_rules import LobbyRules, read_lobby_rules
from ump.record.mjlog_elements import (
    COLUMNS,
    MOST,
    OF_GAME,
    OF_KYOKU,
    CodedMeld,
    Element,
    GameType,
    deal_of_kyoku,
    deals_of_game,
    numbers_in,
    read_elements,
    read_hundreds,
    read_meld,
    read_north,
    read_number,
    read_numbers,
    read_seat,
    read_tile,
    read_tiles,
    read_value,
    tenths,
    text_of,
    type_of,
    write_meld,
    write_north,
    write_value,
)
from ump.record.physical_tiles import Tiles, TileTable, with_copies
from ump.record.record_format import (
    FIELD,
    OF_RESULTS,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    own_fields,
    stated_end,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordedKyoku, RecordError, Stated
from ump.rules.presets import rounded_as
from ump.rules.ruleset import Ruleset
from ump.rules.wall import DEAL, LAYOUTS
from ump.wire.json_text import JSON, read_document, write
from ump.wire.text import WireError

# Reading a kyoku


MOST_COUNT = 1_000
"""Limit of honba, sticks and kyoku numbers; more means a damaged record."""

DRAWN = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("TUVW") for tile in range(TILES)}
"""The elements for draws, with seat and tile: T13 is a draw of tile 13 by seat 0."""

DISCARDED = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("DEFG") for tile in range(TILES)}
"""The elements for discards, with seat and tile."""

DRAWS = {
    None: ev.DrawReason.EXHAUSTED,
    "yao9": ev.DrawReason.KYUSHU_KYUHAI,
    "kaze4": ev.DrawReason.SUUFON_RENDA,
    "reach4": ev.DrawReason.SUUCHA_RIICHI,
    "kan4": ev.DrawReason.SUUKAIKAN,
    "ron3": ev.DrawReason.SANCHAHO,
    "nm": ev.DrawReason.NAGASHI_MANGAN,
}
"""The reasons of drawn kyoku, by the type in RYUUKYOKU."""

SILENT = frozenset(("BYE", "UN", "CHAT"))
"""Elements without meaning for the game: players leave, return and talk. Forced discards are in the record."""


def read_kyoku(elements: Sequence[Element], reds: tuple[int, ...], seats: int, deal: Deal | None) -> RecordedKyoku:
    """Return one kyoku; INIT is the first of ``elements``. RecordError names the damaged element.

    ``reds`` is the number of red fives in each suit, ``seats`` the number of players.
    """
    reader = KyokuReader(reds, seats)
    for place, element in enumerate(elements):
        try:
            reader.read(element)
        except RecordError as error:
            raise RecordError(f"element {place}, {element.tag[:20]}: {error}") from None
    return RecordedKyoku(tuple(reader.events), tuple(reader.tiles), reader.stated, reader.dice, deal, reader.complete)


class KyokuReader:
    """Turns the elements of one kyoku into events, and keeps the state that an element does not repeat."""

    def __init__(self, reds: tuple[int, ...], seats: int) -> None:
        """Begin a kyoku; ``reds`` is the number of red fives in each suit, ``seats`` the number of players."""
        self.events: list[ev.Event] = []
        """The events so far."""
        self.tiles: list[tuple[Tile, ...]] = []
        """The physical tiles of each event."""
        self.stated: dict[int, Stated] = {}
        """Statements of the record along with an event, by the index of the event."""
        self.dice = (1, 1)
        self.complete = False
        """Whether the kyoku has a result."""
        self._reds = reds
        self._seats = seats
        self._faces = faces_of_tiles(reds)
        self._dealer: Seat = 0
        self._melds: list[list[Meld]] = [[] for _ in range(seats)]
        self._norths = [0] * seats
        self._in_riichi: set[Seat] = set()
        self._declared: Seat | None = None
        """The seat that declared riichi and has not discarded yet."""
        self._kan: Seat | None = None
        """The seat that made a kan or set a north aside, and has not drawn the replacement tile yet."""
        self._left = LAYOUTS[seats].live
        """Tiles left to draw."""
        self._drawn: Tile | None = None
        """The tile of the latest draw, until a discard or a call."""
        self._discarder: Seat = 0
        """The seat of the latest discard."""

    def read(self, element: Element) -> None:
        """Add the events of one element; raise RecordError if it is damaged or does not belong here."""
        tag, fields = element.tag, element.fields
        if tag in DRAWN:
            self._draw(*DRAWN[tag])
        elif tag in DISCARDED:
            self._discard(*DISCARDED[tag])
        elif tag not in SILENT:
            self._read_named(tag, fields)

    def _read_named(self, tag: str, fields: Mapping[str, str]) -> None:
        """Add the events of an element with attributes."""
        match tag:
            case "INIT":
                self._start(fields)
            case "REACH":
                self._riichi_step(fields)
            case "N":
                self._call(fields)
            case "DORA":
                self._reveal_dora(fields)
            case "AGARI":
                self._win(fields)
            case "RYUUKYOKU":
                self._draw_kyoku(fields)
            case _:
                raise RecordError("unexpected element in a kyoku")

    def _add(self, event: ev.Event, tiles: tuple[Tile, ...] = (), stated: Stated | None = None) -> None:
        """Add an event with its physical tiles and what the record states along with it."""
        if stated is not None:
            self.stated[len(self.events)] = stated
        self.events.append(event)
        self.tiles.append(tiles)

    def _sorted(self, tiles: Sequence[Tile]) -> tuple[Face, ...]:
        """Return the faces of these tiles, sorted."""
        return sort_faces(self._faces[tile] for tile in tiles)

    def _start(self, fields: Mapping[str, str]) -> None:
        """Start the kyoku: INIT has its number, the scores, the dice, the dealt hands and the dora indicator."""
        seed = read_numbers(fields, "seed", 6)
        kyoku, honba, kyotaku, die, other, indicator = seed[:6]
        in_range = 0 <= kyoku < len(WINDS) ** 2 and 0 <= honba <= MOST_COUNT and 0 <= kyotaku <= MOST_COUNT
        if not in_range or not 0 <= die < 6 or not 0 <= other < 6 or not 0 <= indicator < TILES:
            raise RecordError(f"seed: impossible numbers in {fields['seed'][:40]!r}")
        self._dealer = read_seat(fields, "oya", self._seats)
        self.dice = (die + 1, other + 1)
        self._add(
            ev.KyokuStarted(kyoku // len(WINDS), self._dealer, honba, kyotaku, self._points(fields), self.dice),
            stated=Stated(number=kyoku),
        )
        for player in seats_from(self._dealer, self._seats):
            hand = read_tiles(fields, f"hai{player}", DEALT_TILES)
            self._add(ev.HandDealt(player, self._sorted(hand)), hand)
        self._add(ev.DoraRevealed(self._faces[indicator]), (indicator,))

    def _points(self, fields: Mapping[str, str]) -> tuple[int, ...]:
        return read_hundreds(fields, "ten", self._seats)

    def _check_seat(self, player: Seat) -> None:
        if player >= self._seats:
            raise RecordError(f"a fourth player in a game of {self._seats}")

    def _draw(self, player: Seat, drawn: Tile) -> None:
        """Add a draw."""
        self._check_seat(player)
        self._left -= 1
        self._drawn = drawn
        self._add(ev.TileDrawn(player, self._left, self._faces[drawn], self._kan == player), (drawn,))
        self._kan = None

    def _discard(self, player: Seat, discarded: Tile) -> None:
        """Add a discard."""
        self._check_seat(player)
        tsumogiri, riichi = discarded == self._drawn, self._declared == player
        self._drawn = self._declared = None
        self._discarder = player
        self._add(ev.TileDiscarded(player, self._faces[discarded], tsumogiri, riichi), (discarded,))

    def _riichi_step(self, fields: Mapping[str, str]) -> None:
        """Add a riichi declaration (step 1) or the payment of its stick (step 2)."""
        player = read_seat(fields, "who", self._seats)
        if read_number(fields, "step", 1, 2) == 1:
            self._declared = player
            self._add(ev.RiichiDeclared(player))
            return
        self._in_riichi.add(player)
        stated = Stated()
        if "ten" in fields:
            stated = Stated(points=self._points(fields))
        self._add(ev.RiichiPaid(player), stated=stated)

    def _call(self, fields: Mapping[str, str]) -> None:
        """Add a call, a kan or a north that is set aside."""
        player = read_seat(fields, "who", self._seats)
        code = read_number(fields, "m", 0, MOST - 1)
        self._drawn = None
        if self._seats == 3:
            north = read_north(code)
            if north is not None:
                self._norths[player] += 1
                self._kan = player
                self._add(ev.KitaDeclared(player), (north,))
                return
        coded = read_meld(player, code)
        self._check_seat(coded.source or 0)
        meld = coded.as_meld(self._reds)
        melds = self._melds[player]
        if meld.type is MeldType.KAKAN:
            for place, old in enumerate(melds):
                if old.kind == meld.kind and not old.is_kan:
                    melds[place] = meld
        else:
            melds.append(meld)
        self._kan = None
        if meld.is_kan:
            self._kan = player
        if coded.called is None or coded.added is not None:
            self._add(ev.KanDeclared(player, meld), coded.given)
        else:
            self._add(ev.TileCalled(player, meld), (*coded.given, coded.called))

    def _reveal_dora(self, fields: Mapping[str, str]) -> None:
        """Add a kan dora indicator."""
        indicator = read_tile(fields, "hai")
        self._add(ev.DoraRevealed(self._faces[indicator]), (indicator,))

    def _win(self, fields: Mapping[str, str]) -> None:
        """Add a win, which ends the kyoku unless another one follows."""
        winner, source = read_seat(fields, "who", self._seats), read_seat(fields, "fromWho", self._seats)
        winning, hand = read_tile(fields, "machi"), read_tiles(fields, "hai")
        faces = self._sorted([tile for tile in hand if tile != winning])
        loser: Seat | None = source
        if winner == source:
            loser = None
            faces = (*faces, self._faces[winning])
        ura: tuple[Tile, ...] = ()
        if "doraHaiUra" in fields:
            ura = read_tiles(fields, "doraHaiUra")
        value, worth, unknown = read_value(fields, winner, loser, self._dealer, self._seats)
        honba, kyotaku = read_numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields, self._seats)
        if "paoWho" in fields:
            liable: Seat | None = read_seat(fields, "paoWho", self._seats)
        else:
            liable = liable_payer(loser, changes)
        won = ev.HandWon(
            seat=winner,
            loser=loser,
            tile=self._faces[winning],
            faces=faces,
            melds=tuple(self._melds[winner]),
            riichi=winner in self._in_riichi,
            ura=tuple(self._faces[tile] for tile in ura),
            value=value,
            changes=changes,
            norths=self._norths[winner],
            liable=liable,
        )
        stated_ura: tuple[Tile, ...] | None = ura
        if won.riichi and not ura:
            stated_ura = None
        dora = read_tiles(fields, "doraHai")
        self._add(won, hand, Stated(None, points, honba, kyotaku, dora, stated_ura, worth, unknown))
        self.complete = True

    def _draw_kyoku(self, fields: Mapping[str, str]) -> None:
        """Add a drawn kyoku, with the hands that players show."""
        kind = fields.get("type")
        if kind not in DRAWS:
            raise RecordError(f"unknown type of draw {text_of(fields, 'type')[:20]!r}")
        reason = DRAWS[kind]
        shown: dict[Seat, tuple[Tile, ...]] = {}
        for player in range(self._seats):
            name = f"hai{player}"
            if name in fields:
                shown[player] = read_tiles(fields, name)
        if reason in AT_THE_END:
            self._declare_tenpai(shown)
        else:
            self._open(reason, shown)
        honba, kyotaku = read_numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields, self._seats)
        self._add(ev.KyokuDrawn(reason, changes), stated=Stated(points=points, honba=honba, kyotaku=kyotaku))
        self.complete = True

    def _declare_tenpai(self, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        """Add the declaration of each player, from the dealer on; ``shown`` are the tenpai hands by seat."""
        for player in seats_from(self._dealer, self._seats):
            melds = tuple(self._melds[player])
            if player in shown:
                faces = self._sorted(shown[player])
                self._add(ev.TenpaiDeclared(player, True, faces, melds), shown[player])
            else:
                self._add(ev.TenpaiDeclared(player, False, None, melds))

    def _open(self, reason: ev.DrawReason, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        """Add the hands that an abortive draw shows; after three rons, each player first declares ron."""
        order: Sequence[Seat] = tuple(shown)
        if reason is ev.DrawReason.SANCHAHO:
            order = [player for player in others_after(self._discarder, self._seats) if player in shown]
            for player in order:
                self._add(ev.RonDeclared(player))
        for player in order:
            self._add(ev.HandOpened(player, self._sorted(shown[player]), tuple(self._melds[player])), shown[player])


def _payment(fields: Mapping[str, str], seats: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scores before a result, and their changes; chips, which may follow, are skipped."""
    listed = [100 * score for score in read_numbers(fields, "sc", 2 * seats)[: 2 * seats]]
    return tuple(listed[::2]), tuple(listed[1::2])


# Reading a game


BEFORE = SILENT | {"SHUFFLE", "GO", "TAIKYOKU"}
"""The elements that may stand before the first kyoku."""

WALL = "wall"
"""Our own attribute of INIT: the tiles of the wall, in Tenhou's layout."""

CUSTOM = "csrule"
"""The attribute of GO with the rules of a tournament lobby."""

PUBLIC_LOBBY = "0"
"""The lobby of ranked games. The owners of others choose the uma."""

MOST_KYOKU = 200
"""Limit of kyoku in one game; the rules have no limit."""

MOST_BITS = 1 << 16
"""``GO type`` is below this."""

MOST_NAME = 200
"""Names are cut after this many characters."""

MOST_MISSING = 60
"""The most kyoku that may be missing at the start of a record: this many walls are searched for its first hands."""


def read_mjlog(data: bytes) -> RecordedGame:
    """Return the game in a Tenhou record: the bytes of an mjlog file, plain or gzip; raises RecordError."""
    elements = read_elements(data)
    for number, element in enumerate(elements, 1):
        if element.doubled:
            name = element.doubled[0]
            raise RecordError(f"element {number}, {element.tag[:20]}: {name[:20]} stands twice, with different values")
    return read_game(elements)


def read_game_type(elements: Sequence[Element]) -> GameType:
    """Return the type of the game; raise RecordError if the record does not contain it."""
    return GameType(read_number(_first(elements, "GO"), "type", 0, MOST_BITS - 1))


def read_game(elements: Sequence[Element]) -> RecordedGame:
    """Return the game; raise RecordError if the record is damaged."""
    own = _own(_first(elements, "GO"))
    ruleset = game_rules(elements)
    parts = list(_split_kyoku(elements))
    if not parts:
        raise NoKyokuError
    deals = _deals(elements, parts, ruleset.seats)
    kyoku = []
    for place, (part, deal) in enumerate(zip(parts, deals, strict=True)):
        try:
            kyoku.append(read_kyoku(part, ruleset.red_fives, ruleset.seats, deal))
        except RecordError as error:
            raise RecordError(f"kyoku {place + 1}: {error}") from None
    go, players = _first(elements, "GO"), _first(elements, "UN")
    unknown = _unknown_rules(elements)
    lobby = go.get("lobby", PUBLIC_LOBBY)
    game = RecordedGame(
        names=_names(players, ruleset.seats),
        ruleset=ruleset,
        kyoku=tuple(kyoku),
        ended=_end(parts, ruleset.seats),
        from_start=_is_first(parts[0][0]),
        own_counting=is_own_counting(elements),
        own_results=own is None and lobby != PUBLIC_LOBBY and CUSTOM not in go,
        rules_stated=not unknown,
        unknown_rules=unknown,
    )
    if own is not None:
        return with_own_fields(game, own)
    ranks = tuple(map(int, _listed(players, "dan", _DAN, ruleset.seats)))
    if not any(ranks):
        return game  # written by a program that knows no ranks, as we are
    room = f"lobby {lobby[:MOST_NAME]}"
    if lobby == PUBLIC_LOBBY:
        room = read_game_type(elements).room
    ratings = tuple(map(float, _listed(players, "rate", _RATE, ruleset.seats)))
    return replace(game, room=room, ranks=ranks, ratings=ratings)


_DAN = re.compile("[0-9]{1,2}", re.ASCII)
_RATE = re.compile(r"[0-9]{1,5}(\.[0-9]{1,4})?", re.ASCII)


def _listed(fields: Mapping[str, str], name: str, form: re.Pattern[str], seats: int) -> list[str]:
    """Return what UN lists for each player; nothing unless all of it has the form."""
    texts = fields.get(name, "").split(",")[:seats]
    if len(texts) != seats or not all(map(form.fullmatch, texts)):
        return []
    return texts


def game_rules(elements: Sequence[Element]) -> Ruleset:
    """Return the rules of the game; raise RecordError if the record does not contain them."""
    stated = stated_rules(_own(_first(elements, "GO")))
    if stated is not None:
        return stated
    ruleset = _lobby_rules(elements).ruleset
    ended: ev.GameEnded | None = None
    try:
        for element in elements:
            if "owari" in element.fields:
                ended = read_end(element.fields["owari"], ruleset.seats)
    except RecordError:
        ended = None
    return rounded_as(_with_start(ruleset, elements), ended)


def _lobby_rules(elements: Sequence[Element]) -> LobbyRules:
    """Return the rules that follow from GO; raise RecordError if there is none."""
    go, game_type = _first(elements, "GO"), read_game_type(elements)
    if CUSTOM not in go:
        return LobbyRules(game_type.ruleset())
    return read_lobby_rules(game_type, go[CUSTOM].split(","))


def _unknown_rules(elements: Sequence[Element]) -> tuple[str, ...]:
    """Return the settings in GO that are not understood; none if our own attribute states the rules."""
    if stated_rules(_own(_first(elements, "GO"))) is not None:
        return ()
    return _lobby_rules(elements).unknown


def is_own_counting(elements: Sequence[Element]) -> bool:
    """Tell whether the lobby of the game counts more than points, by rules that the record does not state."""
    own = _own(_first(elements, "GO"))
    if isinstance(own, dict):
        return own.get("own_counting") is True
    return read_game_type(elements).own_counting


def _own(fields: Mapping[str, str]) -> JSON:
    """Return the content of our own attribute; None if there is none."""
    if FIELD not in fields:
        return None
    try:
        return read_document(fields[FIELD].encode())
    except WireError as error:
        raise RecordError(f"GO: {error}") from None


def _first(elements: Sequence[Element], tag: str) -> Mapping[str, str]:
    """Return the attributes of the first element with this name; raise RecordError if there is none."""
    for element in elements:
        if element.tag == tag:
            return element.fields
    raise RecordError(f"{tag} element is missing")


def _names(fields: Mapping[str, str], seats: int) -> tuple[str, ...]:
    """Return the names of the players, which UN has in percent-encoded UTF-8."""
    names = []
    for seat in range(seats):
        name = unquote(fields.get(f"n{seat}", ""), errors="replace")
        names.append(name[:MOST_NAME])
    return tuple(names)


def _split_kyoku(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the elements of each kyoku, INIT first; raise RecordError for an unexpected element before the first."""
    part: list[Element] = []
    count = 0
    for element in elements:
        if element.tag == "INIT":
            count += 1
            if count > MOST_KYOKU:
                raise RecordError(f"more than {MOST_KYOKU} kyoku")
            if part:
                yield part
            part = [element]
        elif part:
            part.append(element)
        elif element.tag not in BEFORE:
            raise RecordError(f"unexpected element {element.tag[:20]} before the first kyoku")
    if part:
        yield part


def _is_first(init: Element) -> bool:
    """Return whether a kyoku is the first one of its game: east 1 without honba and sticks."""
    return numbers_in(text_of(init.fields, "seed"), "seed")[:3] == (0, 0, 0)


def _with_start(ruleset: Ruleset, elements: Sequence[Element]) -> Ruleset:
    """Return the ruleset with the starting points of the first kyoku, which a lobby may have changed."""
    init = next((element for element in elements if element.tag == "INIT"), None)
    if init is None or not _is_first(init):
        return ruleset
    points = set(numbers_in(text_of(init.fields, "ten"), "ten")[: ruleset.seats])
    if len(points) != 1:
        return ruleset
    return replace(ruleset, start_points=100 * points.pop())


def _end(parts: Sequence[Sequence[Element]], seats: int) -> ev.GameEnded | None:
    """Return the end of the game from the last result; raise RecordError if the game goes on after it."""
    text: str | None = None
    for part in parts:
        for element in part:
            if text is not None and (element.tag not in SILENT or "owari" in element.fields):
                raise RecordError("the game goes on after its end")
            text = element.fields.get("owari", text)
    if text is None:
        return None
    return read_end(text, seats)


def read_end(text: str, seats: int) -> ev.GameEnded:
    """Return the end of a game from ``owari``: the score and the result of each seat; raise RecordError."""
    listed = text.split(",")
    if len(listed) < 2 * seats:
        raise RecordError(f"owari: expected {seats} scores and results")
    points = tuple(100 * numbers_in(score, "owari")[0] for score in listed[: 2 * seats : 2] if score)
    if len(points) != seats:
        raise RecordError(f"owari: expected {seats} scores")
    results = tuple(tenths(result, "owari") for result in listed[1 : 2 * seats : 2])
    ranking = sorted(range(seats), key=lambda seat: (-points[seat], seat))
    return ev.GameEnded(points, tuple(ranking.index(seat) + 1 for seat in range(seats)), results)


def _deals(elements: Sequence[Element], parts: Sequence[Sequence[Element]], seats: int) -> list[Deal | None]:
    """Return the deal of each kyoku, None without a seed of a known kind; raise RecordError for a damaged seed."""
    seed = next((element.fields.get("seed", "") for element in elements if element.tag == "SHUFFLE"), "")
    if seed.startswith(OF_GAME):
        deals = deals_of_game(seed, seats)
        if _is_first(parts[0][0]):
            return list(islice(deals, len(parts)))
        return [*_search_deals(list(islice(deals, MOST_MISSING + len(parts))), parts, seats)]
    return [_own_deal(part[0].fields, seats) for part in parts]


def _own_deal(init: Mapping[str, str], seats: int) -> Deal | None:
    """Return the deal that INIT states by its seed, or by its wall in our own attribute; None if it has neither."""
    seed = init.get("shuffle", "")
    if seed.startswith(OF_KYOKU):
        return deal_of_kyoku(seed, seats)
    if WALL not in init:
        return None
    first, second = read_numbers(init, "seed", 6)[3:5]
    wall = read_tiles(init, WALL)
    if set(wall) != set(tiles_of(seats)):
        raise RecordError(f"{WALL} is no wall for {seats} players")
    return Deal(wall, (first + 1, second + 1))


def _search_deals(deals: Sequence[Deal], parts: Sequence[Sequence[Element]], seats: int) -> Sequence[Deal]:
    """Return the deals of a record without the first kyoku: search for the deal that gives its first hands."""
    hands = {frozenset(read_tiles(parts[0][0].fields, f"hai{seat}", DEALT_TILES)) for seat in range(seats)}
    for place in range(MOST_MISSING):
        if _hands(deals[place].tiles, seats) == hands:
            return deals[place : place + len(parts)]
    raise RecordError("no wall of the seed has the first hands")


def _hands(wall: Sequence[Tile], seats: int) -> set[frozenset[Tile]]:
    """Return the hands that a wall deals, without their order."""
    hands: list[set[Tile]] = [set() for _ in range(seats)]
    end = len(wall)
    for count in DEAL:
        for hand in hands:
            hand.update(wall[end - count : end])
            end -= count
    return {frozenset(hand) for hand in hands}


# Reading for the linter: every element as it stands there, by the same ``KyokuReader``


FORM = FormatStatements(DoraPlace.IN_PLACE, sticks=True)

_RESULT = ("ba", "sc", "owari")
_KNOWN: dict[str, tuple[str, ...]] = {
    "SHUFFLE": ("seed", "ref"),
    "GO": ("type", "lobby", "rule", CUSTOM, "ump"),
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


def state_mjlog(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
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
        self._unknown_rules: tuple[str, ...] = ()
        self._own: JSON = None
        try:
            self._rules = game_rules(elements)
            self._unknown_rules = _unknown_rules(elements)
            self._own = _own(_first(elements, "GO"))
            self._own_counting = is_own_counting(elements)
        except RecordError as error:
            findings.add_error(WHOLE, Rule.WRONG_VALUE, "GO with the type of the game", error)
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
        if not kyoku:
            return []
        unknown = self._unknown_rules
        stated = stated_end(ended, self._own)
        game = StatedGame(FORM, self._rules, not unknown, kyoku, stated, place, self._own_counting, True, unknown)
        return [game]

    def read(self, place: FilePlace, element: Element) -> None:
        """Read one element."""
        tag, fields = element.tag, element.fields
        is_move = tag in DRAWN or tag in DISCARDED
        if not is_move and tag not in _KNOWN:
            self._findings.add(place, Rule.UNKNOWN_EVENT, f"a move, or one of {', '.join(_KNOWN)}", ascii(tag[:40]))
            if _ACTOR.fullmatch(tag):
                self._collector.lose(place, None)
            return
        self._findings.check_fields(place, tag, fields, _KNOWN.get(tag, ()))
        for name in element.doubled:
            self._findings.note(place, Rule.DOUBLED_FIELD, f"{tag}: one {name[:20]}", "two with different values")
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
            self._report(place, tag, fields, error)

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

    def _report(self, place: FilePlace, tag: str, fields: Mapping[str, str], error: RecordError) -> None:
        if tag == "INIT":
            self._collector.skip_kyoku()
            self._reader = None
            sizes = [_size(fields.get(f"hai{seat}", "")) for seat in range(self._rules.seats)]
            if set(sizes) != {DEALT_TILES}:
                listed = ", ".join(map(str, sizes))
                self._findings.add(place, Rule.DEAL, f"hands of {DEALT_TILES} tiles", f"hands of {listed}")
                return
        rule = Rule.WRONG_VALUE
        if tag == "N" and "meld" in str(error):
            rule = Rule.MELD
        self._findings.add_error(place, rule, f"{tag} as the format has it", error)
        seat: Seat | None = None
        if fields.get("who") in ("0", "1", "2", "3")[: self._rules.seats]:
            seat = int(fields["who"])
        self._collector.lose(place, seat)


def _size(text: str) -> int:
    try:
        return len(numbers_in(text, "hai"))
    except RecordError:
        return 0


# Writing
#
# The result is one line of XML without declaration, the form that most readers need. There is no seed: only Tenhou has
# seeds that lead to its walls. If the wall is known, INIT has it in an attribute of our own, which the readers skip, as
# GO has rules that Tenhou has no bits for. Scores must be multiples of 100.


_TYPES = {reason: type_ for type_, reason in DRAWS.items()}


def write_mjlog(game: RecordedGame) -> bytes:
    """Return the record; raise RecordError for what the format has no words for."""
    kind = type_of(game.ruleset)
    known = rounded_as(kind.ruleset(), game.ended)
    is_known = known == game.ruleset and not game.own_counting and not game.stopped
    own: dict[str, str] = {}
    if not is_known:
        own[FIELD] = write(own_fields(game))
    names = dict.fromkeys(("n0", "n1", "n2", "n3"), "")
    for seat, name in enumerate(game.names):
        names[f"n{seat}"] = quote(name, safe="")
    parts = [
        _element("GO", type=str(kind.bits), lobby="0", **own),
        _element("UN", **names, dan="0,0,0,0", rate="1500.00,1500.00,1500.00,1500.00", sx="C,C,C,C"),
        _element("TAIKYOKU", oya="0"),
    ]
    ended = None
    for number, kyoku in enumerate(game.kyoku, 1):
        if number == len(game.kyoku):
            ended = game.ended
        try:
            parts += _WrittenKyoku(with_copies(kyoku, game.ruleset), game.ruleset, ended).written()
        except RecordError as error:
            raise RecordError(f"kyoku {number}: {error}") from None
    return f'<mjloggm ver="2.3">{"".join(parts)}</mjloggm>'.encode()


def _element(tag: str, **fields: str) -> str:
    """Return an empty element with these attributes."""
    attributes = [f" {name}={quoteattr(text)}" for name, text in fields.items()]
    return f"<{tag}{''.join(attributes)}/>"


def _list(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _hundreds(points: Sequence[int]) -> list[int]:
    """Return points in hundreds; raise RecordError if that loses some."""
    hundreds = [0] * COLUMNS
    for seat, score in enumerate(points):
        hundreds[seat], rest = divmod(score, 100)
        if rest:
            raise RecordError(f"mjlog has no points below a hundred: {_list(points)}")
    return hundreds


class _WrittenKyoku:
    """One kyoku, written event by event."""

    def __init__(self, kyoku: RecordedKyoku, ruleset: Ruleset, ended: ev.GameEnded | None) -> None:
        """Begin; ``ended`` is the end of the game after its last kyoku."""
        self._kyoku = kyoku
        self._started = kyoku.started
        self._ended = ended
        self._table = TileTable(kyoku.started, ruleset, None)
        self._melds: list[list[CodedMeld]] = [[] for _ in range(COLUMNS)]
        self._shown: dict[Seat, Tiles] = {}
        self._parts: list[str] = []

    def written(self) -> list[str]:
        """Return the elements of the kyoku."""
        kyoku = self._kyoku
        assert kyoku.tiles is not None
        last = -1
        for place, event in enumerate(kyoku.events):
            if isinstance(event, ev.HandWon | ev.KyokuDrawn):
                last = place
        for place, (event, tiles) in enumerate(zip(kyoku.events, kyoku.tiles, strict=True)):
            owari: dict[str, str] = {}
            if place == last:
                owari = self._owari()
            match event:
                case ev.HandWon():
                    self._parts.append(_element("AGARI", **self._won(event, tiles, place), **owari))
                    self._table.move(event, tiles)
                case ev.KyokuDrawn():
                    self._parts.append(_element("RYUUKYOKU", **self._drawn(event), **owari))
                    self._table.move(event, tiles)
                case _:
                    self._table.move(event, tiles)
                    self._note(event, tiles)
        return self._parts

    def _note(self, event: ev.Event, tiles: Tiles) -> None:
        match event:
            case ev.TileDrawn():
                self._parts.append(f"<{'TUVW'[event.seat]}{tiles[0]}/>")
            case ev.TileDiscarded():
                self._parts.append(f"<{'DEFG'[event.seat]}{tiles[0]}/>")
            case ev.TileCalled():
                self._call(event.seat, event.meld, tiles[:-1], tiles[-1])
            case ev.KanDeclared():
                self._kan(event.seat, event.meld, tiles)
            case ev.KitaDeclared():
                self._parts.append(_element("N", who=str(event.seat), m=str(write_north(tiles[0]))))
            case ev.DoraRevealed():
                self._reveal(tiles[0])
            case ev.RiichiDeclared():
                self._parts.append(_element("REACH", who=str(event.seat), step="1"))
            case ev.RiichiPaid():
                ten = _list(_hundreds(self._table.scores.points))
                self._parts.append(_element("REACH", who=str(event.seat), ten=ten, step="2"))
            case ev.HandOpened():
                self._shown[event.seat] = tiles
            case ev.TenpaiDeclared():
                if event.tenpai:
                    self._shown[event.seat] = tiles
            case (
                ev.GameStarted()
                | ev.KyokuStarted()
                | ev.HandDealt()
                | ev.RonDeclared()
                | ev.HandWon()
                | ev.KyokuDrawn()
                | ev.KyokuEnded()
                | ev.GameEnded()
            ):
                pass
            case _:
                assert_never(event)

    def _reveal(self, indicator: Tile) -> None:
        """Write a dora indicator; the first one belongs to INIT."""
        if len(self._table.indicators) > 1:
            self._parts.append(_element("DORA", hai=str(indicator)))
            return
        started = self._started
        first, second = self._kyoku.dice
        seed = (
            started.bakaze * len(WINDS) + started.dealer,
            started.honba,
            started.kyotaku,
            first - 1,
            second - 1,
            indicator,
        )
        more = dict.fromkeys(("hai0", "hai1", "hai2", "hai3"), "")
        for seat, hand in enumerate(self._table.hands):
            more[f"hai{seat}"] = _list(hand)
        if self._kyoku.deal is not None:
            more[WALL] = _list(self._kyoku.deal.tiles)
        ten = _list(_hundreds(started.points))
        self._parts.append(_element("INIT", seed=_list(seed), ten=ten, oya=str(started.dealer), **more))

    def _call(self, seat: Seat, meld: Meld, own: Tiles, called: Tile) -> None:
        self._meld(seat, CodedMeld(meld.type, own, called, meld.source))

    def _kan(self, seat: Seat, meld: Meld, tiles: Tiles) -> None:
        if meld.added is None:
            self._meld(seat, CodedMeld(meld.type, tiles, None, None))
            return
        melds = self._melds[seat]
        (pon,) = [old for old in melds if old.called is not None and old.called // COPIES == tiles[0] // COPIES]
        melds.remove(pon)
        self._meld(seat, CodedMeld(meld.type, pon.own, pon.called, pon.source, tiles[0]))

    def _meld(self, seat: Seat, meld: CodedMeld) -> None:
        self._melds[seat].append(meld)
        self._parts.append(_element("N", who=str(seat), m=str(write_meld(seat, meld))))

    # Results

    def _won(self, won: ev.HandWon, hand: Tiles, place: int) -> dict[str, str]:
        """Return the attributes of a win."""
        started, table = self._started, self._table
        stated = self._kyoku.stated.get(place, Stated())
        winning, source = table.drawn, won.seat
        if winning is None:
            winning = table.last
        if won.loser is not None:
            source = won.loser
        fields = {"ba": f"{started.honba},{table.scores.kyotaku}", "hai": _list(hand)}
        melds = self._melds[won.seat]
        if melds:
            fields["m"] = _list([write_meld(won.seat, meld) for meld in melds])
        fields["machi"] = str(winning or 0)
        fields |= write_value(won, started.bakaze, started.dealer)
        fields["doraHai"] = _list(table.indicators)
        if stated.ura:
            fields["doraHaiUra"] = _list(stated.ura)
        fields |= {"who": str(won.seat), "fromWho": str(source)}
        if won.liable is not None:
            fields["paoWho"] = str(won.liable)
        fields["sc"] = self._changed(won.changes)
        return fields

    def _drawn(self, drawn: ev.KyokuDrawn) -> dict[str, str]:
        """Return the attributes of a draw."""
        if drawn.reason is ev.DrawReason.CHOMBO:
            raise RecordError("mjlog has no word for chombo")
        fields: dict[str, str] = {}
        type_ = _TYPES[drawn.reason]
        if type_ is not None:
            fields["type"] = type_
        fields["ba"] = f"{self._started.honba},{self._table.scores.kyotaku}"
        fields["sc"] = self._changed(drawn.changes)
        for seat in sorted(self._shown):
            fields[f"hai{seat}"] = _list(self._shown[seat])
        return fields

    def _changed(self, changes: Sequence[int]) -> str:
        """Return the scores with their changes."""
        numbers: list[int] = []
        for pair in zip(_hundreds(self._table.scores.points), _hundreds(changes), strict=True):
            numbers += pair
        return _list(numbers)

    def _owari(self) -> dict[str, str]:
        """Return the attribute with the final scores and results; nothing if the game goes on or has no results."""
        if self._ended is None or not self._ended.results:
            return {}
        results = [*self._ended.results, *[0] * (COLUMNS - len(self._ended.results))]
        pairs = zip(_hundreds(self._ended.points), results, strict=True)
        return {"owari": ",".join(f"{points},{result / 10:.1f}" for points, result in pairs)}


# The format


_START = re.compile(rb"(<\?xml[^>]*>\s*)?(<!--(?:[^-]|-[^-])*-->\s*)*<(mjloggm|SHUFFLE|GO|UN|INIT)\b")


def _is_mjlog(data: bytes) -> bool:
    return _START.match(data) is not None


def _read_games(data: bytes) -> tuple[RecordedGame]:
    return (read_mjlog(data),)


MJLOG = RecordFormat(
    key="mjlog",
    name="Tenhou mjlog",
    suffix=".mjlog",
    sniff=_is_mjlog,
    read=_read_games,
    state=state_mjlog,
    write=write_mjlog,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                *(Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA, Fact.ORDER),
                *(Fact.DICE, Fact.COPIES),
            ),
            Carried.OWN: (Fact.WALLS, Fact.RULES),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RULES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, *OF_RESULTS)),
)
"""The XML of Tenhou's server. Its walls follow from Tenhou's own seeds; ours stand in an attribute of our own."""
