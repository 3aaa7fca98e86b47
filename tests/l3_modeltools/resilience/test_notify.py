"""People are told by real servers and real commands, and whatever these do, the run neither waits nor fails."""

import json
import os
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec.structs import replace

from l0_infra.core.errors import OgaiError, RemoteError, UnsatisfiableError
from l3_modeltools.resilience.event import Event, make_event
from l3_modeltools.resilience.notify import Notifier, Patience, send
from l3_modeltools.resilience.told_environment import KEPT, facts_of
from l3_modeltools.schemas import Evidence, Notification, TrainingFault
from tests.support.runs import a_run, a_train

SECRET = "/services/T0/B0/secret-part"
QUICK = Patience(webhook_s=0.5, retry_s=0.01, command_s=0.5)
PATIENT = Patience(retry_s=0.01)
FAULT = TrainingFault(
    run="small-1",
    fault_class="killed",
    summary="rank 1 was killed by SIGKILL",
    detected_at=1764500000.5,
    step=120,
    evidence=(Evidence(source="exit", text="signal 9"),),
    advised="restart_worker",
    taken="restart_worker",
)


def finish(text: str) -> Event:
    return make_event("finish", "small-1", text, state="COMPLETED", step=400, fault=None, now=1764500009.0)


EVENT = make_event(
    "fault",
    "small-1",
    f"{FAULT.summary}; its ranks start again",
    state="RUNNING",
    step=None,
    fault=FAULT,
    now=9e9,
)
DONE = finish("all 400 steps are done")


@dataclass
class Hook:
    """A web server that keeps what it was told and answers as it is told."""

    answers: list[int]
    port: int = 0
    heard: list[tuple[str, str, bytes]] = field(default_factory=list)
    leave: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{SECRET}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        self.heard.append((request.command, request.path, body))
        code = self.answers[min(len(self.heard), len(self.answers)) - 1]
        if code == 0:  # never answers
            self.leave.wait(30)
            return
        request.send_response(code)
        if code in (302, 307):
            request.send_header("Location", "/elsewhere")
        request.end_headers()


@contextmanager
def hook(*answers: int) -> Iterator[Hook]:
    kept = Hook(answers=list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.answer(self)

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield kept
        finally:
            kept.leave.set()
            server.shutdown()
            thread.join()


def secretly(told: Hook) -> tuple[Notification, Mapping[str, str]]:
    return Notification(webhook_from="CHAT_URL"), {"CHAT_URL": told.address}


def failure(
    notification: Notification, environment: Mapping[str, str], patience: Patience = QUICK
) -> OgaiError:
    with pytest.raises(OgaiError) as caught:
        send(notification, EVENT, environment=environment, patience=patience)
    return caught.value


def test_a_post_carries_the_whole_event() -> None:
    with hook(200) as told:
        notification, environment = secretly(told)
        send(notification, EVENT, environment=environment, patience=PATIENT)
        send(Notification(webhook=told.address), DONE, environment={}, patience=PATIENT)
    (method, path, body), (_, _, last) = told.heard
    assert (method, path) == ("POST", SECRET)
    document = json.loads(body)
    assert document["fault"]["kind"] == "fault" and document["fault"]["fault_class"] == "killed"
    assert {key: value for key, value in document.items() if key != "fault"} == {
        "event": "fault",
        "run": "small-1",
        "state": "RUNNING",
        "step": 120,
        "text": "run small-1, step 120: rank 1 was killed by SIGKILL; its ranks start again",
        "at": 1764500000.5,
    }
    assert json.loads(last) == {
        "event": "finish",
        "run": "small-1",
        "state": "COMPLETED",
        "step": 400,
        "text": "run small-1, step 400: all 400 steps are done",
        "fault": None,
        "at": 1764500009.0,
    }


@pytest.mark.parametrize(("answers", "posts"), [((500, 200), 2), ((429, 204), 2), ((200,), 1)])
def test_a_server_in_trouble_is_asked_once_more(answers: tuple[int, ...], posts: int) -> None:
    with hook(*answers) as told:
        notification, environment = secretly(told)
        send(notification, EVENT, environment=environment, patience=PATIENT)
    assert len(told.heard) == posts


@pytest.mark.parametrize(
    ("answer", "posts", "said"),
    [
        (500, 2, "it answered HTTP 500"),
        (403, 1, "it answered HTTP 403"),
        (302, 1, "it answered HTTP 302"),
        (307, 1, "it answered HTTP 307"),
        (0, 2, "in time|within 0.5 s"),
    ],
)
def test_what_does_not_arrive_is_told_without_the_address(answer: int, posts: int, said: str) -> None:
    with hook(answer) as told:
        error = failure(*secretly(told), PATIENT if answer else QUICK)
    assert len(told.heard) == posts
    assert all(method == "POST" and path == SECRET for method, path, _ in told.heard)
    assert any(part in str(error) for part in said.split("|"))
    assert "CHAT_URL" in str(error)
    assert_secret_kept(error, str(told.port))


def test_a_server_that_answers_a_byte_at_a_time_is_given_up_at_the_deadline() -> None:
    class Slow(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100:
                    self.request.sendall(bytes([byte]))
                    time.sleep(0.05)
            except OSError:
                pass

    with serving(Slow) as port:
        error = failure(Notification(webhook=f"http://127.0.0.1:{port}/{SECRET}"), {})
    assert "no answer within 0.5 s" in str(error)


def test_nobody_there_no_address_and_no_web_address_are_told_apart_without_showing_it() -> None:
    with serving(socketserver.BaseRequestHandler) as port:
        pass
    told = {
        "CHAT_URL": f"http://127.0.0.1:{port}{SECRET}",
        "BAD": f"ftp://host{SECRET}",
        "SPACE": f"http://a b{SECRET}",
        "PORT": f"http://127.0.0.1:99999999999999999999{SECRET}",
    }
    gone = failure(Notification(webhook_from="CHAT_URL"), told)
    assert isinstance(gone, RemoteError) and "refused" in str(gone)
    bad, absent = (
        failure(Notification(webhook_from="BAD"), told),
        failure(Notification(webhook_from="NONE"), told),
    )
    assert isinstance(bad, UnsatisfiableError) and "another value" in str(bad)
    assert isinstance(absent, UnsatisfiableError) and "nothing" in str(absent)
    others = [failure(Notification(webhook_from=name), told) for name in ("SPACE", "PORT")]
    for error in (gone, bad, absent, *others):
        assert_secret_kept(error, str(port))


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path))

    class Tls(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                context.wrap_socket(self.request, server_side=True).close()

    with serving(Tls) as port:
        error = failure(
            Notification(webhook_from="CHAT_URL"), {"CHAT_URL": f"https://localhost:{port}{SECRET}"}, PATIENT
        )
    assert "certificate is not trusted" in str(error)
    assert_secret_kept(error, "localhost", str(port))


def assert_secret_kept(error: OgaiError, *more: str) -> None:
    """The address stands in no part of an error, its causes included."""
    seen: BaseException | None = error
    while seen is not None:
        for word in ("secret-part", "127.0.0.1", *more):
            assert word not in repr(seen) and word not in repr(seen.args), seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def test_a_command_gets_the_event_on_its_standard_input(tmp_path: Path) -> None:
    command = Notification(command=("/bin/sh", "-c", f"cat > {tmp_path}/heard"))
    send(command, EVENT, environment=os.environ)
    assert json.loads((tmp_path / "heard").read_text())["run"] == "small-1"


SECRETS = {
    "OGAI_TOKEN": "mark-of-the-job",
    "CHAT_URL": f"https://chat.example{SECRET}",
    "HF_TOKEN": "hf-1234",
    "AWS_SECRET_ACCESS_KEY": "aws-1234",
    "HTTPS_PROXY": "http://ann:word@proxy.example",
    "my_password": "word",
}


def seen_by_command(tmp_path: Path, event: Event, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a command that is told of `event` finds in its environment."""
    command = Notification(command=("/bin/sh", "-c", f"exec /usr/bin/env -0 > {tmp_path}/seen"))
    send(command, event, environment=environment)
    text = (tmp_path / "seen").read_text()
    return dict(line.split("=", 1) for line in text.split("\0") if line)


def test_a_command_sees_the_facts_and_no_secret_of_the_job(tmp_path: Path) -> None:
    job = {**dict.fromkeys(KEPT, "let through"), "PATH": "/usr/bin:/bin", **SECRETS}
    seen = seen_by_command(tmp_path, EVENT, job)
    of_the_shell = {"PWD", "OLDPWD", "SHLVL", "_"}
    assert seen.keys() - of_the_shell == KEPT | facts_of(EVENT).keys()
    assert not [secret for secret in SECRETS.values() if secret in "\0".join(seen.values())]
    assert {name: seen[name] for name in facts_of(EVENT)} == {
        "OGAI_EVENT": "fault",
        "OGAI_RUN_ID": "small-1",
        "OGAI_RUN_STATE": "RUNNING",
        "OGAI_STEP": "120",
        "OGAI_FAULT_ID": "1",
        "OGAI_FAULT_CLASS": "killed",
        "OGAI_TEXT": "run small-1, step 120: rank 1 was killed by SIGKILL; its ranks start again",
    }


def test_a_fact_that_an_event_lacks_is_empty_and_no_text_is_too_much_for_a_variable(tmp_path: Path) -> None:
    odd = make_event(
        "finish", "small-1", "\0\x1b" + "x" * 300_000, state="FAILED", step=None, fault=None, now=9.0
    )
    seen = seen_by_command(tmp_path, odd, {})
    assert (seen["OGAI_STEP"], seen["OGAI_FAULT_ID"], seen["OGAI_FAULT_CLASS"]) == ("", "", "")
    assert seen["OGAI_TEXT"].startswith("run small-1: \\x00\\x1bxxx")


def test_a_command_that_closes_its_input_or_ignores_it_is_fine() -> None:
    big = finish("x" * 1_000_000)
    for script in ("exec <&-; exit 0", "exit 0"):
        send(
            Notification(command=("/bin/sh", "-c", script)),
            big,
            environment={},
            patience=Patience(command_s=20),
        )


@pytest.mark.parametrize(
    ("argv", "error", "said"),
    [
        (("/bin/sh", "-c", "exit 3"), RemoteError, "exit code 3"),
        (("/nowhere/tell",), UnsatisfiableError, "no such file"),
        (("/bin/echo", "a\0b"), UnsatisfiableError, "no command line can hold"),
        (("/bin/echo", "\ud800"), UnsatisfiableError, "no command line can hold"),
    ],
)
def test_a_command_that_fails_says_how(argv: tuple[str, ...], error: type[OgaiError], said: str) -> None:
    found = failure(Notification(command=argv), {}, PATIENT)
    assert isinstance(found, error) and said in str(found)


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    script = f"sleep 300 & echo $! > {tmp_path}/child; sleep 300"
    found = failure(Notification(command=("/bin/sh", "-c", script)), dict(os.environ))
    assert "no end within 0.5 s" in str(found)
    child = int((tmp_path / "child").read_text())
    assert eventually(lambda: not alive(child))


def test_the_notifier_tells_each_what_it_wants_to_hear_and_costs_a_line_a_failure(tmp_path: Path) -> None:
    said: list[str] = []
    with hook(500) as broken, hook(200) as well:
        notify = (
            Notification(webhook_from="CHAT_URL"),
            Notification(webhook=well.address, on=("finish",)),
            Notification(command=("/bin/sh", "-c", f"cat >> {tmp_path}/heard"), on=("fault",)),
        )
        environment = {**os.environ, "CHAT_URL": broken.address}
        notifier = Notifier(a_run(a_train(notify=notify)), environment, say=said.append, patience=PATIENT)
        notifier.tell("fault", text=FAULT.summary, fault=FAULT)
        notifier.tell("finish", text="all steps are done", state="COMPLETED", step=400)
        assert notifier.close(20)
    assert [json.loads(body)["event"] for _, _, body in broken.heard] == ["fault"] * 2 + ["finish"] * 2
    assert [json.loads(body)["event"] for _, _, body in well.heard] == ["finish"]
    assert json.loads((tmp_path / "heard").read_text())["event"] == "fault"
    assert len(said) == 2 and all("HTTP 500" in line and "\n" not in line for line in said)
    assert not any("secret-part" in line or str(broken.port) in line for line in said)


def test_nobody_waits_for_a_server_that_hangs() -> None:
    with hook(0) as stuck, hook(200) as well:
        notify = (Notification(webhook=stuck.address), Notification(webhook=well.address))
        notifier = Notifier(a_run(a_train(notify=notify)), {}, say=lambda line: None)
        notifier.tell("fault", text=FAULT.summary, fault=FAULT)
        assert eventually(lambda: len(well.heard) == 1)
        assert not notifier.close(0.05)


def test_a_run_that_tells_nobody_needs_no_thread() -> None:
    before = threading.active_count()
    notifier = Notifier(a_run(), {})
    notifier.tell("fault", text=FAULT.summary, fault=FAULT)
    assert notifier.close(0) and threading.active_count() == before


def test_an_event_is_placed_as_far_as_it_is_known() -> None:
    nowhere = replace(FAULT, step=None)
    event = make_event("fault", "small-1", "slow", state="SUSPENDED", step=None, fault=nowhere, now=7.0)
    assert (event.text, event.step, event.at) == ("run small-1: slow", None, FAULT.detected_at)
    event = make_event("finish", "small-1", "it gave up", state="FAILED", step=3, fault=FAULT, now=7.0)
    assert (event.text, event.step) == ("run small-1, step 3: it gave up", 3)


@contextmanager
def serving(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for localhost that signs itself, and its key."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    kept = folder / "certificate.pem", folder / "key.pem"
    kept[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    kept[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return kept


def alive(process: int) -> bool:
    """Say whether a process runs; one that ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 20
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
