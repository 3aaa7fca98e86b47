"""`cluster up` killed at places that chance chooses: the next run finishes, and then all holds."""

from bringup.begun import Begun
from bringup.stage import Stage, hold_all, kill_tree, until

__all__ = ["prove_kills", "prove_rivals"]


def prove_kills(stage: Stage, kills: int) -> None:
    """Kill a bring-up, finish it by another run; then take the cluster down, and the same again."""
    for number in range(kills):
        if number:
            down = stage.cluster.cluster("down", "--yes")
            stage.expect("a cluster is taken down", down, 0)
        _kill_one(stage, alone=stage.rng.random() < 0.3)
        stage.expect("the run after a kill finishes", stage.cluster.up(), 0)
        hold_all(stage)


def _kill_one(stage: Stage, *, alone: bool) -> None:
    """Kill a run with all that it started, or (`alone`) so that ansible-playbook goes on by itself."""
    begun = Begun(stage.cluster)
    place = begun.await_place(stage.rng)
    if begun.process.poll() is not None:
        stage.ledger.done["runs that ended before they were killed"] += 1
        return
    if alone:
        begun.process.kill()
    killed = 1 if alone else kill_tree(begun.process.pid)
    begun.process.wait()
    stage.ledger.done["kills of ogai alone" if alone else "kills of ogai and all it started"] += 1
    stage.tell(f"killed {killed} processes, {place}")


def prove_rivals(stage: Stage) -> None:
    """Begin a second run while one is at work: it is refused and says whose run that is, the first is not disturbed."""
    begun = Begun(stage.cluster, words=("--full",))
    until(lambda: begun.steps() > 0 or begun.process.poll() is not None)
    second = stage.cluster.up()
    stage.ledger.done["second runs at the same time"] += 1
    stage.expect("a second run at the same time is refused", second, 5)
    named = str(begun.process.pid) in second.err
    stage.check("who refuses says which run is at work", *([] if named else [second.err[-300:]]))
    stage.expect("the first of two runs finishes", begun.end(), 0)
    hold_all(stage)
