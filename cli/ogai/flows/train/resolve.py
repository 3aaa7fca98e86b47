"""What a training document refers to, found and read: its architecture, its data sets, its paths made whole."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UnsatisfiableError, describe_os_error
from l3_modeltools import parse_hf_config, preset, resolve_command
from l3_modeltools.schemas import (
    Architecture,
    ConfigFile,
    Dataset,
    MixturePart,
    Preset,
    Train,
    TrainedModel,
    TrainingData,
)

__all__ = ["Resolved", "resolve"]

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
"""What Hugging Face calls a model's tensors in one file, and the list of several."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """A training that refers to nothing relative any more, and the manifests of its data sets in its order.

    `init_from` is the architecture of the weights it begins with.
    """

    train: Train
    architecture: Architecture | None
    init_from: Architecture | None
    datasets: tuple[Dataset, ...]


def resolve(train: Train, *, base: Path, home: Path) -> Resolved:
    """Find what `train` names, relative to `base`, the data sets by name in `home`.

    Raises UnsatisfiableError for what is not there, DocumentError for a manifest or config.json that is damaged.
    """
    model = resolve_model(train.model, base) if train.model else None
    data, datasets = resolve_data(train.data, base, home) if train.data else (None, ())
    architecture = model.architecture if model else None
    init_from = read_first_weights(Path(model.init_from)) if model and model.init_from else None
    return Resolved(
        train=resolve_command(
            msgspec.structs.replace(train, model=model, data=data), base=base, here=Path.cwd()
        ),
        architecture=architecture if isinstance(architecture, Architecture) else None,
        init_from=init_from,
        datasets=datasets,
    )


def resolve_model(model: TrainedModel, base: Path) -> TrainedModel:
    """Put the architecture itself in the place of what names it, and make `init_from` absolute."""
    init_from = (base / model.init_from).expanduser().resolve() if model.init_from else None
    return msgspec.structs.replace(
        model,
        architecture=resolve_architecture(model, init_from, base),
        init_from=str(init_from) if init_from else None,
    )


def resolve_architecture(model: TrainedModel, init_from: Path | None, base: Path) -> Architecture:
    """Read the architecture from wherever it stands; without one, from beside the first weights."""
    match model.architecture:
        case Architecture() as architecture:
            return architecture
        case Preset(name=name):
            return preset(name)
        case ConfigFile(path=path):
            return read_config((base / path).expanduser().resolve())
        case None:
            return read_config(init_from or base)


def read_first_weights(directory: Path) -> Architecture:
    """Read the architecture of the weights in a directory; that they are whole is seen when they are loaded."""
    architecture = read_config(directory)
    if not any((directory / name).is_file() for name in WEIGHTS):
        raise UnsatisfiableError(
            str(directory), found="no model.safetensors", expected="a directory with config.json and weights"
        )
    return architecture


def read_config(path: Path) -> Architecture:
    """Read Hugging Face's config.json, given as the file or its directory."""
    file = path / "config.json" if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnsatisfiableError(
            str(file),
            found=describe_os_error(error),
            expected="a config.json as Hugging Face writes it",
        ) from error
    except UnicodeDecodeError as error:
        raise UnsatisfiableError(str(file), found="bytes that are not UTF-8", expected="JSON text") from error
    return parse_hf_config(text, where=str(file))


def resolve_data(data: TrainingData, base: Path, home: Path) -> tuple[TrainingData, tuple[Dataset, ...]]:
    """Put the path of each manifest in the place of its name, and read them."""
    from l3_modeltools import find_dataset

    manifests = [find_dataset(part.dataset, home=home, base=base) for part in data.mixture]
    mixture = tuple(
        MixturePart(dataset=str(path), weight=part.weight)
        for path, part in zip(manifests, data.mixture, strict=True)
    )
    return msgspec.structs.replace(data, mixture=mixture), tuple(
        read_document(path, expect=Dataset) for path in manifests
    )
