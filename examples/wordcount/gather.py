"""Add up what the array counted: runs once every element has completed."""

import json
from collections import Counter
from pathlib import Path

GROUPS = 8
RESULTS = Path("results")


def main() -> None:
    parts = [json.loads((RESULTS / f"part-{group}.json").read_text()) for group in range(GROUPS)]
    words: Counter[str] = sum((Counter(part["words"]) for part in parts), Counter())
    files = sum(part["files"] for part in parts)
    print(
        f"{words.total():,} words, {len(words):,} different ones, in {files:,} files of the standard library"
    )
    longest = max(count for _, count in words.most_common(1))
    for word, count in words.most_common(10):
        print(f"{word:>10} {count:>8,} {'█' * round(40 * count / longest)}")


if __name__ == "__main__":
    main()
