"""How text for people is written: its language, and whether it has colours."""

from __future__ import annotations

from ump.model.value import value


@value
class Style:
    """The wishes of one reader."""

    language: str = "en"
    """The language of yaku and limits: ``en`` (romanised) or ``ja``."""
    is_coloured: bool = False
    """Whether text has ANSI colours. No meaning depends on them."""


PLAIN = Style()
"""English, without colours."""
