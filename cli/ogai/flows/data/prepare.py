"""A corpus, as a document or its file, becomes a data set of this person."""

from collections.abc import Callable, Sequence
from pathlib import Path

from l0_infra.core.documents import place_faults, read_document
from l0_infra.core.errors import DocumentError
from l3_modeltools import Prepared, Progress, prepare_dataset
from l3_modeltools.schemas import Corpus
from ogai.flows.data.place import cpus, datasets_folder

__all__ = ["prepare"]

Report = Callable[[Progress], None]


def prepare(
    corpus: Corpus | Path | str,
    *,
    settings: Sequence[str] = (),
    base: Path | None = None,
    workers: int | None = None,
    replace: bool = False,
    report: Report = lambda progress: None,
) -> Prepared:
    """Prepare a corpus under its name in `OGAI_HOME/datasets`, or go on where an earlier call was interrupted.

    Paths in it are relative to its file, or to `base` (null: the current directory) where there is none. `settings`
    are laid over the file (`tokenizer.vocab_size=8192`). A data set made from the same is returned as it is; one
    made from something else is moved aside if `replace`, else UsageError. Raises DocumentError with all faults,
    UnsatisfiableError for a corpus that cannot become a data set, EngineError while another prepare is at it,
    MachineError for a full disk.
    """
    if isinstance(corpus, Corpus):
        return _prepare(corpus, base or Path.cwd(), workers, replace, report)
    file = Path("/dev/stdin") if str(corpus) == "-" else Path(corpus)
    wish = read_document(file, expect=Corpus, settings=settings)
    folder = Path.cwd() if str(corpus) == "-" else file.absolute().parent
    try:
        return _prepare(wish, base or folder, workers, replace, report)
    except DocumentError as error:
        if error.document != f"corpus {wish.name}":
            raise
        raise place_faults(file, error.faults, settings=settings) from error


def _prepare(corpus: Corpus, base: Path, workers: int | None, replace: bool, report: Report) -> Prepared:
    return prepare_dataset(
        corpus,
        datasets_folder() / corpus.name,
        base=base,
        workers=workers or cpus(),
        report=report,
        replace=replace,
    )
