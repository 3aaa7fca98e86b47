"""torchrun, with one sentence and the rank's own exit code in the place of its tracebacks.

`python -m l3_modeltools.training.launch …` takes torchrun's words.
"""

import logging
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from l3_modeltools.runs import SIGNALLED

if TYPE_CHECKING:
    from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

__all__ = ["describe", "main"]


def main(words: Sequence[str]) -> int:
    """Run the ranks to their end; return 0, or how the first that failed ended, as a shell tells it."""
    logging.disable()  # torchrun's own log says in pages what one line says here
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.run import parse_args, run

    try:
        run(parse_args(list(words)))  # type: ignore[no-untyped-call]
    except SignalException as end:
        return SIGNALLED + end.sigval
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        print(describe(rank, failure), file=sys.stderr, flush=True)
        return failure.exitcode if failure.exitcode > 0 else SIGNALLED - failure.exitcode
    return 0


def describe(rank: int, failure: "ProcessFailure") -> str:
    """Say how a rank ended: `rank 1 (pid 77) was ended by SIGKILL`."""
    if failure.exitcode < 0:
        return f"rank {rank} (pid {failure.pid}) was ended by {signal.Signals(-failure.exitcode).name}"
    return f"rank {rank} (pid {failure.pid}) ended with exit code {failure.exitcode}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
