"""The script that has packages come from a mirror: on files as distributions have them, there and back."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "l0_infra/ansible/roles/base/files/sources.sh"
MIRROR, SECURITY = "http://mirror.site/debian", "http://mirror.site/security"

pytestmark = pytest.mark.real

RELEASES = {
    "debian": "ID=debian\nVERSION_CODENAME=bookworm\n",
    "ubuntu": "ID=ubuntu\nVERSION_CODENAME=noble\n",
}
STANZAS = """\
# Where Debian is.
Types: deb
URIs: http://deb.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://deb.example/debian-security
Suites: bookworm-security
Components: main
"""
LINES = """\
# written by hand
deb http://deb.example/debian bookworm main non-free
deb [signed-by=/k.gpg arch=amd64] http://deb.example/debian bookworm-updates main
deb-src http://deb.example/debian bookworm main
deb http://deb.example/debian-security bookworm-security main
deb http://deb.example/debian bookworm-backports main
deb [arch=amd64] https://tools.example/linux bookworm stable
"""
MIXED = """\
Types: deb
URIs: http://archive.example/ubuntu
Suites: noble noble-updates noble-backports
Components: main universe

Types: deb
URIs: http://security.example/ubuntu
Suites: noble-security
Components: main universe
"""


class Etc:
    """A folder like /etc with the sources of a distribution."""

    def __init__(self, folder: Path, release: str, name: str, text: str) -> None:
        self.folder, self.file = folder, folder / "apt" / name
        self.ours = folder / "apt/sources.list.d/ogai.sources"
        self.ours.parent.mkdir(parents=True)
        (folder / "os-release").write_text(RELEASES[release])
        self.file.write_text(text)

    def set(self, mirror: str = "", security: str = "") -> str:
        """Run the script; return what it said."""
        command = ["sh", str(SCRIPT), str(self.folder), mirror, security]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def used(self) -> list[tuple[str, str]]:
        """List address and suite of what packages come from, of both files."""
        text = self.file.read_text()
        found = _stanzas(text) if self.file.suffix == ".sources" else _lines(text)
        return found + (_stanzas(self.ours.read_text()) if self.ours.exists() else [])


def _lines(text: str) -> list[tuple[str, str]]:
    found = re.findall(r"^deb(?:-src)? (?:\[.*?\] )?(\S+) (\S+)", text, re.MULTILINE)
    return [(str(uri), str(suite)) for uri, suite in found]


def _stanzas(text: str) -> list[tuple[str, str]]:
    pairs = []
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^(\w+): (.*)$", stanza, re.MULTILINE))
        pairs += [(fields["URIs"], suite) for suite in fields.get("Suites", "").split()]
    return pairs


CASES = [
    pytest.param("debian", "sources.list.d/debian.sources", STANZAS, id="stanzas"),
    pytest.param("debian", "sources.list", LINES, id="lines"),
    pytest.param("ubuntu", "sources.list.d/ubuntu.sources", MIXED, id="mixed"),
]


@pytest.mark.parametrize(("release", "name", "text"), CASES)
def test_security_updates_and_what_is_not_the_distributions_stay(
    release: str, name: str, text: str, tmp_path: Path
) -> None:
    etc = Etc(tmp_path, release, name, text)
    code = "bookworm" if release == "debian" else "noble"
    before = etc.used()
    replaced = {code, f"{code}-updates"}
    foreign = [pair for pair in before if pair[1] not in replaced or "tools" in pair[0]]
    assert "changed" in etc.set(MIRROR)
    assert etc.used() == [*foreign, (MIRROR, code), (MIRROR, f"{code}-updates")]
    assert any(suite == f"{code}-security" for _, suite in etc.used())
    assert etc.set(MIRROR) == "", "a second time it changes nothing"


@pytest.mark.parametrize(("release", "name", "text"), CASES)
def test_they_come_from_a_mirror_that_is_named_and_go_back_when_it_is_not(
    release: str, name: str, text: str, tmp_path: Path
) -> None:
    etc = Etc(tmp_path, release, name, text)
    etc.set(MIRROR, SECURITY)
    secure = [uri for uri, suite in etc.used() if suite.endswith("-security")]
    assert secure == [SECURITY]
    etc.set(MIRROR)
    assert SECURITY not in dict(etc.used()) and any(suite.endswith("-security") for _, suite in etc.used())
    etc.set(security=SECURITY)
    assert MIRROR not in dict(etc.used())
    assert "changed" in etc.set() and etc.file.read_text() == text and not etc.ours.exists()
    assert etc.set() == ""


def test_what_a_person_adds_meanwhile_is_kept_and_what_was_there_lies_beside(tmp_path: Path) -> None:
    etc = Etc(tmp_path, "debian", "sources.list", LINES)
    etc.set(MIRROR)
    own = "deb http://own.example/debian any main\n"
    with etc.file.open("a") as file:
        file.write(own)
    assert etc.set(MIRROR) == ""
    etc.set()
    assert etc.file.read_text() == LINES + own
    assert etc.file.with_name("sources.list.before-ogai").read_text() == LINES


def test_without_a_mirror_nothing_is_touched(tmp_path: Path) -> None:
    etc = Etc(tmp_path, "debian", "sources.list", LINES)
    (tmp_path / "os-release").write_text("ID=another\n")
    assert etc.set() == ""
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "os-release",
        "sources.list",
    ]


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="needs apt-get")
@pytest.mark.parametrize(("release", "name", "text"), CASES)
def test_apt_reads_what_is_left(release: str, name: str, text: str, tmp_path: Path) -> None:
    etc = Etc(tmp_path, release, name, text)
    etc.set(MIRROR)
    options = [
        f"Dir::Etc::SourceList={tmp_path}/apt/sources.list",
        f"Dir::Etc::SourceParts={tmp_path}/apt/sources.list.d",
    ]
    words = [word for option in options for word in ("-o", option)]
    argv = ["apt-get", *words, "--print-uris", "update"]
    told = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r"'(\S+)/dists/(\S+)/InRelease'", told))
    assert found == set(etc.used())
