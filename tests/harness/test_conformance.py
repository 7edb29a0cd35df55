"""What generated tests are made of, written by hand."""

from pathlib import Path
from unittest import SkipTest

import pytest

from specwalk.conformance import Becomes, Behaviour
from specwalk.errors import BadInput
from specwalk.values import Function
from tests.harness.toy import write_project

RECORDS = """
from specwalk.model import Model, action

class Records(Model):
    spec = "../spec/Toy.tla"

    def start(self, initial):
        self.state = dict(initial)

    @action("Set")
    def set(self, name, value):
        self.state[name] = value

    def observe(self):
        return self.state
"""


@pytest.fixture
def behaviour(tmp_path: Path) -> Behaviour:
    """An implementation that sets a variable to a value."""
    write_project(tmp_path)
    (tmp_path / "model/toy.py").write_text(RECORDS)
    return Behaviour(tmp_path / "model/toy.py", "Toy.cfg", held={0: "a", 1: "b"}, queue=(1, 2), flag=False)


def test_of_a_function_the_entries_named_change(behaviour: Behaviour) -> None:
    behaviour.step("Set", "held", {0: "a", 1: "c"}, held={1: "c"})
    behaviour.step("Set", "held", {0: "a", 1: "c"})
    assert behaviour.states[-1] == (Function({0: "a", 1: "c"}), (1, 2), False)
    with pytest.raises(AssertionError, match=r'(?s)step 3: .*held: spec \(0 :> "a" @@ 1 :> "d"\), impl'):
        behaviour.step("Set", "held", {0: "x", 1: "d"}, held={1: "d"})


def test_a_function_is_replaced_as_a_whole(behaviour: Behaviour) -> None:
    behaviour.step("Set", "held", {0: "a"}, held=Becomes({0: "a"}))
    behaviour.step("Set", "queue", {"n": 1}, queue=Becomes({"n": 1}))
    with pytest.raises(AssertionError, match="step 3"):
        behaviour.step("Set", "held", {0: "a", 7: "b"}, held=Becomes({0: "a"}))


def test_what_is_not_named_must_stay(behaviour: Behaviour) -> None:
    with pytest.raises(AssertionError, match="flag: spec FALSE, implementation TRUE"):
        behaviour.step("Set", "flag", True)


def test_truth_values_are_no_numbers(behaviour: Behaviour) -> None:
    with pytest.raises(BadInput, match="return bool for TRUE and FALSE"):
        behaviour.step("Set", "flag", 1, flag=True)


def test_what_else_is_allowed_holds_for_one_step(behaviour: Behaviour) -> None:
    behaviour.or_else(flag=True)
    behaviour.step("Set", "flag", False)
    with pytest.raises((AssertionError, SkipTest), match="step 2") as raised:
        behaviour.step("Set", "flag", True)
    assert raised.type is AssertionError


def test_what_cannot_be_meant_is_bad_input(behaviour: Behaviour) -> None:
    with pytest.raises(BadInput, match="no variable other; there are held, queue, flag"):
        behaviour.step("Set", "flag", True, other=1)
    with pytest.raises(BadInput, match=r"held has no such entries: .* write held=Becomes\(\{7: 'c'\}\)"):
        behaviour.step("Set", "flag", True, held={7: "c"})
    with pytest.raises(BadInput, match=r"queue has no such entries"):
        behaviour.step("Set", "flag", True, queue={1: 7})
    with pytest.raises(BadInput, match=r"Records has no method for the action Get"):
        behaviour.step("Get")
