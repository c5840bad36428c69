"""The files of the pages."""

from __future__ import annotations

import pytest

from ump.web import MEDIA_TYPES, POLICY, static_files

pytestmark = pytest.mark.once


def test_files_have_a_name_a_type_and_a_tag() -> None:
    """The tiles are among them; each file has a media type and a tag of its own."""
    found = static_files()
    assert found["tiles.css"].media_type == "text/css; charset=utf-8"
    assert all(each.name == name and each.media_type in MEDIA_TYPES.values() for name, each in found.items())
    assert len({each.etag for each in found.values()}) == len(found)


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    """Each source of the policy is this server or nothing, besides images in the sheets themselves."""
    sources = {word for part in POLICY.split("; ")[:-2] for word in part.split()[1:]}
    assert sources == {"'none'", "'self'", "data:"}
