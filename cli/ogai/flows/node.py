"""What this machine is made of."""

from time import time

from l0_infra import probe_node
from l0_infra.core.exec import LocalRunner
from l0_infra.schemas import NodeFacts

__all__ = ["facts"]


def facts() -> NodeFacts:
    """Look at this machine; what cannot be read is None and listed in `unread`."""
    with LocalRunner() as runner:
        return probe_node(runner, time())
