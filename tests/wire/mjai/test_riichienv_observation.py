"""riichienv's observation: field by field, and compared with the reader of that package."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest
from support.budgets import few
from support.hosted_table import HostedTable, SessionSeat
from support.mjai_bots import RequestBot
from support.mjai_session_driver import MjaiSessionDriver
from support.policies import helpful_deals
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.game.resolution import resolve
from ump.model.actions import Action, Discard, Kakan, Riichi
from ump.model.events import DoraRevealed, GameEnded
from ump.model.melds import Meld
from ump.model.notation import MJAI_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Tile, sort_faces
from ump.players.observation import Observation
from ump.rules.analysis import waits
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.wire.mjai.actions import chosen_riichi, read_reply
from ump.wire.mjai.events import Message
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.riichienv_observation import face_of, is_older_form, no_waits
from ump.wire.mjai.session_base import PendingQuestion
from ump.wire.session import OutgoingEvent, TableInfo
from ump.wire.text import WireError

Said = dict[str, Any]

FIELDS = tuple(
    """
    player_id hands melds discards dora_indicators scores riichi_declared _legal_actions events honba riichi_sticks
    round_wind oya kyoku_index waits is_tenpai tsumogiri_flags riichi_sutehais last_tedashis last_discard drawn_tile
    forced_tedashi
    """.split()  # noqa: SIM905
)
"""The fields of riichienv 0.4.11, in its order."""

QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
PONS = {"A": "50m1169p19s12345z", "B": "46p147s12347z258m", "C": "15p369m258s12356z", "D": "147m279p369s1467z"}
KAN = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p", "D": "19m19p19s2345677z"}
ONE_OFF = {"A": "234m678m345s68p8p1z"}
TENPAI = {"B": "234m678m345s68p22s"}


def driver(letter: str = "A", draws: str = "8m", hands: Mapping[str, str] = QUIET, **changes: Any) -> MjaiSessionDriver:
    """Seat a client, and deal."""
    session = RequestSession("ann", "east", waits=waits)
    game = MjaiSessionDriver(session, Scenario(hands, draws, **changes), letter).begin()
    game.wait(0.0)
    return game.deal()


def read(request: Said) -> Said:
    """Read the observation of a request."""
    content: Said = json.loads(b64decode(request["observation"], validate=True))
    return content


def observed(game: MjaiSessionDriver) -> Said:
    """Return the observation in the next request."""
    (request,) = [said for said in game.hear() if said["type"] == "request_action"]
    return read(request)


def offers(content: Said, but: str = "Discard") -> list[tuple[str, Tile | None, list[Tile]]]:
    """Return the offered actions without discards."""
    actions = [(each["action_type"], each["tile"], each["consume_tiles"]) for each in content["_legal_actions"]]
    return [action for action in actions if action[0] != but]


def test_a_first_turn_has_every_field() -> None:
    """All fields have riichienv's names and order; hidden facts are empty."""
    content = observed(driver(honba=2, kyotaku=1, bakaze=1, dora="5z"))
    hand = [0, 32, 36, 53, 68, 72, 104, 108, 112, 116, 120, 124, 128]
    legal = [{"action_type": "Discard", "tile": tile, "consume_tiles": [], "actor": 0} for tile in (*hand, 28)]
    legal.append({"action_type": "KyushuKyuhai", "tile": None, "consume_tiles": [], "actor": 0})
    events = [json.loads(event) for event in content.pop("events")]
    assert [event["type"] for event in events] == ["start_game", "start_kyoku", "tsumo"]
    assert events[1]["tehais"][1:] == [["?"] * 13] * 3
    assert list(content) == [field for field in FIELDS if field != "events"]
    assert content == {
        "player_id": 0,
        "hands": [[*hand, 28], [], [], []],
        "melds": [[], [], [], []],
        "discards": [[], [], [], []],
        "dora_indicators": [125],
        "scores": [25_000] * 4,
        "riichi_declared": [False] * 4,
        "_legal_actions": legal,
        "honba": 2,
        "riichi_sticks": 1,
        "round_wind": 1,
        "oya": 0,
        "kyoku_index": 0,
        "waits": [],
        "is_tenpai": False,
        "tsumogiri_flags": [[], [], [], []],
        "riichi_sutehais": [None] * 4,
        "last_tedashis": [None] * 4,
        "last_discard": None,
        "drawn_tile": 28,
        "forced_tedashi": False,
    }


def test_a_tile_keeps_its_number() -> None:
    """A tile keeps its number from the hand into a meld, and from a river into another player's meld."""
    game = driver(draws="9p5m", hands=PONS)
    game.say({"type": "dahai", "pai": "9p", "tsumogiri": True})
    game.hear()
    game("B sute 5m")
    content = observed(game)
    assert content["hands"][0] == [16, 17, 36, 37, 56, 68, 72, 104, 108, 112, 116, 120, 124]
    assert content["discards"] == [[69], [18], [], []]
    assert (content["last_discard"], content["last_tedashis"]) == (18, [None, 18, None, None])
    assert offers(content) == [("Pon", 18, [16, 17]), ("Pass", None, [])]
    game.say({"type": "pon", "consumed": ["5m", "5mr"]})
    content = observed(game)
    assert content["melds"][0] == [
        {"meld_type": "Pon", "tiles": [16, 17, 18], "opened": True, "from_who": 1, "called_tile": 18}
    ]
    assert content["hands"][0] == [36, 37, 56, 68, 72, 104, 108, 112, 116, 120, 124]
    assert (content["discards"][1], content["drawn_tile"]) == ([18], None)
    assert [json.loads(event)["type"] for event in content["events"]] == ["pon"]
    game.say({"type": "dahai", "pai": "1p"})
    game.hear()
    game.others(3)
    assert observed(game)["last_tedashis"][0] == 36


def test_an_added_kan_takes_the_tile_into_the_pon() -> None:
    """The tiles of the meld stay sorted, even if the red five is added last."""
    game = driver(draws="9p7s9s9m8p0m", hands={**PONS, "A": "55m1169p19s12345z"}, rinshan="8s")
    game.say({"type": "dahai", "pai": "9p", "tsumogiri": True})
    game("B sute 5m")
    game.say({"type": "pon", "consumed": ["5m", "5m"]})
    game.say({"type": "dahai", "pai": "1p"})
    game.hear()
    game.others(3)
    content = observed(game)
    assert offers(content) == [("Kakan", 16, [17, 18, 19])]
    game.say({"type": "kakan", "pai": "5mr"})
    content = observed(game)
    assert content["melds"][0] == [
        {"meld_type": "Kakan", "tiles": [16, 17, 18, 19], "opened": True, "from_who": 1, "called_tile": 19}
    ]
    assert content["drawn_tile"] == content["hands"][0][-1] == 100


def test_of_equal_tiles_the_drawn_one_has_a_number_of_its_own() -> None:
    """Each equal tile is offered; the river shows which one was discarded."""
    for drawn_goes, (held, gone) in {True: ([36], 37), False: ([37], 36)}.items():
        game = driver(draws="1p", hands={"A": "19m1p59p19s123456z"})
        content = observed(game)
        assert [tile for _, tile, _ in offers(content, but="KyushuKyuhai") if tile in (36, 37)] == [36, 37]
        assert content["drawn_tile"] == content["hands"][0][-1] == 37
        game.say({"type": "dahai", "pai": "1p", "tsumogiri": drawn_goes})
        game.hear()
        game.others(3)
        content = observed(game)
        assert content["discards"][0] == [gone]
        assert [tile for tile in content["hands"][0] if tile // 4 == 9] == held
        assert content["last_tedashis"][0] == (None if drawn_goes else gone)


def test_riichi_stands_from_its_discard_on() -> None:
    """The request for the tile offers its legal discards; the stick leaves the score with the payment."""
    game = driver(draws="4p", hands=ONE_OFF)
    assert ("Riichi", None, []) in offers(observed(game))
    game.say({"type": "reach"})
    content = observed(game)
    assert content["_legal_actions"] == [{"action_type": "Discard", "tile": 108, "consume_tiles": [], "actor": 0}]
    assert content["events"] == ['{"type":"reach","actor":0}']
    assert (content["riichi_declared"][0], content["riichi_sutehais"][0]) == (False, None)
    game.say({"type": "dahai", "pai": "E"})
    game.hear()
    game.others(3)
    content = observed(game)
    assert (content["riichi_declared"], content["riichi_sutehais"]) == ([True, False, False, False], [108] + [None] * 3)
    assert (content["scores"][0], content["riichi_sticks"]) == (24_000, 1)
    assert content["_legal_actions"][0]["tile"] == content["drawn_tile"]
    assert [each["action_type"] for each in content["_legal_actions"]].count("Discard") == 1


def test_waits_are_written_between_turns() -> None:
    """Waits are kinds, if the session can compute them."""
    for told in (True, False):
        session = RequestSession("ann", "east", waits=waits if told else no_waits)
        game = MjaiSessionDriver(session, Scenario(TENPAI, "7p"), "B").begin()
        game.wait(0.0)
        game.deal()("A sute 7p")
        content = observed(game)
        assert (content["waits"], content["is_tenpai"]) == (([15], True) if told else ([], False))
        assert offers(content)[0] == ("Ron", 60, [])


def test_a_kan_that_may_be_robbed_is_the_tile_in_question() -> None:
    """The tile is already in the meld. A dora that comes with the kan is among the events."""
    game = driver("D", "7z9s9m9p1z", KAN, rinshan="9p")("A sute 1z")
    game.hear()
    game.say({"type": "none", "request_id": 1})
    game("B pon", "B sute 6p")
    game.scenario.pass_all().turns(3)
    game.hear()
    game._pass_on([*game.scenario("B kakan 1z").last, DoraRevealed(0)])
    content = observed(game)
    (kan,) = content["melds"][1]
    assert kan == {
        "meld_type": "Kakan",
        "tiles": [108, 109, 110, 111],
        "opened": True,
        "from_who": 0,
        "called_tile": 108,
    }
    assert content["last_discard"] == 111
    assert offers(content) == [("Ron", 111, []), ("Pass", None, [])]
    assert [json.loads(event)["type"] for event in content["events"]][-2:] == ["kakan", "dora"]
    assert list(map(face_of, content["dora_indicators"][1:])) == [0]


def test_releases_before_0_4_10_have_an_older_form() -> None:
    """The last discard, or the kan that may be robbed, is the seat that made it; one field is missing."""
    session = RequestSession("ann", "east", is_older=is_older_form("0.4.8"))
    game = MjaiSessionDriver(session, Scenario(KAN, "7z9s9m9p1z", rinshan="9p"), "D").begin()
    game.wait(0.0)
    game.deal()("A sute 1z")
    content = observed(game)
    assert list(content) == list(FIELDS[:-1])
    assert content["last_discard"] == 0
    game.say({"type": "none", "request_id": 1})
    game("B pon", "B sute 6p")
    game.scenario.pass_all().turns(3)
    game.hear()
    game._pass_on(game.scenario("B kakan 1z").last)
    assert observed(game)["last_discard"] == 1


@each_row(
    ("release", "is_older"), [("0.4.8", True), ("0.4.9", True), ("0.4.10", False), ("0.4.11", False), ("1.0.0", False)]
)
def test_the_release_chooses_the_form(release: str, is_older: bool) -> None:
    """Releases are compared as numbers."""
    assert is_older_form(release) is is_older


@each_row("text", ["", "0.4", "0.4.8b1", "v0.4.8", "0.4.99999", "0.4.8 ", "0.4.\u0668"])
def test_other_texts_are_no_release(text: str) -> None:
    """They are refused, and not taken for today's form."""
    with pytest.raises(WireError, match="expected a release"):
        is_older_form(text)


# Whole games


class Watched(RequestSession):
    """Compares each observation with an ``Observation`` of the same events."""

    __slots__ = ("asked", "is_read_by", "kept", "phases", "rivers", "seen")

    def __init__(self, is_read_by: Any = None) -> None:
        super().__init__("ann", None, is_validation=True, waits=waits)
        self.is_read_by = is_read_by
        """The class of riichienv; None if it is not installed."""
        self.seen: Observation
        self.asked = 0
        self.phases: set[tuple[Phase, str]] = set()
        self.kept: set[Tile] = set()
        """All numbers that were in the own hand in this kyoku."""
        self.rivers: list[list[Tile]] = []
        """The rivers of the previous observation."""

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat, and observe the game."""
        super().sit(seat, table)
        self.seen = Observation(seat, table.ruleset)

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Observe an event."""
        self.seen.see(event.seen_by(self._seat))
        super().tell(event, now)
        if not any(self.seen.rivers):
            self.kept, self.rivers = set(), []

    def _request_action(
        self, opened: PendingQuestion, offers: list[Message], actions: Iterable[Action], place: int
    ) -> Message:
        actions = tuple(actions)
        request = super()._request_action(opened, offers, actions, place)
        content = read(request)
        self.asked += 1
        self._hold_table(content, opened)
        self._hold_tiles(content)
        self._hold_numbers(content)
        self._hold_actions(content, offers, actions, opened)
        if self.is_read_by is not None:
            self._hold_reading(request, content, offers, opened)
        return request

    def _hold_table(self, content: Said, opened: PendingQuestion) -> None:
        seen, question = self.seen, opened.asked.question
        assert content["player_id"] == self._seat
        assert (content["scores"], content["riichi_sticks"]) == (seen.points, seen.kyotaku)
        assert (content["honba"], content["round_wind"]) == (seen.honba, seen.bakaze)
        assert content["oya"] == content["kyoku_index"] == seen.dealer
        assert content["riichi_declared"] == seen.in_riichi
        last = [tile for tile in (content["last_discard"],) if tile is not None]
        if question.phase is not Phase.TURN:
            assert [face_of(tile) for tile in last] == [question.tile]
            assert frozenset(content["waits"]) == waits(question.hand.kinds)
        assert content["is_tenpai"] == bool(content["waits"])

    def _hold_tiles(self, content: Said) -> None:
        seen = self.seen
        hands = [sort_faces(map(face_of, hand)) for hand in content["hands"]]
        assert hands == [seen.hand.concealed if seat == self._seat else () for seat in range(len(hands))]
        drawn = [] if seen.drawn is None else [seen.drawn]
        assert [face_of(tile) for tile in (content["drawn_tile"],) if tile is not None] == drawn
        held = content["hands"][self._seat]
        rest = held[:-1] if drawn else held
        assert rest == sorted(rest)
        assert not drawn or held[-1] == content["drawn_tile"]
        rivers = [[discard.face for discard in river] for river in seen.rivers]
        assert [list(map(face_of, river)) for river in content["discards"]] == rivers
        assert list(map(face_of, content["dora_indicators"])) == seen.indicators
        assert [list(map(_laid, melds)) for melds in content["melds"]] == [
            list(map(_meld, melds)) for melds in seen.melds
        ]
        for seat, river in enumerate(seen.rivers):
            tedashis = [
                tile for tile, discard in zip(content["discards"][seat], river, strict=True) if not discard.tsumogiri
            ]
            declared = [tile for tile, discard in zip(content["discards"][seat], river, strict=True) if discard.riichi]
            assert content["last_tedashis"][seat] == (tedashis[-1] if tedashis else None)
            assert content["riichi_sutehais"][seat] == (declared[0] if declared else None)

    def _hold_numbers(self, content: Said) -> None:
        """A number is one tile: it occurs once, except a called one, and moves nowhere else."""
        if self.seen.ruleset.red_fives != (1, 1, 1):
            return
        held, mine = content["hands"][self._seat], content["melds"][self._seat]
        laid = [tile for melds in content["melds"] for meld in melds for tile in meld["tiles"]]
        called = {meld["called_tile"] for melds in content["melds"] for meld in melds} - {None}
        left = [tile for river in content["discards"] for tile in river]
        assert called <= set(left)
        numbers = [*held, *laid, *content["dora_indicators"], *(tile for tile in left if tile not in called)]
        assert len(numbers) == len(set(numbers))
        self.kept |= set(held)
        assert self.kept <= {
            *held,
            *content["discards"][self._seat],
            *(tile for meld in mine for tile in meld["tiles"]),
        }
        for before, river in zip(self.rivers, content["discards"], strict=False):
            assert river[: len(before)] == before
        self.rivers = content["discards"]

    def _hold_actions(
        self, content: Said, offers: list[Message], actions: tuple[Action, ...], opened: PendingQuestion
    ) -> None:
        """All actions are offered, and each discard is a tile in the order of the hand."""
        legal = content["_legal_actions"]
        self.phases |= {(opened.asked.question.phase, each["action_type"]) for each in legal}
        assert {each["actor"] for each in legal} == {self._seat}
        assert {each["action_type"] for each in legal} == {type(action).__name__ for action in actions}
        discards = [each["tile"] for each in legal if each["action_type"] == "Discard"]
        held: list[Tile] = content["hands"][self._seat]
        assert [tile for tile in dict.fromkeys(held) if tile in discards] == discards
        assert {face_of(tile) for tile in discards} == {each.face for each in actions if isinstance(each, Discard)}

    def _hold_reading(self, request: Message, content: Said, offers: list[Message], opened: PendingQuestion) -> None:
        """Riichienv reads the observation and computes its features, and its answers mean the same action."""
        view = self.is_read_by.deserialize_from_base64(request["observation"])
        assert list(view.hand) == content["hands"][self._seat]
        assert list(view.discards) == content["discards"]
        assert [[list(meld.tiles) for meld in melds] for melds in view.melds] == [
            [meld["tiles"] for meld in melds] for melds in content["melds"]
        ]
        assert view.events == [json.loads(event) for event in content["events"]]
        again = json.loads(b64decode(view.serialize_to_base64()))
        assert again == content
        assert view.encode() and view.encode_seq_candidates() and sum(view.mask())
        written = [json.loads(action.to_mjai()) for action in view.legal_actions()]
        assert [action for action in map(_without_actor, written) if action not in offers] == []
        for offer in offers:
            assert _without_actor(json.loads(view.select_action_from_mjai(offer).to_mjai())) == offer
        for reply in written:
            _hold_answer(reply, opened)


def _hold_answer(reply: Said, opened: PendingQuestion) -> None:
    """Ump reads riichienv's message for an action as that action."""
    asked = opened.asked
    claim = read_reply(reply, asked)
    if opened.riichi:
        chosen = chosen_riichi(opened.riichi, claim, asked)
        assert chosen is not None and MJAI_FACES[chosen.face] == reply["pai"]
    elif reply["type"] == "reach":
        assert any(isinstance(action, Riichi) for action in asked.question.legal())
    else:
        assert isinstance(asked.question, Question)
        action = resolve(asked.question, claim)
        assert action in asked.question.legal()
        if isinstance(action, Discard | Kakan):
            assert MJAI_FACES[action.face] == reply["pai"]


def _without_actor(action: Message) -> Message:
    return {field: said for field, said in action.items() if field != "actor"}


def _laid(laid: Said) -> tuple[object, ...]:
    """Return a key of a written meld."""
    called = laid["called_tile"]
    tiles = sort_faces(map(face_of, laid["tiles"]))
    return laid["meld_type"], tiles, laid["opened"], laid["from_who"], None if called is None else face_of(called)


def _meld(meld: Meld) -> tuple[object, ...]:
    """Return the same key of a meld."""
    source = -1 if meld.source is None else meld.source
    return meld.type.value.capitalize(), meld.faces, meld.is_open, source, meld.called


RULES = ("tenhou", "mleague", "wrc", "classic", "majsoul", "ump")


def watched_game(seed: int, is_read_by: Any = None) -> list[Watched]:
    """Play a game of four observed clients; every other game has walls that favour kans and yakuman."""
    chance = Random(seed)
    deals = helpful_deals(f"observed/{seed}") if seed % 2 else seeded_deals(f"observed/{seed}")
    sessions = [Watched(is_read_by) for _ in range(4)]
    seats = [SessionSeat(session, RequestBot(chance)) for session in sessions]
    game = Game(PRESETS[RULES[seed % len(RULES)]], ("ann", "bob", "cy", "dee"), deals)
    played = HostedTable(game, seats).begin().play()
    assert isinstance(played.events[-1], GameEnded)
    assert not played.refused
    return sessions


@each_row("seed", range(few(len(RULES))))
@pytest.mark.no_cover
def test_the_observation_matches_the_events(seed: int) -> None:
    """The observation is right at every question of whole games, with and without red fives."""
    assert all(session.asked > 50 for session in watched_game(seed))


def test_riichienv_reads_every_observation() -> None:
    """Riichienv reads every observation, sees the same table, and ump reads its message for each action."""
    riichienv = pytest.importorskip("riichienv", reason="not installed: pip install -e '.[oracle]'")
    sessions = [session for seed in range(100, 106) for session in watched_game(seed, riichienv.Observation)]
    met = set().union(*(session.phases for session in sessions))
    own = {name for phase, name in met if phase is Phase.TURN}
    assert own - {"KyushuKyuhai"} == {"Discard", "Riichi", "Tsumo", "Ankan", "Kakan"}
    assert {name for phase, name in met if phase is Phase.CALL} == {"Chi", "Pon", "Daiminkan", "Ron", "Pass"}


def test_riichienv_writes_the_same_fields() -> None:
    """The engine of 0.4.11 writes no field that ours lacks."""
    riichienv = pytest.importorskip("riichienv", reason="not installed: pip install -e '.[oracle]'")
    theirs = riichienv.RiichiEnv(game_mode="4p-red-half", seed=1).reset()[0]
    content = json.loads(b64decode(theirs.serialize_to_base64()))
    (request,) = [said for said in driver().hear() if said["type"] == "request_action"]
    ours = read(request)
    assert {key: type(item) for key, item in content.items() if key != "last_discard"} == {
        key: type(item) for key, item in ours.items() if key != "last_discard"
    }
    assert content["_legal_actions"][0].keys() == ours["_legal_actions"][0].keys()
    actions = riichienv.Observation.deserialize_from_base64(request["observation"]).legal_actions()
    assert json.loads(actions[-1].to_mjai()) == {"type": "ryukyoku", "actor": 0}


# The answers of such bots


@each_row(
    ("draws", "hand", "reply", "played"),
    [
        ("8m", QUIET["A"], {"type": "dahai", "pai": "8m"}, Discard(7, tsumogiri=True)),
        ("1p", QUIET["A"], {"type": "dahai", "pai": "1p"}, Discard(9)),
        ("8m", "19m109p19s123456z", {"type": "dahai", "pai": "5p"}, Discard(35)),
        ("0p", QUIET["A"], {"type": "dahai", "pai": "5p"}, Discard(13)),
        ("0p", QUIET["A"], {"type": "dahai", "pai": "5pr"}, Discard(35, tsumogiri=True)),
        ("0p", "19m119p19s123456z", {"type": "dahai", "pai": "5p"}, Discard(35, tsumogiri=True)),
    ],
)
def test_a_reply_without_id_means_the_drawn_tile_first(draws: str, hand: str, reply: Said, played: Action) -> None:
    """Without id and tsumogiri, the drawn tile goes if its face is held once, a red five only if no other is held."""
    game = driver(draws=draws, hands={**QUIET, "A": hand})
    game.hear()
    game.say({"actor": 0, **reply})
    assert game.played == [played]
    assert game.hear()[0] == {"type": "action_ack", "request_id": 1, "status": "accepted"}


def test_a_bare_hora_is_a_win() -> None:
    """It wins on the discard, or with the drawn tile."""
    game = driver("B", "7p", TENPAI)
    game("A sute 7p")
    game.hear()
    game.say({"actor": 1, "type": "hora"})
    assert [said["type"] for said in game.hear()] == ["action_ack", "hora"]
    game = driver("A", "7p", {"A": TENPAI["B"]})
    game.hear()
    game.say({"actor": 0, "type": "hora"})
    assert [said["type"] for said in game.hear()] == ["action_ack", "hora"]
