"""Checkpoints as files with a true manifest; what they hold is no state, for who judges them never looks inside."""

import hashlib
from pathlib import Path

from l0_infra.core.documents import render_json
from l3_modeltools.schemas import Checkpoint, HashedFile

A, B = "a" * 64, "b" * 64


def a_checkpoint(
    folder: Path, step: int, *, run: str = "r", architecture: str = A, name: str = "", size: int = 1000
) -> Path:
    """Write a sound one into `folder`, under the name of its step unless another is given."""
    directory = folder / (name or f"step-{step:08}")
    directory.mkdir(parents=True)
    contents = {".metadata": b"index", "__0_0.distcp": bytes([step % 256]) * size}
    for file, content in contents.items():
        (directory / file).write_bytes(content)
    manifest = Checkpoint(
        run=run,
        architecture_sha256=architecture,
        step=step,
        tokens=step * 10,
        world_size=1,
        saved_at=1.5,
        files=tuple(
            HashedFile(name=file, size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
            for file, content in contents.items()
        ),
    )
    (directory / "manifest.json").write_text(render_json(manifest))
    return directory
