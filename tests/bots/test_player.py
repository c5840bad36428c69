"""Tests of the player's reaction to a bot's faults, and of the input of a bot."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.client_chair import ClientChair, Watched
from support.memory_server import memory_server, room
from support.rows import each_row

from ump.bots.bot import Bot, BotFault, BotPlayer, Legal
from ump.model.actions import Action, DeclareTenpai, Discard, Kakan, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.events import GameEnded, GameStarted, HandDealt, KyokuStarted, TileDrawn
from ump.model.phases import Phase
from ump.model.seats import Ranking, places_of
from ump.model.tiles import EAST, WEST
from ump.players.claimable import legal_actions
from ump.players.observation import Observation
from ump.rules.presets import PRESETS


class Told(Watched):
    """A bot whose decisions a function makes."""

    def __init__(self, choose: Callable[[Legal], Action]) -> None:
        super().__init__()
        self._choose = choose

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Ask the function."""
        return self._choose(legal)


def fail(legal: Legal) -> Action:
    """Fail."""
    raise KeyError("nothing")


def nonsense(legal: Legal) -> Action:
    """Return an action that is never legal."""
    return Discard(99)


@each_row("choose", [fail, nonsense])
def test_a_fault_is_reported_and_the_game_goes_on(choose: Callable[[Legal], Action]) -> None:
    """The default is played instead, and the server accepts it."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:
        chair = ClientChair("ump-0.1", Told(choose), server, is_strict=False)
        chair.play_on()
    assert (chair.player.games, chair.player.refusals) == (1, 0)
    assert chair.player.faults == len(chair.reports) > 10
    expected = "Traceback (most recent call last):\n" if choose is fail else "decide returned Discard("
    assert all(report.startswith(expected) for report in chair.reports)
    assert "playing Discard(" in chair.reports[0]


@each_row("choose", [fail, nonsense])
def test_a_strict_player_stops(choose: Callable[[Legal], Action]) -> None:
    """Its fault ends the conversation, with the exception as the cause."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:
        chair = ClientChair("ump-0.1", Told(choose), server)
        with pytest.raises(BotFault, match="KeyError" if choose is fail else "is not one of"):
            chair.play_on()
        chair.cut()


def test_what_a_bot_is_told() -> None:
    """A bot receives the start, every event without hidden tiles, and the ranking."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:
        bot = Told(lambda legal: legal.default)
        ClientChair("ump-0.1", bot, server).play_on()
    ((seat, names),) = bot.started
    assert names[seat] == "me"
    assert isinstance(bot.events[0], GameStarted)
    assert isinstance(bot.events[-1], GameEnded)
    hands = [event for event in bot.events if isinstance(event, HandDealt)]
    assert [event.faces is None for event in hands] == [event.seat != seat for event in hands]
    drawn = {event.seat for event in bot.events if isinstance(event, TileDrawn) and event.face is not None}
    assert drawn == {seat}
    (ranking,) = bot.ranking
    assert (ranking.names, ranking.seat, sum(ranking.points)) == (names, seat, 100_000)
    assert ranking.places == places_of(ranking.points)


def test_a_seat_that_can_only_pass_is_not_asked() -> None:
    """If a table asks everybody, the bot is asked only if it has a choice."""
    asked: list[Legal] = []

    def note(legal: Legal) -> Action:
        asked.append(legal)
        return legal.default

    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku", ask_all=True)) as server:
        ClientChair("ump-0.1", Told(note), server).play_on()
    assert asked
    assert all(len(legal) > 1 for legal in asked if legal.phase is Phase.CALL)


def test_equal_scores_are_placed_by_seat() -> None:
    """Of equal scores the seat nearer to the first dealer is better."""
    assert places_of((25_000, 30_000, 20_000, 25_000)) == (2, 1, 4, 3)


def test_ranking_in_words() -> None:
    """The line names places and points, the best first."""
    ranking = Ranking(("a", "b", "c", "d"), (20_000, 31_000, 25_000, 24_000), (4, 1, 2, 3), 1)
    assert str(ranking) == "1 b 31000 points, 2 c 25000 points, 3 d 24000 points, 4 a 20000 points"


@each_row(
    ("actions", "phase", "default"),
    [
        ((Discard(WEST), Discard(EAST, tsumogiri=True), Tsumo()), Phase.TURN, Discard(EAST, tsumogiri=True)),
        ((Discard(EAST), Discard(WEST)), Phase.TURN, Discard(WEST)),
        ((Tsumo(),), Phase.TURN, Tsumo()),
        ((Pass(), Pon((EAST, EAST)), Ron()), Phase.CALL, Pass()),
        ((Pass(), Ron()), Phase.CHANKAN, Pass()),
        ((DeclareTenpai(),), Phase.DECLARE, DeclareTenpai()),
    ],
)
def test_legal(actions: tuple[Action, ...], phase: Phase, default: Action) -> None:
    """Legal actions are a sequence, and know their default."""
    legal = Legal(actions, phase, EAST)
    assert (legal.default, len(legal), tuple(legal), legal[0], legal[:1]) == (
        default,
        len(actions),
        actions,
        actions[0],
        actions[:1],
    )
    assert legal.of(Ron, Tsumo) == [action for action in actions if isinstance(action, Ron | Tsumo)]


def test_a_question_without_an_answer_is_an_error() -> None:
    """An empty list of offers is the server's fault, not the bot's."""
    player = BotPlayer(Told(nonsense), print)
    player.begin_game(0, ("a", "b", "c", "d"))
    with pytest.raises(ValueError, match="without a legal answer"):
        legal_actions(player.seen, Phase.CALL, EAST, ())


def test_a_bot_needs_decide() -> None:
    """The base class cannot be used by itself."""
    with pytest.raises(TypeError, match="decide"):
        Bot()  # type: ignore[abstract]  # this is the test


@each_row(
    ("tiles", "offers", "why"),
    [
        (12, (Discard(EAST),), "to a hand of 13 tiles"),
        (13, (Discard(WEST),), "tiles that are not held"),
        (13, (Discard(0), Kakan(WEST)), "tiles that are not held"),
        (13, (Discard(0), Pon((0, 0))), "tiles that are not held"),
        (13, (Riichi(0),), "without an offer to discard"),
    ],
)
def test_a_question_that_cannot_be_is_an_error(tiles: int, offers: tuple[Action, ...], why: str) -> None:
    """A server at fault asks a seat without the tiles of a player; no bot has to decide that."""
    player = BotPlayer(Told(nonsense), print)
    player.begin_game(0, ("a", "b", "c", "d"))
    player.see(KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)))
    player.see(HandDealt(0, tuple(range(tiles))))
    player.see(TileDrawn(0, 60, EAST))
    with pytest.raises(ValueError, match=why):
        legal_actions(player.seen, Phase.TURN, EAST, offers)


@each_row(("rules", "first"), [("tenhou", 27_500), ("wrc", 26_500)])
def test_the_last_sticks_count_where_the_server_sends_no_points(rules: str, first: int) -> None:
    """UMP 0.2 ends with the results alone: the sticks that are left go where the rules send them."""
    rankings: list[Ranking] = []
    player = BotPlayer(Told(nonsense), print, rankings.append)
    player.begin_game(0, ("a", "b", "c", "d"), PRESETS[rules])
    player.see(KyokuStarted(0, 0, 0, 1, (23_500, 26_500, 25_500, 23_500), (1, 1)))
    player.see(GameEnded((), (3, 1, 2, 4), (-100, 400, 0, -300)))
    final = (23_500, first, 25_500, 23_500)
    assert rankings == [Ranking(("a", "b", "c", "d"), final, (3, 1, 2, 4), 0)]
    assert player.seen.points == list(final)
