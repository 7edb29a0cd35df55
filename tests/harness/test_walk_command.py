"""`specwalk walk` with --tours, --random and --to: what a user sees of walks from the start."""

import json
from pathlib import Path

from click.testing import CliRunner

from specwalk.cli.walk import walk
from specwalk.errors import ExitCode
from tests.harness import toy
from tests.harness.command import specwalk
from tests.harness.toy import ROOT, write_project


def test_tours_are_as_short_as_is_proved_to_be_possible(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("walk", "toy", "--tours", "--json", "verdict.json", project=tmp_path)
    assert ran.code == ExitCode.OK, ran.out + ran.err
    assert "OK: 8 steps from the start agree with the spec; what it forbids was not tried." in ran.out
    [toured] = json.loads((tmp_path / "verdict.json").read_text())["instances"]
    # By hand: one walk; a walk for each transition by itself takes 1 for those of 0, 2 for those of 1
    # and 2 (Jump(2) leads there), and 3 for those of 3.
    assert toured["plan"] == {
        "steps planned": 8,
        "least possible, as proved": 8,
        "by a shortest way for each": 1 + 1 + 2 * 4 + 3 * 2,
    }
    assert (toured["walks"], toured["transitions_taken"], toured["divergences"]) == (1, 8, 0)
    assert not ran.left


def test_random_walks_find_a_fault_and_the_rest_is_taken_all_the_same(tmp_path: Path) -> None:
    write_project(tmp_path, toy.RaisesAtTwo)
    ran = specwalk(
        "walk", "toy", "--random", "3", "--seed", "1", "--rest", "--json", "v.json", project=tmp_path
    )
    assert ran.code == ExitCode.DIVERGENCE
    assert "toy at Toy.cfg: Up: the implementation raised an error." in ran.out
    assert "two is too much" in ran.out
    assert "Toy: transitions that diverged: 1\n" in ran.out
    assert "Toy: transitions not reached, behind those or behind a choice that was rare: 2\n" in ran.out
    [walked] = json.loads((tmp_path / "v.json").read_text())["instances"]
    assert (walked["transitions_taken"], walked["plan"]["seed"]) == (5, 1)


def test_a_walk_to_a_state(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("walk", "toy", "--to", "odd and x > 1", project=tmp_path)
    assert ran.code == ExitCode.OK
    assert "Toy: odd and x > 1 is reached by Jump(2), Up." in ran.out


def test_a_goal_out_of_reach_is_not_reached(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("walk", "toy", "--to", "Jump(1)", project=tmp_path)
    assert ran.code == ExitCode.NOT_REACHED
    assert "Toy: Jump(1) is out of reach at these bounds." in ran.out


def test_one_way_to_walk_at_a_time(tmp_path: Path) -> None:
    ran = specwalk("walk", "toy", "--tours", "--to", "Up", project=tmp_path)
    assert ran.code == ExitCode.BAD_INPUT
    assert "one of --tours, --random, --to and --trace" in ran.err
    ran = specwalk("walk", "toy", "--seed", "3", project=tmp_path)
    assert ran.code == ExitCode.BAD_INPUT
    assert "give --random N too" in ran.err


def test_a_trace_goes_to_the_instance_at_which_it_was_made() -> None:
    trace = ROOT / "traces/custody/deadline/lose_ack_x3.itf.json"
    ran = CliRunner().invoke(walk, ["custody", "--trace", str(trace)], standalone_mode=False)
    assert ran.return_value is ExitCode.OK
    assert "deadline" in ran.output
    assert "3/28" in ran.output
    assert "single" not in ran.output


def test_a_model_with_gaps_cannot_go(tmp_path: Path) -> None:
    write_project(tmp_path, more="    stay = None\n")
    ran = specwalk("walk", "toy", "--tours", project=tmp_path)
    assert ran.code == ExitCode.BAD_INPUT
    assert "Toy has no method for the action Stay." in ran.err
    assert "`specwalk check toy` writes out what is missing." in ran.err
