"""Skeletons: what a model lacks, and whole models, are written out, and nobody's file is touched."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from specwalk.errors import BadInput
from specwalk.gaps import Gaps
from specwalk.generate.quote import quoted
from specwalk.generate.skeleton import write_missing, write_model
from specwalk.graph import Action
from specwalk.project import Binding, load_binding
from specwalk.sany.tree import Location
from tests.harness.command import specwalk
from tests.harness.toy import ROOT, TOY_CFG, TOY_TLA, write_project

GROWN_TLA = (
    TOY_TLA.replace("x, odd\n", "x, odd, far\n")
    .replace("<<x, odd>>", "<<x, odd, far>>")
    .replace("odd = FALSE", "odd = FALSE /\\ far = 0")
    .replace("odd' =", "far' = 0 /\\ odd' =")
    .replace("Next == ", "Next == (\\E n \\in {1}, class \\in {1} : Leap(n, class)) \\/ ")
    .replace(
        "\nNext",
        "\n\\* From the top\n\\* to the ground.\n"
        "Leap(n, class) ==\n  /\\ x = Top /\\ n = class\n  /\\ Move(0)\n\nNext",
    )
)
LEAP = Action(
    name="Leap",
    parameters=("n", "class"),
    location=Location(module="Toy", line=17, column=1, end_line=19, end_column=12),
)
MISSING = '''"""What Toy in toy.py lacks for Toy.tla: move it there, fill it in, delete this file."""

from collections.abc import Mapping

from specwalk.model import NotOffered, action
from specwalk.values import Value


class MissingToy:
    # Toy.tla, line 17:
    # \\* From the top
    # \\* to the ground.
    # Leap(n, class) ==
    #   /\\ x = Top /\\ n = class
    #   /\\ Move(0)
    @action("Leap")
    def leap(self, n: Value, class_: Value) -> None:
        raise NotOffered("Leap is not written yet")

    def observe(self) -> Mapping[str, object]:
        return {
            "far": "not read yet",
        }


# specwalk wrote this file, and may replace it as long as nobody has edited it: '''


@pytest.fixture
def binding(tmp_path: Path) -> Binding:
    write_project(tmp_path, tla=GROWN_TLA)
    return load_binding(str(tmp_path / "model/toy.py"))


def gaps(*actions: Action, variables: Sequence[str] = ()) -> list[Gaps]:
    return [Gaps(model="Toy", actions=actions, variables=tuple(variables))]


def written(binding: Binding, *actions: Action, variables: Sequence[str] = ()) -> str:
    file = write_missing(binding, gaps(*actions, variables=variables))
    assert file is not None
    return file.read_text()


def test_what_is_missing_is_written_out_with_its_definition(binding: Binding) -> None:
    text = written(binding, LEAP, variables=["far"])
    assert text.startswith(MISSING)
    assert len(text.splitlines()) == len(MISSING.splitlines())


def test_instances_lack_the_same_only_once(binding: Binding) -> None:
    file = write_missing(binding, [*gaps(LEAP, variables=["far"]), *gaps(LEAP), *gaps(variables=["far"])])
    assert file is not None
    assert file.read_text().startswith(MISSING)


def test_where_nothing_is_missing_nothing_is_written(binding: Binding) -> None:
    assert write_missing(binding, [Gaps(model="Toy", misfits=("Toy.up is for no action.",))]) is None
    assert [file.name for file in binding.file.parent.glob("*.py")] == ["toy.py"]


def test_one_check_tells_all_and_writes_the_skeleton(tmp_path: Path) -> None:
    grown = GROWN_TLA.replace(" \\/ Stay\n", "\n")
    write_project(tmp_path, tla=grown, cfg=TOY_CFG + "INVARIANT Even\n")
    model = (tmp_path / "model/toy.py").read_text()
    ran = specwalk("check", "toy", project=tmp_path)
    for told in (
        "Toy: TLC: invariant Even violated:\n",
        "Toy: Toy has no method for the action Leap(n, class).\n",
        "Toy: Toy.observe() lacks the variable far.\n",
        "Toy: Toy.stay is for the action Stay, which the spec's Next does not have.",
        "Toy: nothing was walked, for the model does not fit the spec\n",
        "What Toy lacks is written out in model/toy_missing.py: move it into Toy and fill it in.\n",
    ):
        assert told in ran.out
    assert (ran.code, ran.err, ran.left) == (2, "", [])
    assert (tmp_path / "model/toy_missing.py").read_text().startswith(MISSING)
    assert (tmp_path / "model/toy.py").read_text() == model


def test_what_was_moved_and_not_filled_in_says_so(tmp_path: Path) -> None:
    write_project(tmp_path, tla=GROWN_TLA)
    skeleton = MISSING[MISSING.index("    #") : MISSING.index("    def observe")]
    model = (tmp_path / "model/toy.py").read_text()
    observe = "    def observe(self): return {**super().observe(), 'far': 'not read yet'}\n"
    imports = "from specwalk.model import NotOffered\nfrom specwalk.values import Value\n"
    more = imports + model + skeleton + observe
    (tmp_path / "model/toy.py").write_text(more)
    ran = specwalk("walk", "toy", project=tmp_path)
    assert ran.code == 5
    assert 'far: spec 0, implementation "not read yet"' in ran.out
    (tmp_path / "model/toy.py").write_text(more.replace("'not read yet'", "0"))
    ran = specwalk("walk", "toy", project=tmp_path)
    assert ran.code == 5
    assert "Leap(1, 1): the implementation does not offer a step that the spec has.\n" in ran.out
    assert "  Leap is not written yet\n" in ran.out


def test_a_skeleton_that_cannot_be_written_keeps_nothing_else_from_being_told(tmp_path: Path) -> None:
    write_project(tmp_path, tla=GROWN_TLA)
    long = "m" * 250 + ".py"
    (tmp_path / "model/toy.py").rename(tmp_path / "model" / long)
    ran = specwalk("walk", f"model/{long}", project=tmp_path)
    assert (ran.code, ran.err) == (2, "")
    assert "Toy has no method for the action Leap(n, class).\n" in ran.out
    assert "What Toy lacks could not be written out: [Errno 36] File name too long" in ran.out


# Whose file it is


def test_our_own_file_is_replaced(binding: Binding) -> None:
    first = write_missing(binding, gaps(LEAP))
    second = write_missing(binding, gaps(variables=["far"]))
    assert first == second == binding.file.with_name("toy_missing.py")
    assert first is not None
    assert "Leap" not in first.read_text()


@pytest.mark.parametrize("edit", ["", "# mine\n", "in the middle", "carriage returns"])
def test_a_file_that_a_person_wrote_or_edited_is_not_touched(binding: Binding, edit: str) -> None:
    taken = binding.file.with_name("toy_missing.py")
    text = written(binding, LEAP)
    match edit:
        case "in the middle":
            text = text.replace("is not written yet", "is written")
        case "carriage returns":
            text = text.replace("\n", "\r\n")
        case "":
            text = ""
        case _:
            text += edit
    taken.write_bytes(text.encode())
    new = write_missing(binding, gaps(LEAP))
    assert new == binding.file.with_name("toy_missing_2.py")
    assert taken.read_bytes() == text.encode()
    # That one is ours again.
    assert write_missing(binding, gaps(LEAP)) == new


def test_folders_and_links_are_not_touched(binding: Binding, tmp_path: Path) -> None:
    binding.file.with_name("toy_missing.py").mkdir()
    binding.file.with_name("toy_missing_2.py").symlink_to(tmp_path / "nowhere")
    ours = tmp_path / "ours.py"
    ours.write_text(written(binding, LEAP))
    binding.file.with_name("toy_missing_4.py").symlink_to(ours)
    binding.file.with_name("toy_missing_3.py").write_text("")
    assert write_missing(binding, gaps(variables=["far"])) == binding.file.with_name("toy_missing_5.py")
    assert not (tmp_path / "nowhere").exists()
    assert "Leap" in ours.read_text()


# Names


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("EscalateByBudget", "escalate_by_budget"),
        ("Try", "try_"),
        ("SendACK2", "send_ack_2"),
        ("HTTPUp", "http_up"),
        ("r_next", "r_next"),
        ("Inner!Up", "inner_up"),
        ("Next@12:3", "next_12_3"),
        ("2Phase", "_2_phase"),
        # Names that a model uses already.
        ("Restore", "restore_"),
        ("Observe", "observe_"),
        ("Up", "up_"),
    ],
)
def test_methods_have_names_that_python_takes_and_the_model_has_free(
    binding: Binding, name: str, method: str
) -> None:
    text = written(binding, Action(name=name))
    assert f'    @action("{name}")\n    def {method}(self) -> None:\n' in text
    compile(text, "skeleton", "exec")


def test_two_actions_have_two_methods(binding: Binding) -> None:
    text = written(binding, Action(name="SendACK"), Action(name="SendAck"))
    assert '@action("SendACK")\n    def send_ack(self)' in text
    assert '@action("SendAck")\n    def send_ack_(self)' in text


def test_parameters_have_names_of_their_own(binding: Binding) -> None:
    text = written(binding, Action(name="Go", parameters=("n", "self", "n", "2nd")))
    assert "def go(self, n: Value, self_: Value, n_: Value, _2nd: Value) -> None:" in text


def test_actions_of_one_name_have_one_method(binding: Binding) -> None:
    text = written(binding, Action(name="Go", parameters=("n",)), Action(name="Go", parameters=("k", "n")))
    assert text.count("@action") == 1
    assert "def go(self, *arguments: Value) -> None:" in text


# Quotations

SOURCE = """---- MODULE M ----
(* One. *)

Alone == TRUE
(**********)
(* Boxed. *)
(**********)
Boxed == TRUE\x20
(* Over
   two lines. *)
\\* And one.
Long ==\tTRUE

===="""


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (4, ["Alone == TRUE"]),
        (8, ["(**********)", "(* Boxed. *)", "(**********)", "Boxed == TRUE"]),
        (12, ["(* Over", "   two lines. *)", "\\* And one.", "Long == TRUE"]),
        (2, ["(* One. *)"]),
    ],
)
def test_a_definition_is_quoted_with_the_comments_right_above(
    tmp_path: Path, line: int, text: list[str]
) -> None:
    (tmp_path / "M.tla").write_text(SOURCE)
    location = Location(module="M", line=line, column=1, end_line=line, end_column=9)
    assert list(quoted(tmp_path, location)) == [f"M.tla, line {line}:", *text]


def test_what_stands_nowhere_here_is_not_quoted(tmp_path: Path) -> None:
    location = Location(module="M", line=1, column=1, end_line=1, end_column=9)
    assert quoted(tmp_path, location) == quoted(tmp_path, None) == ()


# Whole models


def test_a_model_is_begun_for_a_spec_that_has_none(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "model/toy.py").unlink()
    (tmp_path / "spec/Toy_big.cfg").write_text(TOY_CFG)
    ran = specwalk("check", "toy", project=tmp_path)
    assert ran.code == 2
    assert "There is a spec: `specwalk skeleton spec/Toy.tla` begins a model for it.\n" in ran.err

    ran = specwalk("skeleton", "spec/Toy.tla", project=tmp_path)
    assert (ran.code, ran.err, ran.left) == (0, "", [])
    assert ran.out == "model/toy.py is written: fill it in, then run `specwalk check toy`.\n"
    text = (tmp_path / "model/toy.py").read_text()
    assert 'class ToyModel(Model):\n    spec = "../spec/Toy.tla"\n    instances = ("", "big")\n' in text
    assert "        # self.constants has Top.\n" in text
    for method in ("up(self)", "down(self)", "jump(self, n: Value)", "stay(self)"):
        assert f"    def {method} -> None:\n" in text
    assert '            "x": "not read yet",\n            "odd": "not read yet",\n        }\n' in text
    ran = specwalk("walk", "toy", "--instance", "big", project=tmp_path)
    assert ran.code == 5
    assert "the implementation does not start in the initial state" in ran.out


def test_a_model_that_is_there_is_not_touched(tmp_path: Path) -> None:
    write_project(tmp_path)
    before = (tmp_path / "model/toy.py").read_text()
    with pytest.raises(BadInput, match=r"There is a model .*/model/toy.py already: `specwalk check toy`"):
        write_model(tmp_path / "spec/Toy.tla")
    assert (tmp_path / "model/toy.py").read_text() == before


def test_a_spec_without_configuration_is_told(tmp_path: Path) -> None:
    (tmp_path / "Toy.tla").write_text(TOY_TLA)
    with pytest.raises(BadInput, match=r"no configuration for Toy.tla: write Toy.cfg beside it first"):
        write_model(tmp_path / "Toy.tla")
    assert [file.name for file in tmp_path.iterdir()] == ["Toy.tla"]


def test_a_spec_outside_of_a_folder_spec_has_its_model_below(tmp_path: Path) -> None:
    (tmp_path / "Toy.tla").write_text(TOY_TLA)
    for name in ("low", "big", "wide", "all"):
        (tmp_path / f"Toy_{name}.cfg").write_text(TOY_CFG)
    assert write_model(tmp_path / "Toy.tla") == tmp_path / "model/toy.py"
    text = (tmp_path / "model/toy.py").read_text()
    assert '    spec = "../Toy.tla"\n    instances = ("all", "big", "low", "wide")\n' in text


@pytest.fixture
def skeletons(binding: Binding, tmp_path: Path) -> list[str]:
    """A file of each shape: a whole model of one and of more instances, and what may be missing."""
    apart = tmp_path / "apart"
    apart.mkdir()
    (apart / "Toy.tla").write_text(GROWN_TLA)
    (apart / "Toy_big.cfg").write_text(TOY_CFG)
    files = [write_model(apart / "Toy.tla").rename(tmp_path / "one.py")]
    (apart / "Toy.cfg").write_text(TOY_CFG)
    files.append(write_model(apart / "Toy.tla").rename(tmp_path / "more.py"))
    shapes = (gaps(LEAP, variables=["far"]), gaps(LEAP), gaps(variables=["far"]), gaps(Action(name="Go")))
    for number, shape in enumerate(shapes):
        missing = write_missing(binding, shape)
        assert missing is not None
        files.append(missing.rename(tmp_path / f"missing_{number}.py"))
    return [str(file) for file in files]


@pytest.mark.parametrize("command", [("check",), ("format", "--check")])
def test_skeletons_are_clean_for_ruff(skeletons: list[str], command: tuple[str, ...]) -> None:
    config = f"--config={ROOT / 'pyproject.toml'}"
    ran = subprocess.run(
        [sys.executable, "-m", "ruff", *command, config, *skeletons],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.deep
def test_skeletons_are_typed(skeletons: list[str], tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *skeletons],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
