"""Count the words of one group of the Python standard library's files (tests left out): one element of the array."""

import json
import os
import re
import sysconfig
from collections import Counter
from pathlib import Path

GROUPS = 8
RESULTS = Path("results")


def library_files() -> list[Path]:
    """List every .py file of this Python's standard library, in a fixed order, without tests and site-packages."""
    root = Path(sysconfig.get_path("stdlib"))
    skipped = {"test", "tests", "idle_test", "site-packages", "dist-packages"}
    return sorted(path for path in root.rglob("*.py") if not skipped & set(path.relative_to(root).parts))


def count_words(files: list[Path]) -> Counter[str]:
    """Count words of letters and underscores, lower-cased."""
    words: Counter[str] = Counter()
    for path in files:
        words.update(re.findall(r"[a-z_]{2,}", path.read_text(errors="replace").lower()))
    return words


def main() -> None:
    group = int(os.environ["OGAI_ARRAY_INDEX"])
    files = library_files()[group::GROUPS]
    words = count_words(files)
    RESULTS.mkdir(exist_ok=True)
    unfinished = RESULTS / f"part-{group}.tmp"
    unfinished.write_text(json.dumps({"files": len(files), "words": words}))
    unfinished.rename(RESULTS / f"part-{group}.json")
    print(f"group {group}: {words.total():,} words in {len(files)} files")


if __name__ == "__main__":
    main()
