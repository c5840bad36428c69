"""Games in process: the environment step by step, and whole games between policies."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from random import Random

import pytest
from support.rows import each_row

from ump.arena.environment import Environment
from ump.arena.play import play_game
from ump.game.deals import Deal, seeded_deals
from ump.game.game import GameState
from ump.model.actions import Action, Chi, Discard, Pass, Pon, Tsumo
from ump.model.claims import IllegalAction, Reason
from ump.model.events import GameEnded, GameStarted, HandDealt, KyokuStarted, TileDrawn
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KINDS, RED, Face
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, RandomLegal, Tsumogiri
from ump.rules.options import RulesetError
from ump.rules.ruleset import Length, Ruleset
from ump.table.view import view

ONE_KYOKU = Ruleset(length=Length.KYOKU)


class Attentive(Tsumogiri):
    """Looks at what it is shown before it discards."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Check that this is the own seat, and that 13 tiles of each other hand and the wall are unseen."""
        assert seen.seat == self.seat
        assert offers
        hidden = sum(seen.unseen(kind) for kind in range(KINDS))
        dead_wall = 14 - len(seen.indicators)
        assert hidden == seen.left + dead_wall + 3 * 13
        return super().choose(seen, phase, tile, offers)


def test_each_policy_sees_its_own_seat_only() -> None:
    """A policy sees neither the other hands nor the wall; the events of the played game hold everything."""
    policies: list[Policy] = [Attentive(seat) for seat in range(4)]
    events = play_game(policies, ONE_KYOKU, seed="memory").events
    assert isinstance(events[0], GameStarted)
    assert all(event.faces for event in events if isinstance(event, HandDealt))
    assert sum(isinstance(event, TileDrawn) and event.face is not None for event in events) == 70


def test_a_played_game_ends_with_its_result() -> None:
    """The result is that of the last event; names and ruleset are those of the game."""
    played = play_game([Tsumogiri()] * 4, "tenhou", seed=1, names="NESW")
    assert isinstance(played.events[-1], GameEnded)
    assert played.events[-1].result == played.result
    assert played.names == ("N", "E", "S", "W")
    assert played.ruleset.name == "tenhou"
    assert sorted(played.result.places) == [1, 2, 3, 4]
    assert sum(played.result.results) == 0


def test_the_number_of_policies_is_checked() -> None:
    """A four-player game needs four policies."""
    with pytest.raises(ValueError, match="4 policies are needed, not 3"):
        play_game([Tsumogiri()] * 3, seed=1)


def chosen(environment: Environment, seat: Seat, policy: Policy) -> Action:
    """Let a policy choose for a seat."""
    question = environment.question(seat)
    offers = environment.legal_actions(seat)
    return policy.choose(environment.observation(seat), question.phase, question.tile, offers)


def test_stepping_is_the_same_as_playing() -> None:
    """The same seed and policies give the same events; another seed gives others."""
    environment = Environment("mleague")
    policies: list[Policy] = [Efficiency(), RandomLegal(Random(1)), Tsumogiri(), Efficiency()]
    steps = environment.reset("a seed")
    while not environment.over:
        steps = steps + environment.step(chosen(environment, environment.seat, policies[environment.seat]))
    policies[1] = RandomLegal(Random(1))
    assert tuple(steps) == tuple(environment.events) == play_game(policies, "mleague", seed="a seed").events
    assert isinstance(steps[-1], GameEnded)
    assert environment.result == steps[-1].result
    environment.reset("another seed")
    assert environment.result is None
    assert steps[: len(environment.events)] != environment.events


def test_an_observation_holds_what_the_seat_may_see() -> None:
    """It is the state after the seat's own view of all events, for every seat and at every step."""
    environment = Environment(ONE_KYOKU)
    environment.reset(5)
    chance = Random(5)
    while not environment.over:
        environment.step(chance.choice(environment.legal_actions()))
        for seat in range(4):
            folded = Observation(seat, ONE_KYOKU)
            for event in environment.events:
                folded.see(view(event, seat))
            seen = environment.observation(seat)
            assert seen.hand.concealed == folded.hand.concealed
            assert (seen.rivers, seen.melds, seen.points, seen.left) == (
                folded.rivers,
                folded.melds,
                folded.points,
                folded.left,
            )


def all_legal(environment: Environment) -> list[Action]:
    """Return what all seats that are asked may answer."""
    return [action for seat in environment.asked for action in environment.legal_actions(seat)]


def asked_together() -> Environment:
    """Return an environment in which one seat may chi and another one pon the same discard."""
    environment = Environment()
    environment.reset("together")
    while len(environment.asked) < 2 or not {Chi, Pon} <= set(map(type, all_legal(environment))):
        environment.step(chosen(environment, environment.seat, Tsumogiri()))
    return environment


def test_seats_that_are_asked_together_answer_in_any_order() -> None:
    """The order of the answers does not matter, and an answer changes nothing before the last one is there."""
    environment = asked_together()
    discarder = environment.events[-1]
    first, last = environment.asked
    for seat in (first, last):
        assert environment.question(seat).phase is Phase.CALL
        assert Pass() in environment.legal_actions(seat)
    twin = asked_together()
    assert environment.step(Pass(), last) == []
    assert environment.asked == (first,)
    assert environment.events[-1] == discarder
    assert environment.step(Pass()) == [*twin.step(Pass()), *twin.step(Pass())]
    assert environment.events == twin.events


def test_questions_close_when_the_outcome_is_certain() -> None:
    """A pon decides a discard that the others could only chi; they are not asked any more."""
    environment = asked_together()
    seat, pon = next(
        (seat, action)
        for seat in environment.asked
        for action in environment.legal_actions(seat)
        if isinstance(action, Pon)
    )
    other = next(each for each in environment.asked if each != seat)
    environment.step(pon, seat)
    assert environment.asked == (seat,)
    with pytest.raises(ValueError, match=f"seat {other} is not asked"):
        environment.legal_actions(other)
    with pytest.raises(IllegalAction) as refusal:
        environment.step(Pass(), other)
    assert refusal.value.reason is Reason.NOT_ASKED


def test_an_illegal_action_is_explained_and_changes_nothing() -> None:
    """The error carries a note that names the seat, its action, and what is legal."""
    environment = Environment()
    environment.reset(1)
    events = list(environment.events)
    with pytest.raises(IllegalAction) as refusal:
        environment.step(Tsumo())
    assert refusal.value.reason is Reason.NOT_COMPLETE
    (note,) = refusal.value.__notes__
    assert note.startswith("seat 0 answered: Tsumo; legal are: Discard face ")
    assert environment.events == events
    environment.step(environment.legal_actions()[0])


@pytest.mark.interpreted  # compiled code checks arguments itself, and says so in its own words
def test_only_actions_are_accepted() -> None:
    """Text, numbers and None raise TypeError, and the error shows an example of an action."""
    environment = Environment()
    environment.reset(1)
    for answer in ("1z", 0, None):
        with pytest.raises(TypeError, match=r"expected an action, such as Discard\(0\), got"):
            environment.step(answer)  # type: ignore[arg-type]  # this is the test
    assert environment.asked == (0,)


@each_row("copied", [deepcopy, Environment.clone, lambda environment: pickle.loads(pickle.dumps(environment))])
def test_an_environment_can_be_copied(copied: Callable[[Environment], Environment]) -> None:
    """The copy plays on like the original, and does not affect it."""
    environment = asked_together()
    events = list(environment.events)
    twin = copied(environment)
    first = twin.step(Pass())
    assert environment.events == events
    assert environment.step(Pass()) == first
    assert environment.step(Pass()) == twin.step(Pass())
    assert environment.observation(0).hand.concealed == twin.observation(0).hand.concealed


def test_a_game_must_be_reset_first() -> None:
    """Before the first reset there is nothing to ask, and the error says what to call."""
    environment = Environment()
    for use in (lambda: environment.asked, environment.question, environment.observation, lambda: environment.game):
        with pytest.raises(ValueError, match="call reset first"):
            use()
    with pytest.raises(ValueError, match="no seat 4"):
        environment.observation(4)


def test_after_the_end_nobody_is_asked() -> None:
    """Stepping on raises; observations can still be read."""
    environment = Environment(ONE_KYOKU)
    environment.reset(1)
    while not environment.over:
        environment.step(chosen(environment, environment.seat, Tsumogiri()))
    assert environment.asked == ()
    assert environment.result is not None
    assert tuple(environment.observation(2).points) == environment.result.points
    for use in (environment.question, environment.legal_actions, lambda: environment.step(Pass())):
        with pytest.raises(ValueError, match="the game is over"):
            use()


def test_walls_come_from_a_seed_or_from_deals() -> None:
    """Both together are refused; a number is the same seed as its digits."""
    environment = Environment()
    with pytest.raises(ValueError, match="a seed or deals, not both"):
        environment.reset(1, deals=seeded_deals("1"))
    assert environment.reset(1) == environment.reset("1") == environment.reset(deals=seeded_deals("1"))
    assert environment.seed is None


def test_without_a_seed_the_next_game_begins() -> None:
    """The first seed is drawn; an environment names its seed, so that the game can be repeated."""
    environment, twin = Environment(), Environment()
    begun = environment.reset()
    assert environment.seed != twin.seed
    assert begun == twin.reset(environment.seed)
    assert (environment.reset(), environment.seed) == (twin.reset(), f"{environment.seed}")
    environment.reset(7)
    environment.reset()
    copy = deepcopy(environment)
    for each in (environment, copy):
        each.reset()
        assert each.seed == "7/2"


def test_a_game_with_given_walls() -> None:
    """The tiles are in the layout of the wall: the dealer's first four are the last four."""
    environment = Environment()
    environment.reset(deals=lambda at: Deal(tuple(range(136)), (1, 1)))
    dealt = environment.observation(0).hand
    assert dealt.kinds[RED] == 4
    assert isinstance(environment.events[1], KyokuStarted)
    assert environment.events[1].dice == (1, 1)


def test_a_game_may_begin_in_the_middle() -> None:
    """A standing says where; all that depends on it follows."""
    environment = Environment()
    environment.reset(1, standing=GameState((1_000, 30_000, 40_000, 28_000), bakaze=1, dealer=3, honba=2, kyotaku=1))
    seen = environment.observation(3)
    assert (seen.bakaze, seen.dealer, seen.honba, seen.kyotaku) == (1, 3, 2, 1)
    assert seen.points == [1_000, 30_000, 40_000, 28_000]
    assert environment.seat == 3


def test_all_seats_may_be_asked() -> None:
    """With ask_all each discard is a question to all the others."""
    environment = Environment(ask_all=True)
    environment.reset(1)
    discard = next(action for action in environment.legal_actions() if isinstance(action, Discard))
    environment.step(discard)
    assert environment.asked == (1, 2, 3)


def test_arguments_are_checked() -> None:
    """Unknown presets and wrong numbers of names are refused."""
    with pytest.raises(RulesetError, match="unknown preset 'tenho'"):
        Environment("tenho")
    with pytest.raises(ValueError, match="expected 4 names, got 2"):
        Environment(names=("a", "b")).reset(1)
