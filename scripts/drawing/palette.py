"""The colours of tiles and table, for a light and a dark theme, and the contrast between two colours."""

from __future__ import annotations

THEMES: dict[str, dict[str, str]] = {
    "light": {
        "paper": "#fbf8ef",
        "tsumogiri": "#cecbc4",
        "edge": "#6f6a5c",
        "black": "#1c1c20",
        "red": "#b3201a",
        "green": "#0f6b3a",
        "blue": "#1d4fa0",
        "back": "#9a6a2f",
        "felt": "#2f5d50",
        "centre": "#1d3b33",
        "dora": "#0072b2",
        "deal-in": "#b34700",
        "safe": "#007a55",
        "wait": "#7a3e9d",
        "last": "#ffd166",
    },
    "dark": {
        "paper": "#25282e",
        "tsumogiri": "#15181c",
        "edge": "#8d9099",
        "black": "#f0ede4",
        "red": "#ff8a7a",
        "green": "#6fd693",
        "blue": "#8fb8ff",
        "back": "#6b5233",
        "felt": "#1e2a27",
        "centre": "#0f1614",
        "dora": "#56b4e9",
        "deal-in": "#e69f00",
        "safe": "#009e73",
        "wait": "#cc79a7",
        "last": "#ffd166",
    },
}
"""For each theme, the value of each colour. ``black`` is the ink of winds and numerals, light on dark paper."""


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2.1 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
