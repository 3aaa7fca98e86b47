"""What is kept of a node is what others, and its own next look, need of it."""

from l0_infra.schemas import Node, NodeFacts, ResourceLimit
from l1_podsys import trait_of
from l1_podsys.schemas import Cluster, NodeGroup

CLUSTER = Cluster(name="pod", nodes=(NodeGroup(names="n1", roles=("head", "compute"), addresses="10.0.0.1"),))


def test_how_many_files_can_be_opened_is_kept_where_it_cannot_be_raised() -> None:
    login = ResourceLimit(name="nofile", scope="login", soft=1024, hard=20480)
    bound = ResourceLimit(name="nofile", scope="node", hard=20480)
    node = Node(name="n1", address="10.0.0.1")
    free, held = (
        trait_of(node, NodeFacts(probed_at=5.0, resource_limits=limits), CLUSTER)
        for limits in ((login,), (login, bound))
    )
    assert (free.open_files, held.open_files) == (None, 20480)
