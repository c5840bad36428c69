"""Reports of a review: as text, as data for JSON, as a page, and in a notebook."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.players.evaluation import Candidate, Unit
from ump.players.policy import POLICIES
from ump.record.decisions import read_record
from ump.record.explanation import Explanation
from ump.record.figures import rounded
from ump.record.html import places_of, write_html
from ump.record.journal import write_action
from ump.record.profile import JUDGE, SEATS, judged, profile_data
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.review import Agreement, Assessment, DecisionKind, Reviewed, review_seat
from ump.record.review_figures import Figures, figures_of, game_score, kyoku_scores, scores_data, worst
from ump.record.review_sentences import action_words, loss_words, reason_words
from ump.record.reviewers import PolicyReviewer, Reviewer
from ump.record.text import kyoku_word
from ump.text.layout import columns, hand_text, printable, shortened, tile_text
from ump.web import pieces
from ump.wire.json_text import write

WORST = 3
"""The moves that a report lists by default."""


@value
class Review:
    """The reviewed seats of one game."""

    name: str
    """The name of the record."""
    digest: str
    """The SHA-256 of its bytes, in hexadecimal; empty if there are none."""
    game: RecordedGame
    reviewers: tuple[Reviewer, ...]
    seats: Mapping[Seat, Sequence[Reviewed]]

    def _repr_html_(self) -> str:
        """Show the review in a notebook: for each seat the figures, and the worst moves by each reviewer."""
        places = places_of(self.game)
        parts = []
        for seat, reviewed in self.seats.items():
            parts.append(pieces.line(f"{_seat_words(self.game, seat)}: {len(reviewed)} free decisions"))
            head, *rows = _figure_rows(self, reviewed)
            parts.append(pieces.table(head, rows))
            for at, reviewer in enumerate(self.reviewers):
                listed = worst(reviewed, at, WORST)
                moves = [_move_cells(self, places, decision, at) for decision in listed]
                parts += [pieces.line(f"the worst moves by {reviewer.name}"), pieces.table(MOVE_HEAD, moves)]
        return pieces.piece(*parts)


MOVE_HEAD = ("move", "hand", "done", "better", "loss", "why")


def review(game: RecordedGame, seat: Seat, by: str = "expert") -> Review:
    """Return the review of a seat of a game by a built-in player, such as ``expert``.

    Raises RecordError if the record does not show the hand or breaks the rules, ValueError for an unknown player or
    seat.
    """
    if by not in POLICIES:
        raise ValueError(f"unknown player {by!a}; choose {', '.join(POLICIES)}")
    if not 0 <= seat < len(game.names):
        raise ValueError(f"no seat {seat} in a game of {len(game.names)}")
    reviewers = (PolicyReviewer(by, POLICIES[by]()),)
    return Review("", "", game, reviewers, {seat: list(review_seat(game, seat, reviewers))})


def _figures_of_all(review: Review, reviewed: Sequence[Reviewed]) -> list[Figures]:
    """Return the figures of all reviewers, in their order."""
    return [figures_of(reviewed, number) for number in range(len(review.reviewers))]


# Text


def review_lines(review: Review, most: int = WORST) -> Iterator[str]:
    """Yield for each seat the figures of all reviewers, and the worst moves by each of them."""
    places = places_of(review.game)
    for number, (seat, reviewed) in enumerate(review.seats.items()):
        if number:
            yield ""
        yield f"{_seat_words(review.game, seat)}: {len(reviewed)} free decisions"
        yield from columns(_figure_rows(review, reviewed), right=range(1, 1 + len(review.reviewers)))
        for at, reviewer in enumerate(review.reviewers):
            yield from _score_lines(review, reviewed, at)
            listed = worst(reviewed, at, most)
            if listed:
                yield ""
                yield f"the worst moves by {printable(reviewer.name)}"
            for decision in listed:
                yield from _move_lines(review, places, decision, at)


def _score_lines(review: Review, reviewed: Sequence[Reviewed], number: int) -> Iterator[str]:
    """Yield the score of the game by a reviewer, and of each kyoku with the course of the loss."""
    scores = kyoku_scores(reviewed, number)
    score = game_score(scores)
    if score is None:
        return
    yield ""
    yield f"score by {printable(review.reviewers[number].name)}: {score:.0f} of 100"
    rows = [("kyoku", "score", "good", "loss", "")]
    most = max(each.loss for each in scores) or 1.0
    for each in scores:
        name = kyoku_word(review.game.kyoku[each.kyoku].started)
        bar = "#" * round(BAR * each.loss / most)
        rows.append((name, f"{each.score:.0f}", f"{each.good}/{each.free}", f"{each.loss:,.0f}", bar))
    yield from columns(rows, right=(1, 2, 3))


BAR = 20
"""The characters of the bar for the greatest loss."""


def _seat_words(game: RecordedGame, seat: Seat) -> str:
    name = shortened(printable(game.names[seat]))
    if name:
        return f"{name} (seat {LETTERS[seat]})"
    return f"seat {LETTERS[seat]}"


def _figure_rows(review: Review, reviewed: Sequence[Reviewed]) -> list[tuple[str, ...]]:
    """Return a table with a column for each reviewer."""
    listed = _figures_of_all(review, reviewed)
    units: list[Unit] = []
    for unit in Unit:
        if any(unit in figures.losses for figures in listed):
            units.append(unit)
    is_rated = any(figures.rating is not None for figures in listed)
    cells = [_figure_names(units, is_rated=is_rated)]
    for reviewer, figures in zip(review.reviewers, listed, strict=True):
        cells.append([shortened(printable(reviewer.name), 30), *_figure_cells(figures, units, is_rated=is_rated)])
    return list(zip(*cells, strict=True))


def _figure_names(units: Sequence[Unit], *, is_rated: bool) -> list[str]:
    """Return the first column."""
    names = ["", "agreement", *(verdict.value for verdict in Agreement), "small, mistakes, blunders"]
    names += [f"loss in {unit.value}" for unit in units]
    names += [f"differs in {kind.value}" for kind in DecisionKind]
    names += ["turns 1 to 6", "turns 7 to 12", "later", "against a threat", "deal-ins avoided"]
    if is_rated:
        names.append("mjai-reviewer's rating")
    return names


def _figure_cells(figures: Figures, units: Sequence[Unit], *, is_rated: bool) -> Iterator[str]:
    """Yield the column of a reviewer below its name."""
    yield _share(round((figures.agreement or 0) * figures.free), figures.free)
    for verdict in Agreement:
        yield str(figures.verdicts[verdict])
    yield f"{figures.sizes[1]} {figures.sizes[2]} {figures.sizes[3]}"
    for unit in units:
        yield _loss_cell(figures, unit)
    for kind in DecisionKind:
        yield _kind_cell(figures, kind)
    for free, agreed in (*figures.thirds, figures.threatened):
        yield _share(agreed, free)
    dealt_in, avoided = figures.deal_ins
    yield f"{avoided} of {dealt_in}"
    if is_rated:
        yield _rating_cell(figures.rating)


def _share(part: int, whole: int) -> str:
    if not whole:
        return "-"
    return f"{part / whole:.0%}"


def _loss_cell(figures: Figures, unit: Unit) -> str:
    if unit not in figures.losses:
        return "-"
    return loss_words(unit, figures.losses[unit])


def _kind_cell(figures: Figures, kind: DecisionKind) -> str:
    counts = figures.kinds.get(kind)
    if counts is None:
        return "-"
    return str(counts[None])


def _rating_cell(rating: float | None) -> str:
    if rating is None:
        return "-"
    return f"{rating:.0f}"


def _move_lines(review: Review, places: Sequence[Sequence[int]], decision: Reviewed, number: int) -> Iterator[str]:
    """Yield a decision in two lines: the hand and what was done, then what the reviewer would do and why."""
    move, _, done, better, loss, why = _move_cells(review, places, decision, number)
    yield f"  {move}  turn {decision.turn}  {_position_words(decision)}: {done}"
    if loss:
        better += f" ({loss})"
    yield f"    {better}: {why}"


def _move_cells(
    review: Review, places: Sequence[Sequence[int]], decision: Reviewed, number: int
) -> tuple[str, str, str, str, str, str]:
    """Return what ``MOVE_HEAD`` names: the place of a decision, its hand, and what the reviewer says."""
    assessment = decision.by[number]
    assert assessment is not None
    started = review.game.kyoku[decision.kyoku].started
    place = f"{kyoku_word(started)}:{places[decision.kyoku][decision.event]}"
    better = action_words(assessment.choice, names_tile=assessment.names_tile)
    if assessment.against_values:
        better += ", against its own values"
    loss = ""
    if assessment.unit is not None and assessment.loss:
        loss = loss_words(assessment.unit, assessment.loss)
    why = reason_words(decision, assessment, started.dealer, len(review.game.names))
    shown = pieces.hand(_held(decision), decision.melds, decision.tile)
    return place, shown, action_words(decision.done), better, loss, why


def _position_words(decision: Reviewed) -> str:
    """Return the hand, and the tile that was drawn or is in question."""
    hand, tile = hand_text(_held(decision), decision.melds), decision.tile
    if tile is None:
        return hand
    if decision.phase is Phase.TURN:
        return f"{hand} + {tile_text(tile)}"
    return f"{hand} on {tile_text(tile)}"


def _held(decision: Reviewed) -> tuple[int, ...]:
    """Return the concealed tiles without the drawn one."""
    held = list(decision.hand)
    if decision.phase is Phase.TURN and decision.tile in held:
        held.remove(decision.tile)
    return tuple(held)


# Data


VERSION = 2
"""The version of the data."""


def review_data(review: Review, most: int | None = None) -> dict[str, Any]:
    """Return a review as data for JSON, with at most so many candidates for each decision."""
    game, places = review.game, places_of(review.game)
    decisions_data: list[dict[str, Any]] = []
    for reviewed in review.seats.values():
        for decision in reviewed:
            decisions_data.append(_reviewed_data(decision, places[decision.kyoku][decision.event], most))
    return {
        "review": VERSION,
        "record": review.name,
        "sha256": review.digest,
        "rules": game.ruleset.name,
        "names": list(game.names),
        "reviewers": [{"id": reviewer.name, **reviewer.about()} for reviewer in review.reviewers],
        "seats": [_seat_data(review, seat) for seat in review.seats],
        "decisions": decisions_data,
    }


PAGE_CANDIDATES = 6
"""The candidates of a decision on a page; the done action is one of them."""


def review_page(review: Review) -> str:
    """Return the page that replays the game, with the review in it; raise RecordError as ``write_html`` does."""
    return write_html(review.game, review_data(review, PAGE_CANDIDATES)).decode()


def review_by_policy(data: bytes, seat: Seat, kind: str) -> bytes:
    """Return the review of a seat by a built-in policy, in JSON for the page; raise RecordError if there is none.

    That of ``JUDGE`` has the profile of the seat in it, too.
    """
    game = read_record(data)
    if not 0 <= seat < len(game.names):
        raise RecordError(f"no seat {LETTERS[seat]} in a game of {len(game.names)}")
    reviewer = PolicyReviewer(kind, POLICIES[kind]())
    reviewed, profile = judged(game, seat, reviewer)
    review = Review("", hashlib.sha256(data).hexdigest(), game, (reviewer,), {seat: reviewed})
    found = review_data(review, PAGE_CANDIDATES)
    if kind == JUDGE and len(game.names) == SEATS:
        found["profile"] = profile_data(profile)
    return write(found).encode()


def _seat_data(review: Review, seat: Seat) -> dict[str, Any]:
    reviewed = review.seats[seat]
    places = places_of(review.game)
    by: list[dict[str, Any]] = []
    for number, figures in enumerate(_figures_of_all(review, reviewed)):
        listed = [[each.kyoku, places[each.kyoku][each.event]] for each in worst(reviewed, number, WORST)]
        by.append({**_figures_data(figures), **scores_data(kyoku_scores(reviewed, number)), "worst": listed})
    return {"seat": seat, "by": by}


def _figures_data(figures: Figures) -> dict[str, Any]:
    return {
        "free": figures.free,
        **{verdict.value: figures.verdicts[verdict] for verdict in Agreement},
        "agreement": rounded(figures.agreement),
        "loss": {unit.value: _rounded(loss) for unit, loss in figures.losses.items()},
        "sizes": [figures.sizes[size] for size in (1, 2, 3)],
        "kinds": {kind.value: _kind_data(counts) for kind, counts in figures.kinds.items()},
        "thirds": list(map(list, figures.thirds)),
        "threatened": list(figures.threatened),
        "deal_ins": list(figures.deal_ins),
        "mjai_reviewer_rating": _rounded(figures.rating),
    }


def _kind_data(counts: Counter[Unit | None]) -> list[Any]:
    """Return the number of differences of a kind, and their losses by unit."""
    losses = {unit.value: loss for unit, loss in counts.items() if unit is not None}
    return [counts[None], losses]


def _reviewed_data(decision: Reviewed, place: int, most: int | None) -> dict[str, Any]:
    tile: str | None = None
    if decision.tile is not None:
        tile = tile_text(decision.tile)
    return {
        "kyoku": decision.kyoku,
        "event": place,
        "seat": decision.seat,
        "phase": decision.phase.value,
        "turn": decision.turn,
        "left": decision.left,
        "hand": hand_text(decision.hand, decision.melds),
        "tile": tile,
        "shanten": decision.shanten,
        "furiten": decision.furiten,
        "threats": [_threat_data(seat, in_riichi=in_riichi) for seat, in_riichi in decision.threats],
        "dealt_in": decision.dealt_in,
        "done": write_action(decision.done),
        "by": [_assessment_data(decision, assessment, most) for assessment in decision.by],
    }


def _threat_data(seat: Seat, *, in_riichi: bool) -> list[Any]:
    if in_riichi:
        return [seat, "riichi"]
    return [seat, "open"]


def _assessment_data(decision: Reviewed, assessment: Assessment | None, most: int | None) -> dict[str, Any] | None:
    if assessment is None:
        return None
    listed = list(assessment.candidates[:most])
    place, rank = assessment.place_of(decision.done), None
    if place is not None:
        rank = place + 1
        if place >= len(listed):
            listed[-1] = assessment.candidates[place]
    choice = "richi"
    if assessment.names_tile:
        choice = write_action(assessment.choice)
    return {
        "choice": choice,
        "verdict": assessment.verdict.value,
        "unit": _value_of(assessment.unit),
        "loss": _rounded(assessment.loss),
        "size": assessment.size,
        "rank": rank,
        "of": len(assessment.candidates),
        "kind": _value_of(assessment.kind),
        "against_values": assessment.against_values,
        "reasons": list(map(_reason_data, assessment.reasons)),
        "candidates": [_candidate_data(candidate, assessment.unit) for candidate in listed],
    }


def _value_of(member: Unit | DecisionKind | None) -> str | None:
    if member is None:
        return None
    return str(member.value)


def _reason_data(reason: Explanation) -> dict[str, Any]:
    return {"code": reason.code, **reason.facts}


def _candidate_data(candidate: Candidate, unit: Unit | None) -> list[Any]:
    """Return an action, its value, and the facts that are known."""
    number: float | None = None
    if unit is not None:
        number = _rounded(candidate.value)
    known: dict[str, Any] = {}
    for name in ("shanten", "tiles", "risk", "win", "reason"):
        fact = getattr(candidate, name)
        if fact is not None and fact != "":
            known[name] = _rounded(fact)
    return [write_action(candidate.action), number, known]


def _rounded(number: Any) -> Any:
    """Return a number with three digits after the point, without those if it is large."""
    if not isinstance(number, float):
        return number
    if abs(number) >= 100:
        return round(number)
    return round(number, 3)
