"""Old images go from the cache, and never one that a lab starts from, whoever made that lab."""

import os
import subprocess
import time
from pathlib import Path

import msgspec
import pytest

from l1_podsys.lab.images import GONE, USES, probe_mounts, prune_archives, prune_images, use_image
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.store import save_lab
from tests.support.labs import a_lab, skip_without_lab


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Make a cache with three images of one release and one of another, of which the first names are older."""
    for age, name in enumerate(("debian12-c", "debian12-b", "debian12-a", "debian13-x")):
        image = tmp_path / "cache" / name
        (image / "etc").mkdir(parents=True)
        os.utime(image, (1e9 - 100 * age, 1e9 - 100 * age))
    (tmp_path / "cache/archives").mkdir()
    (tmp_path / "cache/.debian12-z.half").mkdir()
    return tmp_path / "cache"


def images(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir() if path.name.startswith("debian")}


def lab_on(home: Path, image: Path, name: str = "lab") -> Path:
    """Write a lab down that starts from an image; return where."""
    layout = Layout.of(home, name)
    layout.folder.mkdir(parents=True)
    save_lab(layout, msgspec.structs.replace(a_lab(), image=str(image)))
    return layout.state


def test_the_newest_of_each_release_stays(cache: Path) -> None:
    assert prune_images(cache, "") == ("debian12-b", "debian12-a")
    assert images(cache) == {"debian12-c", "debian13-x"}
    assert {"archives", ".debian12-z.half"} <= {path.name for path in cache.iterdir()}
    assert not list(cache.glob(f".*{GONE}"))


def test_packages_that_images_were_made_of_go_when_they_are_old(cache: Path) -> None:
    package = cache / "archives/bash_5_amd64.deb"
    package.touch()
    os.utime(package, (1e9, 1e9))  # when it was put into the archive
    prune_archives(cache, time.time() + 29 * 86400)
    assert package.exists()
    prune_archives(cache, time.time() + 31 * 86400)
    assert not package.exists()


def test_the_last_used_is_the_newest(cache: Path, tmp_path: Path) -> None:
    state = lab_on(tmp_path / "home", cache / "debian12-a")
    assert use_image(cache, cache / "debian12-a", state)
    state.unlink()
    assert prune_images(cache, "") == ("debian12-c", "debian12-b")
    assert images(cache) == {"debian12-a", "debian13-x"}


def test_one_that_a_lab_of_any_home_starts_from_stays_until_that_is_gone(cache: Path, tmp_path: Path) -> None:
    states = [lab_on(tmp_path / name, cache / "debian12-a") for name in ("one", "two")]
    for state in states:
        assert use_image(cache, cache / "debian12-a", state)
    assert use_image(cache, cache / "debian12-c", lab_on(tmp_path / "three", cache / "debian12-c"))
    assert prune_images(cache, "") == ("debian12-b",)
    states[0].unlink()
    old(cache, "debian12-a")
    assert prune_images(cache, "") == ()
    lab_on(tmp_path / "two", cache / "debian12-c", "another").replace(states[1])
    assert prune_images(cache, "") == ("debian12-a",)


def test_a_lab_that_is_about_to_be_written_down_keeps_its_image(cache: Path, tmp_path: Path) -> None:
    use_image(cache, cache / "debian12-a", tmp_path / "home/labs/lab/lab.json")
    use_image(cache, cache / "debian12-c", tmp_path / "home/labs/other/lab.json")
    assert "debian12-a" not in prune_images(cache, "")
    old(cache, "debian12-a")
    assert prune_images(cache, "") == ("debian12-a",)


def test_one_that_is_mounted_stays(cache: Path) -> None:
    mounts = (
        "36 35 0:32 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        f"40 35 0:40 / /x rw - overlay overlay rw,lowerdir={cache}/debian12-a,upperdir=disk/upper,workdir=disk/work\n"
    )
    assert prune_images(cache, mounts) == ("debian12-b",)


def test_an_image_that_is_gone_cannot_be_used(cache: Path, tmp_path: Path) -> None:
    state = tmp_path / "lab.json"
    assert not use_image(cache, cache / "debian12-gone", state)
    assert not (cache / USES / "debian12-gone").exists()


@pytest.mark.real
def test_mounts_of_hosts_are_seen_from_outside(tmp_path: Path) -> None:
    skip_without_lab()
    script = 'mount -t tmpfs none "$1" && cd "$1" && mkdir low up work root && exec 3>&1 && '
    script += 'mount -t overlay -o "lowerdir=$1/low,upperdir=up,workdir=work" overlay root && echo there && read word'
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "there\n"
        found = probe_mounts()
        process.stdin.write("\n")
    assert f"lowerdir={tmp_path}/low" in found
    assert f"lowerdir={tmp_path}/low" not in probe_mounts()


def old(cache: Path, image: str) -> None:
    """Have what was noted of an image be long ago."""
    for path in (*(cache / USES / image).iterdir(), cache / USES / f"{image}.last"):
        os.utime(path, (1e9, 1e9))
