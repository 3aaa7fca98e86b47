import shlex

from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.exec import Command, Secret
from l0_infra.core.exec.protocol import Unframer, bootstrap_argv, render_request

ID = "ogai0123"
texts = st.lists(
    st.sampled_from([b"o", b"og", b"ogai", b"ogai0123", b"ogai0123{", b"}", b"\n", b"x", b"\0\xff"])
).map(b"".join)


@given(noise=texts, text=texts, status=st.integers(0, 255), rest=texts, data=st.data())
def test_the_cut_does_not_depend_on_the_chunks(
    noise: bytes, text: bytes, status: int, rest: bytes, data: st.DataObject
) -> None:
    noise = noise.replace(b"ogai0123{\n", b"")
    text = text.replace(b"ogai0123}", b"")
    if b"ogai0123{\n" in noise or b"ogai0123}" in text:
        return
    stream = noise + b"ogai0123{\n" + text + b"ogai0123}%d\n" % status + rest
    if stream.index(b"ogai0123{\n") != len(noise) or (text + b"ogai0123}").index(b"ogai0123}") != len(text):
        return
    frame, said = Unframer(ID), b""
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        said += frame.feed(stream[:cut])
        stream = stream[cut:]
    assert (frame.noise, said, frame.status) == (noise, text, status)


def test_output_is_passed_on_before_the_end_is_known() -> None:
    frame = Unframer(ID)
    assert frame.feed(b"ogai0123{\nprogress 1\n") == b"progress 1\n"
    assert frame.feed(b"progress 2 og") == b"progress 2 "
    assert frame.feed(b"re\n") == b"ogre\n"
    assert frame.status is None


def test_endless_noise_is_not_kept() -> None:
    frame = Unframer(ID)
    for _ in range(100):
        assert frame.feed(b"x" * 10_000) == b""
    assert len(frame.noise) <= 65536


def test_nothing_secret_is_in_the_argv() -> None:
    command = Command(
        argv=("run", "--name=it's"), env={"TOKEN": Secret("s3cret")}, stdin=b"input", cwd="/a b"
    )
    request = render_request(command, ID).decode()
    assert "s3cret" not in " ".join(bootstrap_argv(ID))
    assert "export TOKEN=s3cret" in request
    assert f"set -- {shlex.join(command.argv)}" in request
    assert "cd -- '/a b'" in request


def test_the_bootstrap_is_one_line_that_any_login_shell_passes_on() -> None:
    assert "\n" not in bootstrap_argv(ID)[2]
    assert "'" not in bootstrap_argv(ID)[2]
