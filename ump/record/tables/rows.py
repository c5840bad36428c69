"""Make the rows of the tables from recorded games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ump.game.game import Game
from ump.model.actions import Action
from ump.model.events import (
    DoraRevealed,
    HandWon,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    TenpaiDeclared,
    TileDrawn,
)
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.record.facts import Fact, facts_of
from ump.record.final_scores import end_of_kyoku
from ump.record.journal.action_words import write_action
from ump.record.own_fields import UNKNOWN_DICE
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.replay import Replay
from ump.record.shown_game import kyoku_word
from ump.record.tables.columns import Cell, Row
from ump.rules.analysis import shanten
from ump.rules.questions import Question

SHANTEN_TILES = (1, 2)
"""A hand of 3n + these tiles has a shanten number."""


def rows_of(game: RecordedGame, name: str, form: str) -> dict[str, list[Row]]:
    """Return the rows of each table for one game; ``form`` is the key of its format.

    Decisions come from a replay, so there are none if a hand is hidden. Raises RecordError if the record contradicts
    itself.
    """
    key: Row = {"game": name}
    wins: list[Row] = []
    kyoku: list[Row] = []
    for number, each in enumerate(game.kyoku, 1):
        here = {**key, "kyoku": number}
        kyoku.append({**here, **_kyoku_row(each)})
        wins += [{**here, **row} for row in _win_rows(each)]
    decisions: list[Row] = [{**key, **row} for row in _decisions(game)] if Fact.HANDS in facts_of(game) else []
    return {"games": [{**key, "format": form, **_game_row(game)}], "kyoku": kyoku, "wins": wins, "decisions": decisions}


def _by_seat(name: str, cells: Iterable[Cell]) -> dict[str, Cell]:
    """Return the cells of the columns of all seats."""
    return {f"{name}_{letter.lower()}": cell for letter, cell in zip(LETTERS, cells, strict=False)}


def _seats(seats: Iterable[Seat]) -> str:
    return "".join(LETTERS[seat] for seat in seats)


def _game_row(game: RecordedGame) -> Row:
    ended = game.ended
    return {
        "seats": len(game.names),
        "rules": game.ruleset.name,
        "rules_stated": game.rules_stated,
        "length": game.ruleset.length.value,
        "from_start": game.from_start,
        "ended": ended is not None,
        "kyoku": len(game.kyoku),
        **_by_seat("name", game.names),
        **_by_seat("points", () if ended is None else ended.points),
        **_by_seat("place", () if ended is None else ended.places),
        **_by_seat("result", () if ended is None else ended.results),
    }


def _started(kyoku: RecordedKyoku) -> KyokuStarted:
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    return started


def _kyoku_row(kyoku: RecordedKyoku) -> Row:
    started, events, times = _started(kyoku), kyoku.events, kyoku.times
    draws = [event for event in events if isinstance(event, TileDrawn)]
    after, _ = end_of_kyoku(kyoku)
    dice = " ".join(map(str, kyoku.dice)) if list(kyoku.dice) != UNKNOWN_DICE else None
    return {
        "round": kyoku_word(started).partition(".")[0],
        "honba": started.honba,
        "kyotaku": started.kyotaku,
        "dealer": LETTERS[started.dealer],
        **_by_seat("points", started.points),
        "dice": dice,
        "indicators": format_ump_faces(event.indicator for event in events if isinstance(event, DoraRevealed)),
        "riichi": _seats(event.seat for event in events if isinstance(event, RiichiDeclared)),
        "result": _result(kyoku),
        "winners": _seats(event.seat for event in events if isinstance(event, HandWon)),
        "tenpai": _seats(event.seat for event in events if isinstance(event, TenpaiDeclared) and event.tenpai),
        "draws": len(draws),
        "left": draws[-1].left if draws else None,
        **_by_seat("change", (now - before for now, before in zip(after, started.points, strict=True))),
        "milliseconds": None if times is None else times[-1] - times[0],
    }


def _result(kyoku: RecordedKyoku) -> str | None:
    last = kyoku.events[-1]
    if isinstance(last, HandWon):
        return "tsumo" if last.loser is None else "ron"
    return last.reason.value if isinstance(last, KyokuDrawn) else None


def _win_rows(kyoku: RecordedKyoku) -> Iterator[Row]:
    started, seats = _started(kyoku), len(_started(kyoku).points)
    indicators = format_ump_faces(event.indicator for event in kyoku.events if isinstance(event, DoraRevealed))
    draws = [event for event in kyoku.events if isinstance(event, TileDrawn)]
    wins = [event for event in kyoku.events if isinstance(event, HandWon)]
    for number, won in enumerate(wins, 1):
        concealed = won.faces[:-1] if won.loser is None else won.faces
        is_dealer, worth = won.seat == started.dealer, won.value
        yield {
            "win": number,
            "winner": LETTERS[won.seat],
            "loser": None if won.loser is None else LETTERS[won.loser],
            "liable": None if won.liable is None else LETTERS[won.liable],
            "dealer": is_dealer,
            "tile": UMP_FACES[won.tile],
            "hand": format_ump_hand(concealed, won.melds),
            "norths": won.norths,
            "riichi": won.riichi,
            "indicators": indicators,
            "ura": format_ump_faces(won.ura),
            "yaku": ";".join(f"{yaku.romaji} {han}" for yaku, han in worth.yaku),
            "han": worth.han,
            "fu": worth.fu or None,
            "yakuman": worth.yakuman,
            "points": worth.points(seats, is_dealer=is_dealer, is_tsumo=won.loser is None),
            "gain": won.changes[won.seat],
            "left": draws[-1].left if draws else None,
        }


def _decisions(game: RecordedGame) -> list[Row]:
    """Return a row for each question of a game, as a replay asks it."""
    rows: list[Row] = []
    counts = [0] * len(game.kyoku)

    def watch(played: Game, question: Question, action: Action, kyoku: int, event: int) -> None:
        """Add the row of a decision."""
        counts[kyoku] += 1
        times = game.kyoku[kyoku].times
        row: dict[str, Cell] = {"kyoku": kyoku + 1, "decision": counts[kyoku]}
        row["milliseconds"] = times[event] if times is not None and event < len(times) else None
        rows.append({**row, **_decision(played, question, action)})

    Replay(game, answered=watch).run()
    return rows


def _decision(game: Game, question: Question, action: Action) -> Mapping[str, Cell]:
    assert game.kyoku is not None
    board, hand = game.kyoku.board, question.hand
    drawn = question.tile if question.phase is Phase.TURN else None
    return {
        "seat": LETTERS[question.seat],
        "phase": question.phase.value,
        "tile": None if question.tile is None else UMP_FACES[question.tile],
        "hand": format_ump_hand(hand.concealed, hand.melds, drawn=drawn),
        "shanten": shanten(hand.kinds),
        "left": board.left,
        "points": board.points[question.seat],
        "riichi": _seats(seat for seat, player in enumerate(board.players) if player.riichi),
        "legal": ";".join(map(write_action, question.legal())),
        "action": write_action(action),
    }
