"""A corpus becomes a data set under its name: whole, once, and never in place of one that a run may use."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from l3_modeltools.data.dataset import MANIFEST
from l3_modeltools.data.prepare.inputs import find_origin
from l3_modeltools.data.prepare.publish import (
    begin,
    load_manifest,
    locked,
    move_aside,
    prepared_already,
    publish,
    staging_of,
)
from l3_modeltools.data.prepare.stages import Report, Stages
from l3_modeltools.data.prepare.trouble import told_of_the_disk
from l3_modeltools.data.prepare.workplace import Workplace
from l3_modeltools.schemas import Corpus, Dataset

__all__ = ["Prepared", "prepare_dataset"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A data set: where, whether it was there already, where an earlier one of its name is now, what to tell."""

    dataset: Dataset
    manifest: Path
    unchanged: bool = False
    earlier: Path | None = None
    notes: tuple[str, ...] = ()


def prepare_dataset(
    corpus: Corpus,
    directory: Path,
    *,
    base: Path,
    workers: int,
    report: Report,
    replace: bool = False,
) -> Prepared:
    """Prepare `corpus`, whose relative names begin at `base`, as the data set at `directory`.

    A data set made from the same is returned as it is; what an interrupted call did is gone on with. Raises
    DocumentError and UnsatisfiableError for a corpus that cannot become one, UsageError when `directory` was made
    from something else and is not to be replaced, EngineError when another call is at it, MachineError for the disk.
    """
    base, directory = base.absolute(), directory.absolute()
    origin = find_origin(corpus, base)
    manifest = directory / MANIFEST
    with told_of_the_disk(directory), locked(directory) as lock:
        there = None if replace else prepared_already(directory, origin)
        if there:
            return Prepared(dataset=there, manifest=manifest, unchanged=True)
        place = Workplace(staging_of(directory))
        begin(place, origin)
        notes: tuple[str, ...] = ()
        if not place.manifest.exists():
            stages = Stages(origin=origin, base=base, place=place, workers=workers, lock=lock, report=report)
            dataset, notes = stages.run()
            publish(place, dataset)
        shutil.rmtree(place.work, ignore_errors=True)
        earlier = move_aside(directory)
        place.directory.rename(directory)
    return Prepared(dataset=load_manifest(manifest), manifest=manifest, earlier=earlier, notes=notes)
