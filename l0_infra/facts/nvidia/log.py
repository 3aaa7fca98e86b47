"""The document of `nvidia-smi -q -x`, read GPU by GPU, so that a damaged one costs no other.

What is before the first `<gpu>` never reaches the XML parser: no document type, hence no entity, can be declared to it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from xml.etree import ElementTree

from l0_infra.facts.nvidia.gpu import address_of, parse_gpu
from l0_infra.facts.nvidia.messages import Lost
from l0_infra.facts.nvidia.partitions import PartitionName
from l0_infra.facts.nvidia.words import count, known, said
from l0_infra.schemas import Accelerator

__all__ = ["parse_log", "parse_log_versions"]

START = re.compile(r"<gpu\b[^<>]{0,200}>")
END = "</gpu>"
MOST_GPUS = 256
MOST_CHARACTERS = 1_000_000
"""What one GPU's part may have; the longest seen, with all its clocks, has an eighth of that."""


def parse_log_versions(out: str) -> Mapping[str, str]:
    """Read the versions it tells: of the `driver`, of the `cuda` that can serve, of the GPUs' `firmware` (GSP)."""
    names = {
        "driver": ("kmd_version", "driver_version"),
        "cuda": ("cuda_umd_version", "cuda_version"),
        "firmware": ("gsp_firmware_version",),
    }
    told = {key: (_element(out, name) for name in own) for key, own in names.items()}
    return {key: word for key, words in told.items() if (word := next(filter(None, words), None))}


def parse_log(
    out: str, *, lost: tuple[Lost, ...], names: Mapping[str, Mapping[int, PartitionName]]
) -> tuple[tuple[Accelerator, ...], tuple[str, ...]]:
    """Read the GPUs of a document of any version, and what is wrong with it.

    `lost` are GPUs that it leaves out, `names` those of partitions.
    """
    starts = [match.start() for match in START.finditer(out)][:MOST_GPUS]
    parts = _once(_read(out[start:end]) for start, end in pairwise((*starts, len(out))))
    driver = parse_log_versions(out).get("driver")
    gpus = tuple(
        parse_gpu(gpu, index=index, driver=driver, partitions=names.get(said(gpu, "uuid") or "", {}))
        for index, gpu in _numbered(parts, lost)
    )
    return gpus, tuple(_missing(out, parts, lost))


def _read(text: str) -> ElementTree.Element | str:
    """Read one GPU's part; return why, where that cannot be."""
    body, end, _ = text.partition(END)
    if not end:
        return "the document ends in the middle of a GPU"
    if len(body) > MOST_CHARACTERS:
        return f"a GPU has more than {MOST_CHARACTERS} characters"
    try:
        gpu = ElementTree.fromstring((body + END).encode("utf-8", "replace"))
    except ElementTree.ParseError as error:
        return f"{body[:40]}: {error}"
    return gpu if said(gpu, "uuid") or address_of(gpu) else f"{body[:40]}: neither unique id nor PCI address"


def _once(parts: Iterable[ElementTree.Element | str]) -> list[ElementTree.Element | str]:
    """Keep of each GPU what was said last, at its first place: documents are appended to one file, hour by hour."""
    found: dict[object, ElementTree.Element | str] = {}
    for part in parts:
        key = object() if isinstance(part, str) else (said(part, "uuid"), address_of(part))
        found[key] = part
    return list(found.values())


def _numbered(
    parts: list[ElementTree.Element | str], lost: tuple[Lost, ...]
) -> Iterator[tuple[int, ElementTree.Element]]:
    """Number GPUs in order of PCI addresses, as `nvidia-smi` does; one that cannot be read keeps its number."""
    for position, gpu in enumerate(parts):
        if isinstance(gpu, str):
            continue
        own = address_of(gpu)
        before = [one for one in lost if one.address and own and one.address < own]
        yield position + len(before), gpu


def _element(out: str, name: str) -> str | None:
    match = re.search(rf"<{name}>([^<]{{1,40}})<", out)
    return known(match[1]) if match else None


def _missing(out: str, parts: list[ElementTree.Element | str], lost: tuple[Lost, ...]) -> Iterator[str]:
    yield from (part for part in parts if isinstance(part, str))
    attached = count(_element(out, "attached_gpus"))
    if attached is not None and len(parts) + len(lost) < attached:
        yield f"it tells of {len(parts)} of {attached} GPUs"
    if not parts and attached is None and out.strip():
        yield f"no document: {out.strip()[:160]}"
