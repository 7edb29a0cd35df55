"""Generated files are put in their places; what specwalk did not write is never touched."""

import os
from pathlib import Path

import pytest

from specwalk.errors import BadInput
from specwalk.generate.files import Wanted, owners, put
from specwalk.generate.ours import TRACE_MARK, mark_of_tests
from specwalk.generate.signed import SIGNATURE, UNSIGNED, signed

TESTS = Path("tests/conformance")
TRACES = Path("traces")


def suite_for(model: str, more: str = "") -> str:
    return f"{mark_of_tests(model, 'M.tla')}\n{more}"


def trace_for(model: str) -> str:
    meta = f'{{"{TRACE_MARK}": "{model}", "{SIGNATURE}": "{UNSIGNED}"}}'
    return f'{{"#meta": {meta}, "vars": [], "states": [{{}}]}}\n'


def written(project: Path, files: dict[Path, str], model: str = "tank") -> tuple[list[str], ...]:
    """What was written, unchanged, removed, left."""
    changes = put([Wanted(project=project, model=model, files=files)])
    lists = (changes.written, changes.unchanged, changes.removed, changes.left)
    return tuple([str(file.relative_to(project)) for file in files] for files in lists)


def content(project: Path) -> dict[str, str]:
    return {str(file.relative_to(project)): file.read_text() for file in project.rglob("*") if file.is_file()}


def signed_at(path: Path, text: str) -> dict[Path, str]:
    return {path: signed(text, path)}


FIRST = {
    **signed_at(TESTS / "test_tank.py", suite_for("tank")),
    **signed_at(TRACES / "tank/big/drain.itf.json", trace_for("tank")),
}
PATHS = [*map(str, FIRST)]


def test_a_second_time_nothing_is_written(tmp_path: Path) -> None:
    assert written(tmp_path, FIRST) == (PATHS, [], [], [])
    before = content(tmp_path)
    assert before == {str(path): text for path, text in FIRST.items()}
    times = [file.stat().st_mtime_ns for file in tmp_path.rglob("*")]
    assert written(tmp_path, FIRST) == ([], PATHS, [], [])
    assert [file.stat().st_mtime_ns for file in tmp_path.rglob("*")] == times


def test_a_new_version_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    new = {**FIRST, **signed_at(TESTS / "test_tank.py", suite_for("tank", "new\n"))}
    assert written(tmp_path, new) == (PATHS[:1], PATHS[1:], [], [])
    assert content(tmp_path) == {str(path): text for path, text in new.items()}


@pytest.mark.parametrize("edited", PATHS)
def test_what_was_edited_is_neither_replaced_nor_removed(tmp_path: Path, edited: str) -> None:
    written(tmp_path, FIRST)
    with (tmp_path / edited).open("a") as file:
        file.write("\n")
    before = content(tmp_path)
    with pytest.raises(BadInput, match=f"{edited} is no longer as specwalk wrote it"):
        written(tmp_path, FIRST)
    assert content(tmp_path) == before
    assert written(tmp_path, {}) == ([], [], [path for path in PATHS if path != edited], [edited])
    assert content(tmp_path) == {edited: before[edited]}


def test_copies_under_other_names_stay(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    copies = [PATHS[0].replace("tank", "mine"), PATHS[1].replace("big", "mine")]
    for path, copy in zip(PATHS, copies, strict=True):
        (tmp_path / copy).parent.mkdir(exist_ok=True)
        (tmp_path / copy).write_text((tmp_path / path).read_text())
    assert written(tmp_path, FIRST) == ([], PATHS, [], sorted(copies))
    assert written(tmp_path, {}) == ([], [], sorted(PATHS), sorted(copies))
    assert sorted(content(tmp_path)) == sorted(copies)


def test_a_death_half_way_through_a_file_leaves_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, FIRST)
    before = content(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _: 1 / 0)
    new = {path: text.replace("tank", "tank ") for path, text in FIRST.items()}
    with pytest.raises(ZeroDivisionError):
        written(tmp_path, new)
    assert content(tmp_path) == before


@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("link", [*PATHS, "traces", "tests/conformance"])
def test_nothing_is_written_through_a_link(tmp_path: Path, link: str, dangling: bool) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(elsewhere)
    if not dangling:
        elsewhere.mkdir()
    with pytest.raises(BadInput, match=f"{link} is a symbolic link"):
        written(project, FIRST)
    assert elsewhere.exists() is not dangling
    assert not content(tmp_path)


def test_a_file_where_a_folder_is_wanted_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("")
    (tmp_path / PATHS[0]).mkdir(parents=True)
    with pytest.raises(BadInput, match=r"traces is no folder") as told:
        written(tmp_path, FIRST)
    assert f"{PATHS[0]} is a folder" in str(told.value)
    assert content(tmp_path) == {"traces": ""}


def test_what_is_in_the_way_of_one_model_keeps_all_from_being_written(tmp_path: Path) -> None:
    pump = Path("traces/pump/run.itf.json")
    (tmp_path / pump).parent.mkdir(parents=True)
    (tmp_path / pump).write_text("mine")
    first = Wanted(project=tmp_path, model="tank", files=FIRST)
    second = Wanted(project=tmp_path, model="pump", files={pump: "{}"})
    with pytest.raises(BadInput, match=f"did not write {pump} for pump"):
        put([first, second])
    assert content(tmp_path) == {str(pump): "mine"}


def test_stale_files_are_removed_and_folders_that_are_empty_then(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    kept = signed_at(TESTS / "test_tank_small.py", suite_for("tank"))
    assert written(tmp_path, kept) == ([*map(str, kept)], [], sorted(PATHS), [])
    assert not (tmp_path / "traces").exists()
    assert content(tmp_path) == {str(path): text for path, text in kept.items()}


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = {
        "traces/tank/big/recorded.itf.json": '{"vars": ["x"], "states": [{"x": 1}]}',
        "traces/tank/big/broken.itf.json": "{",
        "traces/tank/big/list.itf.json": "[]",
        "traces/tank/notes.txt": trace_for("tank"),
        "traces/pump/run.itf.json": trace_for("pump"),
        "tests/conformance/test_pump.py": suite_for("pump"),
        "tests/conformance/test_mine.py": f'"""Beside `specwalk regenerate tank`."""\n{suite_for("tank")}',
        "tests/conformance/conftest.py": suite_for("tank"),
        "tests/test_else.py": suite_for("tank"),
    }
    for name, text in others.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    written(tmp_path, FIRST)
    assert written(tmp_path, {}) == ([], [], sorted(PATHS), [])
    assert content(tmp_path) == others
    assert owners(tmp_path) == {"pump"}


@pytest.mark.parametrize(
    "there", ["def test_mine(): ...\n", suite_for("pump")], ids=["mine", "another model's"]
)
def test_a_file_in_the_way_is_bad_input_and_nothing_is_written(tmp_path: Path, there: str) -> None:
    (tmp_path / TESTS).mkdir(parents=True)
    (tmp_path / PATHS[0]).write_text(there)
    with pytest.raises(BadInput, match=r"did not write tests/conformance/test_tank\.py for tank"):
        written(tmp_path, dict(reversed(FIRST.items())))
    assert content(tmp_path) == {PATHS[0]: there}
