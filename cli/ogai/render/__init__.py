"""How results reach people and programs: tables, documents, questions. stdout carries the result only."""

from ogai.render.ask import confirm
from ogai.render.emit import Output, emit, output_option
from ogai.render.table import Column, console, print_fields, print_table

__all__ = ["Column", "Output", "confirm", "console", "emit", "output_option", "print_fields", "print_table"]
