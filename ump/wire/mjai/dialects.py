"""The mjai dialects as the server offers them."""

from __future__ import annotations

from ump.wire.dialect import (
    Caller,
    DefaultPort,
    Dialect,
    Hint,
    LinePort,
    OpenSession,
    PortOption,
    StandardStreams,
    TokenUse,
    WebSocketPath,
)
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, BatchSessionOfThree, LineSession, LineSessionOfThree
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.riichienv_observation import Waits, is_older_form
from ump.wire.session import Introduction

VALIDATION_ROOM = "validate"
"""The room in which a bot is tested: one game against built-in bots that discard what they draw."""

LOCKSTEP = Dialect(
    name=LockstepSession.DIALECT,
    open_session=lambda caller: LockstepSession(),
    transports=(
        LinePort(
            PortOption("mjai", 11600, DefaultPort.OPTIONAL, "mjai bots in lock-step"),
            ending="\n",
            hints=(Hint("mjai bots", "mjsonp://{host}:{port}/default"),),
        ),
    ),
)

BATCHES = Dialect(
    name=BatchSession.DIALECT,
    open_session=lambda caller: BatchSession(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai"),),
)

LINES = Dialect(
    name=LineSession.DIALECT,
    open_session=lambda caller: LineSession(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-lines"),),
)

BATCHES_OF_THREE = Dialect(
    name=BatchSessionOfThree.DIALECT,
    open_session=lambda caller: BatchSessionOfThree(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-nukidora"),),
)

LINES_OF_THREE = Dialect(
    name=LineSessionOfThree.DIALECT,
    open_session=lambda caller: LineSessionOfThree(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-lines-nukidora"),),
)


def on_request(waits: Waits) -> Dialect:
    """Return mjai on request, whose clients receive the waits of their hand, as ``waits`` finds them."""
    return Dialect(
        name=RequestSession.DIALECT,
        open_session=_opener(waits, is_validation=False),
        transports=(
            WebSocketPath("mjai", "mjai on request", token=TokenUse.OPTIONAL),
            WebSocketPath("ws/ranked", "mjai on request, with a token", token=TokenUse.REQUIRED),
        ),
    )


def validation(waits: Waits) -> Dialect:
    """Return mjai on request for a bot under test: after its game it receives whether all of its answers counted."""
    return Dialect(
        name="mjai validation",
        open_session=_opener(waits, is_validation=True),
        transports=(
            WebSocketPath(
                "ws/validate", "mjai on request, a test of your bot", token=TokenUse.REQUIRED, room=VALIDATION_ROOM
            ),
        ),
    )


def _opener(waits: Waits, *, is_validation: bool) -> OpenSession:
    def open_session(caller: Caller) -> RequestSession:
        key = None if is_validation else caller.token  # a test is one game, to which nobody comes back
        is_older = caller.riichienv is not None and is_older_form(caller.riichienv)
        return RequestSession(
            caller.name, caller.room, key=key, is_validation=is_validation, waits=waits, is_older=is_older
        )

    return open_session
