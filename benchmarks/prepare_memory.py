"""Peak memory of `ogai data prepare` on text far larger than it, over all of its processes.

    python benchmarks/prepare_memory.py            2 GB of text, target: within 500 MB
    python benchmarks/prepare_memory.py --mb 60    a small form

The text is made up: one file of plain text, JSON lines plain and compressed, Parquet; words as rare as Zipf's law has
them, and nothing occurs twice. Near repetitions are looked for too, so that every stage has something to do.
"""

import argparse
import gzip
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from _memory import run_watched

TARGET_MB = 500
SHARES = {"text": 0.4, "jsonl": 0.4, "gz": 0.1, "parquet": 0.1}
CORPUS = """
kind: corpus
name: large
sources:
  - {type: text, files: "*.txt"}
  - {type: jsonl, files: "*.jsonl"}
  - {type: jsonl, files: "*.jsonl.gz"}
  - {type: parquet, files: "*.parquet"}
tokenizer: {type: bpe, vocab_size: 16384}
"""


def texts(size_bytes: int, seed: int) -> Iterator[str]:
    """Yield texts of some 4 kB until there are `size_bytes` of them."""
    random_ = random.Random(seed)
    words = ["".join(random_.choices("etaoinshrdlucmfw", k=random_.randint(2, 11))) for _ in range(50_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    pool = random_.choices(words, weights, k=400_000)
    made = number = 0
    while made < size_bytes:
        start = random_.randrange(len(pool) - 700)
        text = f"{seed}/{number} " + " ".join(pool[start : start + 650]) + ".\n"
        yield text
        made += len(text)
        number += 1


def write_corpus(folder: Path, size_bytes: int) -> None:
    """Write the files of a corpus of about `size_bytes` of text."""
    import pyarrow as pa
    from pyarrow import parquet

    sizes = {name: int(share * size_bytes) for name, share in SHARES.items()}
    with (folder / "one.txt").open("w") as plain:
        plain.writelines(texts(sizes["text"], 1))
    with (folder / "rows.jsonl").open("w") as lines:
        lines.writelines(json.dumps({"text": text}) + "\n" for text in texts(sizes["jsonl"], 2))
    with gzip.open(folder / "rows.jsonl.gz", "wt", compresslevel=1) as packed:
        packed.writelines(json.dumps({"text": text}) + "\n" for text in texts(sizes["gz"], 3))
    schema = pa.schema([("text", pa.string())])
    with parquet.ParquetWriter(folder / "rows.parquet", schema) as writer:
        waiting = list(texts(sizes["parquet"], 4))
        for start in range(0, len(waiting), 5000):
            writer.write_table(pa.table({"text": waiting[start : start + 5000]}, schema=schema))
    (folder / "corpus.yaml").write_text(CORPUS)


def main() -> int:
    """Make a corpus, prepare it, print the peak; 1 when it is above the target."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=int, default=2000, help="size of the text in MB")
    parser.add_argument("--target-mb", type=int, default=TARGET_MB, help="peak that is allowed, in MB")
    parser.add_argument("--near", action="store_true", help="look for near repetitions too (much slower)")
    wanted = parser.parse_args()
    with TemporaryDirectory(prefix="ogai-memory-") as name:
        folder = Path(name)
        write_corpus(folder, wanted.mb * 10**6)
        near = ["--set", "deduplicate.near={}"] if wanted.near else []
        command = [
            sys.executable,
            "-m",
            "ogai",
            "data",
            "prepare",
            str(folder / "corpus.yaml"),
            "--workers",
            "2",
        ]
        held = run_watched([*command, *near], {**os.environ, "OGAI_HOME": str(folder / "home")})
    peak_mb = held.peak_bytes / 1e6
    verdict = "within" if peak_mb <= wanted.target_mb else "ABOVE"
    print(
        f"{wanted.mb} MB of text in {held.seconds:.0f} s ({wanted.mb / held.seconds:.1f} MB/s), "
        f"peak memory of all processes {peak_mb:.0f} MB: {verdict} {wanted.target_mb} MB"
    )
    return int(peak_mb > wanted.target_mb)


if __name__ == "__main__":
    raise SystemExit(main())
