"""Reviews: decisions of a record, verdicts, reasons, figures, programs as reviewers, and ``ump review``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.rows import each_row
from support.sample_games import EAGER, EFFICIENCY, GAMES, MIXED, SUFFIX, converted, sample

import ump
from ump.cli.main import main
from ump.model.actions import Action, Chi, Discard, Pass, Pon, Ron
from ump.model.installation import installed_version
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.defensive import Defensive
from ump.players.efficiency import Efficiency
from ump.players.evaluation import Evaluation, Unit, as_face
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri
from ump.record.decisions import Decision, decisions, read_record, read_records
from ump.record.html import document
from ump.record.recorded_game import RecordError
from ump.record.review import Agreement, Reviewed, review_seat
from ump.record.review_figures import figures_of, kyoku_scores
from ump.record.review_report import Review, review_data, review_lines
from ump.record.reviewers import PolicyReviewer, ReviewError

MORTAL = """
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    answer = {"type": "none", "meta": {"mask_bits": 0}}
    if event["type"] == "start_game":
        me = event["id"]
    elif event["type"] == "tsumo" and event["actor"] == me and event.get("can_act") is not False:
        tile = ["1m", "2m"].index(event["pai"]) if event["pai"] in ("1m", "2m") else None
        answer = {"type": "dahai", "actor": me, "pai": event["pai"], "tsumogiri": True}
        if tile is not None:
            answer["meta"] = {"mask_bits": (1 << tile) | (1 << 37), "q_values": [0.5, -0.25], "shanten": 1}
    elif event.get("can_act") is not False:
        answer["meta"] = {"mask_bits": 1 << 45, "q_values": [0.1]}
    print(json.dumps(answer), flush=True)
print(json.dumps({"type": "none", "meta": {"mask_bits": 0}, "model_tag": "toy"}), flush=True)
"""
"""A bot that answers every line as Mortal does in its review mode, and discards what it draws."""


def game(name: str) -> ump.RecordedGame:
    """Return a sample game."""
    return read_record(sample(name))


def reviewed(name: str, seat: int, *policies: Policy) -> list[Reviewed]:
    """Return the decisions of a seat with the opinions of policies."""
    return list(review_seat(game(name), seat, [PolicyReviewer(type(each).__name__, each) for each in policies]))


def test_records_are_read_from_paths_bytes_folders_and_archives(tmp_path: Path) -> None:
    """One record gives its game; several paths give each game with its name, and errors that do not end the rest."""
    path = GAMES / f"{MIXED}{SUFFIX}"
    assert read_record(path) == read_record(str(path)) == read_record(path.read_bytes()) == game(MIXED)
    (tmp_path / "a.mjlog.gz").write_bytes(path.read_bytes())
    (tmp_path / "b.mjlog").write_text("<html>")
    with pytest.raises(RecordError, match=r"b\.mjlog: not a record"):
        list(read_records(tmp_path))
    wrong: list[str] = []
    found = list(read_records(tmp_path, unreadable=lambda name, _error: wrong.append(Path(name).name)))
    assert ([Path(name).name for name, _ in found], wrong) == (["a.mjlog.gz"], ["b.mjlog"])


def test_every_decision_has_the_observation_and_the_legal_answers() -> None:
    """The action taken is legal, the hand has the tiles to decide about, and each seat decides on each of its turns."""
    record = game(EAGER)
    turns = 0
    for decision in decisions(record):
        assert as_face(decision.done) in map(as_face, decision.legal)
        size = sum(decision.seen.hand.kinds) + 3 * len(decision.seen.hand.melds)
        assert (size, decision.seen.me) == (14 if decision.phase is Phase.TURN else 13, decision.seat)
        turns += isinstance(decision.done, Discard | ump.actions.Riichi)
    discards = [event for kyoku in record.kyoku for event in kyoku.events if type(event).__name__ == "TileDiscarded"]
    assert turns == len(discards)


@each_row(
    ("outranked", "wanted", "is_known"),
    [
        (0, Chi((2, 3)), True),
        (1, Chi((2, 3)), False),
        (1, Pon((4, 4)), True),
        (2, Pon((4, 4)), False),
        (2, Ron(), True),
    ],
)
def test_a_pass_behind_a_faster_call_is_unknown(outranked: int, wanted: Action, is_known: bool) -> None:
    """A record does not say whether a seat wanted a chi if another one has called pon."""
    seen = Observation(0, ump.PRESETS["tenhou"])
    legal = (Pass(), Chi((2, 3)), Pon((4, 4)), Ron())
    decision = Decision(0, 0, 0, Phase.CALL, 4, seen, legal, Pass(), outranked)
    assert decision.is_known(wanted) is is_known


def test_a_policy_agrees_with_its_own_game() -> None:
    """Efficiency finds nothing wrong with a game of its own; another policy does."""
    listed = reviewed(EFFICIENCY, 1, Efficiency(), Tsumogiri())
    verdicts = [[one.verdict for each in listed if (one := each.by[number]) is not None] for number in (0, 1)]
    assert set(verdicts[0]) <= {Agreement.AGREES, Agreement.UNKNOWN}
    assert verdicts[1].count(Agreement.DIFFERS) > 50
    figures = figures_of(listed, 0)
    assert (figures.agreement, figures.losses, figures.sizes.total()) == (1.0, {}, 0)


def test_the_choice_of_a_policy_is_among_its_best_values() -> None:
    """A choice against a threat has nearly the highest value, and every value belongs to a legal action."""
    policy = Defensive()
    counted = 0
    for decision in decisions(game(MIXED)):
        asked = (decision.seen, decision.phase, decision.tile, decision.legal)
        found = policy.evaluate(*asked)
        values = {} if found is None else {each.action: each.value for each in found.candidates}
        assert set(values) <= set(map(as_face, decision.legal))
        choice = values.get(as_face(policy.choose(*asked)))
        if found is not None and found.unit is Unit.POINTS and choice is not None:
            counted += 1
            assert choice >= max(values.values()) - found.margin
    assert counted > 20


def test_every_difference_has_a_kind_and_reasons_in_words() -> None:
    """Text and JSON name each difference; the worst moves come first, with their place in the replay page."""
    record = game(EAGER)
    reviewers = (PolicyReviewer("defensive", Defensive()), PolicyReviewer("efficiency", Efficiency()))
    found = {seat: list(review_seat(record, seat, reviewers)) for seat in (0, 1)}
    done = Review("eager", "00", record, reviewers, found)
    data = review_data(done)
    differences = [one for each in data["decisions"] for one in each["by"] if one["verdict"] == "differs"]
    codes = {reason["code"] for one in differences for reason in one["reasons"]}
    assert {"genbutsu", "risk", "back", "tiles", "not_nearer"} <= codes
    assert all(one["kind"] and one["size"] >= 0 for one in differences)
    assert sum(map(len, found.values())) == len(data["decisions"])
    page = document(record)
    at = data["decisions"][20]
    event = page["kyoku"][at["kyoku"]]["events"][at["event"]]
    assert event.startswith("T") if at["phase"] == "turn" and isinstance(event, str) else event
    text = "\n".join(review_lines(done))
    assert "the worst moves by defensive" in text
    assert "-shanten" in text


def test_the_score_follows_from_the_points_lost() -> None:
    """A kyoku loses one of 100 for 25 points, a game is the mean of its kyoku; text, JSON and figures agree."""
    record = game(MIXED)
    done = ump.review(record, 1)
    data = review_data(done)
    losses: Counter[int] = Counter()
    by_place = {}
    for each in data["decisions"]:
        losses[each["kyoku"]] += each["by"][0]["loss"] or 0
        by_place[each["kyoku"], each["event"]] = each["by"][0]
    [found] = data["seats"][0]["by"]
    assert [row["kyoku"] for row in found["kyoku"]] == list(range(len(record.kyoku)))
    scores = [max(0.0, 100 - losses[row["kyoku"]] / 25) for row in found["kyoku"]]
    assert [row["score"] for row in found["kyoku"]] == pytest.approx(scores, abs=0.6)
    assert found["score"] == pytest.approx(sum(scores) / len(scores), abs=0.6)
    worst = [by_place[kyoku, event]["loss"] for kyoku, event in found["worst"]]
    assert worst == sorted((one["loss"] or 0 for one in by_place.values()), reverse=True)[:3]
    lines = list(review_lines(done))
    assert f"score by expert: {found['score']} of 100" in lines
    assert sum("###" in line for line in lines) > 1
    assert kyoku_scores(reviewed(MIXED, 1, Efficiency()), 0) == ()


class _Strange:
    """A policy that fails, or that answers what is not legal."""

    def __init__(self, answer: Action | None) -> None:
        self._answer = answer

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        if self._answer is None:
            raise KeyError("model")
        return self._answer

    def evaluate(self, *asked: object) -> Evaluation | None:
        return None


@each_row(("answer", "message"), [(None, "_Strange: KeyError: 'model'"), (Ron(), "_Strange: Ron is not legal")])
def test_a_failing_reviewer_is_named(answer: Action | None, message: str) -> None:
    """A policy that raises, or answers what is not legal, ends the review with one line."""
    with pytest.raises(ReviewError) as caught:
        reviewed(MIXED, 0, _Strange(answer))
    assert str(caught.value) == message


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Run ``ump review`` in this process."""
    result = CliRunner().invoke(main, ["review", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_program_with_values_reviews_beside_a_policy(tmp_path: Path) -> None:
    """A bot that answers every line, as Mortal's review mode, is asked in step; its q-values and name are shown."""
    (tmp_path / "mortal.py").write_text(MORTAL)
    command = f"mjai-lines:python3 -I -S {tmp_path / 'mortal.py'}"
    page = tmp_path / "review.html"
    path = str(GAMES / f"{EFFICIENCY}{SUFFIX}")
    options = ("--seat", "C", "--by", command, "--by", "tsumogiri", "--html", str(page), "--json")
    status, printed, said = invoke(path, *options)
    assert (status, said) == (0, "")
    data = json.loads(printed)
    toy, built_in = data["reviewers"]
    assert toy == {"id": command, "kind": "mjai", "temperature": 0.1, "model": "toy"}
    assert built_in["version"] == installed_version()
    own = [each for each in data["decisions"] if each["phase"] == "turn" and each["tile"] is not None]
    assert all(_same_choice(*each["by"]) for each in own)
    valued = [each["by"][0] for each in own if each["tile"] in ("1m", "2m") and each["by"][0]["unit"]]
    assert valued and all(one["candidates"][0][1] == 0.5 for one in valued)
    assert '"review":{"review":2' in page.read_text()


def test_a_log_with_values_reviews_its_own_game(tmp_path: Path) -> None:
    """The values beside the answers in an mjai log are those of the reviewer ``recorded``, where they fit."""
    events = [json.loads(line) for line in converted(EFFICIENCY, "mjai").splitlines()]
    turn = next(at for at, each in enumerate(events) if each["type"] == "tsumo" and each["actor"] == 1)
    held = next(each for each in events if each["type"] == "start_kyoku")["tehais"][1]
    label = next(number for number in range(9) if f"{number + 1}m" in held)
    meta = {"mask_bits": 1 << label | 1 << 45, "q_values": [0.25, -1.0]}
    events[turn]["metas"] = [None, meta, None, {"q_values": "?"}]
    path = tmp_path / "game.mjson"
    path.write_text("\n".join(map(json.dumps, events)))
    status, printed, said = invoke(str(path), "--seat", "B", "--by", "recorded", "--json")
    assert (status, said) == (0, "")
    valued = [each for each in json.loads(printed)["decisions"] if each["by"][0] is not None]
    assert [each["by"][0]["candidates"][0][1] for each in valued] == [0.25]
    assert valued[0]["by"][0]["unit"] == "q"


def _same_choice(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return str(one["choice"]).removesuffix(" tsumogiri") == str(other["choice"]).removesuffix(" tsumogiri")


def test_the_command_prints_figures_and_the_worst_moves() -> None:
    """The report is of the player of a name."""
    name = game(MIXED).names[2]
    status, printed, _ = invoke(str(GAMES / f"{MIXED}{SUFFIX}"), "--name", name, "--worst", "1")
    assert status == 0
    assert printed.startswith(f"{name} (seat C): ")
    assert printed.count("  turn ") == 1


@each_row(
    ("options", "status", "message"),
    [
        (("--name", "nobody"), 2, "--name: unknown player 'nobody'"),
        (("--by", "expret"), 2, "unknown player 'expret'"),
        (("--by", "wait:mjai=1"), 2, "a reviewer speaks over its standard streams"),
        (("--by", "mjai:python3 -I -S -c 'raise SystemExit(str(42))'"), 1, "it has ended; it said: 42"),
    ],
)
def test_the_command_explains_what_is_wrong(options: tuple[str, ...], status: int, message: str) -> None:
    """A wrong option is one line with status 2, a failing program one with status 1."""
    found, _, said = invoke(str(GAMES / f"{MIXED}{SUFFIX}"), *options)
    assert (found, message in said) == (status, True), said
