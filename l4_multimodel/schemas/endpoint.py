"""What is served right now: the address, the names it answers to, the replicas behind it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Name, Part, Text, Time, repeated
from l0_infra.core.errors import Fault
from l4_multimodel.schemas.model_ref import ModelRef

__all__ = ["Endpoint", "Replica"]

Url = Annotated[str, Meta(pattern=r"^https?://[^\s/]+")]


class Replica(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One running copy of a deployment."""

    replica_id: Annotated[Name, Meta(description="Id, unique in the endpoint.")]
    deployment: Annotated[Name, Meta(description="Deployment it is a copy of.")]
    model: Annotated[ModelRef, Meta(description="Model it holds, with its version.")]
    url: Annotated[Url | None, Meta(description="Where it answers; null: not yet.")] = None
    job_id: Annotated[Text | None, Meta(description="Job that carries it; null: none yet.")] = None
    node: Annotated[Text | None, Meta(description="Node it runs on; null: none yet.")] = None
    state: Annotated[
        Literal["waiting", "loading", "ready", "draining", "failed"],
        Meta(description="Only `ready` takes requests; `draining` finishes those it has."),
    ] = "waiting"
    reason: Annotated[str, Meta(description="Why it is in this state, in one sentence.")] = ""
    memory_bytes: Annotated[
        Bytes | None, Meta(description="Memory it holds on each accelerator, or host; null: not known.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a replica that should answer nowhere."""
        if self.state == "ready" and self.url is None:
            yield Fault(path=("state",), found="`ready` without a url", expected="the `url` it answers at")


class Endpoint(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="endpoint"):
    """An OpenAI-compatible address and what is behind it."""

    name: Annotated[Name, Meta(description="Name of the `serve` document it came from.")]
    url: Annotated[Url, Meta(description="Base of the OpenAI-compatible interface: `http://host:8000/v1`.")]
    models: Annotated[tuple[Text, ...], Meta(description="Names a request may give as `model`.")]
    replicas: Annotated[tuple[Replica, ...], Meta(description="What answers.")] = ()
    observed_at: Annotated[Time, Meta(description="When this was so, in seconds since the epoch, UTC.")]

    def faults(self) -> Iterator[Fault]:
        """Yield ids used twice."""
        yield from repeated("replicas", "replica_id", [replica.replica_id for replica in self.replicas])
