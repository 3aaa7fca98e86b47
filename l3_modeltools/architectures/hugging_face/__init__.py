"""Hugging Face's config.json and the `architecture` document, each from the other."""

from l3_modeltools.architectures.hugging_face.translate import (
    MODEL_TYPES,
    parse_hf_config,
    render_hf_config,
)

__all__ = ["MODEL_TYPES", "parse_hf_config", "render_hf_config"]
