"""Ansible's callback plugin of ours: one line of JSON on stdout for what happens to each task on each host.

Ansible loads it by its file, as `stdout_callback`; nothing of ogai is imported here. A line begins with the ASCII
record separator (RFC 7464), so that whatever else a program prints is told apart from it.
"""

import json
import sys
import time

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
    name: ogai_events
    type: stdout
    short_description: one line of JSON for each task on each host
    description:
        - Tells when a task begins and how it ended, and nothing of what it was given.
"""

MOST = 4000
SECRET = "the output is hidden, as the task deals with a secret"


class CallbackModule(CallbackBase):
    """Tells beginnings and ends."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "ogai_events"

    def __init__(self):
        super().__init__()
        self.begun = {}

    def v2_runner_on_start(self, host, task):
        self.begun[host.get_name()] = time.monotonic()
        tell("start", host, task)

    def v2_runner_on_ok(self, result):
        self.ended(result, "changed" if result._result.get("changed") else "ok")

    def v2_runner_on_skipped(self, result):
        self.ended(result, "skipped")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.ended(result, "ignored" if ignore_errors else "failed")

    def v2_runner_on_unreachable(self, result):
        self.ended(result, "unreachable")

    def v2_playbook_on_stats(self, stats):
        bad = sorted({*stats.failures, *stats.dark})
        write({"type": "stats", "failed": [host for host in bad if is_bad(stats.summarize(host))]})

    def ended(self, result, state):
        name = result._host.get_name()
        seconds = time.monotonic() - self.begun.pop(name, time.monotonic())
        message = words_of(result._result) if state in ("failed", "unreachable", "ignored") else ""
        tell(
            "end", result._host, result._task, state=state, seconds=round(seconds, 2), message=message[-MOST:]
        )


def tell(kind, host, task, **more):
    role = task._role.get_name() if task._role else ""
    write({"type": kind, "node": host.get_name(), "role": role, "task": task.get_name(), **more})


def write(event):
    sys.stdout.write("\x1e" + json.dumps(event) + "\n")
    sys.stdout.flush()


def is_bad(summary):
    return bool(summary["failures"] or summary["unreachable"])


def words_of(result):
    """Put together what a failed task said; items of a loop that failed say it one by one."""
    if result.get("censored") or result.get("_ansible_no_log"):
        return SECRET
    items = [one for one in result.get("results") or () if isinstance(one, dict) and one.get("failed")]
    if items:
        return "\n".join(words_of(one) for one in items)
    told = (
        result.get(name) for name in ("msg", "stderr", "module_stderr", "stdout", "module_stdout", "reason")
    )
    texts = [text.strip() for text in told if isinstance(text, str) and text.strip()]
    return "\n".join(dict.fromkeys(texts))
