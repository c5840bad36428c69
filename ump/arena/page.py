"""HTML pages of reports, without scripts and without requests, and their plots in SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ump.model.value import value

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff }
pre { overflow-x: auto; font-size: 14px }
svg { width: 100%; height: auto; display: block }
td, th { padding: 0 1rem 0 0; text-align: right }
"""


@value
class Figure:
    """A plot with its title."""

    title: str
    svg: str


def page(title: str, lines: Iterable[str], figures: Iterable[Figure], rest: str) -> str:
    """Return a page: a title, the lines of a report, plots, and ``rest``, which is HTML."""
    name, report = escape(title), escape("\n".join(lines))
    plots = "".join(f"<h2>{escape(each.title)}</h2>\n{each.svg}\n" for each in figures)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{name}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<pre>{report}</pre>\n"
        f"{plots}{rest}</body>\n</html>\n"
    )


def text_cell(text: str) -> str:
    """Return a cell of a table."""
    return f"<td>{escape(text)}</td>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; ``rows`` hold cells in HTML, such as those of ``text_cell``."""
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>\n{body}</table>"


WIDTH, HEIGHT = 800, 240
LEFT, TOP, BOTTOM = 60, 10, 20
"""The margins: room for the numbers beside and below a plot."""

MOST_POINTS = 400
"""Points of a line; of longer ones, points at equal distances are drawn."""

BINS = 25

_NAMES = 100
"""The room for names and numbers beside intervals and points."""

PLACE_COLOURS = ("#2f7d4f", "#8fbf8f", "#e0b878", "#b5483a")


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


def line_plot(lines: Sequence[Line], levels: Sequence[float]) -> str:
    """Return lines over the number of blocks, and dashed horizontal lines at these levels."""
    known = [each for line in lines for each in line.values if each is not None] + list(levels)
    low, high = _widened(min(known), max(known))
    number = max(len(line.values) for line in lines)
    parts = [_level(level, low, high) for level in levels]
    parts += [_text(LEFT - 6, _y(end, low, high) + 4, f"{end:.1f}") for end in (low, high)]
    parts.append(_text(WIDTH, HEIGHT - 4, f"{number} blocks"))
    for line in lines:
        points = " ".join(_points(line, number, low, high))
        parts.append(f'<polyline fill="none" stroke="{line.colour}" stroke-width="2" points="{points}"/>')
    return _svg(parts)


def histogram(values: Sequence[float]) -> str:
    """Return how often values fall into ``BINS`` intervals of equal width."""
    low, high = _widened(min(values), max(values))
    step = (high - low) / BINS
    counts = [0] * BINS
    for each in values:
        counts[min(BINS - 1, int((each - low) / step))] += 1
    width = (WIDTH - LEFT) / BINS
    parts = [
        f'<rect x="{LEFT + at * width:.1f}" y="{_y(count, 0, max(counts)):.1f}" width="{width - 1:.1f}" '
        f'height="{HEIGHT - BOTTOM - _y(count, 0, max(counts)):.1f}" fill="#1f5fa8"/>'
        for at, count in enumerate(counts)
    ]
    parts += [_text(LEFT + 30, HEIGHT - 4, f"{low:.0f}"), _text(WIDTH, HEIGHT - 4, f"{high:.0f}")]
    return _svg([*parts, _text(LEFT - 6, TOP + 10, str(max(counts)))])


def stacked_bars(names: Sequence[str], shares: Sequence[Sequence[float]]) -> str:
    """Return one bar for each name, divided into shares from 0 to 1, with their percentages."""
    parts = []
    for row, (name, parts_of_one) in enumerate(zip(names, shares, strict=True)):
        x, y = 0.0, TOP + row * 60
        parts.append(f'<text x="0" y="{y + 14}">{escape(name)}</text>')
        for colour, share in zip(PLACE_COLOURS, parts_of_one, strict=False):
            width = share * WIDTH
            parts.append(f'<rect x="{x:.1f}" y="{y + 20}" width="{width:.1f}" height="26" fill="{colour}"/>')
            if share > 0.05:
                parts.append(f'<text x="{x + 4:.1f}" y="{y + 38}">{share:.1%}</text>')
            x += width
    return _svg(parts, TOP + len(names) * 60)


def forest(names: Sequence[str], estimates: Sequence[tuple[float, float]]) -> str:
    """Return a row for each name: a mean as a dot, and its interval, given by half of its width, as a line."""
    low, high = _widened(min(mean - half for mean, half in estimates), max(mean + half for mean, half in estimates))

    def _x(number: float) -> float:
        return 2 * _NAMES + (WIDTH - 3 * _NAMES) * (number - low) / (high - low)

    parts = []
    for row, (name, (mean, half)) in enumerate(zip(names, estimates, strict=True)):
        y = TOP + 15 + row * 30
        parts.append(f'<text x="0" y="{y + 4}">{escape(name)}</text>')
        ends = f'x1="{_x(mean - half):.1f}" x2="{_x(mean + half):.1f}" y1="{y}" y2="{y}"'
        parts.append(f'<line {ends} stroke="#1f5fa8" stroke-width="2"/>')
        parts.append(f'<circle cx="{_x(mean):.1f}" cy="{y}" r="5" fill="#1f5fa8"/>')
        parts.append(_text(WIDTH, y + 4, f"{mean:.0f} ±{half:.0f}" if half else f"{mean:.0f}"))
    return _svg(parts, TOP + 30 * len(names))


def scatter(points: Sequence[PlotPoint]) -> str:
    """Return named points of numbers from 0 on, with the ends of both axes."""
    left, right = _widened(min(point.x for point in points), max(point.x for point in points))
    low, high = _widened(min(point.y for point in points), max(point.y for point in points))
    left, low = max(0.0, left), max(0.0, low)
    bottom = HEIGHT - BOTTOM
    frame = f'width="{WIDTH - LEFT - _NAMES}" height="{bottom - TOP}" fill="none" stroke="#ccc"'
    parts = [f'<rect x="{LEFT}" y="{TOP}" {frame}/>']
    parts += [_text(LEFT - 6, _y(end, low, high) + (4 if end == low else 10), f"{end:.1f}") for end in (low, high)]
    parts += [_text(LEFT + 30, HEIGHT - 4, f"{left:.1f}"), _text(WIDTH - _NAMES, HEIGHT - 4, f"{right:.1f}")]
    for point in points:
        x = LEFT + (WIDTH - LEFT - _NAMES) * (point.x - left) / (right - left)
        y = _y(point.y, low, high)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#1f5fa8"/>')
        anchor = "end" if x > WIDTH / 2 else "start"  # towards the middle, so that names stay in the frame
        parts.append(f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="{anchor}">{escape(point.name)}</text>')
    return _svg(parts)


def _svg(parts: Sequence[str], height: int = HEIGHT) -> str:
    content = "\n".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height}" font-size="13" role="img">\n{content}\n</svg>'


def _widened(low: float, high: float) -> tuple[float, float]:
    """Return a range with some space around it, which is not empty."""
    margin = (high - low) * 0.05 or 1.0
    return low - margin, high + margin


def _y(number: float, low: float, high: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (high - number) / (high - low)


def _level(level: float, low: float, high: float) -> str:
    y = _y(level, low, high)
    line = f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#888" stroke-dasharray="4 4"/>'
    return f"{line}{_text(LEFT - 6, y + 4, f'{level:.2f}')}"


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end">{escape(text)}</text>'


def _points(line: Line, number: int, low: float, high: float) -> Iterator[str]:
    step = max(1, len(line.values) // MOST_POINTS)
    chosen = sorted({*range(0, len(line.values), step), len(line.values) - 1})
    for at in chosen:
        each = line.values[at]
        if each is not None:
            yield f"{LEFT + (WIDTH - LEFT) * (at + 1) / number:.1f},{_y(each, low, high):.1f}"
