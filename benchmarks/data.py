"""Text to tokens on disk, beside Hugging Face's `datasets.map`; and tokens back into batches, beside raw reads.

    python benchmarks/data.py            the whole of Python's own library, three rounds
    python benchmarks/data.py --quick    a piece of it, one round

Both sides get the same JSON lines, the same tokenizer and the same number of processes. Of theirs only `map` is timed,
which also writes Arrow; of ours everything: reading, looking for repetitions, encoding, shards, their hashes.
"""

import argparse
import json
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))

from _loader_reads import measure

from l3_modeltools.data import prepare_dataset
from l3_modeltools.schemas import BytePairs, Corpus, Deduplication, HuggingFaceTokenizer, JsonLines

TARGET = 1.5
WORKERS = 2
CHARACTERS = 4000
QUICK_DOCUMENTS = 500


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where the text and the tokenizer are, and a folder to write into."""

    text: Path
    tokenizer: Path
    folder: Path


def documents() -> Iterator[str]:
    """Yield Python's own library, tests included, in pieces of 4,000 characters."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        if "site-packages" not in path.parts:
            text = path.read_text(encoding="utf-8", errors="ignore")
            yield from (text[start : start + CHARACTERS] for start in range(0, len(text), CHARACTERS))


def lay_out(folder: Path, *, quick: bool) -> Bench:
    """Write the text, each document once, and learn a tokenizer from it."""
    kept = [text for text in dict.fromkeys(documents()) if text.strip()]
    if quick:
        kept = kept[:QUICK_DOCUMENTS]
    text = folder / "text.jsonl"
    text.write_text("".join(json.dumps({"text": one}) + "\n" for one in kept), encoding="utf-8")
    corpus = Corpus(name="learn", sources=(JsonLines(files=str(text)),), tokenizer=BytePairs(vocab_size=8192))
    prepare_dataset(corpus, folder / "learn", base=folder, workers=WORKERS, report=lambda progress: None)
    return Bench(text=text, tokenizer=folder / "learn" / "tokenizer", folder=folder)


def ours(bench: Bench, round_: int) -> tuple[int, float]:
    """Prepare the text; return tokens and seconds."""
    corpus = Corpus(
        name="ours",
        sources=(JsonLines(files=str(bench.text)),),
        tokenizer=HuggingFaceTokenizer(path=str(bench.tokenizer)),
        deduplicate=Deduplication(exact=True),
    )
    began = perf_counter()
    done = prepare_dataset(
        corpus,
        bench.folder / f"ours-{round_}",
        base=bench.folder,
        workers=WORKERS,
        report=lambda progress: None,
    )
    seconds = perf_counter() - began
    return sum(shard.tokens for shard in done.dataset.shards), seconds


def theirs(bench: Bench, round_: int) -> tuple[int, float]:
    """Map the same text with `datasets`; return tokens and seconds."""
    import datasets
    from transformers import AutoTokenizer

    datasets.disable_progress_bars()
    tokenizer = AutoTokenizer.from_pretrained(bench.tokenizer)
    end = tokenizer.eos_token_id

    def encode(batch: dict[str, list[str]]) -> dict[str, list[list[int]]]:
        ids = tokenizer(batch["text"], return_attention_mask=False)["input_ids"]
        return {"input_ids": [[*document, end] for document in ids]}

    cache = bench.folder / f"theirs-{round_}"
    loaded = datasets.load_dataset("json", data_files=str(bench.text), split="train", cache_dir=str(cache))
    began = perf_counter()
    mapped = loaded.map(encode, batched=True, num_proc=WORKERS, remove_columns=["text"])
    seconds = perf_counter() - began
    return sum(len(document) for document in mapped["input_ids"]), seconds


def compare_prepare(bench: Bench, rounds: int) -> float:
    """Print tokens a second of both, in turns; return the ratio of medians."""
    speeds: dict[str, list[float]] = {"ours": [], "theirs": []}
    counted: dict[str, int] = {}
    for round_ in range(rounds):
        for name, run in (("ours", ours), ("theirs", theirs)):
            counted[name], seconds = run(bench, round_)
            speeds[name].append(counted[name] / seconds)
    mine, other = median(speeds["ours"]), median(speeds["theirs"])
    print(f"{bench.text.stat().st_size / 1e6:.1f} MB of text, {WORKERS} processes, median of {rounds}")
    print(f"  {'ogai data prepare':<24}{mine:>12,.0f} tokens/s  ({counted['ours']:,} tokens)")
    print(f"  {'datasets.map':<24}{other:>12,.0f} tokens/s  ({counted['theirs']:,} tokens)")
    verdict = "" if mine / other >= TARGET else "  below the target"
    print(f"  ratio {mine / other:.2f} (target: at least {TARGET}){verdict}")
    return mine / other


def compare_reads(*, quick: bool) -> None:
    """Print how fast the loader's batches are, beside a bare memory map."""
    sizes = {"tokens": 2**20, "batches": 20, "rounds": 1} if quick else {}
    for reads in measure(**sizes):
        shape = f"{reads.batch} rows of {reads.sequence_length}"
        print(f"loader, {shape:<16}{reads.loader_tokens_per_s:>16,.0f} tokens/s, one thread")
        print(f"  memory map by hand{reads.by_hand_tokens_per_s:>22,.0f} tokens/s   ratio {reads.ratio:.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a small form, to see that it runs")
    quick = parser.parse_args().quick
    with TemporaryDirectory(prefix="ogai-data-") as name:
        compare_prepare(lay_out(Path(name), quick=quick), rounds=1 if quick else 3)
    compare_reads(quick=quick)


if __name__ == "__main__":
    main()
