"""A worker that can be put back to where it stood: it runs again, on the answers that it was given before.

Rule 1: a worker's acts are its transactions on the store and its messages to the provider. It stops before
        each, so whatever else happens may happen between two of them; it stands at a boundary of
        `Application.steps` only while it stands before an act.
Rule 2: where it stands is known by its answers alone: a run is a generator, which nobody can copy, but
        the same answers lead it to the same place. Whatever it only reads it reads at once.
Rule 3: a worker that dies is dropped, and does nothing more.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from abhyasa.recovery import Answer, Application, Lease, LeaseLost, Provider, Request, Scope, Transactions
from abhyasa.store.errors import StoreError

#: The transactions on the store that write; what else is asked of it is reading.
TRANSACTIONS = frozenset({"claim", "admit", "readmit", "reuse", "observe", "settle", "report"})
_ACTS = TRANSACTIONS | {"send", "hear", "lookup"}


class _Stops(BaseException):
    """The worker stands before its next act. No handler of ordinary errors stops it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A live worker: what it was answered, act by act, and the act that it will do next."""

    name: str
    answers: tuple[tuple[str, Any], ...] = ()
    act: str = "claim"
    arguments: tuple[Any, ...] = ()

    @property
    def lease(self) -> Lease:
        """What its claim was answered."""
        lease: Lease = self.answers[0][1]
        return lease


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Where workers run an application on one instance."""

    application: Application
    instance_id: str
    scope: Scope

    def go_on(self, worker: Worker) -> list[Worker]:
        """Let a worker do its next act, and return it as it stands then; nobody if that ended its run.

        A lost lease and a failed transaction end it too.
        """
        tape = _Tape(worker.answers)
        application = replace(
            self.application,
            store=cast(Transactions, _TapedStore(self.application.store, tape)),
            provider=_TapedProvider(self.application.provider, tape),
        )
        try:
            for _boundary in application.steps(self.instance_id, self.scope, worker.name):
                pass
        except _Stops as stop:
            act, *arguments = stop.args
            return [replace(worker, answers=tuple(tape.answers), act=act, arguments=tuple(arguments))]
        except (LeaseLost, StoreError):
            pass
        return []


class _Tape:
    """Gives the answers of before; then one act is done, with the reading around it; then it stops."""

    def __init__(self, answers: tuple[tuple[str, Any], ...]) -> None:
        self.answers = list(answers)
        self._played, self._acted = 0, False

    def ask(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._played == len(self.answers):
            self._stop_or_act(what, arguments)
            self.answers.append((what, function(*arguments)))
        asked, answer = self.answers[self._played]
        if asked != what:
            raise RuntimeError(f"run again, the worker asks for {what} where it had asked for {asked}")
        self._played += 1
        return answer

    def _stop_or_act(self, what: str, arguments: tuple[Any, ...]) -> None:
        if what in _ACTS:
            if self._acted:
                raise _Stops(what, *arguments)
            self._acted = True


class _TapedStore:
    def __init__(self, store: Transactions, tape: _Tape) -> None:
        self._store, self._tape = store, tape

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)
        return lambda *arguments: self._tape.ask(name, method, *arguments)


class _TapedProvider:
    def __init__(self, provider: Provider, tape: _Tape) -> None:
        self._provider, self._tape = provider, tape

    def send(self, request: Request) -> Callable[[], Answer]:
        wait = self._tape.ask("send", self._provider.send, request)
        return lambda: cast(Answer, self._tape.ask("hear", lambda _reference: wait(), request.reference))

    def lookup(self, reference: str, participant: str) -> Answer:
        return cast(Answer, self._tape.ask("lookup", self._provider.lookup, reference, participant))
