"""What a model must have, and what is said where it lacks it."""

import pytest

from specwalk.errors import BadInput
from specwalk.graph import Action
from specwalk.model import Model, NotOffered, action, missing_parts
from specwalk.replay import Driver
from tests.harness.toy import SnapshotModel, ToyModel

UP, MOVE = Action(name="Up"), Action(name="MoveTo!Place", parameters=("from", "to"))


class Mover(Model):
    @action("Up")
    def rise(self) -> None:
        raise NotOffered("nothing to climb")

    @action("MoveTo!Place")
    def move(self, start: int, *rest: int) -> None:
        assert (start, rest) == (1, (2,))


def test_a_complete_model_lacks_nothing() -> None:
    assert missing_parts(Mover, [UP, MOVE]) == []
    assert Mover.actions() == {"Up": "rise", "MoveTo!Place": "move"}


def test_a_missing_method_is_written_out() -> None:
    (problem,) = missing_parts(Model, [MOVE])
    assert problem.splitlines()[:4] == [
        "Model has no method for the action MoveTo!Place. Add:",
        "",
        '    @action("MoveTo!Place")',
        "    def move_to_place(self, from_, to) -> None:",
    ]


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("EscalateByBudget", "escalate_by_budget"),
        ("Try", "try_"),
        ("SendACK2", "send_ack_2"),
        ("HTTPUp", "http_up"),
        ("r_next", "r_next"),
        ("Inner!Up", "inner_up"),
    ],
)
def test_suggested_methods_have_names_that_python_takes(name: str, method: str) -> None:
    (problem,) = missing_parts(Model, [Action(name=name)])
    assert f"def {method}(self) -> None:" in problem


def test_a_method_with_other_parameters_is_corrected() -> None:
    wide = Action(name="Up", parameters=("n",))
    assert missing_parts(Mover, [wide, MOVE]) == ["Mover.rise must take (self, n) for the action Up."]


def test_a_method_for_no_action_is_named() -> None:
    (problem,) = missing_parts(Mover, [UP])
    assert problem.startswith(
        "Mover.move is for the action MoveTo!Place, which the spec's Next does not have."
    )


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
