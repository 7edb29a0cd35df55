"""Every module and configuration in spec/ runs with plain TLC, and keeps its pinned counts.

Nothing of specwalk is used but the place of Java and the jar, so the specs are shown to stand alone.
One worker, because with several the depth that TLC tells varies from run to run.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from specwalk.tlc import find_toolchain

SPEC = Path(__file__).parents[2] / "spec"
CONFIGS = sorted(SPEC.glob("*.cfg"))
#: Those for which TLC needs minutes, and those that `make deep` walks.
LARGE = (
    "DurableCustody_mixed",
    "DurableCustody_two",
    "Recovery_cached_any",
    "Recovery_revalidate_any",
    "Recovery_stable_key_any",
)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(config, id=config.stem, marks=[pytest.mark.deep] if config.stem in LARGE else [])
        for config in CONFIGS
    ],
)
def test_a_configuration_passes_in_plain_tlc_with_its_pinned_counts(config: Path, tmp_path: Path) -> None:
    for file in SPEC.iterdir():
        shutil.copy(file, tmp_path)
    toolchain = find_toolchain()
    module = config.stem.partition("_")[0]
    command = [
        *(str(toolchain.java), "-XX:+UseParallelGC", f"-Djava.io.tmpdir={tmp_path}"),
        *("-cp", str(toolchain.jar), "tlc2.TLC", "-workers", "1", "-config", config.name, module),
    ]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "No error has been found" in output
    generated, distinct = re.findall(r"(\d+) states generated, (\d+) distinct states found", output)[-1]
    depth = re.findall(r"graph search is (\d+)", output)[-1]
    pin = re.findall(r"pinned: (\d+) distinct states, (\d+) generated, depth (\d+)", config.read_text())
    assert pin == [(distinct, generated, depth)]


def test_every_module_has_a_configuration_and_every_configuration_says_why_it_exists() -> None:
    modules = {module.stem for module in SPEC.glob("*.tla")}
    assert modules == {config.stem.partition("_")[0] for config in CONFIGS}
    for config in CONFIGS:
        first, second = config.read_text().splitlines()[:2]
        assert first.startswith("\\* ")
        assert second.startswith("\\* ")
        assert not first.startswith("\\* pinned:")
