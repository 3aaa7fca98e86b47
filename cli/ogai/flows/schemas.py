"""What is done with documents as such: their schema files written, files of any kind checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import Document, kind_of, read_document, render_schema
from l0_infra.core.errors import DocumentError, Fault
from ogai.flows.kinds import KINDS, layer_of, schema_path

__all__ = ["Checked", "KindSummary", "check_files", "save_schemas", "summarise_kinds"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KindSummary:
    """One kind of document, its owner, and what it is in a sentence."""

    kind: str
    layer: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A file and its kind, or the faults that keep it from being one."""

    file: str
    kind: str = ""
    faults: tuple[Fault, ...] = ()


def summarise_kinds() -> tuple[KindSummary, ...]:
    """Say of every kind who owns it and what it is."""
    return tuple(
        KindSummary(kind=kind, layer=layer_of(declaration), sentence=_first_line(declaration))
        for kind, declaration in KINDS.items()
    )


def check_files(paths: Sequence[Path]) -> tuple[Checked, ...]:
    """Check each file; a bad one keeps no other from being checked."""
    return tuple(_check(path) for path in paths)


def save_schemas(declarations: Iterable[type[Document]]) -> tuple[Path, ...]:
    """Write the schema file of each kind beside its declaration; return those that changed."""
    changed = []
    for declaration in declarations:
        path, text = schema_path(declaration), render_schema(declaration)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return tuple(changed)


def _check(path: Path) -> Checked:
    try:
        document = read_document(path, kinds=KINDS)
    except DocumentError as error:
        return Checked(file=str(path), faults=error.faults)
    return Checked(file=str(path), kind=kind_of(type(document)))


def _first_line(declaration: type[Document]) -> str:
    return (declaration.__doc__ or "").strip().partition("\n")[0]
