"""What this machine is made of: `from ogai.node import facts`."""

from l0_infra.schemas import NodeFacts
from ogai.flows.node import facts

__all__ = [
    "NodeFacts",
    "facts",
]
