"""`ogai node` over real ssh: many hosts at once, one round trip each, and what becomes of those that do not answer."""

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from l0_infra.core.exec import SshOptions
from ogai.flows.node.survey import survey
from ogai.flows.node.targets import Target
from ogai.main import main
from tests.support.loopback_hosts import Host, hosts_on_loopback

pytestmark = pytest.mark.real

Captured = pytest.CaptureFixture[str]
BOOT_ID = Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, ...]]:
    if shutil.which("ssh") is None:
        pytest.skip("needs ssh (Debian: openssh-client)")
    try:
        with hosts_on_loopback(3, tmp_path_factory.mktemp("hosts")) as started:
            yield started
    except FileNotFoundError as error:
        pytest.skip(f"needs {error}")


@pytest.fixture
def known(hosts: Sequence[Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line find the hosts, which it looks for in the user's own ssh configuration."""
    (tmp_path / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {hosts[0].config} "$@"\n')
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("known")
def test_named_hosts_are_a_list_of_facts(capsys: Captured) -> None:
    assert main(["node", "facts", "--hosts", "host[00-02]", "-o", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [(one["node"], one["boot_id"]) for one in facts] == [(f"host0{i}", BOOT_ID) for i in range(3)]


@pytest.mark.usefixtures("known")
def test_a_host_that_is_not_there_is_told_and_the_others_stay(
    hosts: Sequence[Host], capsys: Captured
) -> None:
    with hosts[0].config.open("a") as config:
        config.write("Host gone\n  HostName 127.0.0.1\n  Port 1\n")
    assert main(["node", "facts", "--hosts", "host00,gone", "-o", "json"]) == 4
    captured = capsys.readouterr()
    first, second = json.loads(captured.out)
    assert (first["boot_id"], second["boot_id"]) == (BOOT_ID, None)
    assert second["unread"][0]["reason"] == "unreachable" and "gone" in captured.err


@pytest.mark.usefixtures("known")
def test_the_bundle_of_many_hosts_is_read_as_many_nodes(tmp_path: Path, capsys: Captured) -> None:
    bundle = str(tmp_path / "all.tar.gz")
    assert main(["node", "collect", "--hosts", "host[00-02]", "--to", bundle]) == 0
    assert capsys.readouterr().out.strip() == bundle
    assert main(["node", "facts", "--bundle", bundle, "-o", "json"]) == 0
    assert [one["node"] for one in json.loads(capsys.readouterr().out)] == ["host00", "host01", "host02"]


def test_a_host_that_hangs_is_hung_and_holds_nobody_back(hosts: Sequence[Host], tmp_path: Path) -> None:
    with hosts_on_loopback(1, tmp_path, settings="ForceCommand sleep 77777\n") as (stuck,):
        targets = [
            Target(name=name, address=host.name, options=SshOptions(config_file=str(host.config)))
            for name, host in (("well", hosts[0]), ("stuck", stuck), ("fine", hosts[1]))
        ]
        seen: list[tuple[str | None, float]] = []
        begun = time.monotonic()
        well, hung, fine = survey(
            targets, limit_s=1, on_looked=lambda facts, _: seen.append((facts.node, time.monotonic() - begun))
        )
    assert (well.boot_id, fine.boot_id) == (BOOT_ID, BOOT_ID)
    assert [(one.what, one.reason) for one in hung.unread] == [("node", "hung")]
    assert seen[-1][0] == "stuck" and seen[-1][1] - seen[-2][1] > 1.0
