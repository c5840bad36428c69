"""Reads JSON for the linter, which also wants to know of fields that stand twice, are missing or have no meaning."""

from __future__ import annotations

import json
from collections.abc import Collection

from ump.record.lint.findings import Findings, Place, Rule
from ump.wire.json_text import JSON, read_document

_SHOWN = 40
"""Characters of a name that a finding shows."""


class Fields(dict[str, JSON]):
    """An object, with the names that stand twice in it."""

    doubled: tuple[str, ...] = ()
    """The names that stand more than once; the last value is kept."""


def read_fields(data: bytes) -> JSON:
    """Read JSON within the usual limits; its objects are ``Fields``. Raises WireError."""
    read_document(data)
    read: JSON = json.loads(data, object_pairs_hook=_fields)
    return read


def _fields(pairs: list[tuple[str, JSON]]) -> Fields:
    fields = Fields(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        fields.doubled = tuple(sorted({name for name in names if names.count(name) > 1}))
    return fields


def check_fields(
    findings: Findings, place: Place, what: str, fields: JSON, known: Collection[str], needed: Collection[str] = ()
) -> None:
    """Report the fields of an object that stand twice, are unknown, or are missing."""
    if not isinstance(fields, dict):
        return
    doubled = fields.doubled if isinstance(fields, Fields) else ()
    for name in doubled:
        findings.add(place, Rule.DOUBLED_FIELD, f"{what}: one field {name[:_SHOWN]!a}", "several")
    for name in fields:
        if name not in known:
            expected = ", ".join(sorted(known))
            findings.add(place, Rule.UNKNOWN_FIELD, f"{what}: one of {expected}", ascii(name[:_SHOWN]))
    for name in needed:
        if name not in fields:
            findings.add(place, Rule.WRONG_VALUE, f"{what}: a field {name!a}", "none")
