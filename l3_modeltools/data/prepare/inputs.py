"""The files that a corpus names are found, looked at and listed in an order that does not depend on the disk."""

import sysconfig
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from l0_infra.core.errors import DocumentError, Fault, describe_os_error
from l3_modeltools.data.prepare.origin import Input, Origin
from l3_modeltools.data.prepare.read import Format, pieces_of
from l3_modeltools.data.prepare.tokenizer import find_tokenizer_files
from l3_modeltools.schemas import Corpus, HuggingFaceTokenizer, PythonStdlib, Source

__all__ = ["find_origin", "stdlib_files"]

NOT_TEXT_TO_LEARN = frozenset(["site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"])
GLOB_SIGNS = frozenset("*?[")


def find_origin(corpus: Corpus, base: Path) -> Origin:
    """Look at every file that `corpus` names; relative names begin at `base`.

    Raises DocumentError for all sources without a file at once, and for a file that cannot be read.
    """
    where = f"corpus {corpus.name}"
    found = [_find(where, index, source, base) for index, source in enumerate(corpus.sources)]
    missing = [
        _nothing(index, source.files, base)
        for index, (source, paths) in enumerate(zip(corpus.sources, found, strict=True))
        if not paths and not isinstance(source, PythonStdlib)
    ]
    if missing:
        raise DocumentError(where, missing)
    return Origin(
        corpus=corpus,
        inputs=tuple(
            tuple(_input(index, source, path, corpus.format) for path in paths)
            for index, (source, paths) in enumerate(zip(corpus.sources, found, strict=True))
        ),
        tokenizer=_tokenizer_inputs(where, corpus, base),
    )


def stdlib_files(library: Path) -> tuple[Path, ...]:
    """List the .py files of a Python's library, without tests and what pip installed."""
    return tuple(
        sorted(
            path
            for path in library.rglob("*.py")
            if NOT_TEXT_TO_LEARN.isdisjoint(path.relative_to(library).parts)
        )
    )


def _find(where: str, index: int, source: Source, base: Path) -> tuple[Path, ...]:
    if isinstance(source, PythonStdlib):
        return stdlib_files(Path(sysconfig.get_path("stdlib")))
    try:
        return _matching(Path(source.files), base)
    except OSError as error:
        raise DocumentError(where, [_unreadable(index, Path(source.files), error)]) from error
    except ValueError as error:  # as pathlib says of `**.txt`
        fault = Fault(path=("sources", index, "files"), found=f"{error}", expected="a pattern of files")
        raise DocumentError(where, [fault]) from error


def _matching(pattern: Path, base: Path) -> tuple[Path, ...]:
    if not GLOB_SIGNS.intersection(str(pattern)):
        return (base / pattern,) if (base / pattern).is_file() else ()
    start = base / pattern.anchor  # only what the corpus says is a pattern, never the name of a folder above
    return tuple(
        sorted(path for path in start.glob(str(pattern.relative_to(pattern.anchor))) if path.is_file())
    )


def _input(index: int, source: Source, path: Path, format: Format) -> Input:
    try:
        plain = _stat(path)
        with path.open("rb"):
            return Input(
                name=plain.name,
                size_bytes=plain.size_bytes,
                modified_ns=plain.modified_ns,
                pieces=pieces_of(source, path, plain.size_bytes, format),
            )
    except OSError as error:
        raise DocumentError(str(path), [_unreadable(index, path, error)]) from error


def _tokenizer_inputs(where: str, corpus: Corpus, base: Path) -> tuple[Input, ...]:
    if not isinstance(corpus.tokenizer, HuggingFaceTokenizer):
        return ()
    try:
        return tuple(map(_stat, find_tokenizer_files(base / corpus.tokenizer.path)))
    except OSError as error:
        found = f"{corpus.tokenizer.path}: {describe_os_error(error)}"
        fault = Fault(path=("tokenizer", "path"), found=found, expected="a folder that can be read")
        raise DocumentError(where, [fault]) from error


def _stat(path: Path) -> Input:
    state = path.stat()
    return Input(name=str(path), size_bytes=state.st_size, modified_ns=state.st_mtime_ns)


def _unreadable(index: int, path: Path, error: OSError) -> Fault:
    found = f"{path}: {describe_os_error(error)}"
    return Fault(path=("sources", index, "files"), found=found, expected="files that can be read")


def _nothing(index: int, pattern: str, base: Path) -> Fault:
    similar = "".join(_similar(Path(base, pattern)))
    return Fault(
        path=("sources", index, "files"),
        found=f"no file that matches `{pattern}` in {base}",
        expected="at least one",
        hint=similar and f"did you mean `{similar}`?",
    )


def _similar(path: Path) -> Iterator[str]:
    """Yield the name most like that of a missing file, or of the folder that is missing first."""
    steps = [path, *path.parents]
    for child, parent in pairwise(steps):
        try:
            names = [entry.name for entry in parent.iterdir()]
        except (OSError, ValueError):  # no folder, or a name that none can have
            continue
        yield from get_close_matches(child.name, names, n=1)
        return
