"""A node as Slurm sees it, whatever version told it and in whatever form."""

from dataclasses import dataclass

__all__ = ["SlurmNode"]

DOWN = frozenset(
    (
        "DOWN",
        "FAIL",
        "FAILING",
        "NOT_RESPONDING",
        "INVALID",
        "INVALID_REG",
        "POWERED_DOWN",
        "UNKNOWN",
        "FUTURE",
    )
)
UNHEARD = frozenset(("NOT_RESPONDING", "UNKNOWN"))
DRAIN = frozenset(("DRAIN", "DRAINED", "DRAINING"))
BUSY = frozenset(("ALLOCATED", "MIXED", "COMPLETING"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmNode:
    """One node; unknown is None, memory is in bytes, times are what Slurm prints or seconds since the epoch."""

    name: str
    states: frozenset[str]
    """Words such as IDLE, DRAIN, NOT_RESPONDING; the base state and all flags."""
    cpus: int | None = None
    cpus_allocated: int | None = None
    memory_bytes: int | None = None
    gres: str = ""
    slurm_version: str | None = None
    reason: str = ""
    reason_by: str = ""
    reason_at: str = ""

    @property
    def drained(self) -> bool:
        """Whether it takes nothing new by somebody's wish, whether or not something still runs."""
        return bool(self.states & DRAIN)

    @property
    def down(self) -> bool:
        """Whether Slurm cannot use it, whatever anybody wishes."""
        return bool(self.states & DOWN)

    @property
    def unsettled(self) -> bool:
        """Whether nothing was heard of it, which may yet come: a controller begins so with every node."""
        return bool(self.states & UNHEARD) and not self.states & (DOWN - UNHEARD)

    @property
    def busy(self) -> bool:
        """Whether something still runs or ends there."""
        return bool(self.states & BUSY) or bool(self.cpus_allocated)

    @property
    def state(self) -> str:
        """The states in one word, in the order of the alphabet, as `DRAIN+IDLE`."""
        return "+".join(sorted(self.states))
