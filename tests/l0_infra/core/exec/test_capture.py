from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.exec.capture import Capture


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=0, max_value=120))
def test_it_keeps_all_or_head_and_tail(pieces: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for piece in pieces:
        capture.add(piece)
    whole = b"".join(pieces)
    assert capture.truncated is (len(whole) > limit)
    if not capture.truncated:
        assert capture.value() == whole
    else:
        head, tail = whole[: limit // 2], whole[len(whole) - (limit - limit // 2) :]
        assert capture.value() == head + b"\n[%d bytes left out]\n" % (len(whole) - limit) + tail


def test_the_tail_is_right_after_much_more_than_the_limit() -> None:
    capture = Capture(10)
    for number in range(100_000):
        capture.add(b"%06d" % number)
    assert capture.value() == b"00000\n[599990 bytes left out]\n99999"
