"""A file a person wrote becomes a checked document, or one error that lists every fault with its line."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import NoReturn, TypeVar, overload

import msgspec

from l0_infra.core.documents import tree
from l0_infra.core.documents.check import Checker
from l0_infra.core.documents.compose import compose
from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.hints import commented_out, describe_found, glued_findings, nearest
from l0_infra.core.documents.introspect import kind_of, struct_type
from l0_infra.core.documents.own_faults import part_faults, sound_faults
from l0_infra.core.documents.settings import with_settings
from l0_infra.core.documents.shape import Shaper
from l0_infra.core.documents.syntax import decode
from l0_infra.core.documents.tree import Finding, Node, Place, Scalar, finding, node_at
from l0_infra.core.documents.write import render_json
from l0_infra.core.errors import DocumentError, Fault, describe_os_error

__all__ = ["parse_document", "place_faults", "read_document"]

MAX_BYTES = 8 * 2**20
"""Largest file that is read; what programs exchange in bulk is not written by hand."""

D = TypeVar("D", bound=Document)
Kinds = Mapping[str, type[Document]]


@overload
def parse_document(text: str, *, source: str, kinds: Kinds, settings: Sequence[str] = ()) -> Document: ...
@overload
def parse_document(text: str, *, source: str, expect: type[D], settings: Sequence[str] = ()) -> D: ...
def parse_document(
    text: str,
    *,
    source: str,
    kinds: Kinds | None = None,
    expect: type[Document] | None = None,
    settings: Sequence[str] = (),
) -> Document:
    """Read one document from YAML (or JSON) text: of any of `kinds`, or of the one type `expect`ed.

    `settings` are laid over the text first (`limits.time_s=2h`). Raises DocumentError with all faults in the
    order of the text, each told as `source:line:column`.
    """
    return _parse(text, source, _choices(kinds, expect), settings)


@overload
def read_document(path: FilePath, *, kinds: Kinds, settings: Sequence[str] = ()) -> Document: ...
@overload
def read_document(path: FilePath, *, expect: type[D], settings: Sequence[str] = ()) -> D: ...
def read_document(
    path: FilePath,
    *,
    kinds: Kinds | None = None,
    expect: type[Document] | None = None,
    settings: Sequence[str] = (),
) -> Document:
    """Read one document from a file as `parse_document` does; an unreadable one is a DocumentError too."""
    source = str(path)
    text = decode(_load(path, source), source)
    if isinstance(text, Finding):
        _raise(source, [text])
    return _parse(text, source, _choices(kinds, expect), settings)


def place_faults(path: FilePath, faults: Iterable[Fault], *, settings: Sequence[str] = ()) -> DocumentError:
    """Tell faults found later in a document, by who knows more than it says, at their lines of its file.

    `settings` are those the document was read with. A file that has changed or gone meanwhile gives no lines.
    """
    source, faults = str(path), tuple(faults)
    try:
        text = decode(_load(path, source), source)
    except DocumentError:
        return DocumentError(source, faults)
    root = None if isinstance(text, Finding) else compose(text, source).root
    if root is None:
        return DocumentError(source, faults)
    return DocumentError(source, [item.fault for item in _placed(faults, with_settings(root, settings)[0])])


def _choices(kinds: Kinds | None, expect: type[Document] | None) -> Kinds:
    return kinds or ({kind_of(expect): expect} if expect else {})


def _load(path: FilePath, source: str) -> bytes:
    place = Place(1, 1, 1, source)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        similar = _similar_file(path) if isinstance(error, FileNotFoundError) else ""
        _raise(source, [finding(place, describe_os_error(error), "a file that can be read", similar)])
    if len(data) > MAX_BYTES:
        _raise(source, [finding(place, f"more than {MAX_BYTES // 2**20} MiB", "a document written by hand")])
    return data


def _similar_file(path: FilePath) -> str:
    return nearest(path.name, (other.name for other in path.parent.iterdir())) if path.parent.is_dir() else ""


def _parse(text: str, source: str, kinds: Kinds, settings: Sequence[str]) -> Document:
    if not settings and (written := _as_written(text, kinds)):
        return written
    composed = compose(text, source)
    findings = composed.findings
    if composed.root is None:
        _raise(source, findings)
    root, misplaced = with_settings(composed.root, settings)
    findings += misplaced
    declaration = _declaration(root, kinds, text)
    if not isinstance(declaration, type):
        _raise(source, [*findings, *declaration])
    shaper = Shaper()
    data = shaper.shape(root, struct_type(declaration))
    findings += shaper.findings
    document = _convert(data, declaration, root, text, findings)
    if document is None or findings:
        _raise(source, findings)
    return document


def _as_written(text: str, kinds: Kinds) -> Document | None:
    """Read a faultless document of the one kind expected that is exactly as `render_json` writes it.

    Nothing in it needs a position, so that programs read what programs wrote ten times as fast.
    """
    if len(kinds) != 1 or not text.startswith("{"):
        return None
    try:
        document = msgspec.json.decode(text, type=next(iter(kinds.values())))
    except msgspec.MsgspecError:
        return None
    return document if render_json(document) == text and not any(part_faults(document)) else None


def _convert(
    data: object, declaration: type[Document], root: Node, text: str, findings: list[Finding]
) -> Document | None:
    """Make the struct and add its own faults to `findings`; without one, add what the schema says."""
    try:
        document = msgspec.convert(data, declaration)
    except msgspec.ValidationError as error:
        refused = Checker(declaration, root, text).findings(data, str(error))
        bad = [item.fault.path for item in refused]
        findings += refused + _placed(sound_faults(data, struct_type(declaration), bad), root)
        return None
    findings += _placed(part_faults(document), root)
    return document


def _placed(faults: Iterable[Fault], root: Node) -> list[Finding]:
    return [
        finding(node_at(root, fault.path).place, fault.found, fault.expected, fault.hint, fault.path)
        for fault in faults
    ]


def _declaration(root: Node, kinds: Kinds, text: str) -> type[Document] | list[Finding]:
    """Choose the type that `kind` names, or say why none can be chosen."""
    if not isinstance(root, tree.Mapping):
        wanted = "a mapping that begins with `kind: …`"
        return glued_findings(root, text) or [finding(root.place, describe_found(root), wanted)]
    kind = root.values.get("kind")
    named = ", ".join(f"`{name}`" for name in kinds)
    if kind is None:
        wanted = f"one of the kinds {named}" if len(kinds) > 1 else f"`kind: {next(iter(kinds))}`"
        return [finding(root.place, "no `kind`", wanted, commented_out(text, "kind"))]
    if isinstance(kind, Scalar) and kind.text in kinds:
        return kinds[kind.text]
    hint = nearest(kind.text, kinds) if isinstance(kind, Scalar) else ""
    return [finding(kind.place, f"the kind {describe_found(kind)}", f"the kind {named}", hint, ("kind",))]


def _raise(source: str, findings: Sequence[Finding]) -> NoReturn:
    ordered = sorted(dict.fromkeys(findings), key=lambda item: item.place)
    raise DocumentError(source, [item.fault for item in ordered])
