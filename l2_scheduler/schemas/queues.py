"""The queues jobs wait in, and what each allows."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Seconds

__all__ = ["Queue", "Queues"]


class Queue(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One queue."""

    name: Annotated[Name, Meta(description="Queue name.")]
    priority: Annotated[int, Meta(description="Added to the priority of its jobs.")] = 0
    max_running_jobs: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Most jobs running at once; null: no limit.")
    ] = None
    max_cpus: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Most CPUs held at once; null: no limit.")
    ] = None
    max_gpus: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Most accelerators held at once; null: no limit.")
    ] = None
    max_time_s: Annotated[
        Seconds | None, Meta(description="Longest time limit a job may ask for; null: no limit.")
    ] = None
    default_time_s: Annotated[Seconds | None, Meta(description="Time limit of a job that states none.")] = (
        None
    )


class Queues(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="queues"):
    """All queues of an engine; without such a document there is one, `default`, with no limits."""

    queues: Annotated[tuple[Queue, ...], Meta(min_length=1, description="The queues.")] = (
        Queue(name="default"),
    )
    age_points_per_hour: Annotated[
        float, Meta(ge=0, description="Priority points a waiting job gains each hour, so that none starves.")
    ] = 1.0
