"""Chats become text by a Jinja template, in the words that Hugging Face's templates expect."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

import jinja2
from jinja2.ext import Extension
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["CHATML", "ChatTemplate", "Message"]

Message = Mapping[str, object]
"""`role` and `content`, and whatever else the template reads."""

CHATML = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{% endif -%}
"""
"""The template of a tokenizer that has none; `<|im_start|>` and `<|im_end|>` are its tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatTemplate:
    """A template, and the special tokens that it may name.

    The clock is not offered (`strftime_now`), so that a chat is the same text on any day; tools are none.
    """

    source: str = CHATML
    bos_token: str = ""
    eos_token: str = ""

    def render(self, messages: Sequence[Message], *, add_generation_prompt: bool = False) -> str:
        """Write the messages as text, with the begin of an answer on request. Raises jinja2.TemplateError."""
        return compiled(self.source).render(
            messages=messages,
            add_generation_prompt=add_generation_prompt,
            bos_token=self.bos_token,
            eos_token=self.eos_token,
            tools=None,
            documents=None,
        )


class GenerationBlocks(Extension):
    """`{% generation %} … {% endgeneration %}`, by which some templates mark answers, is its content."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> list[Node]:
        """Leave the marks out."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


@lru_cache(maxsize=16)
def compiled(source: str) -> jinja2.Template:
    """Compile a template in a sandbox: it comes with a tokenizer, from strangers."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = raise_exception
    return environment.from_string(source)


def to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON without escaping for HTML, which Jinja's own filter does."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def raise_exception(message: str) -> NoReturn:
    """Let a template refuse a chat."""
    raise jinja2.TemplateError(message)
