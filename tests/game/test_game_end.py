"""The sequence of kyoku: next dealer, honba and sticks, and the end of the game. The stories: see ``ScriptedGame``."""

from __future__ import annotations

import pytest
from support.rows import each_row
from support.scenario import deals_of
from support.scripted_game import ScriptedGame

from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal, Round
from ump.game.game import Game
from ump.model.actions import KyushuKyuhai, Pass
from ump.model.claims import IllegalAction, Reason
from ump.model.events import GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuEnded, KyokuStarted
from ump.rules.ruleset import EqualScores, ExtraRound, LeftSticks, Length, Nagashi, Ruleset

A, B, C, D = range(4)
TONPU, HANCHAN = Length.TONPU, Length.HANCHAN
TO_E4 = "S ron E, S ron E, S ron E"
"""Three kyoku, after which D deals and the scores are 23,700, 25,000, 25,000, 26,300."""
LEVEL_TO_E4 = "draw, draw, draw"
"""The same with 25,000 points each and three honba."""
LEVEL_TO_S1 = "draw, draw, draw, draw"


@each_row(
    ("story", "rounds"),
    [
        ("E ron S", "E1.0 E1.1"),
        ("S ron E", "E1.0 E2.0"),
        ("EW ron S", "E1.0 E1.1"),
        ("SW ron E", "E1.0 E2.0"),
        ("abort", "E1.0 E1.1"),
        ("draw E", "E1.0 E1.1"),
        ("draw ESWN", "E1.0 E1.1"),
        ("draw S", "E1.0 E2.1"),
        ("draw", "E1.0 E2.1"),
        ("nagashi E", "E1.0 E2.1"),
        ("nagashi S", "E1.0 E2.1"),
        ("abort, E ron N", "E1.0 E1.1 E1.2"),
        ("abort, draw, E ron N", "E1.0 E1.1 E2.2 E2.3"),
        ("abort, draw, S ron N", "E1.0 E1.1 E2.2 E3.0"),
    ],
)
def test_next_dealer_and_honba(story: str, rounds: str) -> None:
    """A win by the dealer and every draw add a honba; any other win resets them."""
    assert ScriptedGame(story).rounds == rounds


@each_row(("story", "rounds"), [("abort, nagashi E", "E1.2"), ("abort, nagashi S", "E2.0")])
def test_nagashi_as_a_win_moves_the_deal_and_honba_like_a_win(story: str, rounds: str) -> None:
    """If nagashi counts as a win, the dealer's adds a honba, and another player's resets them."""
    assert ScriptedGame(story, nagashi=Nagashi.WIN).next == rounds


@each_row(
    ("rule", "changes"),
    [(Nagashi.DRAW, (4_000, 8_000, -6_000, -6_000)), (Nagashi.WIN, (3_900, 9_300, -6_100, -6_100))],
)
def test_two_nagashi_add_up(rule: Nagashi, changes: tuple[int, ...]) -> None:
    """The three others pay each of them. As wins, the dealer or the nearest player after it gets honba and sticks."""
    drawn = ScriptedGame("draw N richi, nagashi EN", nagashi=rule).events_of(KyokuDrawn)[-1]
    assert drawn.changes == changes


def test_south_follows_east() -> None:
    """After the fourth dealer of the east round, the first dealer begins the south round."""
    scripted = ScriptedGame(f"{TO_E4}, S ron E, S ron E")
    assert scripted.rounds == "E1.0 E2.0 E3.0 E4.0 S1.0 S2.0"
    assert [(start.bakaze, start.dealer) for start in scripted.events_of(KyokuStarted)[3:5]] == [(0, D), (1, A)]


def test_honba_are_paid_to_the_next_winner() -> None:
    """Each honba adds 300 points to the 1,300 of the hand."""
    assert ScriptedGame("draw, draw, S ron E").events_of(HandWon)[0].changes == (0, 0, -1_900, 1_900)


@each_row(
    ("story", "sticks", "points"),
    [
        ("draw E richi", 1, (27_000, 24_000, 24_000, 24_000)),
        ("draw E richi, draw ES richi", 3, (27_500, 24_500, 22_500, 22_500)),
        ("draw E richi, abort", 1, (27_000, 24_000, 24_000, 24_000)),
        ("draw E richi, W ron N", 0, (27_000, 24_000, 26_600, 22_400)),
        ("draw E richi, WE ron S", 0, (29_000, 20_400, 26_600, 24_000)),
    ],
)
def test_sticks_stay_on_the_table_until_a_win(story: str, sticks: int, points: tuple[int, ...]) -> None:
    """The winner gets sticks and honba; of two winners, the one nearer to the discarder."""
    start = ScriptedGame(story).start
    assert (start.kyotaku, start.points) == (sticks, points)


@each_row(
    ("story", "start_points", "follows"),
    [
        ("S ron E", 1_300, "E2.0"),
        ("S ron E", 1_200, "end"),
        ("E ron S", 1_900, "end"),
        ("draw S", 900, "end"),
        ("draw S", 1_000, "E2.1"),
    ],
)
def test_a_score_below_zero_ends_the_game(story: str, start_points: int, follows: str) -> None:
    """The game ends even if the dealer stays on; with exactly zero points it goes on."""
    assert ScriptedGame(story, start_points=start_points).next == follows


def test_without_tobi_a_score_below_zero_plays_on() -> None:
    """M.LEAGUE's rules have no tobi."""
    assert ScriptedGame("S ron E", start_points=1_200, tobi=False).next == "E2.0"


@each_row("story", ["abort", "draw", "E ron S", "S ron E"])
def test_length_kyoku_ends_after_one_kyoku(story: str) -> None:
    """With length kyoku, even a draw or a win of the dealer ends the game."""
    assert ScriptedGame(story, length=Length.KYOKU).rounds == "E1.0 end"


@each_row(
    ("length", "winds", "follows"),
    [(TONPU, 1, "end"), (HANCHAN, 1, "S1.0"), (HANCHAN, 2, "end")],
)
def test_tonpu_has_one_wind_and_hanchan_two(length: Length, winds: int, follows: str) -> None:
    """A player has the target all the time."""
    assert ScriptedGame(", ".join(["S ron E"] * 4 * winds), length=length, target=25_000).next == follows


@each_row(
    ("story", "target", "follows", "why"),
    [
        (f"{TO_E4}, E ron S", 28_300, "end", "first, with exactly the target"),
        (f"{TO_E4}, E ron S", 28_400, "E4.1", "below the target"),
        ("S ron E, S ron E, W ron E 8000, E ron S", 27_000, "E4.1", "another is ahead"),
        (f"{LEVEL_TO_E4}, draw E", 28_000, "end", "tenpai, first with the target"),
        (f"{LEVEL_TO_E4}, draw E", 28_100, "E4.4", "tenpai below the target"),
        (f"{LEVEL_TO_E4}, draw EN", 26_500, "E4.4", "an earlier dealer has as many points"),
        (f"{LEVEL_TO_E4}, draw E richi", 27_100, "E4.4", "the stick on the table does not count"),
        (f"{TO_E4}, abort", 26_000, "E4.1", "an abortive draw never ends the game"),
        ("E ron S", 26_000, "E1.1", "not the last kyoku"),
    ],
)
def test_dealer_that_stays_on_in_the_last_kyoku(story: str, target: int, follows: str, why: str) -> None:
    """By agari yame and tenpai yame, the game ends if the dealer is first and has the target."""
    assert ScriptedGame(story, length=TONPU, target=target).next == follows, why


@each_row(
    ("story", "agari_yame", "tenpai_yame", "follows"),
    [
        ("E ron S", True, False, "end"),
        ("E ron S", False, True, "E4.4"),
        ("draw E", True, False, "E4.4"),
        ("draw E", False, True, "end"),
        ("nagashi E", True, False, "end"),
        ("nagashi E", False, True, "E4.4"),
    ],
)
def test_agari_yame_and_tenpai_yame_are_independent(
    story: str, agari_yame: bool, tenpai_yame: bool, follows: str
) -> None:
    """Agari yame is for wins, including nagashi mangan if it counts as a win; tenpai yame is for exhaustive draws."""
    rules = Ruleset(length=TONPU, target=27_000, nagashi=Nagashi.WIN, agari_yame=agari_yame, tenpai_yame=tenpai_yame)
    assert ScriptedGame(f"{LEVEL_TO_E4}, {story}", rules).next == follows


def test_win_of_another_player_ends_the_game_at_the_target() -> None:
    """Exactly the target is enough."""
    for target, follows in ((27_200, "end"), (27_300, "S1.0")):
        assert ScriptedGame(f"{LEVEL_TO_E4}, S ron E", length=TONPU, target=target).next == follows


def test_sticks_on_the_table_do_not_count_for_the_target() -> None:
    """27,000 points and the player's stick on the table do not reach 28,000."""
    for target, follows in ((27_000, "end"), (28_000, "S1.4")):
        assert ScriptedGame(f"{LEVEL_TO_E4}, draw N richi", length=TONPU, target=target).next == follows


FIRST_BEHIND = f"{LEVEL_TO_S1}, draw, draw EN"
"""In south 2 the dealer stays on with 26,500 points. A has as many, and is ahead."""


@each_row(
    ("extra_round", "story", "follows", "why"),
    [
        (ExtraRound.NONE, LEVEL_TO_S1, "end", "no extra round"),
        (ExtraRound.SUDDEN_DEATH, "E ron S", "E1.1", "sudden death begins with the extra round"),
        (ExtraRound.SUDDEN_DEATH, f"{LEVEL_TO_E4}, draw EN", "E4.4", "sudden death begins with the extra round"),
        (ExtraRound.SUDDEN_DEATH, LEVEL_TO_S1, "S1.4", "all are below the target"),
        (ExtraRound.REPEAT_FIRST, LEVEL_TO_S1, "S1.4", "all are below the target"),
        (ExtraRound.SUDDEN_DEATH, f"{LEVEL_TO_S1}, S ron E", "end", "a player has the target"),
        (ExtraRound.REPEAT_FIRST, f"{LEVEL_TO_S1}, S ron E", "end", "a player has the target"),
        (ExtraRound.SUDDEN_DEATH, f"{LEVEL_TO_S1}, draw", "S2.5", "no player has the target yet"),
        (ExtraRound.REPEAT_FIRST, f"{LEVEL_TO_S1}, draw", "S2.5", "no player has the target yet"),
        (ExtraRound.SUDDEN_DEATH, f"{LEVEL_TO_S1}, abort", "S1.5", "no player has the target yet"),
        (ExtraRound.SUDDEN_DEATH, FIRST_BEHIND, "end", "another player has the target"),
        (ExtraRound.REPEAT_FIRST, FIRST_BEHIND, "S2.6", "the dealer stays on"),
        (ExtraRound.REPEAT_FIRST, f"{LEVEL_TO_S1}, E ron S", "end", "agari yame"),
        (ExtraRound.REPEAT_FIRST, f"{LEVEL_TO_S1}, draw ES", "end", "tenpai yame: of two equals A is first"),
        (ExtraRound.SUDDEN_DEATH, ", ".join(["draw"] * 8), "end", "one wind at most"),
        (ExtraRound.REPEAT_FIRST, ", ".join(["draw"] * 8), "end", "one wind at most"),
        (ExtraRound.REPEAT_FIRST, f"{', '.join(['draw'] * 7)}, abort", "S4.8", "the last dealer stays on"),
    ],
)
def test_the_extra_round(extra_round: ExtraRound, story: str, follows: str, why: str) -> None:
    """One more wind is played while all players are below the target, here 26,500."""
    assert ScriptedGame(story, length=TONPU, extra_round=extra_round, target=26_500).next == follows, why


@each_row(("extra_round", "follows"), [(ExtraRound.SUDDEN_DEATH, "end"), (ExtraRound.REPEAT_FIRST, "S1.5")])
def test_dealer_that_stays_on_in_the_extra_round_without_agari_yame(extra_round: ExtraRound, follows: str) -> None:
    """Sudden death ends the game at the target; otherwise the dealer plays on."""
    scripted = ScriptedGame(
        f"{LEVEL_TO_S1}, E ron S", length=TONPU, extra_round=extra_round, target=26_500, agari_yame=False
    )
    assert scripted.next == follows


def test_the_extra_round_of_a_hanchan_is_the_west_round() -> None:
    """It ends with the west round, even if no player has the target."""
    west = ScriptedGame(", ".join(["draw"] * 8))
    assert west.next == "W1.8"
    assert ScriptedGame(", ".join(["draw"] * 12)).next == "end"


@each_row(
    ("left_sticks", "points", "results"),
    [
        (LeftSticks.FIRST, (28_000, 24_000, 24_000, 24_000), (380, 40, -160, -260)),
        (LeftSticks.LOST, (27_000, 24_000, 24_000, 24_000), (370, 40, -160, -260)),
    ],
)
def test_left_over_sticks(left_sticks: LeftSticks, points: tuple[int, ...], results: tuple[int, ...]) -> None:
    """The first place gets them, or nobody; then uma and oka are added."""
    end = ScriptedGame("draw E richi", length=Length.KYOKU, left_sticks=left_sticks).end
    assert end == GameEnded(points, (1, 2, 3, 4), results)


@each_row(
    ("equal_scores", "places", "results"),
    [
        (EqualScores.AHEAD, (4, 1, 2, 3), (-276, 363, 63, -150)),
        (EqualScores.SHARE, (4, 1, 1, 3), (-276, 213, 213, -150)),
    ],
)
def test_equal_scores(equal_scores: EqualScores, places: tuple[int, ...], results: tuple[int, ...]) -> None:
    """The player nearer to the first dealer is ahead, or the players share both places."""
    end = ScriptedGame("SW ron E", length=Length.KYOKU, equal_scores=equal_scores).end
    assert end.points == (22_400, 26_300, 26_300, 25_000)
    assert (end.places, end.results) == (places, results)


def test_order_of_the_events_of_a_game() -> None:
    """KyokuEnded comes before the next KyokuStarted, and before GameEnded."""
    scripted = ScriptedGame("abort, S ron E", length=TONPU, start_points=1_000)
    frame = (GameStarted, KyokuStarted, KyokuDrawn, HandWon, KyokuEnded, GameEnded)
    assert [type(event) for event in scripted.events if isinstance(event, frame)] == [
        GameStarted,
        KyokuStarted,
        KyokuDrawn,
        KyokuEnded,
        KyokuStarted,
        HandWon,
        KyokuEnded,
        GameEnded,
    ]
    assert scripted.events[0] == GameStarted(("A", "B", "C", "D"))
    assert [type(event) for event in scripted.events[-2:]] == [KyokuEnded, GameEnded]


NINE_TERMINALS = build_wall({"A": "19m19p19s123z258m4p"})


def state(game: Game) -> tuple[bool, set[int], bool]:
    """Return whether ``proceed`` is next, the seats with a question, and whether the game is over."""
    return game.between_kyoku, set(game.questions), game.over


def test_the_game_waits_between_two_kyoku() -> None:
    """``proceed`` is valid only at the start and after each kyoku, and answers are refused then."""
    game = Game(Ruleset(length=Length.KYOKU), "ABCD", deals_of(NINE_TERMINALS))
    assert game.begin() == [GameStarted(("A", "B", "C", "D"))]
    assert state(game) == (True, set(), False)
    with pytest.raises(IllegalAction) as refusal:
        game.answer(A, KyushuKyuhai())
    assert refusal.value.reason is Reason.NOT_ASKED
    assert isinstance(game.proceed()[0], KyokuStarted)
    assert state(game) == (False, {A}, False)
    with pytest.raises(ValueError, match="between"):
        game.proceed()
    game.answer(A, KyushuKyuhai())
    assert state(game) == (True, set(), False)
    with pytest.raises(IllegalAction):
        game.answer(A, KyushuKyuhai())
    game.proceed()
    assert state(game) == (False, set(), True)
    with pytest.raises(ValueError, match="between"):
        game.proceed()


def test_a_refused_answer_changes_nothing() -> None:
    """The same question stays open, and can be answered."""
    game = Game(Ruleset(), "ABCD", deals_of(NINE_TERMINALS))
    game.begin()
    game.proceed()
    for seat in (A, B):
        with pytest.raises(IllegalAction):
            game.answer(seat, Pass())
    assert not game.between_kyoku
    assert isinstance(game.answer(A, KyushuKyuhai())[-1], KyokuDrawn)


def test_deals_are_requested_by_number() -> None:
    """The numbers start at 0 and grow with every kyoku, repeated ones included."""
    numbers: list[int] = []

    def deals(at: Round) -> Deal:
        numbers.append(at.number)
        return Deal(NINE_TERMINALS, (at.number + 1, 6))

    game = Game(Ruleset(), "ABCD", deals)
    game.begin()
    for number in range(3):
        start = game.proceed()[1 if number else 0]
        assert isinstance(start, KyokuStarted)
        assert start.dice == (number + 1, 6)
        game.answer(A, KyushuKyuhai())
    assert numbers == [0, 1, 2]


def test_every_seat_needs_a_name() -> None:
    """Three names raise ValueError."""
    with pytest.raises(ValueError, match="4 names"):
        Game(Ruleset(), "ABC", deals_of(NINE_TERMINALS))
