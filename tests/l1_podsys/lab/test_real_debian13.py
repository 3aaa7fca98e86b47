"""A lab of the newer Debian, whose systemd and sshd differ: it boots, breaks and mends alike."""

import os
from pathlib import Path

import pytest

import ogai
from l1_podsys.lab.breaks import BREAKS
from tests.support.labs import RealLab, leavings, skip_without_lab

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        "PROVE_KILLS" not in os.environ,
        reason="an image of a second Debian takes minutes; `make prove` makes it",
    ),
]


def test_debian_13_boots_breaks_and_mends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without_lab()
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    lab = RealLab(name=f"t-{os.getpid()}", home=tmp_path)
    try:
        ogai.lab.up(lab.name, nodes=1, os_name="debian13", output=tmp_path / "lab.yaml")
        (host,) = lab.hosts
        lab_id = lab.described.lab_id
        assert lab.said(host, "systemctl", "is-system-running", "--wait") == ["running"]
        assert lab.ssh(host, ". /etc/os-release; echo $VERSION_ID; sudo id -un").stdout == "13\nroot\n"
        for kind in [name for name in BREAKS if name != "clock-skew"]:
            ogai.lab.break_(kind, host)
            assert lab.seen()[host][1] == (kind,)
            assert ogai.lab.heal(host) == {host: (kind,)}
            done = lab.ssh(host, "hostname", wait_s=20)
            assert done.stdout.strip() == host, (kind, done.stderr)
    finally:
        lab.down()
    assert leavings(tmp_path, lab_id) == []
