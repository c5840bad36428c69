"""HTML pages of reports, without scripts and without requests, and their plots in SVG."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from urllib.parse import quote

from ump.arena.block_play import record_name
from ump.model.value import value

_STYLE = """
:root { color-scheme: dark; --page: #0e2422; --card: #163330; --line: #ffffff1a; --text: #f4f0e4; --quiet: #b9c6bf;
  --link: #8fd3ff; --mark: #8fd3ff }
@media (prefers-color-scheme: light) { :root { color-scheme: light; --page: #eef2ee; --card: #fff; --line: #0002;
  --text: #16302b; --quiet: #4d625b; --link: #0b5f8f; --mark: #1f5fa8 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--page) }
h1 { font: 900 34px/1.2 Georgia, serif }
h2 { font-size: 20px; margin: 2rem 0 .75rem }
a { color: var(--link) }
pre, .scroll, svg { background: var(--card); border-radius: 16px; box-shadow: inset 0 0 0 1px var(--line);
  padding: 14px 18px; overflow-x: auto; font-size: 14px }
svg { box-sizing: border-box; width: 100%; height: auto; display: block; color: var(--text); fill: currentColor }
table { border-collapse: collapse }
td, th { padding: 6px 0 6px 1.25rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
th { color: var(--quiet); font-weight: 600 }
td:first-child, th:first-child { padding-left: 0; text-align: left }
tr + tr { border-top: 1px solid var(--line) }
.lead { color: var(--quiet); white-space: pre-line }
"""


@value
class Figure:
    """A plot with its title."""

    title: str
    svg: str


def page(title: str, lines: Iterable[str], figures: Iterable[Figure], rest: str, lead: str = "") -> str:
    """Return a page: a title, the lines of a report or a few words, plots, and ``rest``, which is HTML."""
    name, text = escape(title), escape("\n".join(lines))
    report = f"<pre>{text}</pre>\n" if text else ""
    if lead:
        report += f'<p class="lead">{escape(lead)}</p>\n'
    plots = "".join(f"<h2>{escape(each.title)}</h2>\n{each.svg}\n" for each in figures)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{name}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n{report}"
        f"{plots}{rest}</body>\n</html>\n"
    )


def text_cell(text: str) -> str:
    """Return a cell of a table."""
    return f"<td>{escape(text)}</td>"


HOW_TO_SHOW = "<p>ump replay or ump show FILE shows a record.</p>\n"


def record_link(records: str | None, block: int, game: int) -> str:
    """Return the name of a game, as a link if ``records`` is the folder of the records."""
    name = record_name(block, game)
    text = name.removesuffix(".mjson")
    return text if records is None else f'<a href="{quote(records)}/{name}">{text}</a>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; ``rows`` hold cells in HTML, such as those of ``text_cell``."""
    headings = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return f'<div class="scroll" tabindex="0"><table>\n<tr>{headings}</tr>\n{body}</table></div>'


WIDTH, HEIGHT = 800, 260
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 26, 38
"""The margins: room for the numbers and units beside, above and below a plot."""

MOST_POINTS = 400
"""Points of a line; of longer ones, points at equal distances are drawn."""

BINS = 25

_NAMES = 100
"""The room for names and numbers beside intervals."""

_LABEL = 15
"""The height of a label."""

_LETTER = 7
"""About the width of a letter."""

PLACE_COLOURS = ("#2f7d4f", "#4a7a52", "#8a6420", "#a8402f")


@value
class Line:
    """A line of a plot."""

    colour: str
    values: Sequence[float | None]
    """A value for each block; None leaves a gap."""


@value
class PlotPoint:
    """A named point of a plot."""

    name: str
    x: float
    y: float


@value
class Axes:
    """The units of a plot's axes."""

    across: str
    up: str


def line_plot(lines: Sequence[Line], levels: Sequence[float], axes: Axes) -> str:
    """Return lines over the number of blocks, and dashed horizontal lines at these levels."""
    known = list(levels)
    number = 0
    for line in lines:
        known += [each for each in line.values if each is not None]
        number = max(number, len(line.values))
    low, high = _widened(known)
    parts = [_level(level, low, high) for level in levels]
    parts += _numbers_up([(level, f"{level:.2f}") for level in levels], low, high)
    parts += [_across(LEFT, "0"), _across(WIDTH - RIGHT, str(number)), *_titles(axes)]
    for line in lines:
        points = " ".join(_points(line, number, low, high))
        parts.append(f'<polyline fill="none" stroke="{line.colour}" stroke-width="2" points="{points}"/>')
    return _svg(parts)


def histogram(values: Sequence[float], axes: Axes) -> str:
    """Return how often values fall into ``BINS`` intervals of equal width."""
    low, high = _widened(values)
    step = (high - low) / BINS
    counts = [0] * BINS
    for each in values:
        counts[min(BINS - 1, int((each - low) / step))] += 1
    most, width = max(counts), (WIDTH - LEFT - RIGHT) / BINS
    parts = []
    for at, count in enumerate(counts):
        x, y = LEFT + at * width, _y(count, 0, most)
        size = f'width="{width - 1:.1f}" height="{HEIGHT - BOTTOM - y:.1f}"'
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="var(--mark)"/>')
    parts += [_across(LEFT, f"{low:.0f}"), _across(WIDTH - RIGHT, f"{high:.0f}"), *_titles(axes)]
    if low < 0 < high:
        parts.append(_across(LEFT + (WIDTH - LEFT - RIGHT) * -low / (high - low), "0"))
    return _svg([*parts, _text(LEFT - 6, TOP + 4, str(most)), _text(LEFT - 6, HEIGHT - BOTTOM + 4, "0")])


def stacked_bars(names: Sequence[str], shares: Sequence[Sequence[float]]) -> str:
    """Return one bar for each name, divided into shares from 0 to 1, with their percentages."""
    parts = []
    for row, (name, parts_of_one) in enumerate(zip(names, shares, strict=True)):
        x, y = 0.0, 10 + row * 60
        parts.append(f'<text x="0" y="{y + 14}">{escape(name)}</text>')
        for colour, share in zip(PLACE_COLOURS, parts_of_one, strict=False):
            width = share * WIDTH
            parts.append(f'<rect x="{x:.1f}" y="{y + 20}" width="{width:.1f}" height="26" fill="{colour}"/>')
            if share > 0.07:
                parts.append(f'<text x="{x + 4:.1f}" y="{y + 38}" fill="#fff">{share:.1%}</text>')
            x += width
    return _svg(parts, 10 + len(names) * 60)


def forest(names: Sequence[str], estimates: Sequence[tuple[float, float]], unit: str, form: str = ".0f") -> str:
    """Return a row for each name: a mean as a dot, and its interval, given by half of its width, as a line.

    ``form`` is the format of the numbers.
    """
    ends: list[float] = []
    for mean, half in estimates:
        ends += mean - half, mean + half
    low, high = _widened(ends)
    left, right = 2 * _NAMES, WIDTH - _NAMES

    def _x(number: float) -> float:
        return left + (right - left) * (number - low) / (high - low)

    parts = []
    for row, (name, (mean, half)) in enumerate(zip(names, estimates, strict=True)):
        y = 25 + row * 30
        shown = name if len(name) * _LETTER < left else name[: left // _LETTER - 1] + "…"
        parts.append(f'<text x="0" y="{y + 4}">{escape(shown)}</text>')
        interval = f'x1="{_x(mean - half):.1f}" x2="{_x(mean + half):.1f}" y1="{y}" y2="{y}"'
        parts.append(f'<line {interval} stroke="var(--mark)" stroke-width="2"/>')
        parts.append(f'<circle cx="{_x(mean):.1f}" cy="{y}" r="5" fill="var(--mark)"/>')
        parts.append(_text(WIDTH, y + 4, _with_margin(mean, half, form)))
    bottom = 25 + 30 * len(names)
    frame = f'x1="{left}" x2="{right}" y1="{bottom - 10}" y2="{bottom - 10}"'
    parts.append(f'<line {frame} stroke="var(--line)"/>')
    parts += [_middle(left, bottom + 8, format(low, form)), _middle(right, bottom + 8, format(high, form))]
    return _svg([*parts, _middle((left + right) / 2, bottom + 8, unit)], bottom + 15)


def _with_margin(mean: float, half: float, form: str) -> str:
    """Return a mean and half of its interval, if it has one."""
    return f"{mean:{form}} ±{half:{form.removeprefix('+')}}" if half else format(mean, form)


def scatter(points: Sequence[PlotPoint], axes: Axes) -> str:
    """Return named points of numbers from 0 on, with the ends of both axes. Names keep clear of each other."""
    left, right = _widened([point.x for point in points])
    low, high = _widened([point.y for point in points])
    left, low = max(0.0, left), max(0.0, low)
    bottom = HEIGHT - BOTTOM
    frame = f'width="{WIDTH - LEFT - RIGHT}" height="{bottom - TOP}" fill="none" stroke="var(--line)"'
    parts = [f'<rect x="{LEFT}" y="{TOP}" {frame}/>', *_titles(axes)]
    parts += _numbers_up([], low, high)
    parts += [_across(LEFT, f"{left:.1f}"), _across(WIDTH - RIGHT, f"{right:.1f}")]
    taken: list[tuple[float, float, float]] = []
    for point in points:
        x, y = LEFT + (WIDTH - LEFT - RIGHT) * (point.x - left) / (right - left), _y(point.y, low, high)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="var(--mark)"/>')
        width = len(point.name) * _LETTER
        start = x - width - 8 if x > WIDTH / 2 else x + 8  # towards the middle, so that names stay in the frame
        at = _free_height(start, y + 4, width, taken)
        taken.append((start, at, width))
        parts.append(f'<text x="{start:.1f}" y="{at:.1f}">{escape(point.name)}</text>')
    return _svg(parts)


def _free_height(start: float, wanted: float, width: float, taken: Sequence[tuple[float, float, float]]) -> float:
    """Return the height nearest to the wanted one at which a label meets none of those that are there."""
    beside = []
    for left, height, size in taken:
        if start < left + size and left < start + width:
            beside.append(height)
    for step in range(HEIGHT // _LABEL):
        for y in (wanted + step * _LABEL, wanted - step * _LABEL):
            if _is_free(y, beside) and TOP + _LABEL <= y <= HEIGHT - BOTTOM:
                return y
    return wanted


def _is_free(y: float, labels: Iterable[float]) -> bool:
    """Return whether a label at this height is clear of those at the other heights."""
    return all(abs(y - label) >= _LABEL for label in labels)


def _numbers_up(levels: Sequence[tuple[float, str]], low: float, high: float) -> list[str]:
    """Return the numbers of levels beside the vertical axis, and those of its ends where these leave room."""
    parts = []
    taken = []
    for level, text in levels:
        y = _y(level, low, high)
        taken.append(y)
        parts.append(_text(LEFT - 6, y + 4, text))
    for end in (low, high):
        y = _y(end, low, high)
        if _is_free(y, taken):
            parts.append(_text(LEFT - 6, y + 4, f"{end:.1f}"))
    return parts


def _titles(axes: Axes) -> list[str]:
    """Return what both axes count: above the vertical one, and below the horizontal one."""
    return [
        f'<text x="0" y="12">{escape(axes.up)}</text>',
        _middle((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, axes.across),
    ]


def _svg(parts: Sequence[str], height: int = HEIGHT) -> str:
    content = "\n".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height}" font-size="13" role="img">\n{content}\n</svg>'


def _widened(numbers: Collection[float]) -> tuple[float, float]:
    """Return the range of numbers with some space around it, which is not empty."""
    low, high = min(numbers), max(numbers)
    margin = (high - low) * 0.05 or 1.0
    return low - margin, high + margin


def _y(number: float, low: float, high: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (high - number) / (high - low)


def _level(level: float, low: float, high: float) -> str:
    y = _y(level, low, high)
    return f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#888" stroke-dasharray="4 4"/>'


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end">{escape(text)}</text>'


def _middle(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'


def _across(x: float, text: str) -> str:
    """Return a number below the horizontal axis."""
    return _middle(x, HEIGHT - BOTTOM + 16, text)


def _points(line: Line, number: int, low: float, high: float) -> Iterator[str]:
    step = max(1, len(line.values) // MOST_POINTS)
    chosen = sorted({*range(0, len(line.values), step), len(line.values) - 1})
    for at in chosen:
        each = line.values[at]
        if each is not None:
            yield f"{LEFT + (WIDTH - LEFT - RIGHT) * (at + 1) / number:.1f},{_y(each, low, high):.1f}"
