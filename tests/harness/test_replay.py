"""The body of a snippet: what it takes for a difference, on an implementation that conforms."""

from pathlib import Path

import pytest

from specwalk.errors import BadInput
from specwalk.replay import NoValue, reproduce
from tests.harness import toy
from tests.harness.toy import write_project

X0, X1, X2 = ({"x": str(n), "odd": str(n % 2 == 1).upper()} for n in range(3))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replay(*steps: str, allowed: list[dict[str, str]], start: dict[str, str] = X0, **more: object) -> None:
    reproduce(model="toy", config="Toy.cfg", start=start, steps=steps, allowed=allowed, **more)  # type: ignore[arg-type]


def test_what_conforms_passes() -> None:
    replay(allowed=[X0])
    replay("Jump(2)", "Down", allowed=[X0, X1])
    replay("Down", start=X2, allowed=[X1])


def test_landing_elsewhere_fails() -> None:
    with pytest.raises(AssertionError):
        replay("Up", "Up", allowed=[X0, X1])


def test_a_step_that_is_not_offered_fails() -> None:
    with pytest.raises(AssertionError, match=r"Down is not offered: the counter refuses"):
        replay("Down", allowed=[X0])


def test_only_a_step_that_is_tried_may_be_refused() -> None:
    replay("Up", "try Jump(2)", allowed=[X1])
    replay("try Down", "Up", "try Jump(2)", "Down", allowed=[X0])
    with pytest.raises(AssertionError, match=r"Jump\(2\) is not offered"):
        replay("Up", "Jump(2)", "try Down", allowed=[X0])


def test_a_refusal_that_changed_something_fails(project: Path) -> None:
    write_project(project, toy.JumpsAndDenies)
    with pytest.raises(AssertionError):
        replay("Up", "try Jump(1)", allowed=[X1])


def test_durable_content_must_be_the_same(project: Path) -> None:
    replay("Up", "Down", allowed=[X0], same_as_start=X0, same_as=())
    write_project(project, toy.LogsDown)
    replay("Up", "Down", allowed=[X0], same_as_start=X1, same_as=("Down",))
    with pytest.raises(AssertionError):
        replay("Up", "Down", allowed=[X0], same_as_start=X0, same_as=())


def test_what_is_no_value_fails(project: Path) -> None:
    write_project(project, toy.LacksThree)
    with pytest.raises(NoValue, match=r"x: None \(NoneType\) is not a TLA\+ value"):
        replay("Up", start=X2, allowed=[X1])


def test_a_model_that_is_gone_is_bad_input(project: Path) -> None:
    (project / "model/toy.py").unlink()
    with pytest.raises(BadInput, match="No model named 'toy'"):
        replay(allowed=[X0])
