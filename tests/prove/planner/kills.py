"""Commands that write a file, killed at random moments: it is the old one or the new one, and a second run works."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from l0_infra.core.documents import render_document
from planner.fuzz import HEADING, ROWS
from tests.support.strategies import legal_strategies

__all__ = ["WRITERS", "Writer", "blow", "writers"]

OLDER = b"<!-- older -->\n"
"""What the file that was there before has besides; a report is written over reports only."""

WHEN = re.compile(rb"\d{4}-\d\d-\d\d at \d\d:\d\d")
"""When a page was made, the one thing in which two of them differ."""

ROOT = Path(__file__).parents[3]
LONGEST_S = 300.0
LOOK_S = 0.0002
"""How often a folder is looked at for the first sign of a file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Writer:
    """A command with the file that it writes, what it writes left alone, and how long it takes."""

    words: tuple[str, ...]
    folder: Path
    target: Path
    new: bytes
    seconds: float


WRITERS: Mapping[str, Sequence[str]] = {
    "calibrate": ("calibrate", "runs.csv", "--to"),
    "export": ("export", "strategy.yaml", "--to", "mindformers", "--file"),
    "import": ("import", "their.yaml", "--to"),
    "explain": ("explain", "strategy.yaml", "--device", "h100-sxm-80", "--html"),
    "search": (
        *("search", "llama-3.2-1b", "--devices", "8", "--device", "h100-sxm-80", "--sequence-length", "4096"),
        *("--global-batch", "64", "-o", "json", "--to"),
    ),
}


def writers(home: Path) -> dict[str, Writer]:
    """Prepare each command in a folder of its own, and run it once undisturbed."""
    found = {}
    for name, words in WRITERS.items():
        folder = home / name
        folder.mkdir(parents=True)
        (folder / "runs.csv").write_text("\n".join((HEADING, *ROWS[:2])) + "\n")
        (strategy,) = legal_strategies(1, 4, models=("llama-3.1-8b",))
        (folder / "strategy.yaml").write_text(render_document(strategy))
        (folder / "their.yaml").write_text(THEIRS)
        target, whole = folder / "out" / "written", (*words, "out/written")
        target.parent.mkdir()
        begun = time.monotonic()
        process = _start(whole, folder)
        process.wait(LONGEST_S)
        if process.returncode:
            raise RuntimeError(f"{whole}: {(folder / 'said').read_text()}")
        found[name] = Writer(
            words=whole,
            folder=folder,
            target=target,
            new=_timeless(target),
            seconds=time.monotonic() - begun,
        )
    return found


THEIRS = """\
parallel_config: {data_parallel: 2, model_parallel: 2, pipeline_stage: 4, micro_batch_num: 8}
model: {model_config: {num_layers: 32, offset: [0, 0, 0, 0]}}
"""


def blow(writer: Writer, random: Random) -> tuple[bool, list[str]]:
    """Kill a run at some moment, or just when it writes; say whether that came before its end, and what is wrong."""
    for left in writer.target.parent.iterdir():
        left.unlink()
    before = writer.new + OLDER if random.random() < 0.7 else None
    if before is not None:
        writer.target.write_bytes(before)
    process = _start(writer.words, writer.folder)
    if random.random() < 0.5:
        time.sleep(random.uniform(0, 1.1 * writer.seconds))
    else:
        _await_change(writer.target.parent, process)
        time.sleep(random.choice([0.0, 0.0, 0.0002, 0.001]))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    killed = process.wait() == -signal.SIGKILL
    return killed, [*_half(writer, before), *_again(writer)]


def _timeless(path: Path) -> bytes:
    return WHEN.sub(b"", path.read_bytes())


def _half(writer: Writer, before: bytes | None) -> list[str]:
    found = _timeless(writer.target) if writer.target.exists() else None
    if found in (before, writer.new):
        return []
    return [f"{' '.join(writer.words)}: {found[:200] if found else found!r} after a kill"]


def _again(writer: Writer) -> list[str]:
    """Run it again, beside what the killed one left."""
    process = _start(writer.words, writer.folder)
    code = process.wait(LONGEST_S)
    if code:
        return [
            f"{' '.join(writer.words)}: exit code {code} after a kill: {(writer.folder / 'said').read_text()}"
        ]
    if _timeless(writer.target) != writer.new:
        return [f"{' '.join(writer.words)}: another file after a kill: {writer.target.read_bytes()[:200]!r}"]
    return []


def _start(words: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "OGAI_HOME": str(folder / "home"),
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "cli"))),
    }
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "ogai", "strategy", *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _await_change(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until another name appears in the folder, or the process ends."""
    names = set(folder.iterdir())
    while process.poll() is None and set(folder.iterdir()) == names:
        time.sleep(LOOK_S)
