"""A page of HTML as a reader that believes nothing sees it."""

from collections.abc import Sequence
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "img", "link", "hr", "input"})
LOADING = frozenset({"src", "href", "data", "poster", "srcset", "action"})

Attributes = Sequence[tuple[str, str | None]]


class Seen(HTMLParser):
    """What stands in a page: its tags, ids, attributes, its text by tag; fails where tags do not close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.cells: list[str] = []
        self.text = ""
        self.code = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, self._open

    @property
    def ids(self) -> list[str]:
        """The ids of all elements."""
        return [value for _, name, value in self.attributes if name == "id"]

    @property
    def loads(self) -> list[str]:
        """What a browser would fetch: all that is no place on the page itself."""
        return [value for _, name, value in self.attributes if name in LOADING and not value.startswith("#")]

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style"):
            self.code += data
            return
        self.text += data
        if "td" in self._open:
            self.cells[-1] += data
