"""Exploring a spec that a test writes out."""

from pathlib import Path

import pytest

from specwalk.graph import StateGraph, explore
from tests.harness.exploring import Explored


@pytest.fixture
def explored(tmp_path: Path) -> Explored:
    def run(text: str, config: str = "INIT Init\nNEXT Next\n", **modules: str) -> StateGraph:
        for name, body in {"M": text, **modules}.items():
            module = f"---- MODULE {name} ----\n{body}\n====\n"
            (tmp_path / f"{name}.tla").write_text(module, encoding="utf-8")
        (tmp_path / "M.cfg").write_text(config, encoding="utf-8")
        return explore(tmp_path / "M.tla", tmp_path / "M.cfg")

    return run
