"""Write a support bundle: one archive, a folder for each node, a file for each source, no secrets."""

import io
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from l0_infra.core.errors import UsageError
from l0_infra.core.store import save_file
from l0_infra.evidence.redact import redact
from l0_infra.evidence.said import MANIFEST, Manifest, NodeEvidence, Said

__all__ = ["render_bundle", "save_bundle"]


def render_bundle(nodes: Sequence[NodeEvidence]) -> bytes:
    """Make a gzipped tar archive of what nodes said; the same nodes always give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6) as archive:
        for node in nodes:
            for name, content in _files(node):
                member = tarfile.TarInfo(f"{node.name}/{name}")
                member.size, member.mode, member.mtime = len(content), 0o600, int(node.probed_at)
                archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def save_bundle(path: Path, nodes: Sequence[NodeEvidence]) -> None:
    """Write an archive that only its owner may read, whole or not at all; an older bundle there is replaced.

    Raises UsageError when something else lies there; OSError when it cannot be written.
    """
    if path.exists() and not _is_bundle(path):
        raise UsageError(str(path), found="a file that is no support bundle", expected="a new file name")
    save_file(path, render_bundle(nodes), mode=0o600)


def _files(node: NodeEvidence) -> Iterator[tuple[str, bytes]]:
    said = {
        name: Said(end=answer.end, code=answer.code, err=redact(answer.err))
        for name, answer in node.answers.items()
    }
    manifest = Manifest(node=node.name, probed_at=node.probed_at, sources=said)
    yield MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    for name, answer in node.answers.items():
        if answer.out:
            yield name, redact(answer.out).encode()


def _is_bundle(path: Path) -> bool:
    try:
        with tarfile.open(path) as archive:
            return any(member.name.rpartition("/")[2] == MANIFEST for member in archive)
    except (tarfile.TarError, EOFError, OSError):
        return False
