"""Clients without faults pass the check, in every protocol."""

from __future__ import annotations

from pathlib import Path

from support.check_table import Careful, Client, MemoryCheck
from support.rows import each_row

from ump.bots.check.run import SituationResult
from ump.bots.check.situations import OF_THREE, SITUATIONS

FINE = (SituationResult.PASS, SituationResult.NOTE, SituationResult.MISSED, SituationResult.SKIPPED)


class Ump02(Client):
    """A client of UMP 0.2."""

    PROTOCOL = "ump-0.2"


class Mjai(Client):
    """A client of mjai in lock-step."""

    PROTOCOL = "mjai"


class CarefulMjai(Careful):
    """The same, which discards what it draws."""

    PROTOCOL = "mjai"


@each_row("client", [Client, Careful, Ump02, Mjai, CarefulMjai])
def test_sound_clients(client: type[Client]) -> None:
    """No situation fails, and most are reached."""
    results = MemoryCheck(client).play()
    assert list(results) == [situation.name for situation in SITUATIONS]
    assert set(results.values()) <= set(FINE)
    assert sum(result in (SituationResult.PASS, SituationResult.NOTE) for result in results.values()) >= 26
    assert (
        results["timeout"] is results["cut-off"] is results["farewell"] is results["reconnect"] is SituationResult.PASS
    )


@each_row("client", [Client, Careful, Ump02, Mjai, CarefulMjai])
def test_sound_clients_of_three(client: type[Client]) -> None:
    """The same in games of three players."""
    results = MemoryCheck(client, OF_THREE).play()
    assert list(results) == [situation.name for situation in OF_THREE]
    assert set(results.values()) <= {SituationResult.PASS, SituationResult.NOTE, SituationResult.MISSED}
    assert sum(result is SituationResult.MISSED for result in results.values()) <= 1


def test_transcripts(tmp_path: Path) -> None:
    """Each situation has a file with all that was sent and received."""
    check = MemoryCheck(Careful, SITUATIONS[:2], tmp_path)
    check.play()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["01-discard.trace", "02-red-five.trace"]
    text = (tmp_path / "02-red-five.trace").read_text()
    assert "< 0 hello " in text
    assert "> 16 sutehai? sute=" in text
    assert "< 16 sute 5M tsumogiri" in text
    assert check.check.verdicts[1].trace == str(tmp_path / "02-red-five.trace")
