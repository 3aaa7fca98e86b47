"""The embedding of frameworks that do not pad it: its largest shard is that of one padded to a multiple of tp."""

from l3_modeltools.frameworks.translate.config import Config

__all__ = ["UNPADDED", "uneven_vocabulary"]

UNPADDED = (
    "it does not pad: shards are uneven where tp does not divide the vocabulary, and count as the largest"
)


def uneven_vocabulary(config: Config, tp: int) -> int | None:
    """Rows as the largest shard has them, times tp; None: as many as there are tokens, or the model is not known."""
    architecture = config.architecture
    if architecture is None or architecture.vocab_size % tp == 0:
        return None
    return -(-architecture.vocab_size // tp) * tp
