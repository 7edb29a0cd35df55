"""Generated files are put in their places; what specwalk did not write is never touched."""

from pathlib import Path

import pytest

from specwalk.errors import BadInput
from specwalk.generate.files import Changes, owners, put
from specwalk.generate.ours import TRACE_MARK, mark_of_tests

TESTS = Path("tests/conformance")
TRACES = Path("traces")


def suite_for(model: str, more: str = "") -> str:
    return f"{mark_of_tests(model, 'M.tla')}\n{more}"


def trace_for(model: str) -> str:
    return f'{{"#meta": {{"{TRACE_MARK}": "{model}"}}, "vars": [], "states": [{{}}]}}\n'


def written(project: Path, files: dict[Path, str], model: str = "tank") -> tuple[list[str], ...]:
    changes = Changes()
    put(project, files, model, changes)
    lists = (changes.written, changes.unchanged, changes.removed)
    return tuple([str(file.relative_to(project)) for file in files] for files in lists)


def content(project: Path) -> dict[str, str]:
    return {str(file.relative_to(project)): file.read_text() for file in project.rglob("*") if file.is_file()}


FIRST = {
    TESTS / "test_tank.py": suite_for("tank"),
    TRACES / "tank/big/drain.itf.json": trace_for("tank"),
}
PATHS = [*map(str, FIRST)]


def test_a_second_time_nothing_is_written(tmp_path: Path) -> None:
    assert written(tmp_path, FIRST) == (PATHS, [], [])
    before = content(tmp_path)
    assert before == {str(path): text for path, text in FIRST.items()}
    times = [file.stat().st_mtime_ns for file in tmp_path.rglob("*")]
    assert written(tmp_path, FIRST) == ([], PATHS, [])
    assert [file.stat().st_mtime_ns for file in tmp_path.rglob("*")] == times


def test_what_was_edited_is_written_anew(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    (tmp_path / PATHS[0]).write_text(suite_for("tank", "edited\n"))
    assert written(tmp_path, FIRST) == (PATHS[:1], PATHS[1:], [])


def test_stale_files_are_removed_and_folders_that_are_empty_then(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    kept = {TESTS / "test_tank_small.py": suite_for("tank")}
    assert written(tmp_path, kept) == ([*map(str, kept)], [], sorted(PATHS))
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
    assert written(tmp_path, {}) == ([], [], sorted(PATHS))
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
