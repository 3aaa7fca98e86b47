"""Some documents as tokens: what encoding makes, what a part's files hold, what a shard is written from."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from l3_modeltools.data.indexed import Tokens

__all__ = ["Documents"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Documents:
    """Tokens one document after the other, the length of each document, and a mask where there is one."""

    tokens: Tokens
    lengths: npt.NDArray[np.int32]
    mask: npt.NDArray[np.uint8] | None = None

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Documents":
        """Those that are chosen."""
        if chosen.all():
            return self
        of_token = np.repeat(chosen, self.lengths)
        mask = None if self.mask is None else self.mask[of_token]
        return Documents(tokens=self.tokens[of_token], lengths=self.lengths[chosen], mask=mask)

    def cut(self, count: int) -> tuple["Documents", "Documents"]:
        """The first `count`, and the rest."""
        first = np.arange(self.lengths.size) < count
        return self.only(first), self.only(~first)
