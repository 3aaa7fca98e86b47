"""Help loads nothing it does not show."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROBE = """
import sys
from ogai.main import main
code = main(sys.argv[1:])
print(*sys.modules, sep="\\n", file=sys.stderr)
sys.exit(code)
"""

HEAVY = {
    "jsonschema",
    "msgspec",
    "paramiko",
    "rich",
    "yaml",
    "platformdirs",
    "sqlite3",
    "asyncio",
    "importlib.metadata",
}


def _loaded(*words: str) -> set[str]:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return set(done.stderr.split())


def test_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = _loaded("--help")
    assert not loaded & HEAVY
    assert not [name for name in loaded if name.startswith("ogai.commands")]


def test_help_of_a_command_loads_that_command_only() -> None:
    loaded = _loaded("doctor", "--help")
    assert [name for name in loaded if name.startswith("ogai.commands.")] == ["ogai.commands.doctor"]
    assert not loaded & {"jsonschema", "paramiko", "rich", "yaml"}
