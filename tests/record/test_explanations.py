"""Every sentence of a review is true: it is read again, and each tile and number is worked out another way."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pytest
from support.pages_in_node import run_in_node
from support.sample_games import sample_files

import ump
from ump.model import actions
from ump.model import events as ev
from ump.model.notation import MPSZ_FACES
from ump.model.seats import WIND_NAMES, wind_of
from ump.model.tiles import KIND_OF, KINDS, RED_FIVES, Face, Kind
from ump.players.danger import Threat, threats
from ump.players.policy import POLICIES
from ump.record.decisions import Decision, decisions, read_record
from ump.record.explanation import Explanation
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.review import review_seat
from ump.record.review_sentences import SENTENCES, sentences
from ump.record.reviewers import PolicyReviewer
from ump.rules.shanten import shanten

ALL, PARTS = 5_000, 25
"""The explanations that are read with --long, of games between people, and the tests that share them."""

REVIEWERS = ("expert", "defensive")

WINDS = ("east", "south", "west", "north")
YAOCHU = {0, 8, 9, 17, 18, 26, *range(27, 34)}

Words = Mapping[str, str]


def form(template: str) -> re.Pattern[str]:
    """Return the pattern of a sentence, with a group for each of its words.

    ``tiles[0]`` and ``tiles.0`` are the group ``tiles0``. A count of kinds may stand right before another number.
    """
    parts, known = [], set[str]()
    for number, part in enumerate(re.split(r"\{([^}]+)\}", template)):
        name = re.sub(r"\W", "", part)
        if number % 2 == 0:
            parts.append(re.escape(part))
        elif name in known:
            parts.append(f"(?P={name})")
        else:
            known.add(name)
            words = r"\d+\D+?" if name == "kinds" else ".+?"
            parts.append(f"(?P<{name}>{words})")
    return re.compile("".join(parts), re.IGNORECASE)


FORMS = {code: form(template) for code, template in SENTENCES.items()}


PAGE_SENTENCES = """
import { wordsIn } from "./replay_language.js";
import { REVIEW_WORDS, sentenceOf } from "./review_words.js";

function written(language, { wind, best, done, reason }) {
  const own = REVIEW_WORDS[language];
  const seat = wordsIn(language).winds[wind];
  const shown = { best, done, seat, who: own.threat(seat, reason.riichi) };
  const texts = sentenceOf(own, reason).map((part) => (part.token ? `[${shown[part.token] ?? part.fact}]` : part));
  return [own.reasons[reason.code], texts.join("")];
}

tell(Object.keys(REVIEW_WORDS).map((language) => given.map((each) => written(language, each))));
"""
"""Writes explanations as the page does, in each language, after the templates. Elements, such as tiles, are in []."""

ELEMENTS = re.compile(r"\{(best|done|who|seat|tile|lost|by)\}")

PAGE_WORDS = {
    "East": ("東", "东"),
    "South": ("南",),
    "West": ("西",),
    "North": ("北",),
    "tenpai": ("聴牌", "听牌"),
    "under 1": ("1回未満", "不到1次"),
    "riichi": ("リーチ", "立直"),
    "open hand": ("仕掛け", "副露"),
}
"""English words that are no numbers, in Japanese and Chinese."""

IN_ENGLISH = {word: english for english, words in PAGE_WORDS.items() for word in words}

THREAT = re.compile("(.+?)(?:'s |家の|家的)(.+)")


def words_of_page(template: str, sentence: str) -> Words:
    """Return the words of a sentence of the page, in English; raise AssertionError if it has another template."""
    found = form(ELEMENTS.sub(r"[{\1}]", template)).fullmatch(sentence)
    assert found is not None, (template, sentence)
    words = found.groupdict()
    if "who" in words:
        threat = THREAT.fullmatch(words.pop("who"))
        assert threat is not None, sentence
        words["seat"], words["riichi"] = threat.groups()
    return {name: IN_ENGLISH.get(word, word) for name, word in words.items()}


def number(text: str) -> int:
    """Return the number in some words; less than one counts as none."""
    if text == "under 1":
        return 0
    found = re.search(r"\d[\d,]*", text)
    assert found is not None, text
    return int(found[0].replace(",", ""))


def distance_in(text: str) -> int:
    """Return a shanten number: ``tenpai``, ``2-shanten``."""
    return 0 if text == "tenpai" else number(text)


def tiles_in(text: str) -> list[Face]:
    """Return the tiles that some words name."""
    return [MPSZ_FACES.index(tile) for tile in re.findall(r"\d[mpsz]", text)]


def said(action: actions.Action) -> str:
    """Return an action as sentences name it."""
    match action:
        case actions.Discard(face) | actions.Riichi(face):
            return MPSZ_FACES[face]
        case actions.Chi(own) | actions.Pon(own):
            return " ".join([type(action).__name__.lower(), *(MPSZ_FACES[face] for face in own)])
        case actions.Ankan(kind):
            return f"closed kan {MPSZ_FACES[kind]}"
        case actions.Kakan(face):
            return f"added kan {MPSZ_FACES[face]}"
        case actions.Daiminkan():
            return "kan"
        case _:
            return type(action).__name__.lower()


class Position:
    """One decision, and what the events of the record say about it."""

    def __init__(self, decision: Decision, choice: actions.Action, kyoku: RecordedKyoku) -> None:
        self.decision, self.choice, self.done = decision, choice, decision.done
        self.me, self.seen = decision.seat, copy.deepcopy(decision.seen)  # the game goes on
        self.events = kyoku.events[: decision.event]
        started = kyoku.started
        self.dealer, self.bakaze = started.dealer, started.bakaze
        self.seats = len(started.points)
        self.hand = list(self.seen.hand.concealed)
        self.kinds = [sum(KIND_OF[face] == kind for face in self.hand) for kind in range(KINDS)]
        self.points = list(started.points)
        for event in self.events:
            if isinstance(event, ev.RiichiPaid):
                self.points[event.seat] -= 1_000

    def river(self, seat: int) -> set[Kind]:
        """Return the kinds that a seat has discarded."""
        return {KIND_OF[each.face] for each in self.discards(seat)}

    def discards(self, seat: int) -> list[ev.TileDiscarded]:
        """Return the discards of a seat."""
        return [each for each in self.events if isinstance(each, ev.TileDiscarded) and each.seat == seat]

    def declared(self, seat: int) -> int | None:
        """Return the place of the event by which a seat declared riichi."""
        for place, event in enumerate(self.events):
            if isinstance(event, ev.RiichiDeclared) and event.seat == seat:
                return place
        return None

    def seat_of(self, wind: str) -> int:
        """Return the seat of a wind."""
        return (WIND_NAMES.index(wind) + self.dealer) % self.seats

    @cached_property
    def threats(self) -> Sequence[Threat]:
        """The dangers of the other seats."""
        return threats(self.seen)

    @cached_property
    def outlooks(self) -> Sequence[ump.HandOutlook]:
        """The hand that each discard leaves."""
        return ump.outlooks(self.seen)

    @property
    def indicators(self) -> list[Face]:
        """The dora indicators."""
        return [each.indicator for each in self.events if isinstance(each, ev.DoraRevealed)]

    def unseen(self, kind: Kind) -> int:
        """Return the tiles of a kind that the seat cannot see."""
        visible = self.hand + self.indicators
        for event in self.events:
            match event:
                case ev.TileDiscarded():
                    visible.append(event.face)
                case ev.TileCalled():
                    visible += event.meld.own
                case ev.KanDeclared(meld=meld):
                    visible += meld.own if meld.added is None else (meld.added,)
                case _:
                    pass
        return 4 - sum(KIND_OF[face] == kind for face in visible)

    def after(self, action: actions.Action) -> list[int]:
        """Return the counts of the concealed tiles after an action."""
        kinds = self.kinds[:]
        for kind in self._used(action):
            kinds[kind] -= 1
        return kinds

    def _used(self, action: actions.Action) -> list[Kind]:
        match action:
            case actions.Discard(face) | actions.Riichi(face) | actions.Kakan(face):
                return [KIND_OF[face]]
            case actions.Chi(own) | actions.Pon(own):
                return [KIND_OF[face] for face in own]
            case actions.Ankan(kind):
                return [kind] * 4
            case actions.Daiminkan():
                assert self.decision.tile is not None
                return [KIND_OF[self.decision.tile]] * 3
            case _:
                return []

    def distance(self, action: actions.Action) -> int:
        """Return the shanten after an action, and after the best discard if it needs one."""
        kinds = self.after(action)
        if sum(kinds) % 3 == 1:
            return shanten(kinds)
        found = []
        for kind in range(KINDS):
            if kinds[kind]:
                kinds[kind] -= 1
                found.append(shanten(kinds))
                kinds[kind] += 1
        return min(found)

    def useful(self, action: actions.Action) -> dict[Kind, int]:
        """Return the kinds that bring the hand nearer after a discard, with their unseen tiles; tries all."""
        kinds = self.after(action)
        now, found = shanten(kinds), {}
        for kind in range(KINDS):
            if kinds[kind] == 4:
                continue
            kinds[kind] += 1
            if shanten(kinds) < now:
                found[kind] = self.unseen(kind)
            kinds[kind] -= 1
        return found

    def melds_after(self, call: actions.Action) -> list[list[Kind]]:
        """Return the open melds after a call."""
        melds = [list(meld.faces) for meld in self.seen.hand.melds if meld.is_open]
        assert isinstance(call, actions.Chi | actions.Pon) and self.decision.tile is not None
        return [[KIND_OF[face] for face in meld] for meld in (*melds, [*call.own, self.decision.tile])]

    @property
    def yakuhai(self) -> set[Kind]:
        """The kinds whose triplet is a yaku."""
        return {31, 32, 33, 27 + self.bakaze, 27 + (self.me - self.dealer) % self.seats}

    def pays(self, faces: Iterable[Face], tile: Face, *, tsumo: bool = False, riichi: bool) -> int:
        """Return what a win pays, as the library says."""
        hand = ump.hand(tuple(faces), self.seen.hand.melds, rules=self.seen.ruleset)
        how = {"tsumo" if tsumo else "ron": tile}
        won = hand.value(
            seat_wind=WINDS[(self.me - self.dealer) % self.seats],
            round_wind=WINDS[self.bakaze],
            dora=self.indicators,
            riichi=riichi,
            **how,  # type: ignore[arg-type]
        )
        return won.points

    def rons(self, discard: actions.Action, *, riichi: bool) -> dict[Kind, int]:
        """Return what a ron on each live wait pays after a discard."""
        assert isinstance(discard, actions.Discard | actions.Riichi)
        faces = self.hand[:]
        faces.remove(discard.face)
        live = [kind for kind, left in self.useful(discard).items() if left]
        return {kind: self.pays(faces, kind, riichi=riichi) for kind in live}


def percent(share: float) -> int:
    """Return a chance in percent."""
    return round(100 * share)


def win_chance(position: Position, discard: actions.Action) -> int:
    """Return the chance to win after a discard."""
    assert isinstance(discard, actions.Discard | actions.Riichi)
    kind = KIND_OF[discard.face]
    found = [each for each in position.outlooks if KIND_OF[tiles_in(str(each.discard))[0]] == kind]
    return percent(found[0].win[-1])


def danger(position: Position, words: Words, discard: actions.Action) -> int:
    """Return the risk of a discard against the player that a sentence names."""
    seat = position.seat_of(words["seat"])
    threat = next(each for each in position.threats if each.seat == seat)
    return percent(threat.by_tile[said(discard).replace("0", "5")])


def _tiles(position: Position, words: Words) -> bool:
    best, done = position.useful(position.choice), position.useful(position.done)
    kinds = sum(left > 0 for left in best.values())
    counts = sum(best.values()), sum(done.values()), kinds
    return counts == (number(words["tiles0"]), number(words["tiles1"]), number(words["kinds"]))


def _lost_kinds(position: Position, words: Words) -> bool:
    best, done = position.useful(position.choice), position.useful(position.done)
    live = {kind for kind, left in best.items() if left}
    return set(tiles_in(words["lost"])) == live - {kind for kind, left in done.items() if left}


def _back(position: Position, words: Words) -> bool:
    found = position.distance(position.choice), position.distance(position.done)
    return found == (distance_in(words["shanten0"]), distance_in(words["shanten1"])) and found[0] < found[1]


def _alone(position: Position, words: Words) -> bool:
    kind = KIND_OF[tiles_in(words["tile"])[0]]
    others = position.kinds[:]
    others[kind] -= 1
    near = [kind]
    if kind < 27:
        near = [each for each in range(kind - 2, kind + 3) if 0 <= each < 27 and each // 9 == kind // 9]
    return words["tile"] == said(position.choice) and not any(others[each] for each in near)


def _wait(position: Position, words: Words) -> bool:
    found = []
    for action in (position.choice, position.done):
        assert position.distance(action) == 0
        found.append(sum(position.useful(action).values()))
    return found == [number(words["tiles0"]), number(words["tiles1"])]


def _furiten(position: Position, words: Words) -> bool:
    kind = tiles_in(words["tile"])[0]
    river = position.river(position.me) | {KIND_OF[tiles_in(said(position.done))[0]]}
    return position.distance(position.done) == 0 and kind in position.useful(position.done) and kind in river


def _dora(position: Position, words: Words) -> bool:
    face = tiles_in(words["done"])[0]
    kind, han = KIND_OF[face], int(face in RED_FIVES)
    for indicator in map(KIND_OF.__getitem__, position.indicators):
        first = indicator // 9 * 9
        size = 9
        if indicator >= 27:
            first, size = (27, 4) if indicator < 31 else (31, 3)
        han += kind == first + (indicator - first + 1) % size
    return han == number(words["han"])


def _cheapest(position: Position, words: Words) -> bool:
    riichi = isinstance(position.choice, actions.Riichi)
    found = [min(position.rons(each, riichi=riichi).values(), default=0) for each in (position.choice, position.done)]
    return found == [number(words["points0"]), number(words["points1"])]


def _genbutsu(position: Position, words: Words) -> bool:
    kind = KIND_OF[tiles_in(words["tile"])[0]]
    return words["tile"] == said(position.choice) and kind in position.river(position.seat_of(words["seat"]))


def _passed(position: Position, words: Words) -> bool:
    declared = position.declared(position.seat_of(words["seat"]))
    assert declared is not None
    later = [each.face for each in position.events[declared:] if isinstance(each, ev.TileDiscarded)]
    return KIND_OF[tiles_in(words["tile"])[0]] in map(KIND_OF.__getitem__, later)


def _suji(position: Position, words: Words) -> bool:
    river = position.river(position.seat_of(words["seat"]))
    kind = KIND_OF[tiles_in(words["tile"])[0]]
    ends = []
    for low in range(kind // 9 * 9, kind // 9 * 9 + 6):  # a run of two tiles above ``low`` waits for it and low + 3
        if kind in (low, low + 3):
            ends.append(low if kind == low + 3 else low + 3)
    return sorted(ends) == sorted(tiles_in(words["by"])) and river.issuperset(ends)


def _risk(position: Position, words: Words) -> bool:
    found = [danger(position, words, each) for each in (position.choice, position.done)]
    in_riichi = position.declared(position.seat_of(words["seat"])) is not None
    named = words["riichi"] == ("riichi" if in_riichi else "open hand")
    return named and found == [number(words["risk0"]), number(words["risk1"])]


def _fold(position: Position, words: Words) -> bool:
    found = position.distance(position.done), win_chance(position, position.done)
    return found == (distance_in(words["shanten1"]), number(words["win"]))


def _push(position: Position, words: Words) -> bool:
    risks = [percent(each.by_tile[said(position.choice).replace("0", "5")]) for each in position.threats]
    return win_chance(position, position.choice) == number(words["win"]) and number(words["risk"]) in risks


def _push_value(position: Position, words: Words) -> bool:
    in_riichi = isinstance(position.choice, actions.Riichi) or position.declared(position.me) is not None
    paid = [each for each in position.rons(position.choice, riichi=in_riichi).values() if each]
    return _push(position, words) and min(paid) == number(words["value"])


def _riichi(position: Position, words: Words) -> bool:
    kind = tiles_in(words["tile"])[0]
    loud, quiet = (position.rons(position.choice, riichi=each)[kind] for each in (True, False))
    return (loud, quiet) == (number(words["points0"]), number(words["points1"]))


def _riichi_yaku(position: Position, words: Words) -> bool:
    kind = tiles_in(words["tile"])[0]
    loud, quiet = (position.rons(position.choice, riichi=each)[kind] for each in (True, False))
    return (loud, quiet) == (number(words["points"]), 0)


def _dama(position: Position, words: Words) -> bool:
    kind = tiles_in(words["tile"])[0]
    quiet, loud = (position.rons(position.choice, riichi=each)[kind] for each in (False, True))
    return (quiet, loud) == (number(words["points0"]), number(words["points1"]))


def _call(position: Position, words: Words) -> bool:
    return _back(position, words)


def _triplet(position: Position, words: Words) -> bool:
    kind = tiles_in(words["tile"])[0]
    has_meld = any(meld[:3] == [kind] * 3 for meld in position.melds_after(position.choice))
    return kind in position.yakuhai and (has_meld or position.after(position.choice)[kind] >= 3)


def _tanyao(position: Position, words: Words) -> bool:
    others = sum(position.after(position.choice)[kind] for kind in YAOCHU)
    outside = any(kind in YAOCHU for meld in position.melds_after(position.choice) for kind in meld)
    return not outside and others == number(words.get("others", "0"))


def _no_yaku(position: Position, words: Words) -> bool:
    melds, kinds = position.melds_after(position.done), position.after(position.done)
    kind = tiles_in(words["tile"])[0]
    has_pair = any(kinds[each] >= 2 or any(each in meld for meld in melds) for each in position.yakuhai)
    return kind in YAOCHU and any(kind in meld for meld in melds) and not has_pair


def _not_nearer(position: Position, words: Words) -> bool:
    found = {position.distance(each) for each in (position.choice, position.done)}
    return found == {distance_in(words["shanten0"])}


def _closed(position: Position, _words: Words) -> bool:
    return not any(isinstance(each, ev.TileCalled) and each.seat == position.me for each in position.events)


def _kan(position: Position, words: Words) -> bool:
    found = position.distance(position.choice)
    return found == distance_in(words["shanten0"]) <= position.distance(position.done)


def _win(position: Position, words: Words) -> bool:
    tile, in_riichi = position.decision.tile, position.declared(position.me) is not None
    assert tile is not None
    is_tsumo = any(isinstance(each, actions.Tsumo) for each in (position.choice, position.done))
    faces = position.hand if is_tsumo else [*position.hand, tile]
    return position.pays(faces, tile, tsumo=is_tsumo, riichi=in_riichi) == number(words["points"])


def _place(position: Position, words: Words) -> bool:
    ahead = sorted((points, -seat) for seat, points in enumerate(position.points) if seat != position.me)
    ahead = [each for each in ahead if each > (position.points[position.me], -position.me)]
    return (len(ahead), ahead[0][0] - position.points[position.me]) == (number(words["place"]), number(words["points"]))


def _lead(position: Position, words: Words) -> bool:
    others = [points for seat, points in enumerate(position.points) if seat != position.me]
    return position.points[position.me] - max(others) == number(words["points"])


_CHECKS: Sequence[Callable[[Position, Words], bool]] = (
    *(_tiles, _lost_kinds, _back, _alone, _wait, _furiten, _dora, _genbutsu, _passed, _suji, _risk, _fold, _push),
    *(_push_value, _riichi, _riichi_yaku, _dama, _call, _triplet, _tanyao, _no_yaku, _not_nearer, _closed, _kan),
    *(_win, _place, _lead),
)

CHECKS = {
    **{each.__name__.removeprefix("_"): each for each in _CHECKS},
    "value": _cheapest,
    "all_simples": _tanyao,
}
"""Tells for each code whether the words of a sentence are true in a position."""


def check(position: Position, code: str, words: Words, sentence: str) -> None:
    """Work each of the tiles and numbers of a sentence out."""
    for name, action in (("best", position.choice), ("done", position.done)):
        if name in words:
            assert words[name].lower() == said(action), (code, sentence)
    assert CHECKS[code](position, words), (code, sentence, ump.format_tiles(position.hand))


Written = tuple[Position, Explanation]


def checked(game: RecordedGame, seat: int, reviewer: str) -> Iterator[Written]:
    """Check all sentences of the report about a seat, and yield what they explain."""
    asked = (each for each in decisions(game, (seat,)) if each.is_free)
    reviewed = review_seat(game, seat, [PolicyReviewer(reviewer, POLICIES[reviewer]())])
    for decision, listed in zip(asked, reviewed, strict=True):
        assessment = listed.by[0]
        assert assessment is not None
        kyoku = game.kyoku[decision.kyoku]
        written = sentences(listed, assessment, kyoku.started.dealer, len(game.names))
        assert len(written) <= 2
        if not written:
            continue
        position = Position(decision, assessment.choice, kyoku)
        for reason, sentence in zip(assessment.reasons, written, strict=True):
            found = FORMS[reason.code].fullmatch(sentence)
            assert found is not None, (reason.code, sentence)
            check(position, reason.code, found.groupdict(), sentence)
            yield position, reason


def check_pages(explained: Sequence[Written], folder: Path) -> None:
    """Check the sentences of the page about the same, in each language."""
    given = [_for_page(position, reason) for position, reason in explained]
    for written in run_in_node(folder, PAGE_SENTENCES, given):
        for (position, reason), (template, sentence) in zip(explained, written, strict=True):
            check(position, reason.code, words_of_page(template, sentence), sentence)


def _for_page(position: Position, reason: Explanation) -> Mapping[str, object]:
    facts = dict(reason.facts)
    seat = facts.get("seat", position.me)
    assert isinstance(seat, int)
    return {
        "best": said(position.choice),
        "done": said(position.done),
        "wind": "ESWN"[wind_of(seat, position.dealer, position.seats)],
        "reason": {"code": reason.code, **facts},
    }


def test_every_sentence_is_true() -> None:
    """Two reviewers explain the moves of our bots, and nothing that they say is false."""
    explained = [each for file in sample_files()[:2] for each in checked(read_record(file), 1, "expert")]
    assert len(explained) > 100
    assert len({reason.code for _, reason in explained}) > 12


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_five_thousand_sentences_are_true(data: Path, part: int, tmp_path: Path) -> None:
    """Nothing is false about games between people, either: in the report, and on the page in each language."""
    reviewer = REVIEWERS[part % len(REVIEWERS)]
    explained: list[Written] = []
    for file in sorted((data / "tenhou" / "games").iterdir())[part::PARTS]:
        for seat in range(4):
            explained += checked(read_record(file), seat, reviewer)
        if len(explained) >= ALL // PARTS:
            break
    assert len(explained) >= ALL // PARTS
    check_pages(explained, tmp_path)
