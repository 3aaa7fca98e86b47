"""The main job on real input: an array of jobs counts the words of Python's library, a last one adds them up.

Every step is a command line that a person would type; this script types them.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent


def ogai(*words: str) -> str:
    """Show and run one command; return what it printed on stdout. Ends the demo where a command fails."""
    print(
        f"\n\033[1m$ ogai {shlex.join(words)}\033[0m"
        if sys.stdout.isatty()
        else f"\n$ ogai {shlex.join(words)}",
        flush=True,
    )
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    done = subprocess.run(
        [BIN / "ogai", *words], cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout, end="", flush=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout.strip()


def main() -> None:
    for part in (HERE / "results").glob("part-*"):
        part.unlink()
    counts = ogai("job", "submit", "count.yaml")
    gather = ogai("job", "submit", "--name", "gather", "--after", counts, "--", "python3", "gather.py")
    ogai("job", "list")
    ogai("job", "wait", counts, gather)
    ogai("job", "list")
    ogai("job", "logs", gather)
    print("\nYour turn: source .venv/bin/activate, then ogai job submit -- sleep 1")


if __name__ == "__main__":
    main()
