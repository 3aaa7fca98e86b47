"""Small corpora written into a folder, and prepared in it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from l3_modeltools.data import Prepared, Progress, prepare_dataset
from l3_modeltools.schemas import BytePairs, Corpus, JsonLines, Source

__all__ = ["corpus_of", "files_of", "prepare", "text_of", "write_lines"]

SENTENCE = "the lamp of an old house went out and nobody knew why until winter came over river and hill"
WORDS = SENTENCE.split()


def text_of(number: int, words: int = 60) -> str:
    """Some text, another one for each number."""
    state, chosen = number * 7919 + 1, []
    for _ in range(words):
        state = (state * 1103515245 + 12345) % 2**31
        chosen.append(WORDS[state // 65536 % len(WORDS)] + ("\n" if state % 11 == 0 else ""))
    return f"{number}: {' '.join(chosen)}"


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def corpus_of(*sources: Source, vocab_size: int = 300, **fields: object) -> Corpus:
    """A corpus of sources, by default of `*.jsonl`."""
    return Corpus(
        name="small",
        sources=sources or (JsonLines(files="*.jsonl"),),
        tokenizer=fields.pop("tokenizer", BytePairs(vocab_size=vocab_size)),  # type: ignore[arg-type]
        **fields,  # type: ignore[arg-type]
    )


def prepare(
    corpus: Corpus,
    base: Path,
    *,
    workers: int = 1,
    replace: bool = False,
    stages: list[Progress] | None = None,
) -> Prepared:
    """Prepare a corpus as `base/out`; what it reports goes into `stages`."""
    report = [].append if stages is None else stages.append
    return prepare_dataset(corpus, base / "out", base=base, workers=workers, report=report, replace=replace)


def files_of(directory: Path) -> dict[str, bytes]:
    """All files of a folder by their relative names."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }
