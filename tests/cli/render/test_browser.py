"""A page is opened where a person has a screen, by what `BROWSER` names, and nowhere else."""

import os
import subprocess
import sys
from pathlib import Path

from ogai.render.browser import open_page

OPEN = "import os, pathlib, sys; from ogai.render.browser import open_page\n"
OPEN += "sys.exit(not open_page(pathlib.Path(sys.argv[1]), os.environ))"


def test_without_a_screen_nothing_is_opened() -> None:
    assert not open_page(Path("/report.html"), {})


def test_it_is_handed_to_the_browser_a_person_chose(tmp_path: Path) -> None:
    opener, seen = tmp_path / "opener", tmp_path / "seen"
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}\n')
    opener.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(opener), "PYTHONPATH": os.pathsep.join(sys.path)}
    page = tmp_path / "report.html"
    subprocess.run([sys.executable, "-c", OPEN, page], env=environment, timeout=60, check=True)
    assert seen.read_text() == page.as_uri()
