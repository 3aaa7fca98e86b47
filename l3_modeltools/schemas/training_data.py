"""Which samples a training sees in which step: a function of these fields, the manifests and the step."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Positive, Text, repeated
from l0_infra.core.errors import Fault

__all__ = ["MixturePart", "TrainingData"]


class MixturePart(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One data set's share of the samples."""

    dataset: Annotated[Text, Meta(description="Name of a prepared data set, or the path of its manifest.")]
    weight: Annotated[
        float, Meta(ge=0, description="Its share, relative to the other weights; 0: none of it.")
    ] = 1.0


class TrainingData(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data, and how it is cut into samples and batches."""

    mixture: Annotated[tuple[MixturePart, ...], Meta(min_length=1, description="Data sets with weights.")]
    sequence_length: Annotated[Positive, Meta(description="Tokens of a sample.")]
    global_batch_size: Annotated[Positive, Meta(description="Samples of a step, over all ranks.")]
    respect_documents: Annotated[
        bool, Meta(description="Whether attention stops at the documents' boundaries in a packed sample.")
    ] = False
    seed: Annotated[Count, Meta(description="Chooses the order of samples, and the first weights.")] = 0

    def faults(self) -> Iterator[Fault]:
        """Yield data sets listed twice, and weights that are all 0."""
        yield from repeated("mixture", "dataset", [part.dataset for part in self.mixture])
        if not any(part.weight for part in self.mixture):
            yield Fault(path=("mixture",), found="weights that are all 0", expected="a weight above 0")
