"""The main job on real input: a language model learns from the text that every machine has, and writes.

Every step is a command line that a person would type; this script types them. What it is given itself, such as
`--set steps=50`, it hands on to `ogai train submit`.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
DATA = "python-stdlib"


def ogai(*words: str, shown: bool = True) -> str:
    """Run one command, shown as it would be typed; return its stdout. Ends the demo where a command fails."""
    if shown:
        line = f"$ ogai {shlex.join(words)}"
        print(f"\n\033[1m{line}\033[0m" if sys.stdout.isatty() else f"\n{line}", flush=True)
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    with subprocess.Popen(
        [BIN / "ogai", *words], cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        lines = []
        for text in process.stdout or ():
            lines.append(text)
            if shown:
                print(text, end="", flush=True)
    if process.returncode:
        raise SystemExit(process.returncode)
    return "".join(lines)


def main() -> None:
    ogai("data", "prepare", "corpus.yaml")
    ogai("train", "submit", "train.yaml", "--follow", *sys.argv[1:])
    ogai("train", "list")
    run = json.loads(ogai("train", "list", "-o", "json", shown=False))[0]
    ogai("train", "sample", run["run_id"], "def read_lines(path):")
    report(run)


def report(run: dict[str, Any]) -> None:
    """Print what the training came to, beside what a model that only counts tokens would reach."""
    dataset = json.loads(ogai("data", "inspect", DATA, "-o", "json", shown=False))
    print("\nA model that only counts tokens, and this one, on text it has not seen:")
    print(f"unigram entropy: {dataset['unigram_entropy_nats']:.3f} nats")
    print(f"validation loss: {run['figures']['validation_loss']:.3f} nats")
    print(f"run directory: {run['directory']}")
    print(f"\nYour turn: source .venv/bin/activate, then ogai train show {run['run_id']}")


if __name__ == "__main__":
    main()
