"""Game records (paipu), as one seat can write them: what it was told, and nothing else.

What the seat has not seen stays hidden: the hands and draws of the others are empty texts here, where kobalab's
programs give the whole record away at the end.
"""

from __future__ import annotations

Content = dict[str, object]
"""What stands in a message of one type."""

_RESULTS = frozenset(("hule", "pingju"))


class Paipu:
    """The log of one game: a list for each kyoku, of the messages that were told, without ``seq``.

    An indicator stands after what it belongs to: on the wire it comes before.
    """

    __slots__ = ("_last", "_waiting", "log")

    def __init__(self) -> None:
        self.log: list[list[dict[str, Content]]] = []
        self._last = ""
        """The type of the last entry."""
        self._waiting: list[dict[str, Content]] = []
        """Indicators that are told before what they belong to."""

    def add(self, type_: str, content: Content, *, is_due: bool = False) -> None:
        """Take one message; ``is_due``: an indicator for what was told already."""
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
