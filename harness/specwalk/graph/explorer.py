"""Explores a spec with TLC and returns its complete state graph, labelled.

Rule 1: the spec is run unmodified, too: its own errors are reported with its own lines, and its
counts are what the labelled run must reproduce.
Rule 2: labels come from the wrapper, paired with the dump; if they do not fit, from a wrapper that
prints whole transitions; if that does not fit either, from TLC itself. `StateGraph.level` tells.
Rule 3: what was given up to get a complete graph (SYMMETRY, VIEW) is said in the graph's notes.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from specwalk import tlc
from specwalk.config import Config, read_config
from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.graph.assemble import build
from specwalk.graph.labels import alphabet, event_label, tlc_label
from specwalk.graph.stategraph import LabelLevel, StateGraph
from specwalk.graph.transitions import Mismatch, Transitions, read_pairs, read_records, read_tlc
from specwalk.label.actions import Action
from specwalk.label.export import DUMP_OPTIONS, Export, Unlabelled, export, read_spec
from specwalk.label.spec import Spec
from specwalk.label.wrapper import AlphabetMode

__all__ = ["compare_counts", "explore"]


def explore(
    spec: Path,
    config: Path,
    *,
    timeout: float | None = None,
    on_progress: tlc.OnProgress | None = None,
) -> StateGraph:
    """The complete labelled state graph of a spec under a configuration.

    Args:
        spec: the root module's file.
        config: a TLC configuration; what it checks is not checked here.
        timeout: seconds that any one run of TLC may take.
        on_progress: called several times a second with TLC's counts.

    Raises:
        BadInput: spec or configuration is missing or wrong, or names no behaviour.
        EnvironmentProblem: Java or TLC could not do its work, or not in time.
    """
    return _Explorer(spec, config.name, read_config(config), timeout, on_progress).graph()


class _Explorer:
    """One exploration: the plain run in one thread, everything about labels in the other."""

    def __init__(
        self,
        spec: Path,
        config_name: str,
        config: Config,
        timeout: float | None,
        on_progress: tlc.OnProgress | None,
    ) -> None:
        toolchain = tlc.find_toolchain()
        self.config_name = config_name
        self.config = config
        self.timeout = timeout
        self.on_progress = on_progress
        self.plain = tlc.Workspace(toolchain, spec)
        self.wrapped = tlc.Workspace(toolchain, spec)

    def graph(self) -> StateGraph:
        with ThreadPoolExecutor(1) as pool, self.plain, self.wrapped:
            plain = pool.submit(self.run_plain, ("-deadlock",))
            try:
                return self.labelled(plain)
            except (BadInput, Unlabelled, Mismatch) as problem:
                counts = plain.result()
                return self.unlabelled(counts, str(problem))

    def run_plain(self, options: tuple[str, ...]) -> tlc.Counts:
        """Run the unmodified spec to the end of its state space."""
        workspace = self.plain
        text = str(self.config.stripped())
        (workspace.folder / self.config_name).write_text(text, encoding=workspace.toolchain.encoding)
        result = tlc.run_tlc(workspace, workspace.root, self.config_name, *options, timeout=self.timeout)
        if result.verdict is not tlc.Verdict.OK:
            problem = EnvironmentProblem if result.verdict is tlc.Verdict.ENVIRONMENT else BadInput
            said = result.problems or [result.violation]
            raise problem(f"TLC cannot explore {workspace.root}:\n" + "\n".join(map(str, said)))
        return result.counts

    def labelled(self, plain: Future[tlc.Counts]) -> StateGraph:
        """The graph with the wrapper's labels.

        Raises:
            BadInput, Unlabelled, Mismatch: there is no wrapper, or it does something else.
        """
        spec = read_spec(self.wrapped, self.config)
        try:
            return self.paired(spec, plain, record=False)
        except Mismatch:
            return self.paired(spec, plain, record=True)

    def paired(self, spec: Spec, plain: Future[tlc.Counts], *, record: bool) -> StateGraph:
        reader = read_records if record else read_pairs
        names, variables = spec.names, spec.tree.root.variables
        run, read = export(
            self.wrapped,
            spec,
            lambda lines: reader(lines, variables, names.of("event"), names.tag),
            sound=plain.result,
            record=record,
            timeout=self.timeout,
            on_progress=self.on_progress,
        )
        counts = plain.result()
        compare_counts(counts, run.counts, read)
        labels = [event_label(run.actions, event) for event in read.events]
        offered = read.events if run.alphabet is AlphabetMode.NONE else read.offered
        letters, narrow = alphabet(run.actions, offered)
        if surplus := set(labels).difference(letters):
            raise Mismatch(f"the alphabet lacks {', '.join(map(str, surplus))}")
        return build(
            variables,
            read,
            labels,
            counts,
            actions=run.actions.leaves,
            alphabet=letters,
            level=LabelLevel.RECORDED if record else LabelLevel.PAIRED,
            notes=(*_dropped(self.config), *_given_up(run, narrow)),
        )

    def unlabelled(self, plain: tlc.Counts, reason: str) -> StateGraph:
        """The graph with TLC's own labels."""
        counts = self.run_plain(DUMP_OPTIONS)
        variables, read = read_tlc(tlc.Written(self.plain.folder, ended=True).lines)
        compare_counts(plain, counts, read)
        labels = [tlc_label(str(event)) for event in read.events]
        note = f"Labels are TLC's own, without all parameters, since the wrapper failed: {reason}"
        return build(
            variables,
            read,
            labels,
            counts,
            actions=tuple(Action(name=name) for name in dict.fromkeys(label.action for label in labels)),
            alphabet=labels,
            level=LabelLevel.TLC,
            notes=(*_dropped(self.config), note),
        )


def compare_counts(plain: tlc.Counts, counts: tlc.Counts, read: Transitions) -> None:
    """Compare a run with the plain one, and what it wrote with what it counted."""
    if (counts.generated, counts.distinct) != (plain.generated, plain.distinct):
        raise Mismatch(
            f"{counts.generated} states generated and {counts.distinct} distinct, "
            f"for {plain.generated} and {plain.distinct} of the unmodified spec"
        )
    if len(read.states) != counts.distinct:
        raise Mismatch(f"{len(read.states)} states dumped of {counts.distinct}")
    if len(read.edges) + len(read.initial) > counts.generated:
        raise Mismatch(f"{len(read.edges)} edges dumped, {counts.generated} states generated")


def _dropped(config: Config) -> Iterator[str]:
    if config.symmetry:
        yield f"SYMMETRY {config.symmetry} was dropped: it hides which action instance ran."
    if config.view:
        yield f"VIEW {config.view} was dropped: it merges states that may behave differently."


def _given_up(run: Export, narrow: list[str]) -> Iterator[str]:
    if run.demoted:
        yield f"Taken as a whole, without the choices inside: {', '.join(sorted(run.demoted))}."
    if run.alphabet is AlphabetMode.GUARDED:
        yield (
            "Some parameters have no domain in every state; the alphabet has their values "
            "from the states in which the conditions before them hold."
        )
    if narrow:
        yield (
            f"{', '.join(narrow)}: the parameters' domains have too many combinations; "
            "the alphabet has those that Next writes."
        )
    if run.alphabet is AlphabetMode.NONE:
        yield "TLC cannot evaluate the parameters' domains; the alphabet is what edges carry."
