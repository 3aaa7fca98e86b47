"""What went wrong when ranks ended: the root among them, its class, the evidence, what to do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from l3_modeltools.resilience.catalogue import STANDINGS, Catalogue, Match
from l3_modeltools.resilience.ends import End
from l3_modeltools.resilience.heartbeat import section_of
from l3_modeltools.resilience.judge_end import JudgedEnd, judge_end
from l3_modeltools.resilience.kernel import KernelLine
from l3_modeltools.resilience.words import name_ranks
from l3_modeltools.schemas import Evidence, FaultAction, Suspect, TrainingFault

__all__ = ["classify_ends"]

TOGETHER_S = 5.0
"""Ends of the same kind within this time are one event."""

OF_LOOPS: tuple[FaultAction, ...] = ("none", "retry", "skip_batches", "free_space", "pause")
"""What only a rank that still runs can do."""

HARDWARE = ("device_lost", "storage_read_only")
"""Classes that the kernel tells better than whoever met them."""

MOST_KERNEL_LINES = 8

RECENT_S = 120.0
"""A node's kernel speaks of all that happens there; what it said longer before an end did not cause it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelSays:
    """What the kernel log has to do with it: every known line, the one about hardware, whether memory ran out."""

    matches: tuple[Match, ...]
    hardware: Match | None
    out_of_memory: Match | None


def classify_ends(
    run_id: str,
    ends: Sequence[End],
    *,
    kernel: Sequence[KernelLine],
    oom_kills: int | None,
    node: str,
    catalogue: Catalogue,
    now: float,
    accelerators: bool,
) -> TrainingFault:
    """Say what made the ranks of a generation end; at least one `End` is needed.

    `kernel` are the lines of the kernel log since the ranks were well, `oom_kills` how many processes were killed
    for want of memory since then (None: not known; then the kernel log decides). What it says of devices concerns only
    ranks on `accelerators`, and only from two minutes before the first end on. The advice is one for ranks that
    have ended: what only a running one can do becomes `restart_worker`. `detected_at` is `now`, seconds since the
    epoch.
    """
    judged = [judge_end(end, catalogue) for end in ends]
    culprits = order_culprits(judged)
    root = culprits[0]
    says = listen(kernel, catalogue, since=min(end.at for end in ends) - RECENT_S, accelerators=accelerators)
    together = [one for one in culprits if is_alike(one, root)]
    told = explain(root, says, oom_kills)
    word = root.end.word
    return TrainingFault(
        run=run_id,
        fault_class=told.fault_class,
        summary=summarize(together, told),
        known_as=told.match.error.name if told.match else None,
        occurred_at=min(root.end.at, now),
        detected_at=now,
        step=word.step if word is not None else max(0, root.end.beat.step),
        section=word.section if word is not None else section_of(root.end.beat.phase),
        suspects=suspects_among(together, told, node),
        evidence=tuple(gather(together, culprits, says)),
        advised="restart_worker" if told.advised in OF_LOOPS else told.advised,
    )


def summarize(together: Sequence[JudgedEnd], told: JudgedEnd) -> str:
    """Write the sentence: `rank 1 was killed by SIGKILL: the kernel ran out of memory in its control group`."""
    did = told.did.replace("was ", "were ", 1) if len(together) > 1 else told.did
    sentence = f"{name_ranks(one.end.rank for one in together)} {did}"
    return f"{sentence}: {told.why}" if told.why else sentence


def order_culprits(judged: Sequence[JudgedEnd]) -> list[JudgedEnd]:
    """Order ends by how likely they are the root: causes before symptoms, then by time.

    Ranks that the supervisor ended itself, or that ended as they should, count only when there are no others.
    """
    own = [one for one in judged if not one.end.ordered and not is_well(one.end)]
    return sorted(own or judged, key=lambda one: (STANDINGS.index(one.standing), one.end.at))


def is_well(end: End) -> bool:
    return end.word is not None and end.word.kind in ("done", "stopped", "roll_back")


def is_alike(one: JudgedEnd, root: JudgedEnd) -> bool:
    return (one.standing, one.alike) == (root.standing, root.alike) and (
        one.end.at - root.end.at <= TOGETHER_S
    )


def listen(
    kernel: Sequence[KernelLine], catalogue: Catalogue, *, since: float, accelerators: bool
) -> KernelSays:
    """Recognise what the kernel said; what is harmless, old, or of devices that nobody uses is left out."""
    found = catalogue.find([line.text for line in kernel if line.at >= since])
    matches = tuple(
        match
        for match in found
        if match.error.advised != "none" and (accelerators or match.error.fault_class != "device_lost")
    )
    return KernelSays(
        matches=matches[:MOST_KERNEL_LINES],
        hardware=next((match for match in matches if match.error.fault_class in HARDWARE), None),
        out_of_memory=next((match for match in matches if match.error.fault_class == "killed"), None),
    )


def explain(root: JudgedEnd, says: KernelSays, oom_kills: int | None) -> JudgedEnd:
    """Let the kernel have its word on the root: a process killed for want of memory, or a device that failed."""
    starved = oom_kills > 0 if oom_kills is not None else says.out_of_memory is not None
    if root.fault_class == "killed" and starved and (root.match is not None or root.alike == "SIGKILL"):
        why = "the kernel ran out of memory in its control group"
        if says.out_of_memory is not None and says.out_of_memory.error.name == "oom-killer-node":
            why = "the kernel ran out of memory on the node"
        did = root.did.removesuffix(" from outside")
        return replace(root, did=did, why=why, match=says.out_of_memory or root.match)
    if says.hardware is not None:
        error = says.hardware.error
        return replace(
            root,
            fault_class=error.fault_class,
            advised=error.advised,
            why=f"the kernel says: {says.hardware.line}",
            match=says.hardware,
        )
    return root


def suspects_among(together: Sequence[JudgedEnd], told: JudgedEnd, node: str) -> tuple[Suspect, ...]:
    """Name who is suspected: nobody where several ranks failed alike by themselves, which is the program's doing."""
    if len(together) > 1 and told.fault_class not in ("killed", *HARDWARE):
        return ()
    return tuple(Suspect(rank=one.end.rank, node=node) for one in together)


def gather(
    together: Sequence[JudgedEnd], culprits: Sequence[JudgedEnd], says: KernelSays
) -> Iterator[Evidence]:
    """Yield what speaks for it: the roots' ends and lines, the kernel's lines, the ends that followed."""
    for one in together:
        rank = one.end.rank
        yield Evidence(source="exit", rank=rank, text=f"rank {rank} {one.did}, {place_of(one.end)}")
        if one.match is not None:
            yield Evidence(source="log", rank=rank, text=one.match.line or one.match.error.name)
        if frame := last_frame(one.end):
            yield Evidence(source="stack", rank=rank, text=frame)
    for match in says.matches:
        yield Evidence(source="kernel_log", text=match.line)
    for one in culprits:
        if one not in together:
            yield Evidence(source="exit", rank=one.end.rank, text=f"rank {one.end.rank} {one.did}")


def place_of(end: End) -> str:
    where = "between steps" if end.beat.phase in ("paused", "ended") else f"in {end.beat.phase}"
    return f"{where} of step {end.beat.step}" if end.beat.step > 0 else where


def last_frame(end: End) -> str:
    """Return the innermost line of a rank's traceback; empty: it left none."""
    lines = end.word.traceback.splitlines() if end.word is not None else []
    return next((line.strip() for line in reversed(lines) if line.startswith('  File "')), "")
