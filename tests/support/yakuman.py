"""Kyoku in which B completes a yakuman by calls, so that another player is liable for it (pao)."""

from __future__ import annotations

from typing import Any

from support.scenario import Scenario

from ump.model.actions import Pass
from ump.model.phases import Phase
from ump.model.seats import LETTERS

ANSWERS = ("chi", "pon", "kan", "ron", "no")
"""The orders that answer a question about a tile."""


def drive(game: Scenario, *orders: str) -> Scenario:
    """Carry out orders as a Scenario does; pass for all other seats that are asked about a tile."""
    for order in orders:
        letter, verb, *_ = order.split()
        for seat in list(game.kyoku.questions):
            question = game.kyoku.questions.get(seat)
            if question and question.phase is not Phase.TURN and (verb not in ANSWERS or seat != LETTERS.index(letter)):
                game.events += game.kyoku.answer(seat, Pass())
        game(order)
    return game


def daisangen(giver: str, *, hand: str = "23m99m", tile: str = "1m", **changes: Any) -> Scenario:
    """Return B's win after it has called the white dragon from A, the green one from C and the red one from D.

    ``giver`` discards the winning tile; B itself draws it.
    """
    hands = {
        "A": "5z147m258p369s334z",
        "B": "55z66z77z1s9p8p" + hand,
        "C": "6z258m369p147s344z",
        "D": "7z2369m147p2589s3z",
    }
    game = Scenario(hands, "8s8s7s7s" + _last_draws(giver, tile), **changes)
    drive(game, "A sute 5z", "B pon", "B sute 1s", "C sute 6z", "B pon", "B sute 9p")
    drive(game, "C sute 7s", "D sute 7z", "B pon", "B sute 8p")
    return _won(game, giver)


def daisuushii(giver: str, **changes: Any) -> Scenario:
    """Return B's win on 9m after it has called east from A, south from C, west from D and north from A."""
    hands = {
        "A": "1z4z47m258p369s555z",
        "B": "11z22z33z44z1s2s9p8p9m",
        "C": "2z58m369p147s5667z",
        "D": "3z36m147p258s1677z",
    }
    game = Scenario(hands, "8s8s7s7s8s7p7p" + _last_draws(giver, "9m"), **changes)
    drive(game, "A sute 1z", "B pon", "B sute 1s", "C sute 2z", "B pon", "B sute 2s")
    drive(game, "C sute 7s", "D sute 3z", "B pon", "B sute 9p")
    drive(game, "C sute 8s", "D sute 7p", "A sute 4z", "B pon", "B sute 8p")
    return _won(game, giver)


def suukantsu(giver: str, **changes: Any) -> Scenario:
    """Return B's win on 9m after open kans of 1m from A, 2p from C, 3s from D and 4z from A."""
    hands = {
        "A": "1m4z47m358p69s1256z",
        "B": "111m222p333s444z9m",
        "C": "2p58m369p147s1267z",
        "D": "3s36m147p258s1257z",
    }
    game = Scenario(hands, "8s8s7s7s8s7p7p" + _last_draws(giver, "9m"), rinshan="1s9p9s8p", **changes)
    drive(game, "A sute 1m", "B kan", "B sute 1s", "C sute 2p", "B kan", "B sute 9p")
    drive(game, "C sute 7s", "D sute 3s", "B kan", "B sute 9s")
    drive(game, "C sute 8s", "D sute 7p", "A sute 4z", "B kan", "B sute 8p")
    return _won(game, giver)


ORDER = "CDAB"
"""The order of draws after B's last call and discard."""


def _last_draws(giver: str, tile: str) -> str:
    """Return useless draws, then the winning tile as the draw of ``giver``."""
    return "6s5s4s"[: 2 * ORDER.index(giver)] + tile


def _won(game: Scenario, giver: str) -> Scenario:
    """Play on until ``giver`` has drawn the winning tile, and B wins with it."""
    game.turns(ORDER.index(giver))
    if giver == "B":
        return game("B tsumo")
    ((seat, question),) = game.kyoku.questions.items()
    game.events += game.kyoku.answer(seat, question.default())
    return drive(game, "B ron")
