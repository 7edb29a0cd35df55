"""What a model offers to the harness, and what is said where a part of it is not written."""

import pytest

from specwalk.errors import BadInput
from specwalk.model import Model, NotOffered, action
from specwalk.replay import Driver
from tests.harness.toy import SnapshotModel, ToyModel


class Mover(Model):
    @action("Up")
    def rise(self) -> None:
        raise NotOffered("nothing to climb")

    @action("MoveTo!Place")
    def move(self, start: int, *rest: int) -> None:
        assert (start, rest) == (1, (2,))


def test_methods_are_known_by_their_actions() -> None:
    assert Mover.actions() == {"Up": "rise", "MoveTo!Place": "move"}


def test_a_step_that_is_not_offered_gives_its_reason() -> None:
    driver = Driver(Mover({}), ())
    assert driver.perform(driver.bind("Up", ())) == "nothing to climb"
    assert driver.perform(driver.bind("MoveTo!Place", (1, 2))) is None


@pytest.mark.parametrize("part", ["start", "observe"])
def test_the_parts_that_every_model_has_to_write(part: str) -> None:
    arguments = ({},) if part == "start" else ()
    with pytest.raises(BadInput, match=rf"Mover has no {part}\(\): write"):
        getattr(Mover({}), part)(*arguments)


def test_snapshots_are_there_only_with_both_methods() -> None:
    class Half(ToyModel):
        def snapshot(self) -> object:
            return 1

    assert SnapshotModel.has_snapshots()
    assert not ToyModel.has_snapshots()
    assert not Half.has_snapshots()
