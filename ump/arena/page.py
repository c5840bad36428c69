"""What the HTML pages of reports share: one page without scripts that requests nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
