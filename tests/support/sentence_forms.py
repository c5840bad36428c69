"""Reads the forms of sentences of UMP, such as ``tsumo <seat> <left> [<tile>]``, and compares lines with them.

A word in angle brackets stands for others. Square brackets surround words that may be left out, and
``..`` repeats the two words before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping


class Form:
    """One form of a sentence."""

    def __init__(self, text: str, words: Mapping[str, str]) -> None:
        """Read a form; ``words`` has a regular expression for each word in angle brackets."""
        self.text = text
        self.command = text.split()[0]
        parts: list[str] = []
        for place, token in enumerate(text.split()):
            if token == "..":
                parts.append(f"(?P<o{place}>(?:{parts[-2]}{parts[-1]})+)?")
            elif token[0] == "[":
                parts.append(f"(?P<o{place}> {_pattern(token[1:-1], words)})?")
            else:
                parts.append((" " if place else "") + _pattern(token, words))
        self._pattern = re.compile("".join(parts))
        self._used: dict[str, set[bool]] = {name: set() for name in self._pattern.groupindex}
        self._is_used = False

    def takes(self, sentence: str) -> bool:
        """Tell whether a sentence has this form, and note which optional parts it has."""
        match = self._pattern.fullmatch(sentence)
        if match is None:
            return False
        self._is_used = True
        for name, text in match.groupdict().items():
            self._used[name].add(text is not None)
        return True

    @property
    def is_seen(self) -> bool:
        """Whether sentences with and without each optional part were seen."""
        return self._is_used and all(len(seen) == 2 for seen in self._used.values())

    def __repr__(self) -> str:
        return f"{self.text} {self._used}"


def _pattern(token: str, words: Mapping[str, str]) -> str:
    return re.sub(r"<[^>]+>", lambda found: f"(?:{words[found[0]]})", re.sub(r"[][().+*?|]", r"\\\g<0>", token))


def check_sentences(forms: Iterable[Form], sentences: Iterable[str]) -> None:
    """Check that each sentence has one of the forms, and that each form, with each optional part, is seen."""
    listed = list(forms)
    for sentence in sentences:
        taking = [form for form in listed if form.command == sentence.split()[0]]
        taken = [form for form in taking if form.takes(sentence)]
        assert taken, f"no form for {sentence!r}"
    unseen = [form for form in listed if not form.is_seen]
    assert not unseen, unseen
