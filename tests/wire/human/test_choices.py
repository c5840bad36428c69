"""Tests of a person's input at an exhaustive draw, and for actions that are seldom offered."""

from __future__ import annotations

from support.rows import each_row

from ump.model.actions import Action, DeclareNoten, DeclareTenpai, KyushuKyuhai, Pass, Ron
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.wire.human.answers import choice_of, choices, default_of


class Question:
    """A question with these legal actions."""

    tile = None

    def __init__(self, phase: Phase, *actions: Action) -> None:
        self.phase = phase
        self.hand = Hand()
        self._actions = actions

    def legal(self) -> tuple[Action, ...]:
        """Return the actions."""
        return self._actions

    def check(self, action: Action) -> None:
        """Allow everything."""


@each_row(
    ("action", "legal", "typed"),
    [
        (DeclareTenpai(), (DeclareTenpai(), DeclareNoten()), "Enter"),
        (DeclareNoten(), (DeclareTenpai(), DeclareNoten()), "n"),
        (KyushuKyuhai(), (KyushuKyuhai(),), "q"),
        (Pass(), (Pass(), Ron()), "x"),
        (Pass(), (Pass(),), "Enter"),
    ],
)
def test_what_is_typed(action: Action, legal: tuple[Action, ...], typed: str) -> None:
    """Each action has its shortest form; Enter never passes a win."""
    assert choice_of(action, legal).typed == typed


def test_enter_at_an_exhaustive_draw_shows_the_hand() -> None:
    """Tenpai is the marked default."""
    question = Question(Phase.DECLARE, DeclareTenpai(), DeclareNoten())
    assert default_of(question) == DeclareTenpai()
    assert [choice.typed for choice in choices(question)] == ["Enter", "n"]


def test_enter_never_passes_a_win() -> None:
    """Enter means nothing if a ron is possible."""
    assert default_of(Question(Phase.CALL, Pass(), Ron())) is None
    assert default_of(Question(Phase.CALL, Pass())) == Pass()
