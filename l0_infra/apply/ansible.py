"""Run ansible-playbook for one batch: write what it is given, pass on what it tells, keep a log for people."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from time import strftime

from l0_infra.apply.board import Batch
from l0_infra.apply.events import PlaybookEvent, TaskBegun, TaskEnded, parse_event
from l0_infra.apply.playbook import render_inventory, render_playbook, render_settings
from l0_infra.apply.site import Site
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Command, Secret, Stream
from l0_infra.core.store import save_file

__all__ = ["PlaybookRun", "find_ansible"]

KEPT_BYTES = 64 * 1024
PASSWORD = "OGAI_BECOME_PASSWORD"
ASK_PASSWORD = f'#!/bin/sh\nprintf "%s\\n" "${PASSWORD}"\n'
LAST_LINES = 6


def find_ansible() -> str:
    """Find ansible-playbook beside this Python, else on PATH; UsageError when there is none."""
    beside = Path(sys.executable).with_name("ansible-playbook")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("ansible-playbook")
    if found is None:
        raise UsageError(
            "ansible-playbook",
            found="no such program",
            expected="what applies roles to nodes",
            hint="pip install 'ogai[cluster]'",
        )
    return found


@dataclass(slots=True)
class PlaybookRun:
    """One batch's ansible-playbook. Its files lie in a folder that only this user can read."""

    batch: Batch
    site: Site
    folder: Path
    unfinished: Mapping[str, Sequence[str]]
    on_event: Callable[[PlaybookEvent], None]
    rest: bytes = b""
    said: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """Where people read what happened."""
        return self.folder / "log"

    def run(self) -> str:
        """Run it to its end; return what was wrong with it as a whole, empty when nothing was."""
        self.prepare()
        with self.log.open("a", buffering=1) as log:

            def heard(stream: Stream, data: bytes) -> None:
                for line in self.lines(stream, data):
                    self.hear(line, log.write)

            outcome = self.site.control.run(self.command(), on_output=heard)
            log.write(f"ansible-playbook ended: {outcome.describe_end()}\n")
        told = "\n".join(self.said[-LAST_LINES:])
        return (
            "" if outcome.exit_code in (0, 2, 4) and not told else f"{outcome.describe_end()}\n{told}".strip()
        )

    def prepare(self) -> None:
        """Write what ansible-playbook is given."""
        self.folder.mkdir(mode=0o700, parents=True)
        forks = min(self.site.forks, len(self.batch.steps))
        folders = sorted({sheet.folder.parent for sheet in self.site.roles.values()})
        plugins = Path(str(files("l0_infra"))) / "ansible" / "plugins"
        settings = render_settings(folders, plugins, forks).encode()
        for name, content, mode in (
            ("inventory.json", render_inventory(self.batch, self.site.hosts, self.unfinished), 0o600),
            ("playbook.json", render_playbook(self.batch, self.site.roles, self.unfinished), 0o600),
            ("ansible.cfg", settings, 0o600),
            *([("password", ASK_PASSWORD.encode(), 0o700)] if self.site.password is not None else []),
        ):
            save_file(self.folder / name, content, mode=mode, durable=False)

    def command(self) -> Command:
        """Return the command that runs it."""
        guard = (
            sys.executable,
            "-I",
            "-S",
            str(Path(__file__).with_name("guarded.py")),
            str(self.site.guard),
        )
        env: dict[str, str | Secret] = {
            "ANSIBLE_CONFIG": str(self.folder / "ansible.cfg"),
            "LC_ALL": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
        }
        if self.site.password is not None:
            env[PASSWORD] = self.site.password
            env["ANSIBLE_BECOME_PASSWORD_FILE"] = str(self.folder / "password")
        return Command(
            argv=(
                *(guard if self.site.guard is not None else ()),
                *(
                    self.site.program,
                    "-i",
                    str(self.folder / "inventory.json"),
                    str(self.folder / "playbook.json"),
                ),
            ),
            env=env,
            cwd=str(self.folder),
            deadline_s=None,
            output_limit_bytes=KEPT_BYTES,
        )

    def lines(self, stream: Stream, data: bytes) -> list[str]:
        """Cut what arrived into whole lines; of stderr pieces are lines enough."""
        if stream == "stderr":
            return data.decode(errors="replace").splitlines()
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [line.decode(errors="replace") for line in whole]

    def hear(self, line: str, write: Callable[[str], object]) -> None:
        """Pass an event on, and write for people what it says."""
        event = parse_event(line)
        if event is None:
            if line.strip():
                self.said.append(line)
                write(f"{line}\n")
            return
        if isinstance(event, TaskEnded):
            where = f"{event.node} {event.role or '-'}"
            write(f"{strftime('%H:%M:%S')} {where}: {event.task}: {event.state} {event.seconds:.1f} s\n")
            if event.message:
                write("".join(f"    {text}\n" for text in event.message.splitlines()))
        if not isinstance(event, TaskBegun) or event.task:
            self.on_event(event)
