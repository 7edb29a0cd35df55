"""`abhyasa.hosts`: a tool of two functions, and what a node and an activity make of a guarded run."""

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Barrier
from typing import TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from temporalio.converter import default
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from abhyasa import StoreError
from abhyasa.hosts import Tool
from abhyasa.hosts.langgraph import recovery_node
from abhyasa.hosts.temporal import recovery_activity
from abhyasa.recovery import (
    AnswerKind,
    Application,
    Denial,
    Fact,
    LeaseLost,
    Outcome,
    RecoveryStore,
    Report,
    Source,
    ledger,
)
from tests.recovery.clock import Clock
from tests.recovery.corpus import INSTANCE, LEASE_SPAN, RIVAL, SCOPE, STRANGER
from tests.recovery.stage import set_up


class Bank:
    """The other side: what it was asked, and its receipts by reference. It answers unless it is `mute`."""

    mute = False

    def __init__(self):
        self.requests, self.receipts = [], {}

    def pay(self, request):
        self.requests.append(request)
        self.receipts[request.reference] = f"receipt of {request.reference}"
        return None if self.mute else self.find(request.reference)

    def find(self, reference):
        return self.receipts.get(reference)


class Desk:
    """A store on disk, a bank, and what opens an application on them."""

    def __init__(self, path):
        self.path, self.clock, self.bank = path, Clock(), Bank()
        self.tool = Tool(act=self.bank.pay, find=self.bank.find)
        with RecoveryStore(path) as store:
            set_up(store, self.clock)

    @contextmanager
    def opening(self):
        with RecoveryStore(self.path) as store:
            yield Application(
                store=store, provider=self.tool, policy=ledger, clock=self.clock, lease_span=LEASE_SPAN
            )

    def say(self, fact, value):
        with RecoveryStore(self.path) as store:
            store.set_fact(fact, SCOPE, value, self.clock())

    def read(self, table, *columns):
        with RecoveryStore(self.path) as store:
            return store.records(table, columns, INSTANCE.id)

    def reservation(self):
        with RecoveryStore(self.path) as store:
            return store.reservation(INSTANCE.id)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "recovery.db")


class State(TypedDict, total=False):
    instance: str
    report: dict
    rival: str
    rival_report: dict


@dataclass
class Fields:
    """The same as a dataclass; LangGraph reads a model's fields alike."""

    instance: str
    report: dict | None = None


def graph(*nodes, state=State):
    """Return a graph of nodes that run at a time."""
    built = StateGraph(state)
    for number, node in enumerate(nodes):
        built.add_node(str(number), node)
        built.add_edge(START, str(number))
        built.add_edge(str(number), END)
    return built.compile(checkpointer=InMemorySaver())


THREAD = {"configurable": {"thread_id": SCOPE.run}}
GIVEN = {"instance": INSTANCE.id}


def node_at(desk, scope=lambda _: SCOPE):
    return recovery_node(desk.opening, instance="instance", report="report", scope=scope)


def invoke(desk, *scope):
    return graph(node_at(desk, *scope)).invoke(GIVEN, THREAD, durability="sync")["report"]


def act(desk, scope=lambda _: SCOPE, instance_id=INSTANCE.id):
    activity = recovery_activity(desk.opening, name="refund", scope=scope)
    return ActivityEnvironment().run(activity, instance_id)


def test_a_node_puts_a_completion_on_the_state(desk):
    assert invoke(desk) == {"outcome": "success", "reason": None}
    assert desk.reservation() == "charged"


def test_a_node_reads_a_state_of_fields_too(desk):
    told = graph(node_at(desk), state=Fields).invoke(Fields(INSTANCE.id), THREAD, durability="sync")
    assert told["report"]["outcome"] == "success"


def test_a_node_puts_a_denial_on_the_state_and_nothing_is_sent(desk):
    desk.say(Fact.GRANT, 0)
    assert invoke(desk) == {"outcome": "denied", "reason": "revoked"}
    assert (desk.bank.requests, desk.reservation()) == ([], None)


def test_a_node_whose_tool_gave_no_answer_holds_the_reservation_and_settles_when_it_is_run_again(desk):
    desk.bank.mute = True
    assert invoke(desk) == {"outcome": "unknown", "reason": None}
    assert desk.reservation() == "held"
    desk.say(Fact.GRANT, 0)
    assert invoke(desk) == {"outcome": "success", "reason": None}
    assert desk.reservation() == "charged"
    assert len(desk.bank.requests) == 1


def test_a_node_acts_in_the_scope_of_its_invocation_s_config(desk):
    asked = []

    def scope(config):
        asked.append(config["configurable"]["thread_id"])
        return STRANGER

    assert invoke(desk, scope) == {"outcome": "denied", "reason": "wrong_run_scope"}
    assert asked == [SCOPE.run]


def test_a_node_that_raises_stays_pending_and_recovers_when_it_is_taken_up_again(desk):
    def broken(request):
        desk.bank.pay(request)
        raise ConnectionResetError

    desk.tool = Tool(act=broken, find=desk.bank.find)
    built = graph(node_at(desk))
    with pytest.raises(ConnectionResetError):
        built.invoke(GIVEN, THREAD, durability="sync")
    assert built.get_state(THREAD).next == ("0",)
    told = built.invoke(None, THREAD, durability="sync")
    assert told["report"]["outcome"] == "success"
    assert len(desk.bank.requests) == 1


def test_nodes_that_run_at_a_time_have_a_store_each(desk):
    with RecoveryStore(desk.path) as store:
        store.register(replace(RIVAL, approval=None))
    together = Barrier(2)

    def meet(request):
        together.wait(timeout=30)
        return desk.bank.pay(request)

    desk.tool = Tool(act=meet)
    told = graph(
        node_at(desk),
        recovery_node(desk.opening, instance="rival", report="rival_report", scope=lambda _: RIVAL.scope),
    ).invoke({**GIVEN, "rival": RIVAL.id}, THREAD, durability="sync")
    assert [told[key]["outcome"] for key in ("report", "rival_report")] == ["success", "success"]


def test_a_node_runs_in_an_asynchronous_graph_too(desk):
    state = asyncio.run(graph(node_at(desk)).ainvoke(GIVEN, THREAD, durability="sync"))
    assert state["report"]["outcome"] == "success"


def test_an_activity_returns_the_report(desk):
    assert act(desk) == Report(outcome=Outcome.SUCCESS)
    assert act(desk, lambda _: STRANGER) == Report(outcome=Outcome.DENIED, reason=Denial.WRONG_SCOPE)


def test_an_activity_s_scope_may_come_from_what_temporal_says_of_the_call(desk):
    asked = []

    def scope(info):
        asked.append(info.workflow_id)
        return SCOPE

    act(desk, scope)
    assert asked == [ActivityEnvironment.default_info().workflow_id]


@pytest.mark.parametrize("reason", [None, *Denial])
def test_a_report_crosses_temporal_s_wire_unchanged(reason):
    report = Report(outcome=Outcome.DENIED if reason else Outcome.UNKNOWN, reason=reason)
    payloads = default().payload_converter.to_payloads([report])
    assert default().payload_converter.from_payloads(payloads, [Report]) == [report]


def test_an_activity_that_no_retry_can_mend_is_not_retried(desk):
    with pytest.raises(ApplicationError, match="register it first") as raised:
        act(desk, instance_id="refund-99")
    assert raised.value.non_retryable


@pytest.mark.parametrize(
    "scope",
    [
        lambda _: replace(SCOPE, run=""),
        lambda info: info.nothing,
        lambda info: SCOPE + info,
        lambda info: {}[info.workflow_id],
    ],
)
def test_an_activity_whose_scope_cannot_be_told_is_not_retried(desk, scope):
    with pytest.raises(ApplicationError) as raised:
        act(desk, scope)
    assert (raised.value.type, raised.value.non_retryable) == ("Scope", True)


@pytest.mark.parametrize("trouble", [ConnectionResetError, ValueError, StoreError])
def test_an_activity_whose_tool_or_store_raises_may_be_retried(desk, trouble):
    def broken(_):
        raise trouble

    desk.tool = Tool(act=broken)
    with pytest.raises(trouble):
        act(desk)


@pytest.mark.parametrize("host", [invoke, act])
def test_a_worker_is_known_by_host_and_process(desk, host):
    host(desk)
    assert desk.read("leases", "worker") == [(f"{socket.gethostname()}:{os.getpid()}",)]


def test_a_worker_is_known_by_the_name_that_it_is_given(desk):
    named = {"worker": "w7", "scope": lambda _: SCOPE}
    ActivityEnvironment().run(recovery_activity(desk.opening, name="refund", **named), INSTANCE.id)
    graph(recovery_node(desk.opening, instance="instance", report="report", **named)).invoke(GIVEN, THREAD)
    assert desk.read("leases", "worker") == [("w7",), ("w7",)]


def test_an_activity_that_lost_its_lease_may_be_retried(desk):
    def replaced(request):
        with RecoveryStore(desk.path) as store:
            store.claim(INSTANCE.id, SCOPE, "w2", LEASE_SPAN, desk.clock())
        return desk.bank.pay(request)

    desk.tool = Tool(act=replaced, find=desk.bank.find)
    with pytest.raises(LeaseLost):
        act(desk)
    assert act(desk) == Report(outcome=Outcome.SUCCESS)
    assert len(desk.bank.requests) == 1


def test_an_attempt_that_temporal_gives_up_is_not_torn_apart_inside_the_tool(desk):
    environment = ActivityEnvironment()

    def slow(request):
        environment.cancel()
        return desk.bank.pay(request)

    desk.tool = Tool(act=slow)
    activity = recovery_activity(desk.opening, name="refund", scope=lambda _: SCOPE)
    assert environment.run(activity, INSTANCE.id) == Report(outcome=Outcome.SUCCESS)
    assert len(desk.bank.requests) == 1


def test_a_look_up_that_fails_concludes_nothing_and_is_repeated(desk):
    desk.bank.mute = True
    act(desk)

    def down(_):
        raise ConnectionRefusedError

    desk.tool = Tool(act=desk.bank.pay, find=down)
    with pytest.raises(ConnectionRefusedError):
        act(desk)
    assert desk.reservation() == "held"
    desk.tool = Tool(act=desk.bank.pay, find=desk.bank.find)
    assert act(desk) == Report(outcome=Outcome.SUCCESS)


@pytest.mark.parametrize("receipt", [False, "", 0, 17, b"r1", {"id": "r1"}, ["r1"]])
def test_what_is_no_receipt_charges_nothing_and_the_next_run_looks_up(desk, receipt):
    def confused(request):
        desk.bank.pay(request)
        return receipt

    desk.tool = Tool(act=confused, find=desk.bank.find)
    with pytest.raises(ValueError, match="receipt is a"):
        act(desk)
    assert (desk.reservation(), desk.read("observations", "receipt")) == ("held", [])
    assert act(desk) == Report(outcome=Outcome.SUCCESS)
    assert len(desk.bank.requests) == 1


class Awaited:
    async def __call__(self, _):
        return "r1"


@pytest.mark.parametrize("function", [Awaited().__call__, Awaited(), partial(Awaited().__call__)])
def test_a_tool_that_would_have_to_be_awaited_is_refused(desk, function):
    with pytest.raises(TypeError, match="act is a coroutine function"):
        Tool(act=function)
    with pytest.raises(TypeError, match="find is a coroutine function"):
        Tool(act=desk.bank.pay, find=function)


def test_a_tool_that_cannot_be_asked_leaves_the_outcome_unknown(desk):
    desk.bank.mute = True
    desk.tool = Tool(act=desk.bank.pay)
    assert [act(desk).outcome for _ in range(2)] == ["unknown", "unknown"]
    assert (len(desk.bank.requests), desk.reservation()) == (1, "held")
    assert desk.tool.lookup(f"{INSTANCE.id}/1", "w1").kind is AnswerKind.UNSUPPORTED


def test_what_a_tool_finds_is_on_record_as_looked_up(desk):
    desk.bank.mute = True
    act(desk)
    desk.bank.receipts.clear()
    assert act(desk).outcome == "unknown"
    desk.bank.receipts[f"{INSTANCE.id}/1"] = "r1"
    assert act(desk).outcome == "success"
    assert desk.read("observations", "receipt", "source") == [("r1", Source.LOOKUP)]


@pytest.mark.parametrize("host", ["langgraph", "temporal"])
def test_a_host_that_is_not_installed_is_named_with_the_extra_that_brings_it(host):
    absent = {"langgraph": "langchain_core", "temporal": "temporalio"}[host]
    code = f"import sys; sys.modules[{absent!r}] = None; import abhyasa.hosts.{host}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"install abhyasa[{host}]" in done.stderr


def test_the_protocol_needs_no_host():
    hosts = {"temporalio", "langgraph", "langchain_core"}
    code = f"import sys, abhyasa.hosts; sys.exit(bool({hosts} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
