"""Against real sshd servers on loopback."""

import getpass
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import (
    Command,
    HostKeyError,
    HostKeyPolicy,
    Secret,
    SshOptions,
    SshPool,
    SshRunner,
    fan_out,
    trust_key,
)

pytestmark = pytest.mark.real

HOST = "127.0.0.1"
ECHO = Command(argv=("echo", "there"))
FIND_SSHD = (
    "sshd=$PPID; while ! grep -q sshd /proc/$sshd/comm; do sshd=$(ps -o ppid= -p $sshd | tr -d ' '); done"
)


def refused(runner: SshRunner) -> RemoteError:
    with runner, pytest.raises(RemoteError) as caught:
        runner.run(ECHO)
    return caught.value


def test_one_connection_serves_all_commands(sshd: Any) -> None:
    pool = SshPool()
    with SshRunner(HOST, sshd.options(), pool=pool) as one, SshRunner(HOST, sshd.options(), pool=pool) as two:
        results = fan_out(range(40), lambda n: (one if n % 2 else two).run(ECHO).stdout, limit=40)
        assert [result.value for result in results] == ["there\n"] * 40, [r.error for r in results if r.error]
    assert pool.opened == 1


def test_a_dead_connection_is_opened_anew(
    start_sshd: Callable[..., Any], wait_until: Callable[..., None]
) -> None:
    server = start_sshd()
    pool = SshPool()
    with SshRunner(HOST, server.options(), pool=pool) as runner:
        session = int(runner.run(Command(argv=("sh", "-c", f"{FIND_SSHD}; echo $sshd"))).check().stdout)
        os.kill(session, signal.SIGKILL)
        assert runner.run(ECHO).stdout == "there\n"
    assert pool.opened == 2


def test_a_connection_lost_in_the_middle_is_told_and_not_repeated(sshd: Any, tmp_path: Path) -> None:
    script = f"{FIND_SSHD}; echo ran >> {tmp_path}/ran; kill -9 $sshd; sleep 60"
    with SshRunner(HOST, sshd.options()) as runner, pytest.raises(RemoteError, match="broke") as caught:
        runner.run(Command(argv=("sh", "-c", script)))
    assert caught.value.retry
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_idle_connections_beyond_the_limit_are_closed(start_sshd: Callable[..., Any]) -> None:
    servers = [start_sshd() for _ in range(3)]
    pool = SshPool(keep=1)
    runners = [SshRunner(HOST, server.options(), pool=pool) for server in servers]
    for runner in (*runners, runners[0]):
        assert runner.run(ECHO).ok
    assert pool.opened == 4
    pool.close()


def test_an_unknown_host_is_refused_and_accepted_once(sshd: Any, tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    error = refused(SshRunner(HOST, sshd.options(known_hosts_file=str(known))))
    printed = subprocess.run(
        ["ssh-keygen", "-lf", f"{sshd.folder}/host_key.pub"], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split()[1] in error.found
    assert "unknown host key, ssh-ed25519 SHA256:" in error.found
    assert "StrictHostKeyChecking=ask" in error.hint and str(known) in error.hint
    assert (error.where, error.retry) == (f"{getpass.getuser()}@{HOST}:{sshd.port}", False)
    assert not known.exists()

    new = sshd.options(known_hosts_file=str(known), host_keys=HostKeyPolicy.ACCEPT_NEW)
    with SshRunner(HOST, new) as runner:
        assert runner.run(ECHO).ok
    with SshRunner(HOST, sshd.options(known_hosts_file=str(known))) as strict:
        assert strict.run(ECHO).ok


def test_the_configuration_cannot_switch_the_check_off(sshd: Any, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("StrictHostKeyChecking no\n")
    options = sshd.options(known_hosts_file=str(tmp_path / "none"), config_file=str(config))
    assert "unknown host key" in refused(SshRunner(HOST, options)).found


@pytest.mark.parametrize("policy", HostKeyPolicy)
def test_a_changed_key_is_always_refused(sshd: Any, tmp_path: Path, policy: HostKeyPolicy) -> None:
    known = tmp_path / "known_hosts"
    known.write_text(f"[{HOST}]:{sshd.port} {Path(sshd.key + '.pub').read_text()}")
    error = refused(SshRunner(HOST, sshd.options(known_hosts_file=str(known), host_keys=policy)))
    assert "changed host key" in error.found
    assert f"{known}:1" in error.expected
    assert f"ssh-keygen -f {known} -R '[{HOST}]:{sshd.port}'" in error.hint


def test_a_key_that_a_person_compared_takes_the_place_of_what_was_known(sshd: Any, tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    other = Path(sshd.key + ".pub").read_text()
    kept = f"10.0.0.7 {other}{HOST} {other}"
    known.write_text(f"{kept}[{HOST}]:{sshd.port} {other}")
    options = sshd.options(known_hosts_file=str(known))
    error = refused(SshRunner(HOST, options))
    assert isinstance(error, HostKeyError) and (error.doubt, error.host) == ("changed", HOST)
    trust_key(error)
    with SshRunner(HOST, options) as runner:
        assert runner.run(ECHO).ok
    lines = known.read_text().splitlines(keepends=True)
    assert "".join(lines[:2]) == kept and len(lines) == 3


def test_a_revoked_key_is_never_trusted(sshd: Any, tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    known.write_text(f"@revoked * {Path(sshd.folder / 'host_key.pub').read_text()}")
    error = refused(SshRunner(HOST, sshd.options(known_hosts_file=str(known))))
    assert isinstance(error, HostKeyError)
    with pytest.raises(HostKeyError, match="a revoked host key"):
        trust_key(error)


def test_a_refused_login_names_what_was_tried(sshd: Any, tmp_path: Path) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "pass", "-f", str(tmp_path / "locked")], check=True
    )
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "wrong")], check=True)
    files = tuple(str(tmp_path / name) for name in ("locked", "wrong", "none"))
    error = refused(SshRunner(HOST, sshd.options(identity_files=files)))
    assert f"{tmp_path}/locked (not used" in error.found
    assert f"publickey {tmp_path}/wrong" in error.found
    assert f"{tmp_path}/none (not there)" in error.found
    assert "the server takes publickey" in error.found
    assert not error.retry


def test_a_passphrase_opens_a_key(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd()
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", server.key], check=True)
    with SshRunner(HOST, server.options(passphrase=Secret("open sesame"))) as runner:
        assert runner.run(ECHO).ok
    error = refused(SshRunner(HOST, server.options(passphrase=Secret("wrong words"))))
    assert "wrong words" not in f"{error} {error.hint}"


def test_the_agents_keys_are_used(sshd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = tmp_path / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL) as agent:
        while not socket.exists():
            time.sleep(0.02)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        subprocess.run(["ssh-add", "-q", sshd.key], check=True)
        with SshRunner(HOST, sshd.options(identity_files=())) as runner:
            assert runner.run(ECHO).ok
        agent.terminate()


@pytest.mark.parametrize("fault", ["refused", "silent", "unresolved", "no ssh"])
def test_an_unreachable_host_is_told_apart(sshd: Any, fault: str) -> None:
    import socket

    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port = listener.getsockname()[1]
        if fault != "refused":
            listener.listen(5)
        if fault == "no ssh":
            threading.Thread(target=lambda: listener.accept()[0].close(), daemon=True).start()
        host = "no-such-host.invalid" if fault == "unresolved" else HOST
        error = refused(SshRunner(host, sshd.options(port=port, connect_timeout_s=0.5)))
    words = {"refused": "connection refused", "silent": "no ssh handshake", "no ssh": "no ssh handshake"}
    assert words.get(fault, "does not resolve") in error.found
    assert error.retry is (fault != "unresolved")
    assert error.hint


def jump_config(sshd: Any, first: Any, second: Any, folder: Path) -> SshOptions:
    """A target known only as `inner`, behind two jumps, from an included configuration."""
    (folder / "hops").write_text(
        f"Host first\n HostName {HOST}\n Port {first.port}\n IdentityFile {first.key}\n"
        f"Host second\n HostName {HOST}\n Port {second.port}\n IdentityFile {second.key}\n"
    )
    (folder / "config").write_text(
        f"Include {folder}/hops\nHost inner\n HostName {HOST}\n Port {sshd.port}\n"
        f" IdentityFile {sshd.key}\n ProxyJump first,second\nHost *\n UserKnownHostsFile {folder}/known\n"
    )
    known = "".join(Path(server.known_hosts).read_text() for server in (sshd, first, second))
    (folder / "known").write_text(known)
    return SshOptions(config_file=str(folder / "config"))


def test_a_chain_of_jumps_is_followed_and_shared(
    sshd: Any, start_sshd: Callable[..., Any], tmp_path: Path
) -> None:
    first, second = start_sshd(), start_sshd()
    options = jump_config(sshd, first, second, tmp_path)
    pool = SshPool()
    results = fan_out(range(6), lambda _: SshRunner("inner", options, pool=pool).run(ECHO).stdout)
    assert [result.value for result in results] == ["there\n"] * 6, results
    assert pool.opened == 3
    assert "Accepted publickey" in first.log and "Accepted publickey" in second.log
    pool.close()
    first.stop()
    error = refused(SshRunner("inner", options))
    assert error.where == f"{getpass.getuser()}@{HOST}:{first.port}"


def test_a_target_behind_a_jump_that_is_down_names_both(
    start_sshd: Callable[..., Any], sshd: Any, tmp_path: Path
) -> None:
    gone = start_sshd()
    gone.stop()
    options = jump_config(gone, sshd, sshd, tmp_path)
    error = refused(SshRunner("inner", options))
    assert error.where == f"{getpass.getuser()}@{HOST}:{gone.port}"
    assert f"jump host {getpass.getuser()}@{HOST}:{sshd.port}" in error.found


def test_a_proxy_command_is_used_and_ended(
    sshd: Any, tmp_path: Path, processes_with: Callable[[str], list[int]]
) -> None:
    (tmp_path / "pipe.py").write_text(
        "import os, socket, sys, threading\n"
        "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "def up():\n"
        "    while data := os.read(0, 65536): s.sendall(data)\n"
        "threading.Thread(target=up, daemon=True).start()\n"
        "while data := s.recv(65536): os.write(1, data)\n"
    )
    (tmp_path / "config").write_text(f"ProxyCommand {sys.executable} {tmp_path}/pipe.py %h %p\n")
    with SshRunner(HOST, sshd.options(config_file=str(tmp_path / "config"))) as runner:
        assert runner.run(ECHO).stdout == "there\n"
    end = time.monotonic() + 10
    while processes_with(f"{tmp_path}/pipe.py") and time.monotonic() < end:
        time.sleep(0.02)
    assert processes_with(f"{tmp_path}/pipe.py") == []


CLIENT = """
import sys
from l0_infra.core.exec import Command, SshOptions, SshRunner

port, key, known, config, mark = sys.argv[1:]
options = SshOptions(port=int(port), identity_files=(key,), known_hosts_file=known, config_file=config)
SshRunner("127.0.0.1", options).run(
    Command(argv=("sh", "-c", f"setsid sleep {mark} & trap '' TERM; sleep {mark}"), deadline_s=None)
)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_when_the_client_dies_the_remote_command_ends(
    sshd: Any,
    end: signal.Signals,
    mark: str,
    processes_with: Callable[[str], list[int]],
    wait_until: Callable[..., None],
) -> None:
    argv = [
        sys.executable,
        "-c",
        CLIENT,
        str(sshd.port),
        sshd.key,
        sshd.known_hosts,
        f"{sshd.folder}/config",
        mark,
    ]
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as client:
        wait_until(lambda: len(processes_with(f"sleep\0{mark}")) == 2, "the command did not start")
        client.send_signal(end)
        client.wait(timeout=10)
    wait_until(lambda: not processes_with(f"sleep\0{mark}"), "the remote command went on")


def test_closing_the_runner_ends_its_commands(
    sshd: Any, mark: str, processes_with: Callable[[str], list[int]], wait_until: Callable[..., None]
) -> None:
    runner = SshRunner(HOST, sshd.options())
    errors: list[RemoteError] = []

    def work() -> None:
        with pytest.raises(RemoteError) as caught:
            runner.run(Command(argv=("sleep", mark), deadline_s=None))
        errors.append(caught.value)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: bool(processes_with(f"sleep\0{mark}")), "the command did not start")
    runner.close()
    thread.join(5)
    assert len(errors) == 1
    wait_until(lambda: not processes_with(f"sleep\0{mark}"), "the remote command went on")


def test_a_put_that_is_cut_short_leaves_the_old_file(
    sshd: Any, tmp_path: Path, wait_until: Callable[..., None]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    program = CLIENT.partition("SshRunner(")[0] + (
        "import signal, os, threading\n"
        'runner = SshRunner("127.0.0.1", options)\nrunner.run(Command(argv=("true",)))\n'
        "threading.Timer(float(sys.argv[-1]), os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        f"while True: runner.put(b'new' * 20_000_000, {str(path)!r})\n"
    )
    arguments = [str(sshd.port), sshd.key, sshd.known_hosts, f"{sshd.folder}/config"]
    for delay in ("0.05", "0.2", "0.4"):
        subprocess.run([sys.executable, "-c", program, *arguments, delay], check=False)
        wait_until(lambda: [entry.name for entry in tmp_path.iterdir()] == ["file"], "a temporary was left")
        assert path.read_bytes() in (b"old", b"new" * 20_000_000)


def test_a_noisy_login_shell_disturbs_nothing(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd('ForceCommand echo welcome; echo motd >&2; eval "$SSH_ORIGINAL_COMMAND"')
    with SshRunner(HOST, server.options()) as runner:
        outcome = runner.run(Command(argv=("cat",), stdin=b"clean"))
    assert (outcome.stdout_bytes, outcome.stderr_bytes) == (b"clean", b"")


def test_an_account_without_a_shell_is_told(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd("ForceCommand echo This account is not available; exit 1")
    error = refused(SshRunner(HOST, server.options()))
    assert "This account is not available" in error.found


def test_two_hundred_connections_and_one_that_hangs(sshd: Any) -> None:
    hung = 77

    def work(number: int) -> str:
        with SshRunner(HOST, sshd.options()) as runner:
            command = Command(
                argv=("sleep", "600") if number == hung else ("echo", str(number)), deadline_s=None
            )
            return runner.run(command).stdout

    done: list[int] = []
    results = fan_out(
        range(200), work, limit=16, deadline_s=10, on_done=lambda result: done.append(result.item)
    )
    assert [result.item for result in results] == list(range(200))
    assert [result.value for result in results if result.ok] == [f"{n}\n" for n in range(200) if n != hung]
    assert "no answer after 10 s" in str(results[hung].error)


def test_a_server_with_room_for_one_session_serves_many_in_turn(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd("MaxSessions 1")
    with SshRunner(HOST, server.options()) as runner:
        results = fan_out(range(6), lambda _: runner.run(ECHO).stdout)
    assert [result.value for result in results] == ["there\n"] * 6, results


def test_a_server_that_reloads_is_waited_for(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd()
    server.stop()
    with SshRunner(HOST, server.options()) as runner:
        again = threading.Timer(0.5, server.start)
        again.start()
        assert runner.run(ECHO).stdout == "there\n"
        again.join()


def test_a_server_that_is_gone_is_told_soon(start_sshd: Callable[..., Any]) -> None:
    server = start_sshd()
    server.stop()
    assert "connection refused" in refused(SshRunner(HOST, server.options())).found
