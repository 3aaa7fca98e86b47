"""One list of GPUs from all that `nvidia-smi` says: the document counts first, the shorter forms fill what it lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec

from l0_infra.facts.bundle import NOT_ASKED, Answer, Answers
from l0_infra.facts.nvidia import sources
from l0_infra.facts.nvidia.links import Links, links_of, parse_links
from l0_infra.facts.nvidia.listing import parse_apps, parse_list, parse_partition_names, parse_rows, rows_of
from l0_infra.facts.nvidia.log import parse_log
from l0_infra.facts.nvidia.merge import merge
from l0_infra.facts.nvidia.messages import (
    corrupted,
    describe_lost,
    find_lost,
    find_mismatch,
    is_whole,
    plain,
    troubles,
)
from l0_infra.facts.nvidia.table import parse_table
from l0_infra.facts.nvidia.words import LOST
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator, Condition, Unread

__all__ = ["parse_nvidia"]

WHAT = {
    sources.GPUS.name: sources.TOOL,
    sources.LOG.name: "nvidia-smi -q -x",
    sources.APPS.name: "nvidia-smi --query-compute-apps",
    sources.TABLE.name: "nvidia-smi (table)",
    sources.LIST.name: "nvidia-smi -L",
    sources.LINKS.name: "nvidia-smi nvlink --status",
    sources.LINK_ERRORS.name: "nvidia-smi nvlink -e",
}
MOST_CHARACTERS = 1_000_000
TOPOLOGY = "topo-m.txt"
"""Not a list of GPUs, but `nvidia-smi` complains there as elsewhere."""
INFOROM = "infoROM corrupted"
Odd = Mapping[str, tuple[str, ...]]
"""What could not be understood of each form."""


def parse_nvidia(answers: Answers) -> Found:
    """Put together the GPUs, who holds them, how they do, and what could not be read about them."""
    forms = {name: _bounded(name, answers[name]) for name in WHAT}
    said = (*forms.values(), answers.get(TOPOLOGY, NOT_ASKED))
    mismatch = find_mismatch(answers[sources.MODULE.name].out, *said)
    gpus, odd = _gpus(forms)
    links = parse_links(forms[sources.LINKS.name], forms[sources.LINK_ERRORS.name])
    damaged = corrupted(*forms.values())
    return Found(
        accelerators=tuple(_completed(gpu, links, damaged) for gpu in gpus),
        unread=(
            *(dict.fromkeys(_unread(forms, gpus, odd)) if mismatch is None else (mismatch,)),
            *answers[sources.FABRIC_LOG.name].denied(),
        ),
    )


def _bounded(name: str, answer: Answer) -> Answer:
    """Cut an answer that is longer than any real one; the document is bounded GPU by GPU."""
    return answer if name == sources.LOG.name else replace(answer, out=answer.out[:MOST_CHARACTERS])


def _gpus(forms: Answers) -> tuple[tuple[Accelerator, ...], Odd]:
    """Read the GPUs of each form, and what is neither a GPU nor a message."""
    listed, table = forms[sources.LIST.name].out, forms[sources.TABLE.name].out
    documented, damaged = parse_log(
        forms[sources.LOG.name].out, lost=find_lost(*forms.values()), names=parse_partition_names(listed)
    )
    rows, odd_rows = rows_of(plain(forms[sources.GPUS.name].out))
    held, odd_apps = parse_apps(plain(forms[sources.APPS.name].out))
    told = is_whole(forms[sources.APPS.name]) and not odd_apps
    named = merge(parse_list(listed), parse_list(forms[sources.LINKS.name].out))
    short = merge(parse_rows(rows, held if told else None), merge(parse_table(table), named))
    odd = {sources.GPUS.name: odd_rows, sources.LOG.name: damaged, sources.APPS.name: odd_apps}
    return merge(documented, short), odd


def _completed(gpu: Accelerator, links: Links, damaged: frozenset[str]) -> Accelerator:
    """Add what is told apart from the GPU itself."""
    condition = gpu.condition
    if gpu.pci in damaged:
        condition = msgspec.structs.replace(condition or Condition(), error_codes=(INFOROM,))
    own = links_of(gpu, links)
    up = None if own is None else sum(link.active is True for link in own)
    return msgspec.structs.replace(gpu, links=own, links_up=up, condition=condition)


def _unread(forms: Answers, gpus: tuple[Accelerator, ...], odd: Odd) -> Iterator[Unread]:
    """Yield what could not be read; what keeps every form from answering is told once."""
    faults = {name: tuple(troubles(WHAT[name], answer)) for name, answer in forms.items()}
    asked = [faults[name] for name, answer in forms.items() if answer.end in ("exit", "hung")]
    kinds = {tuple((fault.reason, fault.detail) for fault in own) for own in asked}
    if len(kinds) == 1 and asked[0]:
        yield from (msgspec.structs.replace(fault, what=sources.TOOL) for fault in asked[0])
        return
    for name, own in faults.items():
        yield from own
        if not own and forms[name].end == "exit":
            yield from (Unread(what=WHAT[name], reason="garbled", detail=text) for text in odd.get(name, ()))
    for lost in find_lost(*forms.values()):
        yield describe_lost(lost.line)
    for gpu in gpus:
        if gpu.condition is not None and gpu.condition.health in LOST:
            yield describe_lost(f"{gpu.pci or gpu.id}: {gpu.condition.health}")
