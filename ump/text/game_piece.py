"""A game as a piece of HTML for notebooks: a row for each kyoku, with the winning hands, and the places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model import events as ev
from ump.model.game_result import GameResult
from ump.text.narration import DRAWS
from ump.text.win import yaku_words
from ump.text.wording import round_words
from ump.web.pieces import Markup, hand, line, piece, table


def game_piece(title: str, names: Sequence[str], events: Iterable[ev.Event], result: GameResult | None) -> str:
    """Return the picture of a game; without a result it was not played to its end."""
    rows: list[list[str]] = []
    kyoku = ""
    for event in events:
        match event:
            case ev.KyokuStarted():
                kyoku = round_words(event.bakaze, event.dealer) + (f".{event.honba}" if event.honba else "")
            case ev.HandWon():
                rows.append([kyoku, *_win_cells(event, names), *_changes(event.changes, names)])
            case ev.KyokuDrawn():
                rows.append([kyoku, DRAWS[event.reason].brief, "", "", *_changes(event.changes, names)])
            case _:
                pass
    shown = table(("kyoku", "result", "hand", "yaku", *names), rows)
    return piece(line(title), shown, *_places(names, result))


def _win_cells(won: ev.HandWon, names: Sequence[str]) -> tuple[str, str, str]:
    """Return how a win came, its hand and its yaku."""
    way = "tsumo" if won.loser is None else f"ron from {names[won.loser]}"
    concealed = won.faces if won.loser is not None else won.faces[:-1]
    yaku = []
    for each, han in won.value.yaku:
        is_counted = han > 1 and not won.value.yakuman
        yaku.append(f"{yaku_words(each, 'romaji')} {han}" if is_counted else yaku_words(each, "romaji"))
    return f"{names[won.seat]}, {way}", hand(concealed, won.melds, won.tile), ", ".join(yaku)


def _changes(changes: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the points won and lost by seat; nothing where the record does not say."""
    if not changes:
        return [""] * len(names)
    return [f"{change:+,}" if change else "" for change in changes]


def _places(names: Sequence[str], result: GameResult | None) -> list[Markup]:
    """Return the final table, the first place first."""
    if result is None or not result.places:
        return []
    rows = []
    for seat in sorted(range(len(names)), key=result.places.__getitem__):
        final = f"{result.results[seat] / 10:+.1f}" if result.results else "-"
        rows.append((str(result.places[seat]), names[seat], f"{result.points[seat]:,}", final))
    return [table(("place", "player", "points", "result"), rows)]
