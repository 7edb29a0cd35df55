"""A file is replaced as a whole, or it stays as it was."""

import os
from pathlib import Path

import pytest

from specwalk.pins import Pin, write_pin
from specwalk.replacing import replace


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)


@pytest.mark.usefixtures("full_disk")
def test_on_a_full_disk_a_configuration_stays_as_it_was(tmp_path: Path) -> None:
    config = tmp_path / "M.cfg"
    config.write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(OSError, match="No space left"):
        write_pin(config, Pin(distinct=1, generated=2, depth=1))
    assert config.read_text() == "INIT Init\nNEXT Next\n"
    assert [*tmp_path.iterdir()] == [config]


def test_a_file_keeps_its_permissions_and_its_links(tmp_path: Path) -> None:
    file, link = tmp_path / "M.cfg", tmp_path / "link.cfg"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    replace(link, "new\r\n")
    assert link.is_symlink()
    assert file.read_bytes() == b"new\r\n"
    assert file.stat().st_mode & 0o777 == 0o640
