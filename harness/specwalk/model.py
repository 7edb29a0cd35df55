"""What a user writes: one class that says what a spec means in an implementation.

Rule 1: one method per leaf action of the spec's Next, marked with ``@action``; it makes the
        implementation (and its environment) do that step, through public interfaces.
Rule 2: ``observe()`` returns every variable of the spec, read from the implementation, never from
        notes that the model took. A model holds no protocol state.
Rule 3: where the implementation offers no such step (nothing to deliver, nothing due) the method
        raises ``NotOffered``. That answer comes from the implementation, never from a look at
        protocol state.
Rule 4: with ``snapshot()`` and ``restore()`` every edge is walked exactly once; without them each
        state is reached again by replaying the shortest path to it, so the implementation must be
        repeatable.

For `specwalk validate` it also says how the log of a real run is read, in three methods: ``read_event``,
``explains`` and ``unobserved``.

Rule 5: ``read_event`` turns a line into a ``Reading`` and compares its figures, so that few distinct sights
        remain ("an attempt, due"). ``explains`` says which steps of the spec a sight may be. It is asked
        once for each sight and transition, ``read_event`` once for each line.
"""

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.values import Value

__all__ = ["LogFields", "Model", "NotOffered", "Reading", "action"]

_Method = TypeVar("_Method", bound=Callable[..., None])
_MARK = "__specwalk_action__"


class NotOffered(Exception):
    """The implementation offers no such step here; the message says what was not there."""


def action(name: str) -> Callable[[_Method], _Method]:
    """Mark a method as the leaf action ``name`` of the spec; it takes the action's arguments in order."""

    def mark(method: _Method) -> _Method:
        setattr(method, _MARK, name)
        return method

    return mark


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFields:
    """Where the lines of a log say what specwalk itself wants to know; None where they do not.

    Attributes:
        time: a number by which lines of several logs are merged as long as nothing speaks against it.
        run: which run of its process wrote the line.
        count: the line's number within the run, from 0.
    """

    time: str | None = None
    run: str | None = None
    count: str | None = None


class Reading(NamedTuple):
    """What a line of a log shows. (A named tuple, since one is made for each line.)

    Attributes:
        subject: whom it concerns. Each subject has the spec to itself; None stands for every subject
            that the log has named.
        sight: what is seen, a hashable whose text a person understands.
        begins: whether it is the first line that a run of the process writes.
        sends, receives: which of the subject's messages leaves or arrives: no line that receives a
            message comes before the first line that sends it.
        surely: whether some line sends what is received. Otherwise that line may have gone unwritten.
    """

    subject: str | None
    sight: Hashable
    begins: bool = False
    sends: Hashable = None
    receives: Hashable = None
    surely: bool = False


class Model:
    """Base class of every model.

    Attributes:
        spec: the TLA+ module, as a path from the folder of the model's own file.
        instances: names of configurations: ``single`` is ``Custody_single.cfg`` beside ``Custody.tla``;
            the empty name is ``Custody.cfg``.
        large: those of the instances that take minutes: they are checked only when they are named.
        committed: those of the instances whose tours `specwalk regenerate` writes into the project, as
            traces and as tests.
        interchangeable: constants whose elements are alike, for the size "up to symmetry".
        not_modelled: behaviours of the implementation that the spec does not speak of; the verdict
            lists them.
        logged: those of the instances that logs are about, unless others are named; none stands for all.
        log_fields: the fields of a log's line that specwalk reads itself.
    """

    spec: ClassVar[str]
    instances: ClassVar[tuple[str, ...]] = ("",)
    large: ClassVar[tuple[str, ...]] = ()
    committed: ClassVar[tuple[str, ...]] = ()
    interchangeable: ClassVar[tuple[str, ...]] = ()
    not_modelled: ClassVar[tuple[str, ...]] = ()
    logged: ClassVar[tuple[str, ...]] = ()
    log_fields: ClassVar[LogFields] = LogFields()

    def __init__(self, constants: Mapping[str, Any]) -> None:
        """``constants`` are those that the instance's configuration assigns, by name."""
        self.constants = constants

    def start(self, initial: Mapping[str, Value]) -> None:
        """Start a fresh implementation, in this initial state of the spec."""
        raise BadInput(f"{type(self).__name__} has no start(): write how the implementation starts.")

    def observe(self) -> Mapping[str, object]:
        """Every variable of the spec, by name, as the implementation has it now."""
        raise BadInput(f"{type(self).__name__} has no observe(): write what each variable is read from.")

    def snapshot(self) -> Any:
        """All of the implementation and its environment, as a value that ``==`` compares."""
        return None

    def restore(self, snapshot: Any) -> None:
        """Put everything back as it was at ``snapshot``."""

    def content(self) -> Hashable:
        """All that is durable, in a canonical form, without what may differ between two ways to the
        same spec state (say why at each omission). None: hidden state is not compared."""
        return None

    def read_event(self, line: Mapping[str, Any], kept: dict[str, Any]) -> Reading | None:
        """What a line of a log shows; None if it shows nothing of the spec.

        Args:
            kept: where the model keeps what it has to know from earlier lines of the same log, such as when
                the next attempt is due. It is empty at first; remove from it what is not needed any more.

        Raises:
            BadInput: there is no such event, or it lacks something.
        """
        raise BadInput(f"{type(self).__name__} has no read_event(): write what a line of a log shows.")

    def explains(
        self, sight: Hashable, step: Label | None, before: Mapping[str, Value], after: Mapping[str, Value]
    ) -> bool:
        """Whether a step of the spec, from one state to another, shows as this sight.

        Without a step: whether the sight may be seen in a state in which the spec stays.
        """
        raise BadInput(f"{type(self).__name__} has no explains(): write which steps a sight may be.")

    def unobserved(self, step: Label, before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
        """Whether a step may happen without a line in any log."""
        return False

    @classmethod
    def actions(cls) -> dict[str, str]:
        """The names of the methods, by the name of their action."""
        return {
            getattr(method, _MARK): attribute
            for attribute, method in inspect.getmembers(cls, callable)
            if hasattr(method, _MARK)
        }

    @classmethod
    def reads_logs(cls) -> bool:
        return cls.read_event is not Model.read_event

    @classmethod
    def has_snapshots(cls) -> bool:
        return cls.snapshot is not Model.snapshot and cls.restore is not Model.restore
