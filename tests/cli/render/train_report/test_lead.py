"""The line below the title of a report says how far a run is, after how long at work."""

from msgspec.structs import replace

from l3_modeltools.schemas import Figures
from ogai.render.moment import clock
from ogai.render.train.report.single import describe_lead
from tests.support.runs import SUBMITTED_AT, a_run

NOW = SUBMITTED_AT + 300
RUN = a_run(state="RUNNING", step=12, reason="all is well")


def test_it_says_how_long_the_run_was_at_work_and_since_when() -> None:
    assert describe_lead(RUN, NOW) == "small on this machine, step 12 of 40. All is well."
    worked = replace(RUN, figures=Figures(at_work_s=7380.0))
    assert describe_lead(worked, NOW) == "small on this machine, step 12 of 40, at work 2h3m. All is well."
    going = replace(RUN, figures=Figures(at_work_s=7380.0, at_work_since=NOW - 60))
    assert f", at work 2h3m, now since {clock(NOW - 60)}. All" in describe_lead(going, NOW)
