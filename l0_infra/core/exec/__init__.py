"""Run commands and move files on one host or many: locally, over ssh, or scripted for tests."""

from l0_infra.core.exec.command import Command, OnOutput, Outcome, Stream
from l0_infra.core.exec.fanout import Result, fan_out
from l0_infra.core.exec.local import LocalRunner
from l0_infra.core.exec.runner import Runner
from l0_infra.core.exec.scope import ends_with
from l0_infra.core.exec.scripted import Answer, ScriptedRunner
from l0_infra.core.exec.secret import Secret
from l0_infra.core.exec.ssh import (
    HostKeyError,
    HostKeyPolicy,
    SshOptions,
    SshPool,
    SshRunner,
    trust_key,
)

__all__ = [
    "Answer",
    "Command",
    "HostKeyError",
    "HostKeyPolicy",
    "LocalRunner",
    "OnOutput",
    "Outcome",
    "Result",
    "Runner",
    "ScriptedRunner",
    "Secret",
    "SshOptions",
    "SshPool",
    "SshRunner",
    "Stream",
    "ends_with",
    "fan_out",
    "trust_key",
]
