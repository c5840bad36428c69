"""Game records (paipu) from one seat: they hold only the messages that this seat received.

The hands and draws of the other seats are empty strings. Kobalab's own server reveals the whole record at the end.
"""

from __future__ import annotations

Content = dict[str, object]
"""The content of a message of one type."""

_RESULTS = frozenset(("hule", "pingju"))


class Paipu:
    """The log of one game: for each kyoku a list of its messages, without ``seq``.

    An indicator stands after the message that it belongs to. On the wire it comes before that message.
    """

    __slots__ = ("_last", "_waiting", "log")

    def __init__(self) -> None:
        self.log: list[list[dict[str, Content]]] = []
        self._last = ""
        """The type of the last entry."""
        self._waiting: list[dict[str, Content]] = []
        """Indicators that came before the message they belong to."""

    @property
    def waiting(self) -> list[Content]:
        """The indicators whose message has not come yet."""
        return [content for entry in self._waiting for content in entry.values()]

    def add(self, type_: str, content: Content, *, is_due: bool = False) -> None:
        """Add one message; with ``is_due`` it is an indicator whose message stands in the log already."""
        if type_ == "qipai":
            self.log.append([])
        kyoku = self.log[-1]
        if type_ == "kaigang" and not is_due and self._last != "dapai":
            self._waiting.append({type_: content})
            return
        entries = [{type_: content}]
        if type_ != "kaigang":
            entries = [*self._waiting, *entries] if type_ in _RESULTS else [*entries, *self._waiting]
            self._waiting = []
            self._last = type_
        kyoku += entries
