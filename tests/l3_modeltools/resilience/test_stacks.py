"""Of a stack as faulthandler writes it, the frames that tell something are found."""

import faulthandler
import tempfile
import threading

from l3_modeltools.resilience.stacks import main_frames, telling_frames

STACKS = """\
Thread 0x00007f1a (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/srv/ogai/l3_modeltools/data/prefetch.py", line 40 in run

Current thread 0x00007f1b (most recent call first):
  File "/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 2810 in all_reduce
  File "/env/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 1639 in forward
  File "/srv/ogai/l3_modeltools/training/step.py", line 88 in backward
  File "/srv/ogai/l3_modeltools/training/loop.py", line 51 in run
  File "<frozen runpy>", line 88 in _run_code
"""


def test_the_innermost_frame_and_the_callers_outside_of_libraries_are_shown() -> None:
    assert [str(frame) for frame in telling_frames(STACKS)] == [
        "/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py:2810 in all_reduce",
        "/srv/ogai/l3_modeltools/training/step.py:88 in backward",
        "/srv/ogai/l3_modeltools/training/loop.py:51 in run",
    ]
    assert telling_frames("") == ()


def test_faulthandler_writes_what_is_read() -> None:
    release = threading.Event()
    waiting = threading.Thread(target=release.wait)
    waiting.start()
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file=file, all_threads=True)
        file.seek(0)
        frames = main_frames(file.read())
    release.set()
    waiting.join()
    assert frames[0].function == "test_faulthandler_writes_what_is_read"
    assert frames[0].file.endswith("test_stacks.py")
