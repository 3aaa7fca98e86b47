"""One of two ranks may write no large file: both are told, nothing is published, and the next save succeeds.

python one_rank_fails.py FOLDER
"""

import resource
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from reshard import A, together

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Saver, Shelf
from l3_modeltools.schemas import Checkpointing


def save(folder: Path, kind: str, ranks: int) -> None:
    shelf, told = Shelf(folder / "checkpoints"), list[int]()
    state = {f"w{number}": torch.zeros(300_000) for number in range(4)}
    keep = Checkpointing()
    with Saver(
        shelf, run="r", architecture_sha256=A, keep=keep, on_saved=lambda manifest: told.append(manifest.step)
    ) as saver:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        if dist.get_rank() == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, hard))
        saver.save(state, step=1, tokens=1)
        try:
            saver.wait()
        except MachineError as error:
            assert "file too large, on rank 1" in error.found, error
        else:
            raise AssertionError("nobody was told")
        assert shelf.newest_valid()[0] is None
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        saver.save(state, step=2, tokens=2)
    assert told == ([2] if dist.get_rank() == 0 else [])
    assert [(found.step, found.fault) for found in shelf.found()] == [(2, "")]


if __name__ == "__main__":
    together(Path(sys.argv[1]), save, "ddp:2")
