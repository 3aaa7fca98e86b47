"""What a training teaches: text, answers, or preferences."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from l0_infra.core.documents import Part

__all__ = ["Dpo", "Pretrain", "Sft"]


class Pretrain(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="pretrain"):
    """Predict the next token of text."""

    data_format: ClassVar[Literal["text"]] = "text"


class Sft(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="sft"):
    """Predict the answers in chats."""

    data_format: ClassVar[Literal["chat"]] = "chat"

    loss_on: Annotated[Literal["assistant", "all"], Meta(description="Whose tokens count in the loss.")] = (
        "assistant"
    )


class Dpo(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="dpo"):
    """Prefer the chosen answer to the rejected one (arXiv:2305.18290)."""

    data_format: ClassVar[Literal["preference"]] = "preference"

    beta: Annotated[float, Meta(gt=0, description="How close it stays to the first weights.")] = 0.1
