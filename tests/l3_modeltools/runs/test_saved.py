"""Only checkpoints that a run can go on from are listed."""

import hashlib
from pathlib import Path

from l0_infra.core.documents import render_json
from l3_modeltools.runs import list_saved
from l3_modeltools.schemas import Checkpoint, HashedFile, SavedCheckpoint


def save(run: Path, step: int) -> Path:
    """Write a checkpoint of nothing but an index."""
    directory = run / "checkpoints" / f"step-{step:08}"
    directory.mkdir(parents=True)
    (directory / ".metadata").write_bytes(b"abc")
    file = HashedFile(name=".metadata", size_bytes=3, sha256=hashlib.sha256(b"abc").hexdigest())
    manifest = Checkpoint(
        run="small-1",
        step=step,
        tokens=step,
        saved_at=5.0,
        world_size=1,
        architecture_sha256="a" * 64,
        files=(file,),
    )
    (directory / "manifest.json").write_text(render_json(manifest))
    return directory


def test_sound_ones_are_listed_the_oldest_first_with_the_hash_of_their_manifest(tmp_path: Path) -> None:
    assert list_saved(tmp_path) == ()
    second, first, cut_off = (save(tmp_path, step) for step in (20, 10, 30))
    (cut_off / ".metadata").write_bytes(b"ab")
    assert list_saved(tmp_path) == tuple(
        SavedCheckpoint(
            step=step,
            directory=f"checkpoints/step-{step:08}",
            manifest_sha256=hashlib.sha256((saved / "manifest.json").read_bytes()).hexdigest(),
        )
        for step, saved in ((10, first), (20, second))
    )
