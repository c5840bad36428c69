"""The table and the own hand, drawn for the size of the terminal: rivers lie around the centre as on a real table.

The own river runs from left to right, that of the player to the right upwards, of the opposite player from right to
left, and of the left player downwards, each with its first row nearest to the centre. Marks follow a tile: ``.``
tsumogiri, ``*`` riichi, ``>`` called.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias, assert_never

from rich.text import Text
from textual.widgets import Static

from ump.model.events import DrawReason, GameEnded, HandWon, KyokuDrawn, TileDiscarded
from ump.model.melds import Meld
from ump.model.seats import LETTERS, Seat, wind_of
from ump.model.tiles import Face, pointed_at
from ump.model.value import value
from ump.players.hints import AdvisedAnswer, Waits
from ump.rules.placement import placement
from ump.terminal.canvas import ROOMY_ROWS, Canvas, Look, Mark
from ump.terminal.choices import CALLS, HeldTile, tiles_of_action
from ump.text.layout import columns, printable, shortened, width
from ump.text.narration import worth_of
from ump.text.position import Position
from ump.text.win import size, yaku_words
from ump.text.wording import name_word, points_word, seats_in_order
from ump.wire.ump.extras import Hints
from ump.wire.ump.reader import HintReceived

ROW = 6
"""Discards in a row of a river."""

_ROWS, _SIDE_ROWS = 3, 4
"""The rows of a river above and below the centre, whose last takes the rest, and beside it."""

_SIDES = {4: ("own", "right", "opposite", "left"), 3: ("own", "right", "left")}
"""The sides of the seats, in turn order from the viewer on."""

_ARROWS = {"own": "v", "right": ">", "opposite": "^", "left": "<"}
"""The arrow in a meld to the player whose tile was called."""

_NAME = 12
"""The columns of a name that must be left for its points to stand beside it."""

_CENTRE_WIDTH, _CENTRE_HEIGHT = 23, 7

_WIDEST = 150
"""The columns of a table at most: in a wider terminal names would be far from their rivers."""


@value
class _Geometry:
    """The places of the parts of a table."""

    columns: int
    pitch: int
    """The columns of a tile and of the mark beside it."""
    height: int
    """The rows of a tile."""
    top: int
    """The rows above the centre."""

    @classmethod
    def of(cls, look: Look, *, has_opposite: bool) -> _Geometry:
        height = look.height()
        return cls(min(look.columns, _WIDEST) - 1, look.width() + 1, height, _ROWS * height if has_opposite else 0)

    @property
    def middle(self) -> int:
        """The rows beside the centre."""
        return max(_CENTRE_HEIGHT, ROW * self.height)

    @property
    def rows(self) -> int:
        return self.top + self.middle + _ROWS * self.height

    @property
    def centre(self) -> int:
        """The first column of the centre."""
        return (self.columns - _CENTRE_WIDTH) // 2

    @property
    def river(self) -> int:
        """The first column of the rivers above and below the centre."""
        return (self.columns - ROW * self.pitch) // 2

    def place(self, side: str, index: int) -> tuple[int, int]:
        """Return the column and row of a discard."""
        across = side in ("own", "opposite")
        row = min(index // ROW, (_ROWS if across else _SIDE_ROWS) - 1)
        along = index - row * ROW
        first = self.top + (self.middle - ROW * self.height) // 2
        match side:
            case "own":
                return self.river + along * self.pitch, self.top + self.middle + row * self.height
            case "opposite":
                return self.river + (ROW - 1 - along) * self.pitch, (_ROWS - 1 - row) * self.height
            case "left":
                return self.centre - (row + 1) * self.pitch, first + along * self.height
            case _:
                return self.centre + _CENTRE_WIDTH + 1 + row * self.pitch, first + (ROW - 1 - along) * self.height

    def plate(self, side: str) -> tuple[int, int, int, int]:
        """Return column, row, columns and rows of a player's name and melds."""
        beside = _SIDE_ROWS * self.pitch
        right, across = self.centre + _CENTRE_WIDTH + 1 + beside, self.river + ROW * self.pitch + 1
        match side:
            case "own":
                return 0, self.top + self.middle, self.river - 1, _ROWS * self.height
            case "opposite":
                return across, 0, self.columns - across, self.top
            case "left":
                return 0, self.top, self.centre - beside - 1, self.middle
            case _:
                return right, self.top, self.columns - right, self.middle


def table_canvas(position: Position, viewer: Seat, look: Look) -> Canvas:
    """Return the table with ``viewer`` at the bottom, without the hands of players.

    ``viewer`` need not be the seat that observes: a spectator or a replay may turn the table.
    """
    sides = sides_of(position, viewer)
    geometry = _Geometry.of(look, has_opposite="opposite" in sides.values())
    canvas = Canvas(geometry.columns, geometry.rows)
    _put_centre(canvas, geometry, position, look)
    for seat, side in sides.items():
        for index, discard in enumerate(position.seen.rivers[seat]):
            x, y = geometry.place(side, index)
            _put_discard(canvas, x, y, seat, index, discard, position, look)
        _put_plate(canvas, geometry.plate(side), seat, position, viewer, look)
    return canvas


def sides_of(position: Position, viewer: Seat) -> dict[Seat, str]:
    """Return where each seat stands: ``own``, ``right``, ``opposite`` or ``left`` as the viewer sees it."""
    seats = position.seen.ruleset.seats
    return {(viewer + step) % seats: side for step, side in enumerate(_SIDES[seats])}


def _put_discard(
    canvas: Canvas, x: int, y: int, seat: Seat, index: int, discard: TileDiscarded, position: Position, look: Look
) -> None:
    is_called = index in position.called[seat]
    is_last = seat == position.discarder and index == len(position.seen.rivers[seat]) - 1
    if is_called:
        mark = Mark.CALLED
    elif is_last:
        mark = Mark.LAST
    elif discard.riichi:
        mark = Mark.RIICHI
    elif discard.tsumogiri:
        mark = Mark.TSUMOGIRI
    else:
        mark = Mark.NONE
    x = look.put_tile(canvas, x, y, discard.face, mark)
    style = look.style("bold #ffd75f" if discard.riichi else "#c9d6cf")
    canvas.put(x, y, _sign_of(discard, is_called=is_called), style)


def _sign_of(discard: TileDiscarded, *, is_called: bool) -> str:
    if is_called:
        return ">"
    if discard.riichi:
        return "*"
    return "." if discard.tsumogiri else ""


def _put_centre(canvas: Canvas, geometry: _Geometry, position: Position, look: Look) -> None:
    """Put the state of the kyoku into a box: round, tiles left, honba, sticks, dora."""
    seen, words = position.seen, look.words
    x, y = geometry.centre, geometry.top + (geometry.middle - _CENTRE_HEIGHT) // 2
    inner = _CENTRE_WIDTH - 2
    corners, bar, side = ("╭╮╰╯", "─", "│") if look.has_lines else ("..''", "-", "|")
    rim = look.style("#6fae8f")
    canvas.put(x, y, corners[0] + bar * inner + corners[1], rim)
    canvas.put(x, y + _CENTRE_HEIGHT - 1, corners[2] + bar * inner + corners[3], rim)
    for step in range(1, _CENTRE_HEIGHT - 1):
        canvas.put(x, y + step, side, rim)
        canvas.put(x + inner + 1, y + step, side, rim)
    lines = (
        (words.round_name(seen.bakaze, seen.dealer), "bold #ffe9a8"),
        (words.tiles_left.format(count=seen.left), ""),
        (f"{words.honba.format(count=seen.honba)}  {words.sticks.format(count=seen.kyotaku)}", ""),
    )
    for step, (text, style) in enumerate(lines, 1):
        canvas.put(x + 1 + (inner - width(text)) // 2, y + step, text, look.style(style))
    if seen.indicators:
        _put_labelled(canvas, x + 1, y + 4, inner, (f"{words.dora} ", ""), seen.dora, look)
        before, _, after = words.indicators.partition("{tiles}")
        _put_labelled(canvas, x + 1, y + 5, inner, (before, after), seen.indicators, look)


def _put_labelled(
    canvas: Canvas, x: int, y: int, columns: int, around: tuple[str, str], faces: Sequence[Face], look: Look
) -> None:
    """Put tiles between two texts into the middle of some columns."""
    size, (before, after) = look.width(is_small=True), around
    fixed = width(before) + width(after)
    has_gaps = fixed + len(faces) * (size + 1) - 1 <= columns
    gap = 1 if has_gaps else 0
    x += max(0, columns - fixed - len(faces) * (size + gap) + gap) // 2
    x = canvas.put(x, y, before)
    for place, face in enumerate(faces):
        x = look.put_tile(canvas, x + gap * bool(place), y, face, is_small=True)
    canvas.put(x, y, after)


def _put_plate(
    canvas: Canvas, place: tuple[int, int, int, int], seat: Seat, position: Position, viewer: Seat, look: Look
) -> None:
    """Put the name, points and state of a player, its melds and a hand that it has shown."""
    x, y, columns, rows = place
    seen = position.seen
    is_active = seat in (position.turn, position.discarder)
    wind = look.words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)]
    points = points_word(seen.points[seat])
    room = columns - width(wind) - 2
    beside = room - width(points) - 1
    if beside >= _NAME:
        room = beside
    name = shortened(name_word(seat, position), room)
    sign, style = " ", ""
    if is_active:
        sign, style = ">", look.style("bold #ffe9a8")
    parts: list[tuple[str, str]] = [(f"{sign}{wind} {name}", style), (points, style)]
    if seen.in_riichi[seat]:
        parts.append((look.words.riichi, "reverse" if look.is_coloured else ""))
    if seen.norths[seat]:
        parts.append((f"N{seen.norths[seat]}", ""))
    at, line = x, y
    for text, part in parts:
        if at > x and at + 1 + width(text) > x + columns:
            at, line = x + 1, line + 1
        at = canvas.put(at + (at > x + 1), line, text, part)
    if seat != seen.seat:  # the own melds stand beside the own hand
        _put_melds(canvas, (x + 1, line + 1, columns - 1, y + rows), seat, position, viewer, look)


def _put_melds(
    canvas: Canvas, place: tuple[int, int, int, int], seat: Seat, position: Position, viewer: Seat, look: Look
) -> None:
    """Put the melds of another player, and then its hand if it has been shown, into columns down to a row."""
    x, y, columns, end = place
    shown = position.seen.opened[seat]
    at = x
    for meld in position.seen.melds[seat]:
        size = meld_width(meld, look, is_small=True)
        if at > x and at + size > x + columns:
            at, y = x, y + 1
        if y >= end:
            return
        at = put_meld(canvas, at, y, meld, position, viewer, look, is_small=True) + 1
    if shown is None:
        return
    at, y = x, y + (at > x)
    for face in shown:
        if at + look.width(is_small=True) > x + columns:
            at, y = x, y + 1
        if y < end:
            at = look.put_tile(canvas, at, y, face, is_small=True)


def meld_width(meld: Meld, look: Look, *, is_small: bool) -> int:
    """Return the columns of a meld."""
    tiles = len(meld.own)
    signs = 0
    if meld.called is None:
        signs += len("()")
    else:
        tiles += 1
        signs += len(_ARROWS["own"])
    if meld.added is not None:
        tiles += 1
        signs += len("+")
    return tiles * look.width(is_small=is_small) + signs


def put_meld(
    canvas: Canvas, x: int, y: int, meld: Meld, position: Position, viewer: Seat, look: Look, *, is_small: bool
) -> int:
    """Put a meld: the own tiles, an arrow to the player of the called tile, that tile; ``(8p8p8p8p)`` is closed."""
    is_closed = meld.called is None or meld.source is None
    if is_closed:
        x = canvas.put(x, y, "(")
    for face in meld.own:
        x = look.put_tile(canvas, x, y, face, is_small=is_small)
    if is_closed:
        return canvas.put(x, y, ")")
    assert meld.called is not None
    assert meld.source is not None
    x = canvas.put(x, y, _ARROWS[sides_of(position, viewer)[meld.source]], look.style("bold #ffd75f"))
    x = look.put_tile(canvas, x, y, meld.called, Mark.TSUMOGIRI, is_small=is_small)
    if meld.added is not None:
        x = look.put_tile(canvas, canvas.put(x, y, "+"), y, meld.added, is_small=is_small)
    return x


# The own hand


CHOSEN, LEGAL = "^", "-"
"""The marks under the chosen tile, and under those that can be chosen where not all can."""


def hand_canvas(
    tiles: Sequence[HeldTile],
    chosen: int | None,
    legal: Collection[int],
    position: Position,
    viewer: Seat,
    look: Look,
) -> Canvas:
    """Return the hand with its melds, and a row of marks; ``chosen`` and ``legal`` are places in ``tiles``.

    The drawn tile stands apart, in brackets where tiles are letters.
    """
    height = look.height()
    canvas = Canvas(min(look.columns, _WIDEST) - 1, height + 1)
    is_partial = bool(legal) and len(legal) < len(tiles)
    size = look.width()
    end = 1
    for place, (x, tile) in enumerate(zip(tile_columns(tiles, look), tiles, strict=True)):
        state, mark = Mark.NONE, ""
        if place == chosen:
            state, mark = Mark.CHOSEN, CHOSEN
        elif is_partial and place in legal:
            mark = LEGAL
        elif is_partial:
            state = Mark.BARRED
        end = look.put_tile(canvas, x, 0, tile.face, state)
        if tile.is_drawn and not look.has_lines:
            canvas.put(x - 1, 0, "[")
            end = canvas.put(end, 0, "]")
        canvas.put(x, height, mark * size, look.style("bold #ffdd66"))
    for meld in position.seen.melds[viewer]:
        end = put_meld(canvas, end + 2, 0, meld, position, viewer, look, is_small=False)
    return canvas


def tile_columns(tiles: Sequence[HeldTile], look: Look) -> list[int]:
    """Return the first column of each tile of ``hand_canvas``."""
    pitch = look.width() + 1
    return [1 + place * pitch + 2 * tile.is_drawn for place, tile in enumerate(tiles)]


def place_at(tiles: Sequence[HeldTile], column: int, look: Look) -> int | None:
    """Return the place of the tile at a column of ``hand_canvas``, for the mouse; None between and after them."""
    for place, x in enumerate(tile_columns(tiles, look)):
        if x <= column < x + look.width():
            return place
    return None


def hint_text(hints: Hints | HintReceived | None, face: Face | None, look: Look) -> str:
    """Return what the server says about the hand; ``face`` is the chosen tile, whose discard may leave tenpai."""
    match hints:
        case Hints():
            return _hint_of_question(hints, face, look)
        case HintReceived(waits=Waits() as waits):
            return _waits_text(waits, look)
        case HintReceived():
            return look.words.shanten.format(count=hints.shanten)
        case None:
            return ""


def _hint_of_question(hints: Hints, face: Face | None, look: Look) -> str:
    parts = []
    if hints.waits is not None:
        parts.append(_waits_text(hints.waits, look))
    tenpai = dict(hints.discards)
    if face in tenpai:
        waits = _waits_text(tenpai[face], look)
        parts.append(look.words.leaves_tenpai.format(tile=look.tile_text(face), waits=waits))
    elif tenpai:
        parts.append(look.words.tenpai_after.format(tiles=" ".join(map(look.tile_text, tenpai))))
    if hints.shanten and not parts:
        parts.append(look.words.shanten.format(count=hints.shanten))
    return ", ".join(parts)


def _waits_text(waits: Waits, look: Look) -> str:
    """Return waits with the number of tiles that are left: ``waits 4m(3) 7m(2), furiten``."""
    text = look.words.waits.format(tiles=" ".join(f"{look.tile_text(kind)}({left})" for kind, left in waits.live))
    if waits.furiten is not None:
        text += look.words.furiten.format(kind=waits.furiten.value)
    return text


def report_text(position: Position, look: Look) -> str:
    """Return how a player is reported, and the seats of all players."""
    seats = [f" {letter}  {printable(name)}" for letter, name in zip(LETTERS, position.names, strict=False)]
    return "\n".join((look.words.report, *seats))


def advice_text(advice: Sequence[AdvisedAnswer], look: Look) -> str:
    """Return what the server advises, the best answer first, each with its points and why; a line for each."""
    return "\n".join(f" {line}" for line in columns([_advised(answer, look) for answer in advice], right=(1,)))


def _advised(one: AdvisedAnswer, look: Look) -> tuple[str, ...]:
    words = look.words
    name = next((words.calls[call.key] for call in CALLS if isinstance(one.action, call.types)), words.discard)
    answer = " ".join((name, *map(look.tile_text, tiles_of_action(one.action))))
    if one.points is None:
        return (answer,)
    if one.shanten is None:
        leads_to = words.folds
    else:
        near = words.shanten.format(count=one.shanten) if one.shanten else words.tenpai
        leads_to = f"{near}  {words.tiles_left.format(count=one.tiles)}"
    risk = words.risk.format(percent=f"{one.risk:.0%}") if one.risk else ""
    return answer, words.expected.format(points=f"{one.points:+,.0f}"), leads_to, risk


class BoardView(Static):
    """Shows the table of a position as ``viewer`` sees it, without hands; ``show`` replaces both.

    Without a position it is empty. It holds no state of a game, and asks nothing.
    """

    def __init__(
        self,
        position: Position | None = None,
        viewer: Seat | None = None,
        look: Look | None = None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.look = look or Look()
        """The looks of the table, which follow from the terminal and its size."""
        self.position = position
        """The position that is shown, as of the last call of ``show``."""
        self.viewer = viewer
        """The seat at the bottom; None: the seat that observes, or East for a spectator."""

    def on_mount(self) -> None:
        """Draw the first position."""
        self.show(self.position, self.viewer)

    def show(self, position: Position | None, viewer: Seat | None = None) -> None:
        """Draw a position; call it again after the position, or the look, has changed."""
        self.position, self.viewer = position, viewer
        self.update(self.text())

    def text(self) -> Text:
        """Return what is drawn."""
        if self.position is None:
            return Text()
        seen = self.position.seen
        viewer = self.viewer
        if viewer is None:
            viewer = seen.dealer if seen.seat is None else seen.seat
        return table_canvas(self.position, viewer, self.look).text()


# Results drawn for the size of the terminal: wins, draws and the end of a game, each with the points of all.

Result: TypeAlias = HandWon | KyokuDrawn | GameEnded

MARGIN = 2

_HEADING, _FAINT, _GAIN, _LOSS = "bold #ffe9a8", "#9fc4b2", "#8fe3a6", "#ff9d8a"


def results_canvas(results: Sequence[Result], position: Position, look: Look) -> Canvas:
    """Return results below one another. The position is that after them."""
    canvas = Canvas(look.columns - 2, 60)
    y = 0
    for result in results:
        match result:
            case HandWon():
                y = _put_win(canvas, y, result, position, look)
            case KyokuDrawn():
                y = _put_draw(canvas, y, result, position, look)
            case GameEnded():
                y = _put_end(canvas, y, result, position, look)
            case _:
                assert_never(result)
        y += 1
    return canvas.cut(y)


def scores_canvas(position: Position, look: Look) -> Canvas:
    """Return the place and points of each player now, with the differences to the own points."""
    seen, words = position.seen, look.words
    places, _ = placement(seen.ruleset, seen.points)
    seats = seats_in_order(position)
    rows = []
    for seat in seats:
        ahead = "" if seen.seat in (None, seat) else f"{seen.points[seat] - seen.points[seen.seat or 0]:+,}"
        rows.append((*_player_cells(seat, position, look), words.place.format(place=places[seat]), ahead))
    canvas = Canvas(look.columns - 2, len(rows) + 1)
    for y, (seat, line) in enumerate(zip(seats, columns(rows, right=(2, 3, 4)), strict=True)):
        canvas.put(MARGIN, y, line, look.style("bold") if seat == seen.seat else "")
    sticks = f"{words.honba.format(count=seen.honba)}  {words.sticks.format(count=seen.kyotaku)}"
    canvas.put(MARGIN, len(rows), f"{words.round_name(seen.bakaze, seen.dealer)}  {sticks}", look.style(_FAINT))
    return canvas


def _put_win(canvas: Canvas, y: int, won: HandWon, position: Position, look: Look) -> int:
    """Put a win: winner, hand, dora, yaku beside the points of all, and the value."""
    words, seen = look.words, position.seen
    who = _who(won.seat, position, look)
    if won.loser is None:
        heading = words.win_tsumo.format(who=who)
    else:
        heading = words.win_ron.format(who=who, loser=_who(won.loser, position, look))
    canvas.put(MARGIN, y, heading, look.style(_HEADING))
    gap = look.rows >= ROOMY_ROWS
    y = gap + _put_hand(canvas, y + 1 + gap, won, position, look)
    x = _put_dora(canvas, MARGIN, y, words.dora, seen.indicators, position, look)
    if won.ura:
        x = _put_dora(canvas, x + 2, y, words.ura, won.ura, position, look)
    if won.norths:
        canvas.put(x + 2, y, f"N{won.norths}")
    top = y + 1 + gap
    rows = [(yaku_words(yaku, words.language), words.han.format(han=han)) for yaku, han in won.value.yaku]
    lines = columns(rows, right=(1,))
    for step, line in enumerate(lines):
        canvas.put(MARGIN, top + step, line)
    beside = max(MARGIN + max(map(width, lines)) + 4, canvas.columns // 2)
    below = gap + max(top + len(lines), _put_points(canvas, beside, top, won.changes, position, look))
    canvas.put(MARGIN, below, "  ".join(_worth(won, position, look)), look.style(_HEADING))
    return below + 1


def _put_hand(canvas: Canvas, y: int, won: HandWon, position: Position, look: Look) -> int:
    faces = won.faces if won.loser is not None else won.faces[:-1]
    x = MARGIN
    for face in faces:
        x = look.put_tile(canvas, x, y, face) + 1
    x = look.put_tile(canvas, x + 1, y, won.tile) + 1
    viewer = won.seat if position.seen.seat is None else position.seen.seat
    for meld in won.melds:
        x = put_meld(canvas, x + 1, y, meld, position, viewer, look, is_small=False)
    return y + look.height()


def _put_dora(
    canvas: Canvas, x: int, y: int, label: str, indicators: Sequence[Face], position: Position, look: Look
) -> int:
    x = canvas.put(x, y, f"{label} ", look.style(_FAINT))
    for dora in pointed_at(indicators, position.seen.ruleset.seats):
        x = look.put_tile(canvas, x, y, dora, is_small=True) + 1
    return x - 1


def _worth(won: HandWon, position: Position, look: Look) -> list[str]:
    """Return han, fu, limit and points of a win, what honba and sticks add, and who is liable."""
    words, worth = look.words, worth_of(won, position.seen.dealer)
    points = words.points.format(points=points_word(worth.points))
    if worth.shares != (worth.points,):
        shares = "/".join(map(points_word, worth.shares))
        if len(worth.shares) == 1:
            shares = words.each.format(points=shares)
        points += f" ({shares})"
    parts = [size(won.value, words.language), points]
    if worth.honba:
        parts.append(words.honba_points.format(points=points_word(worth.honba)))
    if worth.sticks:
        parts.append(words.stick_points.format(points=points_word(worth.sticks)))
    if won.liable is not None:
        parts.append(words.liable.format(who=_who(won.liable, position, look)))
    return parts


def _put_draw(canvas: Canvas, y: int, drawn: KyokuDrawn, position: Position, look: Look) -> int:
    """Put a draw: its reason, and at an exhaustive one who was tenpai, with the hands that were shown."""
    words = look.words
    canvas.put(MARGIN, y, words.draws[drawn.reason.name], look.style(_HEADING))
    y = _put_points(canvas, MARGIN, y + 1, drawn.changes, position, look)
    if drawn.reason is not DrawReason.EXHAUSTED:
        return y
    for seat in seats_in_order(position):
        state, style = words.tenpai, ""
        if seat not in position.tenpai:
            state, style = words.noten, look.style(_FAINT)
        x = canvas.put(MARGIN, y, f"{_who(seat, position, look)}  {state}  ", style)
        for face in position.tenpai.get(seat, ()):
            x = look.put_tile(canvas, x, y, face, is_small=True)
        y += 1
    return y


def _put_end(canvas: Canvas, y: int, ended: GameEnded, position: Position, look: Look) -> int:
    """Put the end of the game: places, names, points, and results with uma."""
    words = look.words
    canvas.put(MARGIN, y, words.game_over, look.style(_HEADING))
    seats = sorted(seats_in_order(position), key=ended.places.__getitem__)
    rows = []
    for seat in seats:
        place, points = words.place.format(place=ended.places[seat]), points_word(ended.points[seat])
        rows.append((place, name_word(seat, position), points, f"{ended.results[seat] / 10:+.1f}"))
    for step, (seat, line) in enumerate(zip(seats, columns(rows, right=(2, 3)), strict=True), 1):
        canvas.put(MARGIN, y + step, line, look.style("bold") if seat == position.seen.seat else "")
    return y + 1 + len(rows)


def _player_cells(seat: Seat, position: Position, look: Look) -> tuple[str, str, str]:
    """Return the wind, the name and the points of a player."""
    seen = position.seen
    wind = look.words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)]
    return wind, name_word(seat, position), points_word(seen.points[seat])


def _put_points(canvas: Canvas, x: int, y: int, changes: Sequence[int], position: Position, look: Look) -> int:
    """Put the points of all, the own row marked, with what each has won or lost; return the row below."""
    seen = position.seen
    seats = seats_in_order(position)
    rows = []
    for seat in seats:
        change = f"{changes[seat]:+,}" if changes and changes[seat] else ""
        rows.append((*_player_cells(seat, position, look), change))
    lines = columns(rows, right=(2, 3))
    for step, (seat, line) in enumerate(zip(seats, lines, strict=True)):
        style = ""
        if changes[seat] > 0:
            style = _GAIN
        elif changes[seat] < 0:
            style = _LOSS
        sign = ">" if seat == seen.seat else " "
        canvas.put(x - 2, y + step, f"{sign} {line}", look.style(style))
    return y + len(rows)


def _who(seat: Seat, position: Position, look: Look) -> str:
    return look.words.you if seat == position.seen.seat else name_word(seat, position)
