"""How many copies there are: what few configurations say and their launchers do."""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.table import Beyond

__all__ = ["NODES", "RANKS_OF_NODE", "UNTOLD_RANKS", "WORLD", "data_parallel", "ranks"]

WORLD = "WORLD_SIZE"
NODES, RANKS_OF_NODE = ("--nnodes",), ("--nproc-per-node", "--nproc_per_node")


def ranks(config: Config) -> int | None:
    """All ranks, as given, by WORLD_SIZE, or by torchrun's options; None: nobody says."""
    if config.world_size is not None:
        return config.world_size
    if config.has(WORLD):
        return config.count(WORLD, 1)
    each = next((config.count(name, 1) for name in RANKS_OF_NODE if config.has(name)), None)
    return None if each is None else each * config.count(NODES[0], 1)


def data_parallel(config: Config, cut: int) -> int:
    """Copies: all ranks over those of one copy; 1 where nobody says how many ranks there are."""
    found = ranks(config)
    if found is None:
        return 1
    if found % cut:
        raise config.bad(
            WORLD, f"a multiple of the {cut} ranks of one copy", found=f"{found} ranks for copies of {cut}"
        )
    return found // cut


UNTOLD_RANKS = Beyond(
    name=WORLD,
    when=lambda config: ranks(config) is None,
    lost="how many copies there are: the launcher says it, not the configuration",
    instead="one copy; say how many ranks there are with --world-size",
)
