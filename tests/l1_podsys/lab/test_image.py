"""An image is made once, published whole, and a killed try leaves none."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import LocalRunner
from l1_podsys.lab.image import apply_image, image_name
from l1_podsys.lab.mirror import Mirror
from tests.support.labs import skip_without_lab

ROOT = Path(__file__).parents[3]
MIRROR = Mirror(archive="http://mirror.example.org/debian", settings=('Acquire::Retries "3";',))

DEBOOTSTRAP = """\
#!/bin/sh
# Stands in for debootstrap: the folders it leaves, and a word in the log.
echo "$@" >>"$LOG"
[ -z "${GATE:-}" ] || { mount -t tmpfs tmpfs /mnt && read -r word <"$GATE"; }
[ -z "${FAIL:-}" ] || { echo "E: Failed getting release file" >&2; exit 1; }
for last; do case $last in */.*.half) root=$last ;; esac; done
for folder in ssh apt/sources.list.d apt/apt.conf.d dpkg/dpkg.cfg.d sudoers.d; do mkdir -p "$root/etc/$folder"; done
mkdir -p "$root/home/ogai" "$root/root"
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a debootstrap before the real one, and a chroot that enters nothing."""
    skip_without_lab()
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("debootstrap", DEBOOTSTRAP), ("chroot", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def make(cache: Path) -> Path:
    return apply_image(LocalRunner(), "debian12", MIRROR, cache=cache, on_step=lambda text: None)


def test_what_an_image_is_made_of_tells_it_from_others(tmp_path: Path) -> None:
    (tmp_path / "a.crt").write_text("A")
    others = [
        MIRROR,
        Mirror(),
        Mirror(archive=MIRROR.archive),
        Mirror(archive=MIRROR.archive, settings=MIRROR.settings, authorities=(tmp_path / "a.crt",)),
    ]
    names = {image_name("debian12", mirror) for mirror in others}
    assert len(names) == 4
    (tmp_path / "a.crt").write_text("B")
    assert image_name("debian12", others[-1]) not in names
    assert image_name("debian13", MIRROR) not in names


@pytest.mark.real
def test_it_is_made_once_however_many_ask_at_once(log: Path, tmp_path: Path) -> None:
    threads = [threading.Thread(target=make, args=(tmp_path / "cache",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    image = make(tmp_path / "cache")
    assert len(log.read_text().splitlines()) == 1
    assert image.name == image_name("debian12", MIRROR)
    assert (
        "URIs: http://mirror.example.org/debian\n"
        in (image / "etc/apt/sources.list.d/debian.sources").read_text()
    )
    assert 'Acquire::Retries "3";\n' in (image / "etc/apt/apt.conf.d/90lab").read_text()
    assert (image / "etc/machine-id").read_text() == ""


@pytest.mark.real
def test_one_that_fails_is_no_image_and_says_why(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "1")
    with pytest.raises(RemoteError, match="Failed getting release file"):
        make(tmp_path / "cache")
    monkeypatch.delenv("FAIL")
    assert make(tmp_path / "cache").is_dir()


@pytest.mark.real
def test_a_killed_try_leaves_no_half_image_no_mount_and_no_process(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, cache = tmp_path / "gate", tmp_path / "cache"
    os.mkfifo(gate)
    program = "from tests.l1_podsys.lab.test_image import *; make(Path(sys.argv[1]))"
    environment = {**os.environ, "GATE": str(gate), "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    victim = subprocess.Popen([sys.executable, "-c", program, str(cache)], env=environment, cwd=ROOT)
    with gate.open("w"):  # opens once the stand-in reads, in the middle of its work
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        lock = next(cache.glob(".*.lock"))
        subprocess.run(["flock", "--timeout", "30", lock, "true"], check=True)  # its last process has gone
    assert not [path for path in cache.iterdir() if not path.name.startswith(".") and path.name != "archives"]
    assert str(tmp_path) not in Path("/proc/self/mountinfo").read_text()
    assert make(cache).is_dir()
    assert len(log.read_text().splitlines()) == 2
    shutil.rmtree(cache)
