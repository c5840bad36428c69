"""The hints of ``_waits=1``: against a count of all tiles and all completions, and against the rules of the game."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from mahjong.agari import Agari
from support.budgets import some
from support.positions import face
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model import events as ev
from ump.model.actions import Action, Discard, Pass, Riichi, Ron
from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, NORTH, Face, Kind
from ump.players.efficiency import Efficiency
from ump.players.hints import Furiten, HintScope, Waits
from ump.players.observation import Observation
from ump.rules.analysis import shanten
from ump.rules.presets import PRESETS
from ump.rules.questions import DeclareQuestion, Question
from ump.rules.ruleset import Length, OwnCopies
from ump.table.receivers import Rendering
from ump.table.view import view
from ump.wire.session import InStep, Stale, Staleness, TableInfo
from ump.wire.text import MAX_WRITTEN, WireError
from ump.wire.ump.extras import Hints
from ump.wire.ump.reader import UmpReader
from ump.wire.ump.sentences01 import Advice, Hello, NakuQuestion, ShantenNow, SutehaiQuestion, WaitsNow, read_sentence
from ump.wire.ump.session import UmpSession

ODDS_OF_WHIM = 0.03
"""The chance that a player does anything that is legal."""

ODDS_OF_PASS = 0.9
"""The chance that a player who could win by ron passes: so hands are furiten."""


class Memory:
    """All that a seat has seen of a kyoku, kept as plainly as possible."""

    def __init__(self, seat: Seat, seats: int) -> None:
        self.seat = seat
        self.in_game = set(range(KINDS)) - (set(range(1, 8)) if seats == 3 else set())
        self.hand: list[Face] = []
        self.melded: list[Kind] = []
        self.river: list[Kind] = []
        self.seen: Counter[Kind] = Counter()
        self.safe: dict[Seat, set[Kind]] = {}
        """For each seat its own river, and what others have discarded since it declared riichi."""
        self.in_riichi: set[Seat] = set()

    def see(self, event: ev.Event) -> None:
        """Take an event as the seat sees it."""
        if isinstance(event, ev.TileDiscarded):
            for each in {*self.in_riichi, event.seat}:
                self.safe.setdefault(each, set()).add(KIND_OF[event.face])
        elif isinstance(event, ev.RiichiDeclared):
            self.in_riichi.add(event.seat)
        match event:
            case ev.KyokuStarted():
                self.hand, self.melded, self.river, self.seen = [], [], [], Counter()
                self.safe, self.in_riichi = {}, set()
            case ev.HandDealt(seat, faces) if seat == self.seat and faces is not None:
                self.hand += faces
            case ev.TileDrawn(seat) if seat == self.seat and event.face is not None:
                self.hand.append(event.face)
            case ev.TileDiscarded(seat) if seat == self.seat:
                self.hand.remove(event.face)
                self.river.append(KIND_OF[event.face])
                self.seen[KIND_OF[event.face]] += 1
            case ev.TileDiscarded():
                self.seen[KIND_OF[event.face]] += 1
            case ev.TileCalled(seat, meld):
                self._lay(seat, meld.own)
                if seat == self.seat:
                    self.melded += [KIND_OF[face] for face in meld.faces]
            case ev.KanDeclared(seat, meld):
                self._lay(seat, meld.own if meld.added is None else (meld.added,))
                if seat == self.seat:
                    self.melded += [KIND_OF[face] for face in (meld.own if meld.added is None else (meld.added,))]
            case ev.KitaDeclared(seat):
                self._lay(seat, (NORTH,))
            case ev.DoraRevealed(indicator):
                self.seen[KIND_OF[indicator]] += 1

    def _lay(self, seat: Seat, faces: tuple[Face, ...]) -> None:
        self.seen.update(KIND_OF[face] for face in faces)
        if seat == self.seat:
            for face in faces:
                self.hand.remove(face)

    def waits(self, without: Face | None, own_copies: OwnCopies) -> dict[Kind, int]:
        """Return every kind that completes the hand, after a discard if one is named, with its unseen tiles."""
        counts = [0] * KINDS
        for each in self.hand:
            counts[KIND_OF[each]] += 1
        unseen = {kind: COPIES - self.seen[kind] - counts[kind] for kind in self.in_game}
        if without is not None:
            counts[KIND_OF[without]] -= 1
        found = {}
        for kind in sorted(self.in_game):
            own = counts[kind] + (self.melded.count(kind) if own_copies is OwnCopies.WITH_MELDS else 0)
            counts[kind] += 1
            if own < COPIES and Agari.is_agari(counts):
                found[kind] = unseen[kind]
            counts[kind] -= 1
        return found

    def shanten(self, without: Face | None) -> int:
        """Return the shanten of the hand, after a discard if one is named."""
        counts = [0] * KINDS
        for each in self.hand:
            counts[KIND_OF[each]] += 1
        if without is not None:
            counts[KIND_OF[without]] -= 1
        return shanten(counts)


class Listener:
    """A client that wants hints, and what it has heard."""

    def __init__(self, seat: Seat, game: Game, hello: str = "_waits=1", *, hints: HintScope = HintScope.FACTS) -> None:
        self.seat = seat
        self.ruleset = game.ruleset
        self.memory = Memory(seat, game.ruleset.seats)
        self.seen = Observation(seat, game.ruleset)
        self.session = UmpSession(Hello((("ump", "0.1"),)))
        self.session.receive(f"0 hello {hello}".encode(), 0.0)
        self.session.sit(seat, TableInfo("main-1", game.ruleset, hints=hints))
        self.session.take()
        self.told: WaitsNow | ShantenNow | None = None
        """The last hint between two questions."""

    def tell(self, event: ev.Event) -> WaitsNow | ShantenNow | None:
        """Pass an event on; return the hint that follows it."""
        seen = view(event, self.seat)
        self.memory.see(seen)
        self.seen.see(seen)
        self.session.tell(Rendering(event), 0.0)
        hints = [each for each in map(read, self.session.take()) if isinstance(each, WaitsNow | ShantenNow)]
        assert len(hints) <= 1
        self.told = hints[0] if hints else self.told
        return hints[0] if hints else None

    def ask(self, question: Question) -> Hints | None:
        """Ask a question; return its hints."""
        self.session.ask(1, question, 10.0, 20.0, 0.0)
        (line,) = self.session.take()
        assert len(line) < MAX_WRITTEN
        sentence = read(line)
        return sentence.extras.hints if isinstance(sentence, SutehaiQuestion | NakuQuestion) else None


def read(line: str) -> object:
    """Return the sentence of a line."""
    return read_sentence(line)[1]


def whimsical(chance: Random, seen: Observation, question: Question) -> Action:
    """Return a sensible answer, sometimes any."""
    legal = question.legal()
    if Ron() in legal and chance.random() < ODDS_OF_PASS:
        return Pass()
    if chance.random() < ODDS_OF_WHIM:
        return chance.choice(legal)
    return Efficiency().choose(seen, question.phase, question.tile, legal)


@pytest.mark.no_cover
@each_row("preset", some(["tenhou", "tenhou3", "classic"]))
def test_hints_in_games(preset: str) -> None:
    """Waits, numbers and shanten are those of a plain count, and furiten is that of the game."""
    chance = Random(preset)
    game = Game(
        replace(PRESETS[preset], length=Length.HANCHAN),
        "ABCD"[: PRESETS[preset].seats],
        seeded_deals(f"hints/{preset}", PRESETS[preset].seats),
        ask_all=True,
    )
    listeners = [Listener(seat, game) for seat in range(game.ruleset.seats)]
    kinds_of_hint: Counter[str] = Counter()
    events = game.begin()
    while not game.over:
        for event in events:
            for each in listeners:
                kinds_of_hint[check_told(each, event, each.tell(event))] += 1
        if game.between_kyoku:
            events = game.proceed()
            continue
        for seat, question in game.questions.items():
            kinds_of_hint[check_asked(listeners[seat], question, listeners[seat].ask(question))] += 1
        seat, question = next(iter(game.questions.items()))
        events = game.answer(seat, whimsical(chance, listeners[seat].seen, question))
    told = ("anew", "changed", "nothing", "not tenpai", "discards", "turn", "noten", "free", "safe")
    assert min(kinds_of_hint[each] for each in told) > 5, kinds_of_hint
    assert kinds_of_hint["furiten"], kinds_of_hint


def check_told(listener: Listener, event: ev.Event, hint: WaitsNow | ShantenNow | None) -> str:
    """Check the hint after an event; return a word for its kind."""
    is_own_discard = isinstance(event, ev.TileDiscarded) and event.seat == listener.seat
    if hint is None:
        assert not is_own_discard
        return "nothing"
    waits = listener.memory.waits(None, listener.ruleset.own_copies)
    if isinstance(hint, ShantenNow):
        assert is_own_discard
        assert not waits
        assert hint.shanten == listener.memory.shanten(None)
        return "not tenpai"
    assert dict(hint.waits.live) == waits
    return "anew" if is_own_discard else "changed"


def check_asked(listener: Listener, question: Question, hints: Hints | None) -> str:
    """Check the hints of a question; return a word for their kind."""
    memory, own_copies = listener.memory, listener.ruleset.own_copies
    if question.phase is Phase.DECLARE:
        assert hints is None
        return "none"
    assert hints is not None
    if question.phase is Phase.TURN:
        legal = {action.face for action in question.legal() if isinstance(action, Discard)}
        after = {each: waits for each in legal if (waits := memory.waits(each, own_copies))}
        assert {each: dict(left.live) for each, left in hints.discards} == after
        for each, left in hints.discards:
            in_river = any(kind in (*memory.river, KIND_OF[each]) for kind, _ in left.live)
            assert not in_river or left.furiten is Furiten.PERMANENT
            assert in_river or left.furiten is None or listener.seen.in_riichi[listener.seat]
        assert hints.shanten == (None if after else min(memory.shanten(each) for each in legal))
        threats = memory.in_riichi - {listener.seat}
        safe = {each for each in legal if all(KIND_OF[each] in memory.safe[seat] for seat in threats)}
        assert set(hints.safe) == (safe if threats else set())
        if hints.safe:
            return "safe"
        return "discards" if after else "turn"
    if hints.waits is None:
        assert not memory.waits(None, own_copies)
        assert hints.shanten == memory.shanten(None)
        return "noten"
    assert dict(hints.waits.live) == memory.waits(None, own_copies)
    if isinstance(listener.told, WaitsNow) and memory.river:
        assert hints.waits == listener.told.waits, "the last sentence is still true"
    return check_furiten(listener, question, hints.waits)


def check_furiten(listener: Listener, question: Question, waits: Waits) -> str:
    """Compare furiten with the refusal of a ron on the tile in question."""
    in_river = any(kind in listener.memory.river for kind, _ in waits.live)
    is_lasting = in_river or listener.seen.in_riichi[listener.seat]
    assert waits.furiten in (None, Furiten.PERMANENT if is_lasting else Furiten.TEMPORARY)
    refusal = question.refusal(Ron())
    if refusal is Reason.FURITEN:
        assert waits.furiten is not None
        return "furiten"
    if refusal is None:
        assert waits.furiten is None
        return "free"
    return "no ron"


# The sentences

OWN = 0
"""The seat of the client in the scenarios."""

HANDS = {"A": "123m456m789p12s55z", "B": "333s19m19p1234z67z", "C": "66m77m1188p1144z2z", "D": "258m258p258s6677z"}


def lines(
    scenario: Scenario, events: list[ev.Event], hello: str = "_waits=1", *, hints: HintScope = HintScope.FACTS
) -> list[str]:
    """Return the lines with hints that seat A receives for these events and its open question, without ids."""
    game = Game(scenario.kyoku.board.ruleset, "ABCD", seeded_deals("any"))
    listener = Listener(OWN, game, hello, hints=hints)
    for event in events:
        listener.session.tell(Rendering(event), 0.0)
    question = scenario.kyoku.questions.get(OWN)
    if question is not None:
        listener.session.ask(1, question, 10.0, 20.0, 0.0)
    texts = [line.partition(" ")[2] for line in listener.session.take()]
    return [text for text in texts if text.startswith("_") or "?" in text]


def scenario(*orders: str) -> Scenario:
    """Return a kyoku in which A can be tenpai on 3s, of which B has three."""
    return Scenario(HANDS, "9p3s4s5s6s7s8s")(*orders)


def test_the_course_of_a_wait() -> None:
    """Offers of tenpai, the waits after the discard, then a smaller count, and furiten that ends with the next draw."""
    played = scenario()
    assert lines(played, played.events) == ["sutehai? _tenpai=9p/3s:4"]
    played("A sute 9p")
    assert lines(played, played.events)[-1] == "_waits 3s:4"
    played.pass_all()("B sute 3s tsumogiri")
    assert lines(played, played.events)[-2:] == ["_waits 3s:3", "_waits 3s:3 temporary"]
    played.pass_all()("C sute 4s tsumogiri").pass_all()("D sute 5s tsumogiri").pass_all()
    assert lines(played, played.events)[-1] == "sutehai? _tenpai=6s/3s:3"


def test_furiten_in_riichi() -> None:
    """A question about a wait has its hints, and a wait that passes in riichi is gone for good."""
    played = scenario("A richi 9p tsumogiri").pass_all()("B sute 3s tsumogiri")
    assert lines(played, played.events)[-2:] == ["_waits 3s:3", "naku? 3s _waits=3s:3"]
    played.pass_all()
    assert lines(played, played.events)[-1] == "_waits 3s:3 permanent"


def test_shanten_where_there_is_no_tenpai() -> None:
    """The shanten after the best discard, and that after the discard that is made."""
    played = Scenario({**HANDS, "A": "147m258p369s1235z"}, "9p4s")
    (asked,) = lines(played, played.events)
    assert asked == "sutehai? _shanten=6"
    played("A sute 1m")
    assert lines(played, played.events)[-1] == "_shanten 6"


def test_furiten_by_a_discard() -> None:
    """A discard that leaves furiten says so, and the waits after it."""
    played = Scenario({**HANDS, "A": "123m456m789p12s55z", "B": "144s19m19p1234z67z"}, "3s4s")
    (asked,) = lines(played, played.events)
    assert "3s/3s:3/furiten" in asked.partition("_tenpai=")[2].split(",")
    played("A sute 3s")
    assert lines(played, played.events) == ["_waits 3s:3 permanent"]


@each_row(
    ("hello", "hints"), [("_waits=0", HintScope.ADVICE), ("name=a", HintScope.FACTS), ("_waits=1", HintScope.NONE)]
)
def test_no_hints(hello: str, hints: HintScope) -> None:
    """A client that has not asked gets none, and nor does one at a table that gives none."""
    played = scenario("A sute 9p").pass_all()
    assert lines(played, played.events, hello, hints=hints) == []


@each_row(("hello", "is_told"), [("_waits=1", True), ("ump=0.2", True), ("name=a", False)])
def test_advice(hello: str, *, is_told: bool) -> None:
    """A client that asks is told once what the expert would answer; hidden tiles do not change that."""
    told: list[str] = []
    for hands in (HANDS, {**HANDS, "B": HANDS["C"], "C": HANDS["B"]}):
        played = Scenario(hands, "9p3s4s5s6s7s8s" if hands is HANDS else "9p7p2m5s6s7s8s", dora="9s")
        game = Game(played.kyoku.board.ruleset, "ABCD", seeded_deals("any"))
        session = Listener(OWN, game, hello, hints=HintScope.ADVICE).session
        for event in played.events:
            session.tell(Rendering(event), 0.0)
        question = played.kyoku.questions[OWN]
        session.ask(1, question, 10.0, 20.0, 0.0)
        for other in (DeclareQuestion(played.kyoku.board, OWN, None), None):
            session.ask(2, other, 10.0, 20.0, 0.0)
            assert session.receive(b"_advise", 0.0) == Stale(Staleness.NO_QUESTION)
        session.ask(3, question, 10.0, 20.0, 0.0)
        assert session.take()[-1].endswith(" _advise") is (hello == "_waits=1")
        assert session.receive(b"99 _advise", 0.0) == Stale(Staleness.OTHER_ID if is_told else Staleness.NO_QUESTION)
        assert session.receive(b"_advise", 0.0) == (InStep() if is_told else Stale(Staleness.NO_QUESTION))
        assert session.receive(f"{session.question_id} _advise".encode(), 0.0) == Stale(Staleness.NO_QUESTION)
        told += session.take()
    assert told == told[:1] * (2 if is_told else 0)
    reader = UmpReader("0.2" if "ump" in hello else "0.1")
    for advised in [event for line in told for event in reader.read(line)]:
        assert isinstance(advised, Advice)
        assert advised.answers[0].action == Riichi(face("9p"))
        points = [each.points or 0.0 for each in advised.answers]
        assert points == sorted(points, reverse=True)


def test_hints_stand_between_the_hand_and_the_time() -> None:
    """The words of a question have a fixed order."""
    played = scenario()
    (asked,) = lines(played, played.events, "_waits=1 _hand=1 _time=1")
    assert [word.partition("=")[0] for word in asked.split()[1:]] == ["_hand", "_drawn", "_tenpai", "_time"]


LIVE = ((KIND_OF[face("3s")], 2), (KIND_OF[face("6s")], 0))

WRITTEN = [
    (["_shanten=3"], Hints(3)),
    (["_waits=3s:2/6s:0"], Hints(waits=Waits(LIVE))),
    (["_waits=3s:2/6s:0", "_furiten=temporary"], Hints(waits=Waits(LIVE, Furiten.TEMPORARY))),
    (
        ["_tenpai=5M/3s:2/6s:0,1z/3s:2/6s:0/furiten"],
        Hints(discards=((face("0m"), Waits(LIVE)), (face("1z"), Waits(LIVE, Furiten.PERMANENT)))),
    ),
]


@each_row(("words", "hints"), WRITTEN)
def test_hints_are_read_back(words: list[str], hints: Hints) -> None:
    """Words and values are inverse."""
    assert hints.words() == words
    assert Hints.parse(dict(word.split("=", 1) for word in words)) == hints


@each_row(
    "sentence",
    [
        "_waits 3s",
        "_waits 3s:5",
        "_waits 8z:1",
        "_waits 3s:1 forever",
        "_waits",
        "_shanten",
        "_shanten x",
        "_shanten 1 2",
    ]
    + [f"sutehai? _tenpai={text}" for text in ("", "9p", "9p/furiten", "9p/3s:2/3", "x/3s:2", "9p/3s:2,")]
    + ["naku? 3s _shanten=x", "naku? 3s _waits=3S:1", "naku? 3s _waits=3s:1 _furiten=no"],
)
def test_other_forms_are_refused(sentence: str) -> None:
    """A hint in another form is an error."""
    with pytest.raises(WireError):
        read(f"1 {sentence}")
