"""Read a support bundle: what each of its nodes said, whatever subset of files it holds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import msgspec

from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import natural_key
from l0_infra.core.units import format_count
from l0_infra.evidence.files import BundleFile, list_files
from l0_infra.evidence.known import source_of
from l0_infra.evidence.said import MANIFEST, Manifest, NodeEvidence, Said, UnusedFile
from l0_infra.facts.bundle import NOT_ASKED, Answer, Source
from l0_infra.facts.probe import SOURCES

__all__ = ["read_bundle"]

UNKNOWN = "neither its name nor its content is known"
BLANK = "\0 \t\r\n"
KINDS = frozenset(
    (
        *("amd", "amdgpu", "ascend", "gpu", "gpus", "npu", "npus", "nvidia", "rocm"),
        *("bmc", "cpu", "disk", "disks", "hardware", "hw", "memory", "pci", "storage"),
        *("eth", "fabric", "ib", "infiniband", "net", "network", "networking", "rdma", "roce"),
        *("etc", "kernel", "os", "proc", "sys", "system", "systemd", "var"),
        *("cmd", "cmds", "commands", "facts", "files", "log", "logs", "misc", "other", "output", "outputs"),
        "sos_commands",
    )
)
"""Names of folders that people, and tools that gather, sort one node's files into."""


def read_bundle(bundle: Path, sources: Sequence[Source] = SOURCES) -> tuple[NodeEvidence, ...]:
    """Read a folder or archive; each folder in it that holds files is a node, in natural order of their names.

    A folder that is named after a kind of file (`logs`, `nvidia`) is none: what lies there is of the folder above.
    A source without a file is NOT_ASKED, unless the bundle's own note says how it ended. Raises UsageError when no file
    of it is known, or the archive is damaged; OSError when it cannot be read.
    """
    known = list(_known(bundle, sources))
    noted = {_folder(file) for file in known if file.path.rpartition("/")[2] == MANIFEST}

    def place(file: BundleFile) -> str:
        return _node_folder(_folder(file), noted)

    nodes = [
        _node(folder or _stem(bundle), list(files), sources)
        for folder, files in groupby(sorted(known, key=place), key=place)
    ]
    told = [node for node in nodes if any(answer.end != "not asked" for answer in node.answers.values())]
    strays = tuple(file for node in nodes if node not in told for file in node.unused)
    if not told:
        names = [file.path if file.why == UNKNOWN else f"{file.path} ({file.why})" for file in strays]
        raise UsageError(
            str(bundle),
            found=f"{format_count(len(names), 'unknown file')}: {', '.join(names[:5])}"
            if names
            else "no files",
            expected="files with what tools print, such as nvidia-smi-q-x.xml, npu-smi-info.txt, kernel.log",
            hint="`ogai node collect` makes such a bundle",
        )
    told[0] = replace(told[0], unused=(*told[0].unused, *strays))
    return tuple(sorted(told, key=lambda node: natural_key(node.name)))


def _known(bundle: Path, sources: Sequence[Source]) -> Iterator[BundleFile]:
    """Yield the files, those that are of no source without their text: nobody keeps it."""
    for file in list_files(bundle):
        name = file.path.rpartition("/")[2]
        known = file.text is None or name == MANIFEST or source_of(file.path, file.text, sources)
        yield file if known else replace(file, text=None, trouble=UNKNOWN)


def _folder(file: BundleFile) -> str:
    return file.path.rpartition("/")[0]


def _node_folder(folder: str, noted: Collection[str]) -> str:
    """Find the node's folder of one that may be named after a kind of file; one with a note of its own is a node's."""
    while folder not in noted and folder.rpartition("/")[2].lower() in KINDS:
        folder = folder.rpartition("/")[0]
    return folder


def _stem(bundle: Path) -> str:
    return bundle.resolve().name.split(".tar")[0].removesuffix(".tgz") or "bundle"


def _node(folder: str, files: list[BundleFile], sources: Sequence[Source]) -> NodeEvidence:
    manifest = _manifest(files)
    found: dict[str, BundleFile] = {}
    notes = {} if manifest is None else manifest.sources
    unused = list(_sort_out(files, sources, found, notes))
    return NodeEvidence(
        name=folder.rpartition("/")[2] if manifest is None else manifest.node,
        probed_at=max((file.changed_at for file in files), default=0.0)
        if manifest is None
        else manifest.probed_at,
        answers={source.name: _answer(found.get(source.name), notes.get(source.name)) for source in sources},
        files={name: file.path for name, file in found.items()},
        unused=tuple(unused),
    )


def _sort_out(
    files: list[BundleFile],
    sources: Sequence[Source],
    found: dict[str, BundleFile],
    notes: Mapping[str, Said],
) -> Iterator[UnusedFile]:
    """Put each file to its source, those with the source's own name first; yield what is left and why.

    An empty file is an answer only where the bundle's note says that its source was asked.
    """
    own = {source.name for source in sources}
    for file in sorted(files, key=lambda file: file.path.rpartition("/")[2] not in own):
        name = file.path.rpartition("/")[2]
        if name == MANIFEST:
            continue
        source = None if file.text is None else source_of(file.path, file.text, sources)
        if source is None:
            yield UnusedFile(path=file.path, why=file.trouble or UNKNOWN)
        elif not (file.text or "").strip(BLANK) and source.name not in notes:
            yield UnusedFile(path=file.path, why="it is empty")
        elif source.name in found:
            yield UnusedFile(path=file.path, why=f"{found[source.name].path} is read in its place")
        else:
            found[source.name] = file


def _manifest(files: list[BundleFile]) -> Manifest | None:
    text = next((file.text for file in files if file.path.rpartition("/")[2] == MANIFEST), None)
    try:
        return None if text is None else msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError:
        return None


def _answer(file: BundleFile | None, note: Said | None) -> Answer:
    if file is None or file.text is None:
        return NOT_ASKED if note is None else Answer(end=note.end, code=note.code, err=note.err)
    out = file.text.replace("\r\n", "\n")
    return (
        Answer(end="exit", code=0, out=out)
        if note is None
        else Answer(end=note.end, code=note.code, out=out, err=note.err)
    )
