"""A job as a person wishes it: what to run, with what, under which limits, and what to do when it fails."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, EnvironmentName, Name, Part, Seconds
from l0_infra.core.errors import Fault
from l0_infra.core.units import format_duration

__all__ = ["Array", "Dependency", "Job", "Limits", "Logs", "Resources", "Retry"]

JobId = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]+(_[0-9]+)?$",
        extra_json_schema={"x-words": "the id of a job: `12`, or `12_3` for an element of an array"},
    ),
]


class Resources(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every one of `nodes` nodes must give: all tasks start together or none does (a gang)."""

    nodes: Annotated[int, Meta(ge=1, description="Number of nodes.")] = 1
    tasks_per_node: Annotated[int, Meta(ge=1, le=4096, description="Processes started on each node.")] = 1
    cpus_per_task: Annotated[int, Meta(ge=1, description="Logical CPUs for each task.")] = 1
    memory_bytes_per_node: Annotated[
        Bytes | None,
        Meta(description="Memory for all tasks of a node together, also the limit; null: no limit."),
    ] = None
    gpus_per_node: Annotated[int, Meta(ge=0, description="Accelerators of any vendor on each node.")] = 0


class Limits(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the job is ended, and how it is told before."""

    time_s: Annotated[Seconds | None, Meta(description="Longest run time; null: no limit.")] = None
    warn_signal: Annotated[
        Literal["USR1", "USR2", "INT", "HUP", "TERM"] | None,
        Meta(description="Signal sent to the tasks before the time limit; null: no warning."),
    ] = None
    warn_before_s: Annotated[Seconds, Meta(description="How long before the limit the warning is sent.")] = (
        60.0
    )
    grace_s: Annotated[
        Seconds, Meta(description="Time between SIGTERM and SIGKILL when the job is ended.")
    ] = 30.0

    def faults(self) -> Iterator[Fault]:
        """Yield a warning that would come before the job has begun."""
        if self.warn_signal is not None and self.time_s is not None and self.warn_before_s >= self.time_s:
            yield Fault(
                path=("warn_before_s",),
                found=format_duration(self.warn_before_s),
                expected=f"less than `time_s`, {format_duration(self.time_s)}",
            )


class Array(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same job many times; each element sees its index in `OGAI_ARRAY_INDEX`."""

    indices: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]+(-[0-9]+(:[0-9]+)?)?(,[0-9]+(-[0-9]+(:[0-9]+)?)?)*$",
            description="Indices as Slurm writes them: `0-9`, `1,3,5`, `0-30:10`.",
            extra_json_schema={"x-words": "indices such as `0-9`, `1,3,5` or `0-30:10`"},
        ),
    ]
    throttle: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Most elements running at once; null: as many as fit."),
    ] = None


class Dependency(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another job that must end first; an array's id means all of its elements."""

    job: Annotated[JobId, Meta(description="Id of the other job.")]
    condition: Annotated[
        Literal["afterok", "afternotok", "afterany"],
        Meta(description="How it must have ended: completed, not completed, either."),
    ] = "afterok"


class Retry(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens after a failure."""

    limit: Annotated[int, Meta(ge=0, description="How often a failed run is started again.")] = 0
    backoff_s: Annotated[Seconds, Meta(description="Wait before the first retry; doubles each time.")] = 10.0
    backoff_max_s: Annotated[Seconds, Meta(description="Longest wait between retries.")] = 600.0
    final_exit_codes: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=255)], ...],
        Meta(description="Exit codes after which it is not started again, for it would end so again."),
    ] = ()
    restartable: Annotated[
        bool,
        Meta(
            description="May run again after the machine or its keeper died; such restarts do not count as retries."
        ),
    ] = False


class Logs(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of each task's output is kept."""

    rotate_bytes: Annotated[
        int,
        Meta(
            ge=4096, extra_json_schema={"x-unit": "bytes"}, description="A log file is rotated at this size."
        ),
    ] = 64 * 2**20
    keep: Annotated[int, Meta(ge=0, le=1000, description="Rotated files kept beside the current one.")] = 15


class Job(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="job"):
    """A job: a command, its resources, its limits."""

    name: Annotated[Name, Meta(description="Short name, need not be unique.")]
    command: Annotated[
        tuple[Annotated[str, Meta(min_length=0)], ...],
        Meta(
            min_length=1,
            description="Program and arguments, run without a shell.",
            examples=[["echo", "hello"]],
        ),
    ]
    directory: Annotated[
        str | None, Meta(description="Working directory; null: where the job was submitted.")
    ] = None
    environment: Annotated[
        dict[EnvironmentName, str], Meta(description="Variables added to those of the submitting shell.")
    ] = msgspec.field(default_factory=dict)
    secrets: Annotated[
        tuple[EnvironmentName, ...],
        Meta(description="Variables taken from the submitting shell whose values are never shown."),
    ] = ()
    resources: Annotated[Resources, Meta(description="What the job needs to start.")] = Resources()
    queue: Annotated[Name, Meta(description="Queue the job waits in.")] = "default"
    priority: Annotated[
        int,
        Meta(
            ge=-1_000_000, le=1_000_000, description="Higher starts first; equal ones in order of submission."
        ),
    ] = 0
    limits: Annotated[Limits, Meta(description="Time limit, warning, grace.")] = Limits()
    array: Annotated[Array | None, Meta(description="Run once per index; null: once.")] = None
    depends_on: Annotated[tuple[Dependency, ...], Meta(description="Jobs that must end first.")] = ()
    retry: Annotated[Retry, Meta(description="What happens after a failure.")] = Retry()
    logs: Annotated[Logs, Meta(description="How much output is kept.")] = Logs()
    inputs: Annotated[
        tuple[
            Annotated[
                str,
                Meta(
                    pattern=r"^sha256:[0-9a-f]{64}$",
                    extra_json_schema={"x-words": "`sha256:` and 64 digits 0-9, a-f"},
                ),
            ],
            ...,
        ],
        Meta(description="Content hashes of what the job reads, for lineage."),
    ] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield the texts that no program can be given: those with a NUL, which ends a text in every system call."""
        texts: list[tuple[tuple[str | int, ...], str]] = [(("directory",), self.directory or "")]
        texts += [(("command", index), word) for index, word in enumerate(self.command)]
        texts += [(("environment", name), value) for name, value in self.environment.items()]
        for path, text in texts:
            if "\0" in text:
                yield Fault(path=path, found="a text with the character U+0000", expected="a text without it")
