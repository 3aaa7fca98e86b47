"""What is damaged is recognised for what it is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from l3_modeltools.checkpoint import look_at, verify
from tests.support.checkpoints import a_checkpoint


def shard(directory: Path) -> Path:
    return directory / "__0_0.distcp"


def edit(directory: Path, old: str, new: str) -> None:
    manifest = directory / "manifest.json"
    text = manifest.read_text()
    assert text.count(old) == 1
    manifest.write_text(text.replace(old, new))


def link_shard(directory: Path) -> None:
    shard(directory).rename(directory.parent / "elsewhere")
    shard(directory).symlink_to(directory.parent / "elsewhere")


def pipe_manifest(directory: Path) -> None:
    (directory / "manifest.json").unlink()
    os.mkfifo(directory / "manifest.json")


def link_manifest(directory: Path) -> None:
    (directory / "manifest.json").rename(directory.parent / "m.json")
    (directory / "manifest.json").symlink_to(directory.parent / "m.json")


def link_directory(directory: Path) -> None:
    directory.rename(directory.parent / "elsewhere")
    directory.symlink_to(directory.parent / "elsewhere")


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda d: (d / "manifest.json").unlink(), "no `manifest.json`: its save did not end"),
    "half a manifest": (lambda d: os.truncate(d / "manifest.json", 100), "manifest.json:"),
    "no text": (lambda d: (d / "manifest.json").write_bytes(b"\xff\xfe"), "`manifest.json` is not text"),
    "a pipe as manifest": (pipe_manifest, "`manifest.json` cannot be read: no regular file"),
    "a link as manifest": (link_manifest, "`manifest.json` is a symbolic link"),
    "of another step": (lambda d: edit(d, '"step": 7', '"step": 8'), "its manifest is that of step 8"),
    "of another kind": (lambda d: edit(d, '"checkpoint"', '"run"'), "expected the kind `checkpoint`"),
    "leads away": (lambda d: edit(d, '"__0_0.distcp"', '"../x.distcp"'), "found `../x.distcp`"),
    "a file missing": (lambda d: shard(d).unlink(), "`__0_0.distcp`: no such file or directory"),
    "truncated": (lambda d: os.truncate(shard(d), 999), "`__0_0.distcp` has 999 of 1,000 bytes"),
    "too long": (lambda d: os.truncate(shard(d), 1001), "`__0_0.distcp` has 1,001 of 1,000 bytes"),
    "a link as shard": (link_shard, "`__0_0.distcp` is not a regular file within its directory"),
    "a link itself": (link_directory, "a symbolic link, not a directory"),
}


@pytest.mark.parametrize(("damage", "told"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_told(tmp_path: Path, damage: Callable[[Path], object], told: str) -> None:
    directory = a_checkpoint(tmp_path, 7)
    assert look_at(directory).fault == ""
    damage(directory)
    assert told in look_at(directory).fault


def test_one_flipped_bit_is_seen_by_hashes_alone(tmp_path: Path) -> None:
    directory = a_checkpoint(tmp_path, 7)
    content = bytearray(shard(directory).read_bytes())
    content[500] ^= 1
    shard(directory).write_bytes(content)
    found = look_at(directory)
    assert found.fault == ""
    assert verify(found).fault == "`__0_0.distcp` (1000 B) differs from its hash"


def test_what_vanishes_before_it_is_hashed_is_told(tmp_path: Path) -> None:
    directory = a_checkpoint(tmp_path, 7)
    found = look_at(directory)
    shard(directory).unlink()
    assert verify(found).fault == "`__0_0.distcp`: no such file or directory"


@pytest.mark.parametrize(
    ("condition", "told"),
    [("partial", "half-written"), ("removing", "half-removed"), ("damaged-3", "set aside")],
)
def test_a_name_that_says_so_is_enough(tmp_path: Path, condition: str, told: str) -> None:
    found = look_at(a_checkpoint(tmp_path, 7, name=f"step-00000007.{condition}"))
    assert (found.step, told in found.fault) == (7, True)


def test_a_directory_of_any_name_is_judged_by_its_manifest(tmp_path: Path) -> None:
    found = look_at(a_checkpoint(tmp_path, 7, name="best"))
    assert (found.step, found.fault, found.manifest and found.manifest.tokens) == (7, "", 70)
    assert found.size_bytes > 1005
