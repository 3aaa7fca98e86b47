"""What the system says of a host that cannot be connected, in words and with what to look at."""

import errno
import os

from l0_infra.core.exec.ssh.endpoint import Endpoint
from l0_infra.core.exec.ssh.failures import unreachable


def test_an_address_without_a_host_is_told_without_a_number_and_with_a_hint() -> None:
    endpoint = Endpoint(name="n1", hostname="10.7.0.9", user="ada", port=22)
    error = unreachable(endpoint, OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH)))
    assert (error.where, error.found) == ("ada@10.7.0.9:22", "no route to host")
    assert error.hint and error.retry
