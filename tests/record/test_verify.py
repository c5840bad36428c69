"""Replaying records: correct ones have no mismatch, and each alteration is found in its place and nowhere else."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.own_games import own_game
from support.rows import each_row
from support.scenario import Scenario
from support.written_record import EAST_1, EAST_2, EAST_2_AGAIN, HEAD, RECORD, TAIKYOKU, TAIL

from ump.model.actions import Discard, Pass
from ump.model.events import HandDealt, KyokuStarted, TileDrawn
from ump.model.tiles import EAST
from ump.record.conversion import Conversion, convert, with_rules
from ump.record.formats import read_games
from ump.record.mjai import write_mjai
from ump.record.mjlog import read_mjlog, write_mjlog
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.replay import Mismatch, Replay, Replayed, describe
from ump.record.tenhou6 import write_tenhou6
from ump.record.verify import Assumptions, Totals, Verification, summary_lines, verify
from ump.rules.options import read_change
from ump.rules.presets import PRESETS, TENHOU
from ump.rules.ruleset import Length, Ruleset

GAMES = int(os.environ.get("UMP_TEST_GAMES") or few(150))


def replayed(text: str) -> Replayed:
    """Replay a readable record."""
    verdict = verify("written", text.encode())
    assert verdict.replayed is not None, verdict.damage
    return verdict.replayed


def test_the_written_record_has_no_mismatch() -> None:
    """It has a ron, nine terminals, and a yakuman that ends the game; its walls are rebuilt from the events."""
    found = replayed(RECORD)
    assert (found.mismatches, found.notes, found.incomplete, found.left_out) == ((), (), False, 0)
    assert (found.kyoku, found.from_seed, found.events.total()) == (3, 0, 34)
    assert (found.events["HandWon ron"], found.events["KyokuDrawn kyushukyuhai"]) == (2, 1)


def east_only(**changes: object) -> bytes:
    """Return a finished east round as a plain mjai log, with changed or further fields in ``start_game``."""
    game = own_game(replace(TENHOU, length=Length.TONPU), "10", rare=False)
    start, *lines = write_mjai(game).splitlines()
    names = json.loads(start)["names"]
    return b"\n".join((json.dumps({"type": "start_game", "names": names, **changes}).encode(), *lines))


def test_the_length_follows_from_the_record() -> None:
    """A plain log of an east round is no hanchan; nor does ``--rules`` make one of it."""
    for data in (east_only(), east_only(kyoku_first=4)):
        assert verify("a", data).outcome is Verification.EQUAL
        assert verify("a", data, Assumptions(rules=TENHOU)).outcome is Verification.EQUAL
        (written,) = convert("a", data, Conversion("tenhou6", lossy=True)).games
        assert json.loads(written)["rule"] == {"disp": "東", "aka": 1}
    assert verify("a", east_only(kyoku_first=0)).outcome is Verification.DIFFERENT, "a hanchan goes on"


def test_the_length_that_nothing_tells() -> None:
    """A game that ends with a score below zero may have any length, unless the user names it."""
    whole = own_game(replace(TENHOU, length=Length.TONPU), "10", rare=False)
    data = write_mjai(replace(whole, kyoku=whole.kyoku[:4], rules_stated=False, length_stated=False))
    (read,) = read_games(data)
    assert (read.length_stated, with_rules(read, None, Length.TONPU).ruleset.length) == (False, Length.TONPU)
    assert verify("a", data).outcome is Verification.UNKNOWN_RULES
    assert verify("a", data, Assumptions(length=Length.HANCHAN)).outcome is Verification.DIFFERENT


def test_rules_that_the_user_states_one_by_one() -> None:
    """An uma is unknown until the user states it; what a record states itself stays."""
    uma = (30, 10, -10, -30)
    whole = own_game(replace(TENHOU, uma=uma), "10", rare=False)
    data = write_tenhou6(replace(whole, rules_stated=False))
    plain = json.dumps({**json.loads(data), "ump": None}).encode()
    assert verify("a", plain).outcome is Verification.UNKNOWN_RULES
    right, wrong = (read_change("uma=30,10,-10,-30"),), (read_change("uma=20,10,-10,-20"),)
    assert verify("a", plain, Assumptions(changes=right)).outcome is Verification.EQUAL
    assert verify("a", plain, Assumptions(changes=wrong)).outcome is Verification.DIFFERENT
    assert verify("a", plain, Assumptions(rules=TENHOU, changes=right)).outcome is Verification.EQUAL
    assert verify("a", write_tenhou6(whole), Assumptions(changes=wrong)).outcome is Verification.EQUAL
    refused = verify("a", plain, Assumptions(changes=(read_change("uma=20,0,-20"),)))
    assert refused.damage == "--set: uma: expected 4 numbers, one for each place in tenhou"
    (read,) = read_games(plain)
    assert with_rules(read, None, changes=[read_change("length=tonpu")]).ruleset.length is Length.TONPU


def test_the_place_of_listed_dora_follows_from_the_rules() -> None:
    """tenhou.net/6 lists the kan dora apart from the moves; the rules that the user states place them."""
    whole = own_game(PRESETS["mleague"], "k0", rare=False)
    data = json.dumps({**json.loads(write_tenhou6(whole)), "ump": None}).encode()
    assert verify("a", data).outcome is Verification.UNKNOWN_RULES
    assert verify("a", data, Assumptions(rules=PRESETS["mleague"])).outcome is Verification.EQUAL
    late = (read_change("open-kan-dora=after-discard"),)
    assert verify("a", data, Assumptions(rules=PRESETS["mleague"], changes=late)).outcome is Verification.EQUAL
    (read,) = read_games(data)
    again = with_rules(read, PRESETS["mleague"])
    for each, kyoku in zip(again.kyoku, whole.kyoku, strict=True):
        assert list(map(type, each.events)) == list(map(type, kyoku.events))


def test_the_uma_of_a_private_lobby() -> None:
    """A lobby of its owner may have any uma, which ``--set`` names; in the public one Tenhou's holds."""
    uma = Assumptions(changes=(read_change("uma=50,10,-20,-40"),))
    private = RECORD.replace('lobby="0"', 'lobby="1234"')
    for text in (RECORD, private):
        assert verify("a", text.encode()).outcome is Verification.EQUAL
    assert verify("a", RECORD.encode(), uma).outcome is Verification.EQUAL
    assert verify("a", private.encode(), uma).outcome is Verification.DIFFERENT


@each_row(
    "altered",
    [
        RECORD.replace("<mjloggm", "<!-- by hand - twice -->\n<mjloggm", 1),
        RECORD.replace('sc="250,-64,', 'sc="250,-64,').replace(",64,250,0,250,0", ",+64,250,0,250,0"),
        RECORD.replace(TAIKYOKU, '<CHAT text="%41"/>' + TAIKYOKU).replace("<T109/>", '<T109/><CHAT text="%41"/>'),
        HEAD.replace(' n3=""', "") + RECORD.removeprefix(HEAD),
        re.sub('(owari="[^"]*")', r"\1 \1", RECORD),
    ],
)
def test_what_is_no_fault_of_a_record(altered: str) -> None:
    """Comments, signs, chat, and names that are missing; and all of it in UTF-16."""
    assert altered != RECORD
    for data in (altered.encode(), altered.encode("utf-16"), altered.encode("utf-16-be").join((b"\xfe\xff", b""))):
        assert verify("a", data).outcome is Verification.EQUAL


def test_two_ends_of_a_game() -> None:
    """An attribute that stands twice with different values damages a record."""
    found = verify("a", RECORD.replace("owari=", 'owari="0" owari=').encode())
    assert re.fullmatch("element [0-9]+, AGARI: owari stands twice, with different values", found.damage)


def test_a_cut_mjlog_is_read_up_to_the_cut() -> None:
    """In an element or between two; the report says what is missing."""
    for cut, missing in (
        (RECORD[:-30], "the end of kyoku 3, the end of the game"),
        (RECORD[: RECORD.index(EAST_2) + 3], "the end of the game"),
        (RECORD.partition("<U60/>")[0], "the end of kyoku 2, the end of the game"),
    ):
        totals = Totals()
        totals.add(verify("a", cut.encode()))
        assert totals.outcomes[Verification.EQUAL] == 1
        assert f"a: missing: {missing}" in list(summary_lines(totals))


def test_a_wrong_tsumogiri_is_one_mismatch() -> None:
    """A record that was typed may have one: the kyoku goes on, and a conversion corrects it with ``--lossy`` alone."""
    log = convert("a", RECORD.encode(), Conversion("mjai")).games[0]
    data = re.sub(rb'("actor":1,"pai":"\w+","tsumogiri":)true', rb"\1false", log)
    verdict = verify("a", data)
    assert verdict.replayed is not None
    (mismatch,) = verdict.replayed.mismatches
    assert (mismatch.what, mismatch.expected, mismatch.found) == ("TileDiscarded", "tsumogiri False", "tsumogiri True")
    assert verdict.replayed.left_out == 0
    with pytest.raises(RecordError, match="which discards are the tile just drawn"):
        convert("a", data, Conversion("mortal"))
    assert convert("a", data, Conversion("mjai", lossy=True)).games[0] == log


@each_row(
    ("results", "outcome"),
    [
        (("-64.0", "11.0", "68.0", "-15.0"), Verification.EQUAL),
        (("-63.7", "11.4", "67.3", "-15.0"), Verification.EQUAL),
        (("-63.7", "11.4", "67.4", "-15.0"), Verification.DIFFERENT),
        (("-63.0", "11.0", "67.0", "-15.0"), Verification.DIFFERENT),
    ],
)
def test_tenhou_rounded_results_until_2022(results: tuple[str, ...], outcome: Verification) -> None:
    """Whole results are those of older records; since January 2022 Tenhou has tenths."""
    owari = ",".join(f"{points},{result}" for points, result in zip((-137, 314, 573, 250), results, strict=True))
    assert verify("a", re.sub('owari="[^"]*"', f'owari="{owari}"', RECORD).encode()).outcome is outcome


def test_the_tile_of_a_robbed_closed_kan() -> None:
    """The winner shows the tile of the kan, in the record of the game and after a detour through mjlog."""
    rules = replace(Ruleset(), kokushi_ankan=True)
    game = Scenario({"A": "1111z147m258p369s", "D": "19m19p19s2345677z"}, rules=rules)("A ankan 1z", "D ron")
    kyoku = RecordedKyoku(tuple(game.events), None, {}, (1, 1), None, complete=True)
    record = RecordedGame(("A", "B", "C", "D"), rules, (kyoku,), None, from_start=True, own_counting=False)
    assert Replay(record).run().mismatches == ()
    assert Replay(read_mjlog(write_mjlog(record))).run().mismatches == ()


ALTERED = {
    "points": ("50,6400,0", "50,6500,0", 1, 9, "HandWon", "worth 6500", "worth 6400"),
    "fu": ("50,6400,0", "60,6400,0", 1, 9, "HandWon", "fu 60, base 1920", "fu 50, base 1600"),
    "han": ("25,2", "25,1", 1, 9, "HandWon", "yaku chun 1 sanshokudoujun 1", "yaku chun 1 sanshokudoujun 2"),
    "yaku": ('yaku="20,1', 'yaku="19,1', 1, 9, "HandWon", "yaku hatsu 1", "yaku chun 1"),
    "yakuman": ('yakuman="48"', 'yakuman="47"', 3, 15, "HandWon", "yaku kokushimusou 13", "yaku kokushimusou13 13"),
    "payment": ("250,64,", "250,65,", 1, 9, "HandWon", "changes (-6400, 6500, 0, 0)", "changes (-6400, 6400, 0, 0)"),
    "score": ('sc="250,', 'sc="251,', 1, 9, "HandWon", "points (25100,", "points (25000,"),
    "honba": ('ba="1,0"', 'ba="2,0"', 3, 15, "HandWon", "honba 2", "honba 1"),
    "sticks": ('ba="0,0" hai', 'ba="0,1" hai', 1, 9, "HandWon", "kyotaku 1", "kyotaku 0"),
    "indicator": ('doraHai="69"', 'doraHai="70"', 1, 9, "HandWon", "indicators (70)", "indicators (69)"),
    "shown hand": ('hai="4,8', 'hai="5,8', 1, 9, "HandWon", "tiles (5, 8,", "tiles (4, 8,"),
    "liable": ('who="1" fromWho="0"', 'who="1" fromWho="0" paoWho="2"', 1, 9, "HandWon", "liable C", "liable nobody"),
    "discard": ("<G24/>", "<G16/>", 3, 12, "TileDiscarded", "D Discard face 5M", "not legal: not_held"),
    "same discard": ("<G24/>", "<G25/>", 3, 12, "TileDiscarded", "tiles (25)", "tiles ()"),
    "starting points": ('ten="250,250,250,250"', 'ten="250,250,250,251"', 1, 1, "KyokuStarted", "25100)", "25000)"),
    "score carried": ('ten="186,314,250,250"', 'ten="186,304,250,250"', 2, 1, "KyokuStarted", "30400", "31400"),
    "kyoku": ('seed="1,0,0,0', 'seed="2,0,0,0', 2, 1, "KyokuStarted", "number 2", "number 1"),
    "honba carried": ('seed="1,1,0', 'seed="1,2,0', 3, 1, "KyokuStarted", "honba 2", "honba 1"),
    "dealer": ('oya="1"', 'oya="2"', 2, 1, "KyokuStarted", "dealer C", "dealer B"),
    "final score": ("573,68.0", "574,68.0", 4, 0, "GameEnded", "57400", "57300"),
    "result": ("573,68.0", "573,67.0", 4, 0, "GameEnded", "670", "680"),
}


@each_row("what", ALTERED)
def test_exactly_the_alteration_is_found(what: str) -> None:
    """One change in a record is one mismatch, with its place, the value in the record and the right value."""
    old, new, kyoku, event, name, expected, found = ALTERED[what]
    altered = RECORD.replace(old, new, 1)
    assert altered != RECORD
    (mismatch,) = replayed(altered).mismatches
    assert (mismatch.kyoku, mismatch.event, mismatch.what) == (kyoku, event, name)
    assert expected in mismatch.expected
    assert found in mismatch.found


def test_a_game_that_ends_too_early_or_too_late() -> None:
    """A record that ends the game too early or too late has a mismatch there."""
    ended = EAST_1.replace('sc="250', 'owari="186,-41.0,314,21.0,250,5.0,250,-15.0" sc="250')
    (early,) = replayed(HEAD + TAIKYOKU + ended + TAIL).mismatches
    assert (early.what, early.found.split()[0]) == ("GameEnded", "KyokuStarted")
    one_more = EAST_2_AGAIN.partition(' owari="')[0] + "/>" + EAST_1.replace("0,0,0,2,4,69", "2,0,0,2,4,69")
    late = replayed(HEAD + TAIKYOKU + EAST_1 + EAST_2 + one_more + TAIL).mismatches[0]
    assert late == Mismatch(4, 1, "KyokuStarted", late.expected, "the end of the game")


@each_row(
    ("text", "kyoku"),
    [
        (HEAD + EAST_1 + TAIL, 1),
        (HEAD + EAST_2_AGAIN + TAIL, 1),
        (HEAD + EAST_1 + EAST_2.partition("<U60/>")[0] + TAIL, 2),
        (HEAD + EAST_1 + EAST_2 + EAST_2_AGAIN.partition("<V20/>")[0] + TAIL, 3),
        (HEAD + EAST_1.partition("<AGARI")[0] + EAST_2 + TAIL, 2),
    ],
)
def test_cut_record_is_compared_as_far_as_it_goes(text: str, kyoku: int) -> None:
    """A record that begins later, stops in the middle, or lacks a result is incomplete; that is not a mismatch."""
    found = replayed(text)
    assert (found.mismatches, found.incomplete, found.kyoku) == ((), True, kyoku)


def test_lobby_with_its_own_counting_gets_notes() -> None:
    """If the lobby counts more than points, scores and results that do not follow from the game are only notes."""
    east_2 = EAST_2.replace("186,314,", "186,304,").replace("314,0", "304,0")
    altered = (HEAD + EAST_1 + east_2 + EAST_2_AGAIN + TAIL).replace('type="1"', 'type="513"')
    found = replayed(altered)
    assert found.mismatches == ()
    assert [note.what for note in found.notes] == ["KyokuStarted", "KyokuStarted", "GameEnded"]
    assert verify("own counting", altered.encode()).outcome is Verification.UNKNOWN_RULES


def test_private_lobbies_have_unknown_rules() -> None:
    """Their uma is not in the record, so other results are no mismatch; other scores are one."""
    private = RECORD.replace('lobby="0"', 'lobby="7994"')
    other_uma = private.replace("573,68.0", "573,77.3")
    assert verify("public", RECORD.replace("573,68.0", "573,77.3").encode()).outcome is Verification.DIFFERENT
    assert verify("private", private.encode()).outcome is Verification.EQUAL
    assert verify("other uma", other_uma.encode()).outcome is Verification.UNKNOWN_RULES
    assert verify("other score", private.replace("573,68.0", "574,68.0").encode()).outcome is Verification.DIFFERENT


def test_damaged_record_is_one_line() -> None:
    """An unreadable record gets a verdict, too."""
    verdict = verify("broken", RECORD.replace("</mjloggm>", "</x>").encode())
    assert (verdict.outcome, verdict.damage.count("\n"), verdict.replayed) == (Verification.DAMAGED, 0, None)


NUMBER = re.compile(r"\d+")


@pytest.mark.no_cover
@settings(max_examples=few(150))
@given(st.data())
def test_any_alteration_gives_a_verdict(data: st.DataObject) -> None:
    """A record with changed, missing or repeated parts never raises an exception."""
    text = RECORD
    for _ in range(data.draw(st.integers(1, 4))):
        spans = [match.span() for match in NUMBER.finditer(text)] or [(0, 0)]
        start, end = data.draw(st.sampled_from(spans))
        number = data.draw(st.one_of(st.integers(-1, 140).map(str), st.integers().map(str), st.just("")))
        text = text[:start] + number + text[end:]
        elements = [match.span() for match in re.finditer("<[^>]*>", text)] or [(0, 0)]
        (start, end), (at, _) = data.draw(st.sampled_from(elements)), data.draw(st.sampled_from(elements))
        change = data.draw(st.sampled_from(("keep", "drop", "repeat", "cut")))
        if change == "drop":
            text = text[:start] + text[end:]
        elif change == "repeat":
            text = text[:at] + text[start:end] + text[at:]
        elif change == "cut":
            text = text[:start]
    verify("altered", text.encode("utf-8"))


def records(data: Path, folder: str) -> list[Path]:
    """Return the first records of a folder."""
    return sorted((data / "tenhou" / folder).iterdir())[:GAMES]


@pytest.mark.no_cover
@each_row("folder", ["games", "sanma", "rare/mjx-cpp", "rare/mjx-py", "rare/dnovikoff"])
def test_real_records_have_no_mismatch(data: Path, folder: str) -> None:
    """Every draw, action, dora, win, payment, dealer and final score agrees; UMP_TEST_GAMES=420 replays all records."""
    for path in records(data, folder):
        verdict = verify(path.name, path.read_bytes())
        assert verdict.outcome in (Verification.EQUAL, Verification.UNKNOWN_RULES), (
            path.name,
            verdict.damage,
            verdict.replayed,
        )
        assert verdict.replayed is not None and verdict.replayed.left_out == 0


@each_row(
    ("pattern", "what"),
    [
        (r"<[TUVW](\d+)/>", "TileDrawn"),
        (r'<DORA hai="(\d+)"', "DoraRevealed"),
        (r'hai2="(\d+),', "HandDealt"),
        (r'<INIT seed="\d+,\d+,\d+,\d+,\d+,(\d+)"', "DoraRevealed"),
    ],
)
def test_altered_tile_of_a_real_record_is_found(data: Path, pattern: str, what: str) -> None:
    """A tile that does not follow from the seed is found, even if it has the same face as the right one."""
    for path in records(data, "games")[:8]:
        text = gzip.decompress(path.read_bytes()).decode()
        matches = list(re.finditer(pattern, text))
        if not matches:
            continue
        match = matches[len(matches) // 2]
        altered = text[: match.start(1)] + str(int(match[1]) ^ 3) + text[match.end(1) :]
        verdict = verify(path.name, altered.encode())
        if what == "HandDealt" and verdict.outcome is Verification.DAMAGED:
            continue  # the hand had the other tile already
        assert verdict.replayed is not None
        assert [mismatch.what for mismatch in verdict.replayed.mismatches] == [what], path.name


def test_real_records_cut_at_the_start_or_without_a_seed(data: Path) -> None:
    """The wall of the first kyoku in the record is found among those of the seed; without a seed it is rebuilt."""
    for path in records(data, "games")[:6]:
        text = gzip.decompress(path.read_bytes()).decode()
        first, *rounds = text.split("<INIT")
        later = replayed("<INIT".join((first, *rounds[2:])))
        assert (later.mismatches, later.from_seed, later.incomplete) == ((), len(rounds) - 2, True)
        unseeded = replayed(re.sub(r"<SHUFFLE[^>]*>", "", text))
        assert (unseeded.mismatches, unseeded.from_seed, unseeded.incomplete) == ((), 0, False)


@settings(max_examples=few(60))
@given(draw=st.data())
def test_damaged_bytes_of_a_real_record_give_a_verdict(data: Path, draw: st.DataObject) -> None:
    """A packed or plain record with changed or missing bytes never raises an exception."""
    packed = records(data, "rare/mjx-cpp")[0].read_bytes()
    record = bytearray(draw.draw(st.sampled_from((packed, gzip.decompress(packed)))))
    for place, byte in draw.draw(st.lists(st.tuples(st.integers(0, len(record) - 1), st.integers(0, 255)), max_size=5)):
        record[place] = byte
    verify("damaged", bytes(record[: draw.draw(st.integers(0, len(record)))]))


# Descriptions of events and actions


@each_row(
    ("thing", "text"),
    [
        (Discard(0), "Discard face 1m"),  # the first tile
        (Discard(EAST, tsumogiri=True), "Discard face 1z tsumogiri"),  # a switch that is on
        (Pass(), "Pass"),  # no field
        (TileDrawn(0, 0, 4), "TileDrawn seat A left 0 face 5m"),  # seat A, no tile left
        (HandDealt(1, None), "HandDealt seat B"),  # hidden tiles
        # zeros
        (
            KyokuStarted(0, 0, 0, 1, (0, 25_000), (1, 2)),
            "KyokuStarted bakaze 0 dealer A honba 0 kyotaku 1 points (0, 25000) dice (1, 2)",
        ),
    ],
)
def test_all_fields_are_named(thing: object, text: str) -> None:
    """Only fields that are None or False are left out; a zero is not."""
    assert describe(thing) == text
