"""mjai as a client speaks it: in lock-step, from standard streams, and on request.

A riichi takes two steps in mjai: the client declares it, the server repeats the declaration, and then the client names
the tile. The bot decides both at once.
"""

from __future__ import annotations

from collections.abc import Mapping

from ump.bots.conversation import Conversation, Introduction, ServerRefusal
from ump.bots.player import Player
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Riichi
from ump.model.events import Event, GameStarted
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.hints import waits_after
from ump.wire.json_text import JSON, read_document, write
from ump.wire.mjai.actions import MjaiQuestion, write_action
from ump.wire.mjai.events import Message
from ump.wire.mjai.lockstep_session import DEFAULT_ROOM
from ump.wire.mjai.read import Fields, MjaiReader
from ump.wire.mjai.session_base import ASKED_ABOUT
from ump.wire.text import WireError

NOTHING: Message = {"type": "none"}
"""The reply to a message that asks nothing."""

_OWN = ASKED_ABOUT[Phase.TURN] | {"reach"}
"""Own moves after which the seat acts."""

_OTHERS = {name: phase for phase in (Phase.CALL, Phase.CHANKAN) for name in ASKED_ABOUT[phase]}
"""Moves of others after which the seat may act, and the question that they ask."""

_REFUSED = ("rejected", "unparseable", "defaulted")
"""The outcomes of a reply that does not count. A stale one came too late, often because others have decided."""


@value
class _Asked:
    """A question that a message asks."""

    phase: Phase
    tile: Face | None
    is_echo: bool = False
    """Whether the message repeats the seat's own riichi, and asks for its tile."""


class ToldQuestion:
    """A question as a client knows it: a ``QuestionView`` that accepts every action."""

    def __init__(self, phase: Phase, tile: Face | None, hand: Hand, legal: tuple[Action, ...] = ()) -> None:
        """``legal`` are the actions that are known to be legal; most servers list none."""
        self.phase = phase
        self.tile = tile
        self.hand = hand
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Return the known actions."""
        return self._legal

    def check(self, action: Action) -> None:
        """Accept every action: only servers refuse them."""


class MjaiConversation(Conversation):
    """The common part of all three forms."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction)
        self._reader = MjaiReader()
        self._riichi: Discard | None = None
        """The discard of a riichi that the bot has declared."""

    def _see(self, message: Fields) -> None:
        """Pass the events of one message on."""
        if message.get("type") == "error":
            raise ServerRefusal(str(message.get("message", "")))
        for event in self._reader.read(message):
            self._pass_on(event)
            self.is_greeted = True

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._riichi = None
            self._player.begin_game(self._reader.seat, event.names)
        if not self._player.is_in_game:
            raise WireError("an event before the start of the game")
        self._player.see(event)

    def _asked(self, message: Fields) -> _Asked | None:
        """Return the question that a message may ask, or None."""
        type_, is_own = str(message.get("type")), message.get("actor") == self._reader.seat
        seen = self._player.seen
        if is_own and type_ in _OWN:
            return _Asked(Phase.TURN, seen.drawn, is_echo=type_ == "reach")
        if not is_own and type_ in _OTHERS:
            return _Asked(_OTHERS[type_], seen.last_tile)
        return None

    def _reply(self, asked: _Asked, message: Fields) -> Message:
        """Return the reply to a question; ``message`` may list actions that the server offers or excludes."""
        if asked.is_echo:
            discard, self._riichi = self._riichi, None
            return self._written(discard or self._best_tenpai_discard(asked, message), asked)
        action = self._player.choose(
            asked.phase, asked.tile, is_offered=lambda action: self._is_offered(action, asked, message)
        )
        if isinstance(action, Riichi):
            self._riichi = Discard(action.face, action.tsumogiri)
        return self._written(action, asked)

    def _best_tenpai_discard(self, asked: _Asked, message: Fields) -> Discard:
        """Return the discard of a riichi that the bot has not declared, or not in this connection.

        It is the one after which most tiles win. Where no discard keeps tenpai, the drawn tile goes. Raises WireError
        if no tile was drawn.
        """
        seen, drawn = self._player.seen, asked.tile
        if drawn is None:
            raise WireError("a riichi without a draw")
        held = seen.hand.faces
        discards = [Discard(face, face == drawn and held[face] == 1) for face in dict.fromkeys(seen.hand.concealed)]
        offered = [each for each in discards if self._is_offered(each, asked, message)]
        waits = waits_after(seen, [each.face for each in offered])
        live = {face: sum(left for _, left in found.live) for face, found in waits.items()}
        return max(
            (each for each in offered if each.face in live),
            key=lambda each: (live[each.face], each.face == KIND_OF[each.face]),
            default=Discard(drawn, tsumogiri=True),
        )

    def _is_offered(self, action: Action, asked: _Asked, message: Fields) -> bool:
        """Tell whether a server that lists actions, or tiles that must stay, allows this one."""
        if isinstance(action, Riichi) and action.opened:
            return False
        excluded, offers = message.get("cannot_dahai"), message.get("possible_actions")
        written = self._written(action, asked)
        if isinstance(excluded, list) and isinstance(action, Discard):
            return written["pai"] not in excluded
        if not isinstance(offers, list) or written == NOTHING:
            return True
        listed = [offer for offer in offers if isinstance(offer, dict)]
        lists_discards = any(offer.get("type") == "dahai" for offer in listed)
        if isinstance(action, Discard) and not lists_discards:
            return True
        return any(_means(offer, written) for offer in listed)

    def _written(self, action: Action, asked: _Asked) -> Message:
        if isinstance(action, DeclareTenpai | DeclareNoten):
            return NOTHING
        seen = self._player.seen
        source = seen.me if seen.source is None else seen.source
        question = ToldQuestion(asked.phase, asked.tile, seen.hand)
        return write_action(action, MjaiQuestion(seen.me, source, question))


def _means(offer: Mapping[str, JSON], written: Message) -> bool:
    """Tell whether an offer is this action. Servers leave different fields out, so only common ones count."""
    return all(
        _same(offer[key], written[key]) for key in ("type", "pai", "consumed") if key in offer and key in written
    )


def _same(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return one == other


def _object(message: str) -> dict[str, JSON]:
    read = read_document(message.encode())
    if not isinstance(read, dict):
        raise WireError("expected a JSON object")
    return read


class LockstepConversation(MjaiConversation):
    """mjai over TCP: exactly one reply to each message, and one game for each connection.

    A client that has taken its seat back reads the kyoku so far again. Those messages say that it cannot act on them.
    """

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        if not message.strip():
            return []
        read = _object(message)
        if read.get("type") == "hello":
            self.is_greeted = True
            return [write(self._join())]
        self._see(read)
        if read.get("type") == "start_game":
            self._player.take_token(read.get("resume"))
        self.is_over = read.get("type") == "end_game"
        asked = None if read.get("can_act") is False else self._asked(read)
        if asked is None or (read.get("possible_actions") == [] and asked.phase is not Phase.TURN):
            return [write(NOTHING)]
        return [write(self._reply(asked, read))]

    def _join(self) -> Message:
        """Return the reply to the hello, which asks for a token, or for the seat of one."""
        introduction = self._introduction
        room, resume = introduction.room or DEFAULT_ROOM, introduction.seat_token or True
        return {"type": "join", "name": introduction.name, "room": room, "resume": resume}


class PipedConversation(MjaiConversation):
    """mjai over standard streams: batches (an array in a line), or lines that may say ``"can_act":false``."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction)
        self.is_greeted = True

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        if not message.strip():
            return []
        read = read_document(message.encode())
        is_batch = isinstance(read, list)
        events = [each for each in (read if isinstance(read, list) else [read]) if isinstance(each, dict)]
        if not events:
            raise WireError("expected mjai events")
        for event in events:
            self._see(event)
        last = events[-1]
        asked = None if last.get("can_act") is False else self._asked(last)
        if asked is None:
            return [write(NOTHING)] if is_batch else []
        return [write(self._reply(asked, last))]


class RequestConversation(MjaiConversation):
    """mjai over a WebSocket: a reply to each request, with its id."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction)
        self.is_greeted = True  # the handshake has shown it
        self._last: _Asked | None = None
        """The question that the last move may ask."""

    def receive(self, message: str) -> list[str]:
        """Take one frame."""
        read = _object(message)
        type_ = read.get("type")
        if type_ == "request_action":
            if self._last is None:
                raise WireError("a request before the first move")
            return [write({**self._reply(self._last, read), "request_id": read.get("request_id")})]
        if type_ == "action_ack" and read.get("status") in _REFUSED:
            self._player.refuse(" ".join(str(read[key]) for key in ("status", "reason") if key in read))
        if type_ == "validation_result":
            self._player.report(f"validation: {'passed' if read.get('passed') is True else 'failed'}")
        self._see(read)
        self._last = self._asked(read) or self._last
        self.is_over = type_ == "end_game"
        return []
