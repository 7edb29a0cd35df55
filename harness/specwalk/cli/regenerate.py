"""`specwalk regenerate`: write the traces and tests that a project keeps."""

from collections.abc import Iterator

import click

from specwalk.check import Settings
from specwalk.cli import options
from specwalk.cli.outputs import console_beside, near
from specwalk.errors import ExitCode
from specwalk.progress import Bar
from specwalk.project import load_all_bindings, load_binding
from specwalk.regenerate import How, Regenerated
from specwalk.regenerate import regenerate as regenerate_all
from specwalk.report import findings
from specwalk.tlc import find_toolchain

__all__ = ["regenerate"]


@click.command(epilog=options.EPILOG)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option(
    "--accept", is_flag=True, help="Write what TLC counts into the configurations of all instances."
)
@options.workers
@options.timeout
@click.option(
    "--shuffle",
    type=int,
    metavar="SEED",
    help="Put every graph in another order first: what is written must not depend on it.",
)
def regenerate(
    models: tuple[str, ...], accept: bool, workers: int, timeout: float | None, shuffle: int | None
) -> ExitCode:
    """Write the traces and tests of each MODEL, by default of all in the folder model/.

    For each instance in the model's `committed` TLC checks the spec, and tours through all of its
    transitions are written: as traces to traces/, and as tests, one for each trace, to tests/conformance/.
    Nothing is written for a spec that TLC finds wrong, or whose counts are not as pinned.
    """
    console = console_beside()
    bindings = [load_binding(model) for model in models] or load_all_bindings()
    find_toolchain()
    settings = Settings(walk=False, workers=workers, timeout=timeout)
    how = How(settings=settings, accept=accept, sweep=not models, shuffle=shuffle)
    with Bar(console) as bar:
        done = regenerate_all(bindings, how, bar)
    for line in _lines(done):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if not any(binding.model.committed for binding in bindings):
        console.print('No model asks for any: committed = ("",) keeps the tours of its first instance.')
    return done.exit_code


def _lines(done: Regenerated) -> Iterator[str]:
    if done.changes is None:
        yield from findings(done.checked)
        if done.exit_code is ExitCode.DRIFTED:
            yield "Nothing was written. `specwalk regenerate --accept` writes these lines."
        else:
            yield "Nothing was written: mend what was found first."
        return
    for config, pin in done.pins:
        yield f"pinned {near(config)}: {pin}"
    changes = done.changes
    yield from (f"written {near(file)}" for file in changes.written)
    yield from (f"removed {near(file)}" for file in changes.removed)
    for file in changes.left:
        yield f"left {near(file)}: it was edited or copied, and is not needed any more; delete it at will"
    yield (
        f"OK: {len(changes.written)} files written, {len(changes.unchanged)} unchanged, "
        f"{len(changes.removed)} removed."
    )
