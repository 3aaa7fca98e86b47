"""A scheduler that is one file: `scontrol` for hosts on loopback shows, drains, gives back and deletes nodes in it."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["WrittenSlurm"]

PROGRAM = """#!{python}
import json, sys
sys.path.insert(0, {root!r})
from l0_infra.core.nodeset import expand
nodes = json.load(open({file!r}))
words = [word for word in sys.argv[1:] if word != "--oneliner"]
with open({calls!r}, "a") as calls:
    calls.write(json.dumps(words) + "\\n")
fields = dict(word.split("=", 1) for word in words if "=" in word)
named = expand(fields.get("NodeName") or ("" if "=" in words[-1] or words[-1] == "nodes" else words[-1]))
missing = [name for name in named if name not in nodes]
if missing:
    sys.exit(f"Node {{missing[0]}} not found" if words[0] == "show" else "Invalid node name specified")
for name in named or nodes:
    if words[0] == "show":
        state, reason = nodes[name]
        told = f" Reason={{reason}} [root@2026-01-02T03:04:05]" if reason else ""
        print(f"NodeName={{name}} CPUTot=2 State={{state}}{{told}}")
if words[0] == "delete":
    nodes = {{name: node for name, node in nodes.items() if name not in named}}
for name in named if words[0] == "update" else ():
    base = nodes[name][0].split("+")[0]
    drained = fields["State"] == "DRAIN"
    nodes[name] = [base + "+DRAIN" if drained else base, fields["Reason"] if drained else ""]
json.dump(nodes, open({file!r}, "w"))
"""

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenSlurm:
    """What the scheduler knows; `folder` holds its program and its files."""

    folder: Path

    def start(self, *names: str) -> None:
        """Know these nodes and no others, all idle, and forget what was asked so far."""
        self.folder.mkdir(exist_ok=True)
        program = self.folder / "scontrol"
        program.write_text(
            PROGRAM.format(
                python=sys.executable, root=str(ROOT), file=str(self._file), calls=str(self._calls)
            )
        )
        program.chmod(0o755)
        self._calls.write_text("")
        self._file.write_text(json.dumps({name: ["IDLE", ""] for name in names}))

    def join(self, name: str, state: str = "IDLE", reason: str = "") -> None:
        """Have a node be on the list in this state."""
        self._file.write_text(json.dumps({**self._nodes(), name: [state, reason]}))

    def states(self) -> dict[str, str]:
        """Return the state of each node on the list."""
        return {name: state for name, (state, _) in self._nodes().items()}

    def reason(self, name: str) -> str:
        """Say why a node is drained."""
        return self._nodes()[name][1]

    def changes(self) -> list[tuple[str, str]]:
        """List what was changed, in order: the state set or `delete`, and the nodes."""
        lines = [json.loads(line) for line in self._calls.read_text().splitlines()]
        return [
            (
                "delete" if words[0] == "delete" else words[2].partition("=")[2],
                words[1].partition("=")[2],
            )
            for words in lines
            if words[0] in ("delete", "update")
        ]

    def _nodes(self) -> dict[str, list[str]]:
        read: dict[str, list[str]] = json.loads(self._file.read_text())
        return read

    @property
    def _file(self) -> Path:
        return self.folder / "nodes.json"

    @property
    def _calls(self) -> Path:
        return self.folder / "calls"
