"""The process that reads and encodes parts: a task a line on stdin, an answer a line on stdout, until stdin ends."""

import os
import signal
import sys
import threading
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import msgspec

from l0_infra.core.errors import OgaiError
from l3_modeltools.data.prepare.messages import Answer, Done, Task, failure_of
from l3_modeltools.data.prepare.parts import cut_parts
from l3_modeltools.data.prepare.trouble import told_of_the_disk
from l3_modeltools.data.prepare.workplace import Scanned, Workplace

if TYPE_CHECKING:
    from l3_modeltools.data.prepare.encode import Encoder

__all__ = ["main"]


class Worker:
    """Does tasks in one workplace."""

    def __init__(self, place: Workplace) -> None:
        self.place = place
        self.origin = place.load_origin()
        self.parts = cut_parts(self.origin)

    @cached_property
    def encoder(self) -> "Encoder":
        """The tokenizer, loaded once."""
        from l3_modeltools.data.prepare.encode import Encoder
        from l3_modeltools.data.prepare.tokenizer import describe_tokenizer, tokenizer_name

        corpus = self.origin.corpus
        known = describe_tokenizer(self.place.tokenizer, tokenizer_name(corpus))
        return Encoder(self.place.tokenizer, known, corpus.format)

    def answer(self, task: Task) -> Answer:
        """Do a task; what a person may see of its failure goes back as the answer."""
        try:
            with told_of_the_disk(self.place.directory):
                return self._do(task)
        except OgaiError as error:
            return failure_of(error)

    def _do(self, task: Task) -> Done:
        if task.stage == "scan":
            from l3_modeltools.data.prepare.scan import scan_part

            scanned = scan_part(self.origin, self.parts[task.part], self.place)
            return Done(part=task.part, documents=scanned.documents)
        if task.stage == "learn":
            from l3_modeltools.data.prepare.learn import place_tokenizer

            notes = [self.place.noted(self.place.scanned(part.index), Scanned) for part in self.parts]
            place_tokenizer(self.origin, self.parts, tuple(note for note in notes if note), self.place)
            return Done(part=task.part)
        from l3_modeltools.data.prepare.encode import encode_part

        encoded = encode_part(self.origin, self.parts[task.part], self.place, self.encoder, task.first)
        return Done(part=task.part, documents=encoded.documents, tokens=encoded.tokens)


def main(directory: str) -> None:
    """Answer tasks until stdin ends; then leave at once, for nobody waits for what is half done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(Workplace(Path(directory)))
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    while True:
        answer = worker.answer(tasks.get())
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def _listen(tasks: "SimpleQueue[Task]") -> None:
    for line in sys.stdin.buffer:
        tasks.put(msgspec.json.decode(line, type=Task))
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
