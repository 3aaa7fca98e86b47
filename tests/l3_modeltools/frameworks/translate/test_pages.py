import re
from pathlib import Path

from l3_modeltools.frameworks.translate import TABLES
from l3_modeltools.frameworks.translate.pages import fill_in

PAGE = (Path(__file__).parents[4] / "docs" / "strategy.md").read_text()


def test_the_page_has_the_tables_that_translate() -> None:
    assert fill_in(PAGE) == PAGE, "python -m l3_modeltools.frameworks.translate.pages docs/strategy.md"
    assert set(re.findall(r"<!-- fields ([\w-]+) -->", PAGE)) == set(TABLES)


def test_every_table_says_the_commit_it_was_read_at() -> None:
    for table in TABLES.values():
        assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{7} \S+", source) for source in table.sources)


def test_every_field_of_a_strategy_is_in_every_table() -> None:
    paths = [
        {row.path for row in table.rows if not row.path.startswith("practice.")} for table in TABLES.values()
    ]
    assert all(one == paths[0] for one in paths)
    assert {"zero_stage", "micro_batch_size", "recompute.gathering_layers", "degrees.vp"} <= paths[0]
