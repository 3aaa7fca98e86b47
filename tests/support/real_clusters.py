"""A cluster on a lab of real hosts, brought up and asked by the commands that a person gives."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from l0_infra.core.nodeset import expand

__all__ = ["Answer", "RealCluster"]

ROOT = Path(__file__).parents[2]
BARE = {"monitoring": {"install": False}, "runtime": {"install": False}}
"""What takes minutes to download, and is not what bring-up is about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Read what it printed with `-o json`."""
        read = json.loads(self.out)
        assert isinstance(read, dict)
        return read

    def verdicts(self, severity: str) -> list[tuple[str, str]]:
        """List the nodes and checks that were judged so."""
        if not self.out:
            return []
        health = self.json.get("health") or self.json
        return [
            (one["node"], one["check"]) for one in health.get("verdicts", ()) if one["severity"] == severity
        ]

    def named(self) -> set[str]:
        """Name the nodes that a check found unfit, or could not check."""
        return {node for severity in ("critical", "unknown") for node, _ in self.verdicts(severity)}

    def bad(self) -> dict[str, str]:
        """Name the nodes that are not ready, or unfit, after a bring-up, and say why."""
        if not self.out:
            return {}
        nodes = {one["name"]: one["state"] for one in self.json["nodes"] if one["state"] != "ready"}
        troubles = {one["node"]: f"{one['name']}: {one['message']}" for one in self.json["troubles"]}
        return {**dict(self.verdicts("critical")), **nodes, **troubles}


@dataclass(frozen=True, kw_only=True, slots=True)
class RealCluster:
    """A lab and the cluster on it, in an OGAI_HOME of its own."""

    name: str
    home: Path

    @property
    def document(self) -> Path:
        """Where the document lies that `lab up` writes."""
        return self.home / "lab.yaml"

    @property
    def lab_file(self) -> Path:
        """Where it is written what the lab consists of."""
        return self.home / "labs" / self.name / "lab.json"

    @property
    def kept(self) -> Path:
        """Where the document is kept as it was last applied."""
        return self.home / "clusters" / self.name / "cluster.yaml"

    @property
    def nodes(self) -> list[str]:
        """Name its nodes, of which a host may have been taken out."""
        document = self.kept if self.kept.exists() else self.document
        groups = yaml.safe_load(document.read_text())["nodes"]
        return [name for group in groups for name in expand(group["names"])]

    @property
    def hosts(self) -> list[str]:
        """Name the hosts of its lab."""
        return list(self.addresses())

    def addresses(self) -> dict[str, str]:
        """Return the address of each host of its lab."""
        return {host["name"]: host["address"] for host in self._lab()["hosts"]}

    @property
    def lab_id(self) -> str:
        """The mark of everything that belongs to the lab."""
        return str(self._lab()["lab_id"])

    def environment(self) -> dict[str, str]:
        """What commands find: this tree, and a place of their own."""
        path = os.pathsep.join((str(ROOT), str(ROOT / "cli")))
        return {**os.environ, "OGAI_HOME": str(self.home), "PYTHONPATH": path}

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start a command in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "ogai", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            start_new_session=True,
        )

    def ogai(self, *words: str) -> Answer:
        """Give a command, and wait for its end."""
        process = self.start(*words)
        out, err = process.communicate()
        return Answer(code=process.returncode, out=out, err=err)

    def lab_up(self, nodes: int, *, edit: bool = True) -> Answer:
        """Bring the lab up, or to more hosts; the document is made one of what is needed and no more."""
        self.home.mkdir(exist_ok=True)
        output = self.document if edit else self.home / "wider.yaml"
        words = ("--name", self.name, "--nodes", str(nodes), "--output", str(output))
        answer = self.ogai("lab", "up", *words)
        if edit and answer.code == 0:
            written = yaml.safe_load(self.document.read_text())
            self.document.write_text(yaml.safe_dump({**written, **BARE}, sort_keys=False))
        return answer

    def up(self, *words: str) -> Answer:
        """Bring the cluster up as its document says."""
        return self.ogai("cluster", "up", str(self.document), "--yes", "-o", "json", *words)

    def again(self) -> Answer:
        """Bring it up as its document was last applied."""
        return self.ogai("cluster", "up", "--name", self.name, "--yes", "-o", "json")

    def cluster(self, verb: str, *words: str) -> Answer:
        """Give another command for the cluster."""
        return self.ogai("cluster", verb, *words, "-o", "json")

    def said(self, node: str, *argv: str) -> str:
        """Run a command on a host as root, at its console; it must succeed."""
        answer = self.ogai("lab", "exec", node, "--", *argv)
        assert answer.code == 0, answer
        return answer.out.strip()

    def runs(self) -> set[str]:
        """Name the runs of ansible-playbook so far."""
        return {path.name for path in (self.home / "clusters" / self.name / "runs").glob("*")}

    def slurm_states(self) -> dict[str, str]:
        """What Slurm says of each node."""
        lines = self.said(self.hosts[0], "sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        return dict(line.split(maxsplit=1) for line in lines)

    def idle(self) -> bool:
        """Say whether Slurm knows its nodes and no others, and all of them are idle."""
        return self.slurm_states() == dict.fromkeys(self.nodes, "idle")

    def _lab(self) -> Any:
        return json.loads(self.lab_file.read_text())
