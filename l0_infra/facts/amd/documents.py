"""The JSON of `amd-smi`: any of its outputs, of any version, sorted by GPU, whatever file they lie in.

Versions differ in what wraps the entries (nothing, `gpu_data`, `xgmi_metric` with a list in a list), in what names the
GPU (`gpu`, `gpu_id`; 3, "3", "GPU3") and in values: `{"value": 97, "unit": "%"}`, `97`, "97 %", "N/A", lists of them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from l0_infra.facts.json_value import Json, dig, items, word
from l0_infra.facts.vendor import text

__all__ = ["Entry", "by_gpu", "decode_all", "gpu_number", "versions"]

Entry = Mapping[str, Json]
"""All that is said of one GPU."""

START = re.compile(r"^[ \t]*([\[{])\s{0,99}[\[{\"\]}]", re.M)
TRIES = 20
"""How many places of a text that is no JSON are tried."""


def decode_all(text: str) -> tuple[list[Json], str]:
    """Read the JSON documents of a text, one after the other, among warnings; return also the first that is broken.

    Of a document that was cut off, the objects that are whole and begin a line are read.
    """
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    found: list[Json] = []
    broken: list[str] = []
    at = 0
    while len(broken) < TRIES and (start := START.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, start.start(1))
            found.append(value)
        except (ValueError, RecursionError):
            at = start.start(1) + 1
            broken.append(text[at - 1 : at + 199])
    return found, broken[0] if broken else "" if found else text[:200].strip()


def by_gpu(documents: Iterable[Json]) -> Mapping[int, Entry]:
    """Merge the entries of all documents by GPU; what is told first counts."""
    found: dict[int, dict[str, Json]] = {}
    for document in documents:
        for entry in _entries(document):
            gpu = gpu_number(dig(entry, "gpu")) if "gpu" in entry else gpu_number(dig(entry, "gpu_id"))
            if gpu is not None:
                _merge(found.setdefault(gpu, {}), entry)
    return found


def gpu_number(value: Json) -> int | None:
    """Read the number of a GPU: 3, "3" or "GPU3"."""
    match = re.fullmatch(r"(?:GPU)?([0-9]{1,4})", word(value))
    return int(match[1]) if match else None


def versions(documents: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """Yield what `amd-smi version` tells: names of components and their versions."""
    for document in documents:
        for entry in (document, *items(document)):
            for name in ("rocm_version", "amdgpu_version"):
                told = text(word(dig(entry, name)))
                if told and "gpu" not in (entry if isinstance(entry, Mapping) else ()):
                    yield name, told


def _entries(value: Json, depth: int = 3) -> Iterator[Entry]:
    """Yield the objects that name a GPU, at the top or in lists near it."""
    if isinstance(value, Mapping) and ("gpu" in value or "gpu_id" in value):
        yield value
    elif depth:
        inner = value.values() if isinstance(value, Mapping) else items(value)
        for one in inner:
            yield from _entries(one, depth - 1)


def _merge(known: dict[str, Json], entry: Entry, depth: int = 3) -> None:
    """Add what is not known yet, or known as `N/A`."""
    for key, value in entry.items():
        old = known.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping) and depth:
            known[key] = inner = dict(old)
            _merge(inner, value, depth - 1)
        elif key not in known or (text(word(old)) is None and not isinstance(old, Mapping | list)):
            known[key] = value
