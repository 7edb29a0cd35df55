"""Explores a spec with TLC and returns its complete state graph, labelled.

Rule 1: the spec is run unmodified first: its own errors are reported with its own lines, and its
counts are what the labelled run must reproduce.
Rule 2: labels come from the wrapper (`label`), paired with the dump line by line; the state after an
edge repeats its event, and every new state is checked for it.
Rule 3: what was dropped to get a complete graph (SYMMETRY, VIEW) is said in the graph's notes.
"""

from pathlib import Path

from specwalk import tlc
from specwalk.actions import Actions, find_actions
from specwalk.assemble import assemble
from specwalk.behaviour import find_behaviour
from specwalk.config import Config, read_config
from specwalk.dot import DotEdge, DotState, StateTexts, read_dot
from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.label import write_wrapper
from specwalk.render import Names
from specwalk.sany import parse_tree
from specwalk.sources import read_sources
from specwalk.stategraph import Label, LabelLevel, StateGraph
from specwalk.values import Value, parse, unescape

__all__ = ["Label", "LabelLevel", "StateGraph", "explore"]

DUMP = "graph.dot"
EVENTS = "events.txt"


def explore(spec: Path, config: Path, *, on_progress: tlc.OnProgress | None = None) -> StateGraph:
    """The complete labelled state graph of a spec under a configuration.

    Args:
        spec: the root module's file.
        config: a TLC configuration; what it checks is not checked here.
        on_progress: called several times a second with TLC's counts.

    Raises:
        BadInput: spec or configuration is missing or wrong, or names no behaviour.
        EnvironmentProblem: Java or TLC could not do its work.
    """
    settings = read_config(config)
    with tlc.Workspace(tlc.find_toolchain(), spec) as workspace:
        plain = _run(workspace, workspace.root, settings.stripped(), on_progress)
        return _label(workspace, settings, plain, on_progress)


def _run(
    workspace: tlc.Workspace, root: str, config: Config, on_progress: tlc.OnProgress | None
) -> tlc.Counts:
    """Run the unmodified spec to the end of its state space."""
    name = "plain.cfg"
    (workspace.folder / name).write_text(str(config), encoding=workspace.toolchain.encoding)
    result = tlc.run_tlc(workspace, root, name, "-deadlock", on_progress=on_progress)
    if result.verdict is not tlc.Verdict.OK:
        raise BadInput(
            f"TLC cannot explore {root}:\n" + "\n".join(map(str, result.problems or [result.violation]))
        )
    return result.counts


def _label(
    workspace: tlc.Workspace,
    config: Config,
    plain: tlc.Counts,
    on_progress: tlc.OnProgress | None,
) -> StateGraph:
    encoding = workspace.toolchain.encoding
    sources = read_sources(workspace.folder, encoding)
    exported = workspace.java("tla2sany.xml.XMLExporter", "-o", f"{workspace.root}.tla")
    tree = parse_tree(exported.stdout)
    names = Names(tag=sources.fresh("sw"))
    behaviour = find_behaviour(tree, config)
    actions = find_actions(tree, config, sources, behaviour, names.tag)
    root = write_wrapper(
        workspace.folder,
        encoding,
        tree=tree,
        sources=sources,
        config=config,
        behaviour=behaviour,
        actions=actions,
        names=names,
    )
    result = tlc.run_tlc(
        workspace,
        root,
        f"{root}.cfg",
        *("-deadlock", "-workers", "1", "-dump", "dot,actionlabels", DUMP, "-userFile", EVENTS),
        on_progress=on_progress,
    )
    if result.verdict is not tlc.Verdict.OK:
        raise EnvironmentProblem("\n".join(map(str, result.problems)))
    graph = _Pairing(tree.root.variables, names, actions)
    graph.read(workspace.folder)
    return graph.graph(plain, _dropped(config))


def _dropped(config: Config) -> tuple[str, ...]:
    notes = []
    if config.symmetry:
        notes.append(f"SYMMETRY {config.symmetry} was dropped: it hides which action instance ran.")
    if config.view:
        notes.append(f"VIEW {config.view} was dropped: it merges states that behave differently.")
    return tuple(notes)


class _Pairing:
    """Reads dump and events side by side."""

    def __init__(self, variables: tuple[str, ...], names: Names, actions: Actions) -> None:
        self.variables = variables
        self.names = names
        self.actions = actions
        self.texts = StateTexts((*variables, names.of("event")))
        self.numbers: dict[str, int] = {}
        self.states: list[tuple[Value, ...]] = []
        self.initial: list[int] = []
        self.labels: dict[Label, int] = {}
        self.known: dict[str, int] = {}
        self.events: list[Value] = []
        self.pending: list[tuple[str, int, str]] = []

    def read(self, folder: Path) -> None:
        marker = f'"{self.names.tag} '
        with (
            (folder / DUMP).open(encoding="utf-8") as dump,
            (folder / EVENTS).open(encoding="utf-8") as prints,
        ):
            events = (line for line in prints if line.startswith(marker))
            last = -1
            for item in read_dot(dump):
                if isinstance(item, DotEdge):
                    last = self.event(next(events, ""))
                    self.pending.append((item.source, last, item.target))
                elif item.id not in self.numbers:
                    self.state(item, last)
            if next(events, None) is not None:
                raise EnvironmentProblem("TLC printed more events than it wrote edges.")

    def state(self, item: DotState, last: int) -> None:
        *values, event = self.texts.values(item.label)
        if not item.initial and event != self.events[last]:
            raise EnvironmentProblem("events and edges of TLC's dump do not match.")
        number = self.numbers[item.id] = len(self.states)
        self.states.append(tuple(values))
        if item.initial:
            self.initial.append(number)

    def event(self, line: str) -> int:
        number = self.known.get(line)
        if number is None:
            number = self.known[line] = len(self.events)
            text = unescape(line.strip()[1:-1])
            self.events.append(parse(text.removeprefix(f"{self.names.tag} ")))
        return number

    def graph(self, plain: tlc.Counts, notes: tuple[str, ...]) -> StateGraph:
        numbers = [self.labels.setdefault(self.label(e), len(self.labels)) for e in self.events]
        labels = list(self.labels)
        transitions = [
            (self.numbers[source], numbers[event], self.numbers[target])
            for source, event, target in self.pending
        ]
        edges = assemble(len(self.states), self.initial, transitions)
        return StateGraph(
            variables=self.variables,
            states=self.states,
            initial=tuple(self.initial),
            labels=labels,
            source=edges.source,
            target=edges.target,
            label=edges.label,
            first=edges.first,
            arrival=edges.arrival,
            repeated=edges.repeated,
            generated=plain.generated,
            distinct=plain.distinct,
            alphabet=labels,
            level=LabelLevel.PAIRED,
            notes=notes,
        )

    def label(self, event: Value) -> Label:
        assert isinstance(event, tuple)
        number, *arguments = event
        assert isinstance(number, int)
        action = self.actions.leaves[number]
        return Label(
            action=action.name,
            parameters=action.parameters,
            arguments=tuple(arguments),
            location=action.location,
        )
