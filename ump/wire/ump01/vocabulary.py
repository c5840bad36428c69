"""All sentences of UMP 0.1: those of each side, and the reading of a line as one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar, get_args

from ump.wire.sentence import Sentence, split_id
from ump.wire.ump01 import client_messages, extension_messages, hints, questions, server_messages

S = TypeVar("S", bound=Sentence)

ServerSentence: TypeAlias = (
    server_messages.Hello
    | server_messages.Error
    | server_messages.GameStart
    | questions.ReadyQuestion
    | server_messages.KyokuStart
    | server_messages.Point
    | server_messages.Dice
    | server_messages.Haipai
    | server_messages.Dora
    | server_messages.Tsumo
    | questions.SutehaiQuestion
    | server_messages.Sutehai
    | questions.NakuQuestion
    | server_messages.Say
    | server_messages.Open
    | server_messages.Agari
    | server_messages.Ryukyoku
    | questions.TenpaiQuestion
    | server_messages.KyokuEnd
    | server_messages.GameEnd
    | server_messages.Bye
    | extension_messages.Illegal
    | extension_messages.Late
    | extension_messages.Waiting
    | extension_messages.Notice
    | extension_messages.SeatToken
    | extension_messages.Commitment
    | extension_messages.Secret
    | extension_messages.Seeds
    | extension_messages.SeedQuestion
    | extension_messages.Texts
    | hints.WaitsNow
    | hints.ShantenNow
)
"""Every sentence that the server may send."""

SERVER_SAYS: tuple[type[ServerSentence], ...] = get_args(ServerSentence)
"""The classes of these sentences."""

CLIENT_SAYS: tuple[type[Sentence], ...] = (
    client_messages.ClientHello,
    *client_messages.ANSWERS,
    client_messages.Reveal,
    client_messages.ClientBye,
)
"""The classes of every sentence that a client may send."""

SERVER_NAMED: Mapping[str, type[ServerSentence]] = {sentence.NAME: sentence for sentence in SERVER_SAYS}
CLIENT_NAMED: Mapping[str, type[Sentence]] = {sentence.NAME: sentence for sentence in CLIENT_SAYS}
"""The sentences of each side by command."""


def read_sentence(named: Mapping[str, type[S]], line: str) -> tuple[int, S | None]:
    """Read a line that is not empty: return its id and its sentence, or None for a command that is not ``named``.

    Raises WireError if the line does not begin with an id, or if the sentence has another form.
    """
    number, words = split_id(line)
    sentence = named.get(words[0]) if words else None
    return number, None if sentence is None else sentence.parse(words[1:])
