"""Our own Ansible modules, run by Ansible on this machine: what they change, and nothing the second time."""

import json
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable
from grp import getgrgid
from pathlib import Path
from pwd import getpwuid

import pytest

from l0_infra import find_ansible, role_folder
from l0_infra.core.errors import UsageError

PLUGINS = role_folder("l0_infra").parent / "plugins"
OWN = {"owner": getpwuid(os.getuid()).pw_name, "group": getgrgid(os.getgid()).gr_name}

Play = Callable[..., list[tuple[str, str]]]


def found_ansible() -> bool:
    try:
        find_ansible()
    except UsageError:
        return False
    return True


pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not found_ansible(), reason="ansible-playbook is not installed"),
]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run tasks one after the other; return how each ended, and what the failed ones said."""

    def run(*tasks: dict[str, object]) -> list[tuple[str, str]]:
        named = [{"name": str(place), "ignore_errors": True, **task} for place, task in enumerate(tasks)]
        book = tmp_path / "play.json"
        book.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": named}]))
        told = subprocess.run(
            [find_ansible(), "-i", "localhost,", "-c", "local", str(book)],
            env={
                **os.environ,
                "ANSIBLE_LIBRARY": str(PLUGINS / "modules"),
                "ANSIBLE_CALLBACK_PLUGINS": str(PLUGINS / "callback"),
                "ANSIBLE_STDOUT_CALLBACK": "ogai_events",
                "ANSIBLE_HOME": str(tmp_path / "ansible"),
                "ANSIBLE_PYTHON_INTERPRETER": shutil.which("python3") or "python3",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
        )
        events = [json.loads(line[1:]) for line in told.stdout.split("\n") if line.startswith("\x1e")]
        return [(event["state"], event["message"]) for event in events if event["type"] == "end"]

    return run


def files(*wishes: dict[str, object]) -> dict[str, object]:
    return {"ogai_files": {"files": [{**OWN, **wish} for wish in wishes]}}


def test_files_become_what_is_wished_and_then_stay(play: Play, tmp_path: Path) -> None:
    text, link, kept = tmp_path / "new" / "text", tmp_path / "link", tmp_path / "kept"
    kept.write_text("what a person wrote")
    wish = files(
        {"path": str(text), "content": "ours\n", "mode": "0440"},
        {"path": str(link), "link": str(kept)},
        {"path": str(kept), "base64": b64encode(bytes(range(256))).decode(), "keep": True},
    )
    assert [state for state, _ in play(wish, wish)] == ["changed", "ok"]
    assert (text.read_text(), text.stat().st_mode & 0o777) == ("ours\n", 0o440)
    assert link.readlink() == kept and kept.read_bytes() == bytes(range(256))
    assert Path(f"{kept}.before-ogai").read_text() == "what a person wrote"
    text.chmod(0o777)
    gone = files({"path": str(link)})
    assert [state for state, _ in play(wish, gone, gone)] == ["changed", "changed", "ok"]
    assert text.stat().st_mode & 0o777 == 0o440
    assert not link.is_symlink()
    assert [path.name for path in text.parent.iterdir()] == ["text"]


def test_what_is_kept_is_what_was_there_before_the_first_time(play: Play, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("first")
    wishes = [files({"path": str(kept), "content": text, "keep": True}) for text in ("second", "third")]
    play(*wishes)
    assert kept.read_text() == "third"
    assert Path(f"{kept}.before-ogai").read_text() == "first"


def test_a_file_takes_the_place_of_a_link_not_of_what_that_points_to(play: Play, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("another program's")
    link.symlink_to(target)
    assert play(files({"path": str(link), "content": "ours"}))[0][0] == "changed"
    assert not link.is_symlink() and link.read_text() == "ours"
    assert target.read_text() == "another program's"


def test_a_link_to_nothing_is_refused(play: Play, tmp_path: Path) -> None:
    ((state, message),) = play(
        files({"path": str(tmp_path / "localtime"), "link": "/usr/share/zoneinfo/No/Where"})
    )
    assert state == "ignored" and "/usr/share/zoneinfo/No/Where" in message
    assert not (tmp_path / "localtime").is_symlink()


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="no dpkg on this machine")
def test_what_is_installed_is_left_alone_and_what_is_not_is_said(play: Play) -> None:
    there = {"ogai_packages": {"names": ["dpkg", "coreutils"]}}
    lacking = {"ogai_packages": {"names": ["dpkg", "no-such-package"]}, "check_mode": True}
    assert [state for state, _ in play(there, lacking)] == ["ok", "changed"]
