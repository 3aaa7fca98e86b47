"""The documents this layer owns: a model in the registry, what is served, how, and how good it is."""

from l4_multimodel.schemas.endpoint import Endpoint, Replica
from l4_multimodel.schemas.evaluation import Conditions, Evaluation, Score, Task
from l4_multimodel.schemas.model import Lineage, Model, Signature
from l4_multimodel.schemas.serve import Deployment, Listen, Quota, Route, RouteTarget, Serve

__all__ = [
    "Conditions",
    "Deployment",
    "Endpoint",
    "Evaluation",
    "Lineage",
    "Listen",
    "Model",
    "Quota",
    "Replica",
    "Route",
    "RouteTarget",
    "Score",
    "Serve",
    "Signature",
    "Task",
]
