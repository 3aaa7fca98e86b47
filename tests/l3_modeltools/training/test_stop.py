import os
import signal

import pytest

from l3_modeltools.training.stop import StopWish


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_is_kept_and_a_second_does_no_harm(number: int) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        wish = StopWish()
        assert not wish.is_wished()
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), signal.SIGTERM)
        assert wish.is_wished()
        assert wish.signal == number
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
