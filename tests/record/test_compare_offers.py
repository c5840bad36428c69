"""``scripts/compare-offers`` on captures that the tests write, run as a process."""

from __future__ import annotations

import gzip
from pathlib import Path
from subprocess import CompletedProcess

from support.programs import run
from support.scripted_server import ROOT

FOUR_PLAYERS = """\
Get: <GO type="9" lobby="0"/> <UN n0="A" n1="B" n2="C" n3="D"/> <TAIKYOKU oya="0"/>
Get: <INIT seed="0,0,0,2,4,69" ten="250,250,250,250" oya="0" hai="0,8,16,32,36,48,56,76,84,112,116,120,128"/> <T133/>
Send: <D p="133" />
Get: <D133/> <U/> <e108/> <V/>
"""


def compare(folder: Path, *captures: str) -> CompletedProcess[str]:
    """Write captures into a data folder, and run the script on it."""
    place = folder / "tenhou" / "captures"
    place.mkdir(parents=True)
    for number, text in enumerate(captures):
        (place / f"{number}.log.gz").write_bytes(gzip.compress(text.encode()))
    return run(str(ROOT / "scripts" / "compare-offers"), variables={"UMP_TEST_DATA": str(folder)})


def test_a_difference_is_printed_and_fails(tmp_path: Path) -> None:
    """A missing offer of ours is printed in a line, and the exit status is 1."""
    ended = compare(tmp_path, FOUR_PLAYERS.replace("<T133/>", '<T133 t="16"/>'))
    assert (ended.stderr, ended.returncode) == ("", 1)
    assert "offered <Offer.TSUMO: 16>, ours <Offer: 0>" in ended.stdout
    assert ended.stdout.endswith("differences: 1\n")
