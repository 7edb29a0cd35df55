"""The files of one instance of a model: a trace for each walk of its tours, and a module of tests.

They follow from the content of the graph, and from the names of model, spec and configuration.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from specwalk.errors import BadInput
from specwalk.generate.module import module_text
from specwalk.generate.names import safe
from specwalk.generate.ours import TRACE_MARK, mark_of_tests
from specwalk.generate.signed import SIGNATURE, UNSIGNED, signed
from specwalk.generate.walks import find_walks
from specwalk.graph import StateGraph
from specwalk.graph.canonical import canonical
from specwalk.itf import Step, Trace, write_trace
from specwalk.project import Binding, Instance

__all__ = ["TESTS", "TRACES", "suite", "trace_of"]

TRACES = Path("traces")
TESTS = Path("tests/conformance")


def suite(binding: Binding, instance: Instance, graph: StateGraph) -> dict[Path, str]:
    """The files, by their paths in the project; none if the spec has no transitions.

    Raises:
        BadInput: a trace would not read back as it is.
    """
    graph = canonical(graph)
    walks = find_walks(graph)
    if not walks:
        return {}
    model, spec = binding.file.stem, binding.spec
    parts = (
        [safe(model)] if instance.config == spec.with_suffix(".cfg") else [safe(model), safe(instance.name)]
    )
    folder = TRACES.joinpath(*parts)
    config = Path(os.path.relpath(instance.config, spec.parent)).as_posix()
    texts = {}
    for walk in walks:
        about = {
            "source": spec.name,
            "config": config,
            "description": f"Only this trace takes {walk.alone}.",
            TRACE_MARK: model,
            SIGNATURE: UNSIGNED,
        }
        try:
            texts[folder / f"{walk.name}.itf.json"] = write_trace(trace_of(graph, walk.edges, about))
        except BadInput as problem:
            raise BadInput(f"{spec.name} at {config} has no traces: {problem}") from problem
    texts[TESTS / f"{safe('_'.join(['test', *parts])).lower()}.py"] = module_text(
        graph,
        walks,
        mark=mark_of_tests(model, spec.name),
        model=f"{binding.file.parent.name}/{binding.file.name}",
        spec=spec.name,
        config=config,
        traces=folder.as_posix(),
    )
    return {path: signed(text, path) for path, text in texts.items()}


def trace_of(graph: StateGraph, edges: Sequence[int], about: Mapping[str, str] = {}) -> Trace:
    """A walk as a trace."""
    states = (graph.source[edges[0]], *(graph.target[edge] for edge in edges))
    labels = (graph.labels[graph.label[edge]] for edge in edges)
    return Trace(
        variables=graph.variables,
        states=tuple(graph.states[state] for state in states),
        steps=tuple(Step(action=label.action, arguments=label.arguments) for label in labels),
        about=about,
    )
