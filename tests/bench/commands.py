"""The commands that are compared: ours, whole processes as a user starts them, and TLC's own."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from specwalk.config import read_config
from specwalk.project import Binding
from specwalk.tlc import find_toolchain
from tests.bench.timing import Ratio, Timing, time_command

_PROJECT = Path(__file__).parents[2]
_WORKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """A command of ours, the one of TLC's that it is measured by, and how many times longer it may take."""

    name: str
    ours: Sequence[str | Path]
    theirs: Sequence[str | Path]
    limit: float
    aim: float | None = None


def compare(
    binding: Binding, instance: str, repeats: int, on_run: Callable[[str, Timing], None]
) -> list[Ratio]:
    """Run every command ``repeats`` times, in turns; ``on_run`` is told each."""
    config = binding.instance(instance).config
    taken: dict[tuple[str, str], list[Timing]] = {}
    with _folder(binding.spec, config) as folder:
        commands = list(_commands(binding, instance, config))
        for _ in range(repeats):
            for compared in commands:
                for side, command, where in (
                    ("TLC", compared.theirs, folder),
                    ("specwalk", compared.ours, _PROJECT),
                ):
                    timing = time_command(command, where)
                    taken.setdefault((compared.name, side), []).append(timing)
                    on_run(f"{compared.name}: {side}", timing)
    return [_ratio(compared, taken) for compared in commands]


def _ratio(compared: _Compared, taken: Mapping[tuple[str, str], Sequence[Timing]]) -> Ratio:
    return Ratio(
        name=compared.name,
        ours=Timing.middle(taken[compared.name, "specwalk"]),
        theirs=Timing.middle(taken[compared.name, "TLC"]),
        limit=compared.limit,
        aim=compared.aim,
    )


def _commands(binding: Binding, instance: str, config: Path) -> Iterator[_Compared]:
    toolchain, specwalk = find_toolchain(), Path(sys.executable).with_name("specwalk")
    tlc = (toolchain.java, "-XX:+UseParallelGC", "-cp", toolchain.jar, "tlc2.TLC")
    root = binding.spec.stem
    yield _Compared(
        name="check",
        ours=(specwalk, "check", binding.name, "--instance", instance, "--workers", str(_WORKERS)),
        theirs=(*tlc, "-workers", str(_WORKERS), "-config", config.name, root),
        limit=8,
        aim=4,
    )
    yield _Compared(
        name="export",
        ours=(specwalk, "graph", binding.spec, "--config", config),
        theirs=(*tlc, "-workers", "1", "-config", _plain(config), root),
        limit=2.5,
    )


@contextmanager
def _folder(spec: Path, config: Path) -> Iterator[Path]:
    """A folder for TLC, which writes where its input stands; with a configuration that has no properties."""
    with TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        for module in spec.parent.glob("*.tla"):
            shutil.copy(module, folder)
        shutil.copy(config, folder)
        (folder / _plain(config)).write_text(str(replace(read_config(config), properties=())))
        yield folder


def _plain(config: Path) -> str:
    return f"{config.stem}_plain.cfg"
