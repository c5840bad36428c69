"""Majiang's messages as a client speaks them: a reply to each message that has a number (``seq``).

Majiang asks nobody whether a hand is tenpai: a bot declares it in its reply to the last discard. This client always
does, so that a tenpai hand is paid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ump.bots.conversation import Conversation, Introduction, ServerRefusal
from ump.bots.player import Player
from ump.model import actions
from ump.model.events import Event, GameStarted
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.notation import MajiangTile, format_majiang_meld, format_majiang_tile
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Face
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON, read_document, write
from ump.wire.majiang.events import rule_object
from ump.wire.majiang.read import Fields, MajiangReader
from ump.wire.text import WireError

_PHASES = {"dapai": Phase.CALL, "gang": Phase.CHANKAN}
"""Moves of others after which the seat may act, and the question that they ask."""

_TURN = frozenset(("zimo", "gangzimo", "fulou"))
"""Own moves after which the seat acts; not after an open kan, which is a ``fulou`` too."""

_LENGTH = "場数"
"""The length of the game in a rule object."""

_FRAME = frozenset(("seq", "timer"))
"""Keys of a message besides its type."""


class MajiangConversation(Conversation):
    """Majiang over TCP or a WebSocket."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction)
        self._reader = MajiangReader()
        self._last = player.games + introduction.games if introduction.games else None
        """The number of the player's games after the last one here; None: there is no last one."""

    def begin(self) -> list[str]:
        """Return the hello."""
        introduction = self._introduction
        given = {
            "name": introduction.name,
            "room": introduction.room,
            "user": introduction.user,
            "password": introduction.password,
            "games": introduction.games,
            "resume": introduction.seat_token or True,
        }
        return [write({"hello": {**{key: text for key, text in given.items() if text is not None}, "explain": True}})]

    def receive(self, message: str) -> list[str]:
        """Take one message."""
        if not message.strip():
            return []
        read = read_document(message.encode())
        types = [key for key in read if key not in _FRAME] if isinstance(read, dict) else []
        if not isinstance(read, dict) or len(types) != 1:
            raise WireError("expected a Majiang message")
        type_ = types[0]
        content = read[type_]
        self._take(type_, content)
        if "seq" not in read:
            return []
        return [write({**self._reply(type_, content), "seq": read["seq"]})]

    def _take(self, type_: str, content: JSON) -> None:
        fields: Fields = content if isinstance(content, dict) else {}
        if type_ == "error":
            raise ServerRefusal(str(fields.get("message", "")))
        if type_ == "refused":
            self._player.refuse(str(fields.get("reason", "")))
        for event in self._reader.read(type_, content):
            self.is_greeted = True
            self._pass_on(event)
        if type_ == "kaiju":
            self._player.take_token(fields.get("resume"))
            for moved, told in _told_again(fields.get("log")):
                self._take(moved, told)

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._player.begin_game(self._reader.seat, event.names, _ruleset(self._reader.rule))
        if not self._player.is_in_game:
            raise WireError("a message before the start of the game")
        self._player.see(event)
        self.is_over = self._last is not None and self._player.games >= self._last

    def _reply(self, type_: str, content: JSON) -> dict[str, object]:
        seen = self._player.seen
        actor = _actor(seen, content)
        is_own = actor == seen.me
        if is_own and type_ in _TURN and seen.kan is None:
            return _written(self._player.choose(Phase.TURN, seen.drawn, is_offered=_can_write), seen, seen.drawn)
        if actor is None or type_ not in _PHASES:
            return {}
        tile = seen.last_tile
        reply = {} if is_own else _written(self._player.choose(_PHASES[type_], tile), seen, tile)
        is_last = type_ == "dapai" and not seen.left
        return {"daopai": "-"} if is_last and not reply else reply


def _told_again(log: JSON) -> Iterator[tuple[str, JSON]]:
    """Yield the messages of the current kyoku so far, which a client receives when it comes back to its seat."""
    kyoku = log[-1] if isinstance(log, list) and log else []
    for entry in kyoku if isinstance(kyoku, list) else []:
        if isinstance(entry, dict):
            yield from entry.items()


def _actor(seen: Observation, content: JSON) -> int | None:
    """Return the seat that a move belongs to."""
    wind = content.get("l") if isinstance(content, dict) else None
    return (seen.dealer + wind) % seen.ruleset.seats if isinstance(wind, int) else None


def _can_write(action: actions.Action) -> bool:
    """Tell whether Majiang has a word for an action."""
    return not (isinstance(action, actions.Riichi) and action.opened)


def _written(action: actions.Action, seen: Observation, tile: Face | None) -> dict[str, object]:
    """Return the reply for an action, without its number."""
    match action:
        case actions.Discard():
            return {"dapai": format_majiang_tile(MajiangTile(action.face, action.tsumogiri))}
        case actions.Riichi():
            return {"dapai": format_majiang_tile(MajiangTile(action.face, action.tsumogiri, True))}
        case actions.Tsumo() | actions.Ron():
            return {"hule": "-"}
        case actions.KyushuKyuhai():
            return {"daopai": "-"}
        case actions.Chi() | actions.Pon():
            return {"fulou": _call(action.own, seen, tile)}
        case actions.Daiminkan():
            return {"fulou": _call(_held(seen, tile), seen, tile)}
        case actions.Ankan(kind):
            own = tuple(face for face in seen.hand.concealed if KIND_OF[face] == kind)
            return {"gang": format_majiang_meld(Meld(MeldType.ANKAN, own), seen.me)}
        case actions.Kakan(face):
            return {"gang": _added(face, seen)}
        case actions.Kita():
            raise ValueError("Majiang has no games of three")
        case actions.Pass() | actions.DeclareTenpai() | actions.DeclareNoten():
            return {}
        case _:
            assert_never(action)


def _held(seen: Observation, tile: Face | None) -> tuple[Face, ...]:
    """Return the concealed tiles of the kind of a tile."""
    return tuple(face for face in seen.hand.concealed if tile is not None and KIND_OF[face] == KIND_OF[tile])


def _call(own: tuple[Face, ...], seen: Observation, tile: Face | None) -> str:
    """Write the meld that a call of the last tile makes."""
    assert tile is not None, "calls are about a tile"
    kinds = {KIND_OF[face] for face in (*own, tile)}
    equal = MeldType.PON if len(own) == 2 else MeldType.DAIMINKAN
    return format_majiang_meld(Meld(equal if len(kinds) == 1 else MeldType.CHI, own, tile, seen.source), seen.me)


def _added(face: Face, seen: Observation) -> str:
    """Write the kan that this tile and the pon of its kind make."""
    place = place_of_pon(seen.hand.melds, KIND_OF[face])
    assert place is not None, "an added kan is legal only with a pon"
    pon = seen.hand.melds[place]
    return format_majiang_meld(Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, face), seen.me)


def _ruleset(rule: Fields) -> Ruleset | None:
    """Return the first preset that has this rule object, or None; the length of the game does not matter."""
    return next(
        (preset for preset in PRESETS.values() if {**rule_object(preset), _LENGTH: rule.get(_LENGTH)} == rule), None
    )
