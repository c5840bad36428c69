"""Explanations of a review: facts about what a reviewer chose and what was done, computed from what the seat saw.

Each explanation is one sentence of a report. None of them is a judgement, so a test computes every fact again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ump.model import actions
from ump.model.notation import MPSZ_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import EAST, KIND_OF, YAOCHU, Face, Kind, is_honour, number_of
from ump.model.value import value
from ump.players.danger import Threat, safe_kinds
from ump.players.efficiency import open_melds, prospects_of_call, worth
from ump.players.evaluation import Candidate, as_face, kinds_left
from ump.players.expert import outlooks
from ump.players.observation import Observation, discarded_kinds
from ump.players.prospects import YakuPlan, yakuhai
from ump.players.stakes import kyoku_left
from ump.record.decisions import Decision
from ump.record.reviewers import Opinion
from ump.rules.analysis import ukeire, waits
from ump.rules.ruleset import Length
from ump.rules.score import Circumstances, hand_value

MOST = 2
"""The sentences about one decision."""

MOST_LOST = 4
"""A sentence names no more kinds that stop helping."""

SAFER = 0.02
"""Chances of dealing in that differ by less count as equal."""

ABORTS = (actions.Ankan, actions.Kakan, actions.Daiminkan, actions.Kita, actions.KyushuKyuhai)
WINS = (actions.Tsumo, actions.Ron)
_CALLS = (actions.Chi, actions.Pon)
_KANS = (actions.Ankan, actions.Kakan, actions.Daiminkan)


@value
class Explanation:
    """One reason for a reviewer's choice; ``SENTENCES`` of the report has the words for each code."""

    code: str
    facts: Mapping[str, object]
    """Pairs are of the reviewer's choice first, then of what was done. Tiles are in MPSZ, chances in percent."""


Known = Mapping[actions.Action, Candidate]
"""The facts about each action, as ``tile_evaluation`` finds them."""


def explanations_of(
    decision: Decision, opinion: Opinion, known: Known, threat: Threat | None
) -> tuple[Explanation, ...]:
    """Return the reasons for a choice that differs from what was done, at most ``MOST``; none if no fact tells.

    ``threat`` is the player against whom the two discards differ (see ``differing_threat``).
    """
    return tuple(islice(_explanations(decision, opinion, known, threat), MOST))


def differing_threat(dangerous: Sequence[Threat], choice: actions.Action, done: actions.Action) -> Threat | None:
    """Return the first threat against which one of two discards is safer; None if there is none."""
    if not isinstance(choice, actions.Discard | actions.Riichi) or not isinstance(
        done, actions.Discard | actions.Riichi
    ):
        return None
    for threat in dangerous:
        if abs(threat.dangers[KIND_OF[choice.face]] - threat.dangers[KIND_OF[done.face]]) > SAFER:
            return threat
    return None


def _explanations(decision: Decision, opinion: Opinion, known: Known, threat: Threat | None) -> Iterator[Explanation]:
    seen, choice, done = decision.seen, opinion.choice, decision.done
    if isinstance(choice, WINS) or isinstance(done, WINS):
        yield from _win(seen, decision.tile, choice if isinstance(choice, WINS) else done)
        yield from _place(seen)
    elif isinstance(choice, ABORTS) or isinstance(done, ABORTS):
        yield from _kan(seen, choice, done, known)
    elif decision.phase is not Phase.TURN:
        yield from _call(seen, decision.tile, choice, done, known)
        yield from _place(seen)
    elif isinstance(choice, actions.Discard | actions.Riichi) and isinstance(done, actions.Discard | actions.Riichi):
        is_riichi = type(choice) is not type(done)
        if is_riichi and (choice.face == done.face or not opinion.names_tile):
            yield from _riichi(seen, choice, done.face)
            yield from _place(seen)
            return
        compared = _Discards(seen, choice, done, known)
        if threat is not None:
            yield from compared.safety(threat)
        else:
            yield from compared.shape()
        if is_riichi:
            yield from _riichi(seen, choice, choice.face)


# Discards


class _Discards:
    """Two discards, and the facts by which they differ."""

    def __init__(
        self,
        seen: Observation,
        choice: actions.Discard | actions.Riichi,
        done: actions.Discard | actions.Riichi,
        known: Known,
    ) -> None:
        self._seen = seen
        self._choice, self._done = choice, done
        self._known = known
        best, other = known[as_face(choice)], known[as_face(done)]
        self._shanten = best.shanten or 0, other.shanten or 0
        self._tiles = best.tiles or 0, other.tiles or 0

    def safety(self, threat: Threat) -> Iterator[Explanation]:
        """Yield why one discard is safer than the other, or why the risk is taken."""
        kinds = KIND_OF[self._choice.face], KIND_OF[self._done.face]
        risk = threat.dangers[kinds[0]], threat.dangers[kinds[1]]
        if risk[0] > risk[1]:
            yield self._push(risk[0])
            yield from _place(self._seen)
            yield from self.shape()
            return
        against = {"seat": threat.seat, "riichi": self._seen.in_riichi[threat.seat]}
        compared = Explanation("risk", {"risk": (_percent(risk[0]), _percent(risk[1])), **against})
        reading = _reading(self._seen, threat.seat, self._choice.face, kinds[1])
        yield reading or compared
        yield from _place(self._seen)
        if self._shanten[0] > self._shanten[1]:
            win = _win_chance(self._seen, kinds[1])
            if win is not None:
                yield Explanation("fold", {"shanten": self._shanten, "win": win})
        elif reading is not None:
            yield compared

    def _push(self, risk: float) -> Explanation:
        """Return what the hand has to win with the more dangerous tile."""
        kind = KIND_OF[self._choice.face]
        facts: dict[str, object] = {"risk": _percent(risk), "win": _win_chance(self._seen, kind)}
        if self._shanten[0] == 0:
            in_riichi = isinstance(self._choice, actions.Riichi) or self._seen.in_riichi[self._seen.me]
            points = [each for each in _rons(self._seen, self._choice.face, in_riichi=in_riichi).values() if each]
            if points:
                facts["value"] = min(points)
        return Explanation("push_value" if "value" in facts else "push", facts)

    def shape(self) -> Iterator[Explanation]:
        """Yield how the hands differ that the discards leave."""
        best, other = self._shanten
        if best < other and best == min(each.shanten for each in self._known.values() if each.shanten is not None):
            yield Explanation("back", {"shanten": self._shanten})
        if best == other == 0:
            yield from self._waits()
        elif best == other and self._tiles[0] > self._tiles[1]:
            yield from self._acceptance()
        seen, face = self._seen, self._done.face
        han = worth(seen, face)[0]
        if han > worth(seen, self._choice.face)[0]:
            yield Explanation("dora", {"han": han})
        if _is_alone(seen, self._choice.face) and not _is_alone(seen, face):
            yield Explanation("alone", {"tile": MPSZ_FACES[self._choice.face]})

    def _waits(self) -> Iterator[Explanation]:
        """Yield how two waits differ."""
        seen, kind = self._seen, KIND_OF[self._done.face]
        river = seen.discarded | {kind}
        lying = sorted(waits(self._left(self._done)) & river)
        if lying and not waits(self._left(self._choice)) & (seen.discarded | {KIND_OF[self._choice.face]}):
            yield Explanation("furiten", {"tile": MPSZ_FACES[lying[0]]})
        if self._tiles[0] > self._tiles[1]:
            yield Explanation("wait", {"tiles": self._tiles})
        if type(self._choice) is type(self._done):
            in_riichi = isinstance(self._choice, actions.Riichi)
            rons = [_rons(seen, each.face, in_riichi=in_riichi).values() for each in (self._choice, self._done)]
            least = min(rons[0], default=0), min(rons[1], default=0)
            if least[0] > least[1]:
                yield Explanation("value", {"points": least})

    def _acceptance(self) -> Iterator[Explanation]:
        """Yield the tiles that bring the hand nearer after either discard, and the kinds that stop helping."""
        live = [self._live_kinds(each) for each in (self._choice, self._done)]
        yield Explanation("tiles", {"tiles": self._tiles, "kinds": len(live[0])})
        lost = sorted(live[0] - live[1])
        if 0 < len(lost) <= MOST_LOST:
            yield Explanation("lost_kinds", {"lost": tuple(MPSZ_FACES[kind] for kind in lost)})

    def _live_kinds(self, discard: actions.Discard | actions.Riichi) -> set[Kind]:
        """Return the kinds with unseen tiles that bring the hand nearer after a discard."""
        return {kind for kind in ukeire(self._left(discard)) if self._seen.unseen(kind)}

    def _left(self, discard: actions.Discard | actions.Riichi) -> list[int]:
        kinds = kinds_left(self._seen, discard)
        assert kinds is not None
        return kinds


def _reading(seen: Observation, seat: Seat, face: Face, other: Kind) -> Explanation | None:
    """Return why a tile is safer against a seat than the other kind, as the discards show; None if they do not."""
    kind = KIND_OF[face]
    own = discarded_kinds(seen.rivers[seat])
    if other in safe_kinds(seen, seat):
        return None
    facts: dict[str, object] = {"tile": MPSZ_FACES[face], "seat": seat}
    if kind in own:
        return Explanation("genbutsu", facts)
    if kind in safe_kinds(seen, seat):
        return Explanation("passed", facts)
    if _is_suji(kind, own) and not _is_suji(other, own):
        return Explanation("suji", facts | {"by": tuple(MPSZ_FACES[each] for each in _partners(kind))})
    return None


def _partners(kind: Kind) -> list[Kind]:
    """Return the kinds on which each two-sided wait for this kind would win, too; none for an honour."""
    if is_honour(kind):
        return []
    number = number_of(kind)
    partners = []
    if number >= 4:
        partners.append(kind - 3)
    if number <= 6:
        partners.append(kind + 3)
    return partners


def _is_suji(kind: Kind, discarded: set[Kind]) -> bool:
    partners = _partners(kind)
    return bool(partners) and discarded.issuperset(partners)


def _is_alone(seen: Observation, face: Face) -> bool:
    """Tell whether the hand has no other tile of the kind, nor one at most two steps away in its suit."""
    kind = KIND_OF[face]
    near = [kind]
    if kind < EAST:
        first = kind - number_of(kind) + 1
        near = list(range(max(first, kind - 2), min(first + 9, kind + 3)))
    return sum(seen.hand.kinds[each] for each in near) == 1


def _percent(share: float) -> int:
    return round(100 * share)


def _win_chance(seen: Observation, kind: Kind) -> int | None:
    """Return the chance to win after a discard, in percent, as ``outlooks`` reckons; None if it is no discard."""
    for outlook in outlooks(seen):
        if outlook.discard is not None and KIND_OF[MPSZ_FACES.index(outlook.discard)] == kind:
            return _percent(outlook.win[-1])
    return None


# Values


def _riichi(seen: Observation, choice: actions.Discard | actions.Riichi, face: Face) -> Iterator[Explanation]:
    """Yield by how much riichi raises a win on the wait that is left most often."""
    quiet, loud = _rons(seen, face, in_riichi=False), _rons(seen, face, in_riichi=True)
    if not loud:
        return
    kind = max(loud, key=lambda each: (seen.unseen(each), -each))
    tile = MPSZ_FACES[kind]
    if isinstance(choice, actions.Riichi):
        if quiet[kind]:
            yield Explanation("riichi", {"tile": tile, "points": (loud[kind], quiet[kind])})
        else:
            yield Explanation("riichi_yaku", {"tile": tile, "points": loud[kind]})
    elif quiet[kind]:
        yield Explanation("dama", {"tile": tile, "points": (quiet[kind], loud[kind])})


def _rons(seen: Observation, discard: Face, *, in_riichi: bool) -> dict[Kind, int]:
    """Return what a ron pays on each live wait after a discard, without chance and ura; 0 without a yaku."""
    faces = list(seen.hand.concealed)
    faces.remove(discard)
    kinds = seen.hand.kinds[:]
    kinds[KIND_OF[discard]] -= 1
    found: dict[Kind, int] = {}
    for kind in waits(kinds):
        if seen.unseen(kind):
            found[kind] = _points(seen, [*faces, kind], kind, is_tsumo=False, in_riichi=in_riichi)
    return found


def _points(seen: Observation, faces: Sequence[Face], tile: Face, *, is_tsumo: bool, in_riichi: bool) -> int:
    """Return what a win pays at least, without honba and sticks; 0 if only chance gives it a yaku."""
    worth = hand_value(
        seen.ruleset,
        faces,
        seen.hand.melds,
        tile,
        Circumstances(
            is_tsumo,
            seen.seat_wind,
            seen.bakaze,
            riichi=int(in_riichi),
            indicators=tuple(seen.indicators),
            norths=seen.norths[seen.me],
        ),
    )
    if worth is None:
        return 0
    return worth.points(seen.ruleset.seats, is_dealer=seen.me == seen.dealer, is_tsumo=is_tsumo)


def _win(seen: Observation, tile: Face | None, win: actions.Action) -> Iterator[Explanation]:
    """Yield what a win pays at least."""
    if tile is None:
        return
    is_tsumo = isinstance(win, actions.Tsumo)
    faces = seen.hand.concealed if is_tsumo else (*seen.hand.concealed, tile)
    points = _points(seen, faces, tile, is_tsumo=is_tsumo, in_riichi=seen.in_riichi[seen.me])
    if points:
        yield Explanation("win", {"points": points})


def _place(seen: Observation) -> Iterator[Explanation]:
    """Yield how far the next place is, or the second one, in the last kyoku of the game."""
    rules = seen.ruleset
    if rules.length is Length.KYOKU or kyoku_left(rules, seen.bakaze, seen.dealer):
        return
    ranked = sorted(range(rules.seats), key=lambda seat: (-seen.points[seat], seat))
    place = ranked.index(seen.me)
    if place:
        gap = seen.points[ranked[place - 1]] - seen.points[seen.me]
        if gap:
            yield Explanation("place", {"place": place, "points": gap})
    else:
        gap = seen.points[seen.me] - seen.points[ranked[1]]
        if gap:
            yield Explanation("lead", {"points": gap})


# Calls and kans


def _call(
    seen: Observation, tile: Face | None, choice: actions.Action, done: actions.Action, known: Known
) -> Iterator[Explanation]:
    """Yield what a call brings, or what it costs."""
    best, other = known.get(as_face(choice)), known.get(as_face(done))
    if best is None or other is None or tile is None:
        return
    distance = best.shanten or 0, other.shanten or 0
    if isinstance(choice, _CALLS) and isinstance(done, _CALLS):
        if distance[0] < distance[1]:
            yield Explanation("back", {"shanten": distance})
    elif isinstance(choice, actions.Chi | actions.Pon):
        if distance[0] < distance[1]:
            yield Explanation("call", {"shanten": distance})
        yield from _yaku(seen, tile, choice)
    elif isinstance(done, actions.Chi | actions.Pon):
        yield from _no_yaku(seen, tile, done)
        if distance[0] == distance[1]:
            yield Explanation("not_nearer", {"shanten": distance})
        if seen.hand.is_closed:
            yield Explanation("closed", {"shanten": distance})


def _yaku(seen: Observation, tile: Face, call: actions.Chi | actions.Pon) -> Iterator[Explanation]:
    """Yield the yaku that a hand has, or may get, after a call."""
    kinds = kinds_left(seen, call)
    assert kinds is not None
    melds = [*open_melds(seen), (*call.own, tile)]
    triplets = [kind for kind in yakuhai(seen) if kinds[kind] >= 3 or _has_set(melds, kind)]
    if triplets:
        yield Explanation("triplet", {"tile": MPSZ_FACES[triplets[0]]})
        return
    after = prospects_of_call(seen, tile, call)
    if after is not None and after[0] is YakuPlan.TANYAO:
        others = sum(kinds[kind] for kind in YAOCHU)
        yield Explanation("tanyao", {"others": others}) if others else Explanation("all_simples", {})


def _no_yaku(seen: Observation, tile: Face, call: actions.Chi | actions.Pon) -> Iterator[Explanation]:
    """Yield that a call leaves neither tanyao nor a pair of yakuhai."""
    kinds = kinds_left(seen, call)
    assert kinds is not None
    melds = [*open_melds(seen), (*call.own, tile)]
    outside = [face for meld in melds for face in meld if KIND_OF[face] in YAOCHU]
    has_pair = any(kinds[kind] >= 2 or _has_set(melds, kind) for kind in yakuhai(seen))
    if outside and not has_pair:
        yield Explanation("no_yaku", {"tile": MPSZ_FACES[outside[-1]]})


def _has_set(melds: Sequence[tuple[Face, ...]], kind: Kind) -> bool:
    return any({KIND_OF[face] for face in meld} == {kind} for meld in melds)


def _kan(seen: Observation, choice: actions.Action, done: actions.Action, known: Known) -> Iterator[Explanation]:
    """Yield what a kan, or a north set aside, does to the hand."""
    best, other = known.get(as_face(choice)), known.get(as_face(done))
    if best is None or other is None:
        return
    distance = best.shanten or 0, other.shanten or 0
    if isinstance(choice, _KANS) and distance[0] <= distance[1]:
        yield Explanation("kan", {"shanten": distance})
    elif isinstance(done, _KANS):
        if distance[0] < distance[1]:
            yield Explanation("back", {"shanten": distance})
        if isinstance(done, actions.Daiminkan) and seen.hand.is_closed:
            yield Explanation("closed", {"shanten": distance})
