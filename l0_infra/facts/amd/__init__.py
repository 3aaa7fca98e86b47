"""AMD accelerators: `amd-smi` in the shapes of all its versions, and `rocm-smi` on older nodes."""

from collections.abc import Iterator, Mapping

from l0_infra.facts.amd.accelerator import accelerator
from l0_infra.facts.amd.documents import by_gpu, decode_all, versions
from l0_infra.facts.amd.rocm import is_rocm, rocm_gpus
from l0_infra.facts.amd.sources import ANY, EXTRA, MAIN, QUICK, ROCM, SOURCES, VERSIONS
from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.json_value import Json
from l0_infra.facts.tree import parse_tree
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator, Software, Unread

__all__ = ["LISTING", "QUICK", "SOURCES", "parse_amd"]

LISTING = (*MAIN, ROCM)
"""Each of them names every GPU."""
NAMES = {"rocm_version": "rocm", "amdgpu_version": "amdgpu driver"}
FILES = {"/opt/rocm/.info/version": "rocm", "/sys/module/amdgpu/version": "amdgpu driver"}


def parse_amd(answers: Answers) -> Found:
    """Put together what `amd-smi` says of each GPU; where it says nothing, what `rocm-smi` says."""
    documents: list[Json] = []
    broken: dict[Source, str] = {}
    for source in (*MAIN, *EXTRA, ROCM):
        found, broken[source] = decode_all(answers[source.name].out)
        documents += found
    return Found(
        accelerators=_gpus(documents),
        unread=tuple(_unread(answers, broken)),
        software=tuple(_software(answers, documents)),
    )


def _gpus(documents: list[Json]) -> tuple[Accelerator, ...]:
    entries = by_gpu(document for document in documents if not is_rocm(document))
    if entries:
        return tuple(accelerator(gpu, entries[gpu]) for gpu in sorted(entries))
    return next((rocm_gpus(document) for document in documents if is_rocm(document)), ())


def _unread(answers: Answers, broken: Mapping[Source, str]) -> Iterator[Unread]:
    """Tell of what hung, failed or is no JSON; a product may lack what is asked for on top."""
    for source in broken:
        if source not in EXTRA or answers[source.name].end == "hung":
            yield from answers[source.name].unread(_what(source))
    for source, detail in broken.items():
        if answers[source.name].ok and detail:
            yield Unread(what=_what(source), reason="garbled", detail=detail)


def _what(source: Source) -> str:
    if source is ANY:
        return source.name
    return source.command.split(" --")[0].rpartition("|| ")[2]


def _software(answers: Answers, documents: list[Json]) -> Iterator[Software]:
    tree = parse_tree(answers[VERSIONS.name].out)
    found = {FILES[path]: (lines[0].strip(), path) for path, lines in tree.items() if path in FILES}
    for name, told in versions(documents):
        found.setdefault(NAMES[name], (told, "amd-smi version"))
    for name, (told, source) in sorted(found.items()):
        if told:
            yield Software(name=name, software_version=told, source=source)
