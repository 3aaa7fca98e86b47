"""Which models are served, by what, with how much memory, and who may ask them how often."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Document, Name, Part, Positive, Text, repeated, unknown
from l0_infra.core.errors import Fault
from l4_multimodel.schemas.model_ref import ModelRef

__all__ = ["Deployment", "Listen", "Quota", "Route", "RouteTarget", "Serve"]


class Deployment(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model behind one engine, as often as wanted."""

    name: Annotated[Name, Meta(description="Name, which routes use.")]
    model: Annotated[ModelRef, Meta(description="Registered model: `name`, or `name@3`.")]
    engine: Annotated[Literal["transformers", "vllm"], Meta(description="What answers.")] = "transformers"
    replicas: Annotated[Count, Meta(description="Copies; 0: none for now.")] = 1
    gpus_per_replica: Annotated[Count, Meta(description="Accelerators of a copy; 0: it runs on CPUs.")] = 0
    memory_bytes: Annotated[
        Bytes | None, Meta(description="Memory of a copy on each accelerator, or host; null: estimated.")
    ] = None
    max_model_len: Annotated[
        Positive | None, Meta(description="Longest context it takes, in tokens; null: the model's.")
    ] = None


class RouteTarget(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One deployment's share of a route."""

    deployment: Annotated[Name, Meta(description="Deployment of this document.")]
    weight: Annotated[
        float, Meta(ge=0, description="Its share, relative to the other weights; 0: it gets nothing.")
    ] = 1.0


class Route(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client names as `model`, and who answers; a canary is a target of small weight."""

    name: Annotated[Text, Meta(description="The `model` in a request.")]
    targets: Annotated[tuple[RouteTarget, ...], Meta(min_length=1, description="Who answers.")]
    fallback: Annotated[
        tuple[Name, ...], Meta(description="Deployments tried in this order before the first byte is out.")
    ] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield targets listed twice, and weights that are all 0."""
        yield from repeated("targets", "deployment", [target.deployment for target in self.targets])
        if not any(target.weight for target in self.targets):
            yield Fault(path=("targets",), found="weights that are all 0", expected="a weight above 0")


class Quota(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much one client may ask for."""

    client: Annotated[Name, Meta(description="Name of the client's key; never the key.")]
    tokens_per_minute: Annotated[
        Positive | None, Meta(description="Tokens, asked and answered; null: no limit.")
    ] = None
    requests_per_minute: Annotated[Positive | None, Meta(description="Requests; null: no limit.")] = None


class Listen(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where clients connect."""

    host: Annotated[Text, Meta(description="Address; `127.0.0.1`: this machine only.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535, description="Port.")] = 8000


class Serve(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="serve"):
    """Models that share the accelerators behind one address."""

    name: Annotated[Name, Meta(description="Name.")]
    deployments: Annotated[tuple[Deployment, ...], Meta(min_length=1, description="What runs.")]
    routes: Annotated[
        tuple[Route, ...], Meta(description="Who answers which name; none: each deployment its own.")
    ] = ()
    quotas: Annotated[tuple[Quota, ...], Meta(description="Limits of clients; none: no limits.")] = ()
    listen: Annotated[Listen, Meta(description="Where clients connect.")] = Listen()
    queue: Annotated[Name, Meta(description="Queue its replicas wait in.")] = "default"

    def faults(self) -> Iterator[Fault]:
        """Yield names used twice, and routes to deployments that are not there."""
        names = [deployment.name for deployment in self.deployments]
        yield from repeated("deployments", "name", names)
        yield from repeated("routes", "name", [route.name for route in self.routes])
        yield from repeated("quotas", "client", [quota.client for quota in self.quotas])
        what = "a deployment of this document"
        for index, route in enumerate(self.routes):
            for place, target in enumerate(route.targets):
                path = ("routes", index, "targets", place, "deployment")
                yield from unknown(path, target.deployment, names, what=what)
            for place, name in enumerate(route.fallback):
                yield from unknown(("routes", index, "fallback", place), name, names, what=what)
