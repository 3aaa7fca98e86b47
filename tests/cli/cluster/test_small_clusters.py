"""A cluster is brought up over real ssh by real ansible-playbook: again, after a kill, with a node gone, by two."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from l0_infra.core.documents import render_document
from l0_infra.core.errors import EngineError, RemoteError, UsageError
from ogai.flows import cluster as flow
from ogai.flows.cluster import Brought
from ogai.flows.cluster.place import place_of
from ogai.flows.cluster.roles import Roles
from ogai.render.cluster.brought import tell_edits
from ogai.render.cluster.plan import plan_text
from tests.support.loopback_hosts import Host, hosts_on_loopback
from tests.support.playbooks import program
from tests.support.small_clusters import find_by_ssh, small_cluster, small_roles

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not program(), reason="needs ansible-playbook (pip install 'ogai[cluster]')"),
]

ROOT = Path(__file__).parents[3]


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
def roles(hosts: Sequence[Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Roles]:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    with find_by_ssh(hosts[0], tmp_path):
        yield small_roles(tmp_path)


def document(folder: Path, names: str = "host[00-02]") -> Path:
    path = folder / "cluster.yaml"
    path.write_text(render_document(small_cluster(names)))
    return path


def up(folder: Path, roles: Roles, names: str = "host[00-02]", **more: object) -> Brought:
    return flow.up(document(folder, names), roles=roles, check=None, **more)  # type: ignore[arg-type]


def states(brought: Brought) -> dict[str, str]:
    return {node.name: node.state for node in brought.nodes}


def test_a_second_run_does_nothing_and_a_third_what_drifted(roles: Roles, tmp_path: Path) -> None:
    first = up(tmp_path, roles)
    assert set(states(first).values()) == {"ready"} and first.changed > 0
    again = up(tmp_path, roles)
    assert (again.run, again.changed, states(again)) == ("", 0, states(first))
    assert {node.held_already for node in again.nodes} == {4}
    (tmp_path / "written/frame").write_text("worm-eaten")
    found = flow.diff(roles=roles)
    assert {(one.node, one.name) for one in found.deviations} == {(f"host0{i}", "frame") for i in range(3)}
    assert up(tmp_path, roles).changed == 1
    assert flow.diff(roles=roles).deviations == ()
    status = flow.status()
    assert [node.state for node in status.nodes] == ["ready"] * 3 and status.mend == ""
    assert [run.outcome for run in status.runs] == ["done", "done"]


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_who_only_looks_writes_nothing(roles: Roles, tmp_path: Path) -> None:
    up(tmp_path, roles)
    (tmp_path / "written/frame").write_text("worm-eaten")
    shutil.rmtree(tmp_path / "home/clusters/small/secrets")
    before = bytes_in(tmp_path / "home")
    assert {one.name for one in flow.diff(roles=roles).deviations} >= {"frame"}
    looked = up(tmp_path, roles, dry_run=True)
    assert set(states(looked).values()) == {"held"} and looked.run == ""
    looked = flow.replace("host01", roles=roles, check=None, dry_run=True)
    assert [node.held for node in looked.nodes if node.name == "host01"] == [4]
    assert bytes_in(tmp_path / "home") == before


def test_a_node_that_is_gone_stops_nobody(hosts: Sequence[Host], roles: Roles, tmp_path: Path) -> None:
    with hosts[0].config.open("a") as config:
        config.write("Host gone\n  HostName 127.0.0.1\n  Port 1\n")
    brought = up(tmp_path, roles, "host[00-01],gone")
    assert states(brought) == {"host00": "ready", "host01": "ready", "gone": "unreachable"}
    with pytest.raises(RemoteError, match="1 of 3 nodes not ready") as raised:
        flow.raise_for_failed(brought)
    assert raised.value.hint.endswith("ogai cluster up --limit gone")


def test_a_node_that_is_not_reached_any_more_is_not_taken_for_well(
    hosts: Sequence[Host], roles: Roles, tmp_path: Path
) -> None:
    up(tmp_path, roles)
    before = hosts[0].config.read_text()
    hosts[0].config.write_text(
        before.replace("Host host01\n", "Host host01\n  HostName 127.0.0.1\n  Port 1\n")
    )
    told: list[str] = []
    try:
        brought = up(tmp_path, roles, agree=lambda prepared: told.append(plan_text(prepared)))
    finally:
        hosts[0].config.write_text(before)
    assert states(brought)["host01"] == "unreachable"
    assert "0 steps to do, 8 hold already, of 4 nothing is known" in told[0]
    assert "could not be looked at" not in told[0]
    status = flow.status()
    assert [node.health for node in status.nodes] == ["", "critical", ""]
    assert [(one.node, one.check) for one in status.faults] == [("host01", "node.reachable")]
    assert status.mend == "ogai cluster check host01"


def test_a_node_that_left_the_document_must_be_removed_first(roles: Roles, tmp_path: Path) -> None:
    up(tmp_path, roles)
    with pytest.raises(UsageError, match="no `host02` in the document") as raised:
        up(tmp_path, roles, "host[00-01]")
    assert "ogai cluster remove host02" in raised.value.hint
    removed = flow.remove("host02", roles=roles)
    assert states(removed) == {"host00": "ready"}
    assert states(up(tmp_path, roles, "host[00-01]")) == {"host00": "ready", "host01": "ready"}
    added = flow.add("host02", roles=roles, check=None)
    assert states(added) == {"host00": "ready", "host02": "ready"}


def test_a_document_of_ones_own_that_is_out_of_step_is_told_about(
    roles: Roles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    up(tmp_path, roles)
    removed = flow.remove("host02", roles=roles)
    file = str(tmp_path / "cluster.yaml")
    assert (removed.document, removed.edits) == (file, ("take host02 out of `names`",))
    tell_edits(removed)
    assert capsys.readouterr().err == f"{file} is not changed; in it, take host02 out of `names`\n"

    plans: list[str] = []
    up(tmp_path, roles, agree=lambda prepared: plans.append(plan_text(prepared)))
    day = time.strftime("%Y-%m-%d")
    told = f"  host02: comes back, for it was removed on {day} and this document still has it\n"
    assert told in plans[0]
    up(tmp_path, roles, agree=lambda prepared: plans.append(plan_text(prepared)))
    assert "comes back" not in plans[1]


def test_a_node_that_was_added_and_is_not_in_the_file_is_not_dropped_silently(
    hosts: Sequence[Host], roles: Roles, tmp_path: Path
) -> None:
    up(tmp_path, roles, "host[00-01]")
    added = flow.add("host02", roles=roles, check=None)
    assert added.edits == ('add to `nodes`: - {names: "host02", roles: ["compute"]}',)
    with pytest.raises(UsageError, match="no `host02` in the document") as raised:
        up(tmp_path, roles, "host[00-01]")
    assert "or write it into the document, as it is in" in raised.value.hint
    assert str(place_of().document) in raised.value.hint

    with hosts[0].config.open("a") as config:
        config.write("Host nowhere\n  HostName 127.0.0.1\n  Port 1\n")
    flow.add("nowhere", roles=roles, check=None)  # nothing was ever done there
    plans: list[str] = []
    up(tmp_path, roles, "host[00-02]", agree=lambda prepared: plans.append(plan_text(prepared)))
    assert (
        "  nowhere: dropped, for this document lacks it and the one applied last has it\n" in plans[0] + "\n"
    )


def test_a_cluster_that_is_taken_down_is_forgotten(roles: Roles, tmp_path: Path) -> None:
    up(tmp_path, roles)
    assert (tmp_path / "written/roof").exists()
    assert flow.down(roles=roles).bad() == ()
    assert not (tmp_path / "written/roof").exists()
    with pytest.raises(UsageError, match="no current cluster"):
        flow.status()


RUN = """
import sys
from pathlib import Path
from ogai.flows import cluster as flow
from ogai.flows.cluster.roles import Roles
from l0_infra import load_roles
sheets = load_roles(Path(sys.argv[2]))
base, above = ([s for s in sheets if (s.role.name == "ground") == wanted] for wanted in (True, False))
roles = Roles(provision=base, bringup=above)
flow.up(sys.argv[1], roles=roles, check=None, on_progress=lambda p: print(p.node, p.name, p.state, flush=True))
"""


def started(folder: Path) -> "subprocess.Popen[str]":
    """Start a run in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(document(folder)), str(folder / "roles")],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("words", ["ground begun", "ground done", "roof begun"])
def test_a_kill_at_any_moment_costs_nothing_that_was_done(words: str, roles: Roles, tmp_path: Path) -> None:
    with started(tmp_path) as run:
        assert run.stdout is not None
        assert any(words in line for line in run.stdout)
        run.send_signal(signal.SIGKILL)
    done = {node.name: node.done for node in flow.status().nodes}
    brought = up(tmp_path, roles)
    assert set(states(brought).values()) == {"ready"}
    assert {node.name: node.held_already for node in brought.nodes} == done
    assert up(tmp_path, roles).run == ""


def test_a_second_run_at_once_is_refused_and_told_who_is_at_work(roles: Roles, tmp_path: Path) -> None:
    with started(tmp_path) as run:
        assert run.stdout is not None and run.stdout.readline()
        with pytest.raises(EngineError, match=f"process {run.pid}; expected one run at a time"):
            up(tmp_path, roles)
        holder = place_of("small").at_work()
        assert holder is not None and holder.pid == run.pid
        run.send_signal(signal.SIGINT)
    assert run.returncode != 0
    assert place_of("small").at_work() is None
    assert flow.status().runs[0].outcome == "interrupted"
    assert set(states(up(tmp_path, roles)).values()) == {"ready"}


def test_an_inventory_of_bare_hosts_tells_what_a_look_found(roles: Roles, tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(render_document(small_cluster(engine="slurm")))
    assert flow.export_inventory(file).unseen == ("host00", "host01", "host02")
    exported = flow.export_inventory(file, look=True)
    assert exported.unseen == ()
    told = yaml.safe_load(exported.text)["all"]
    key = Path(told["vars"]["munge_key_file"])
    assert key.is_file() and (key.parent / "host_authority").is_file()
    assert flow.export_inventory(file).unseen == ()
    assert not list((tmp_path / "written").iterdir())  # no role was applied
