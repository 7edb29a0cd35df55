"""The hosts, in one process over loopback: nothing that arrives ends them, and nobody delays anybody."""

import asyncio
import json
from datetime import timedelta

import pytest

from abhyasa import CustodianStore, Obligation, ReceiverStore, Refused, Terms
from abhyasa.core.wire import ack_text, delivery_text, read_ack
from abhyasa.endpoint import Custodian
from abhyasa.runtime import Address, CustodianHost, EventLog, ReceiverHost, SystemClock
from abhyasa.runtime import custodian as custodian_host
from abhyasa.runtime.frames import LIMIT, frame
from abhyasa.runtime.link import Link
from tests.unit.rig import APPLIED, CONSENT_KEY, DEFERRED, KINDS, TARGET, ack_of, at, consent, update

NOWHERE = Address(host="127.0.0.1", port=1)
LOOPBACK = Address(host="127.0.0.1", port=0)


def bounds(window: float = 30.0) -> Terms:
    """Return terms of one delivery."""
    seconds = timedelta(seconds=window)
    return Terms(window=seconds, max_retries=0, initial=seconds, cap=seconds, jitter=None)


def run(work) -> None:
    """Run a coroutine; one that hangs fails."""

    async def limited():
        async with asyncio.timeout(30):
            await work

    asyncio.run(limited())


async def until(holds) -> None:
    while not holds():
        await asyncio.sleep(0.005)


class Hosts:
    """Hosts that run while the block does, and are stopped after it."""

    def __init__(self, *hosts):
        self.hosts = hosts

    async def __aenter__(self):
        self.tasks = [asyncio.create_task(host.run()) for host in self.hosts]
        await until(lambda: all(getattr(host, "address", NOWHERE).port for host in self.hosts))

    async def __aexit__(self, *_):
        for host in self.hosts:
            host.stop()
        await asyncio.gather(*self.tasks)


def receiver_host(decide=lambda _obligation: APPLIED, **others) -> ReceiverHost:
    return ReceiverHost(TARGET, ReceiverStore(), KINDS, decide, LOOPBACK, **others)


def custodian_to(address: Address, **others) -> CustodianHost:
    return CustodianHost(CustodianStore(), KINDS, {TARGET: address}, **others)


def status(host: CustodianHost, name: str = "o") -> str:
    return host.custodian.record(name).status.value


def sent(obligation: Obligation, deadline: float = 30.0) -> bytes:
    """Return the frame of a delivery, `deadline` seconds from now."""
    deliveries = []
    endpoint = Custodian(CustodianStore(), KINDS, deliveries.append)
    now = SystemClock().now()
    endpoint.accept(obligation, bounds(deadline), now)
    endpoint.advance(obligation.id, now)
    return frame(delivery_text(deliveries[0]))


def test_an_obligation_is_delivered_and_answered():
    async def work():
        receiver = receiver_host()
        async with Hosts(receiver):
            custodian = custodian_to(receiver.address)
            async with Hosts(custodian):
                custodian.submit(update(), bounds())
                await until(lambda: status(custodian) == "applied")

    run(work())


def test_a_delivery_is_logged_with_the_key_that_it_decides_about_unless_its_kind_is_unknown(tmp_path):
    strange = Obligation(id="strange", kind="nobody's", target=TARGET, payload={}, sequence=2)

    async def work():
        receiver = receiver_host(log=log)
        async with Hosts(receiver):
            custodian = custodian_to(receiver.address)
            async with Hosts(custodian):
                custodian.submit(consent("revoke", sequence=7), bounds())
                custodian.submit(strange, bounds(), unknown_best_effort=True)
                await until(lambda: receiver.receiver.entry("revoke") and receiver.receiver.entry("strange"))

    with EventLog(tmp_path / "log", "receiver", TARGET) as log:
        run(work())
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    told = [(event["governed_key"], event["sequence"]) for event in events if event["event"] == "receive"]
    assert sorted(told, key=str) == [(CONSENT_KEY, 7), (None, 2)]


def test_a_later_answer_comes_on_the_connection_that_brought_the_delivery():
    async def work():
        receiver = receiver_host(lambda _obligation: DEFERRED)
        async with Hosts(receiver):
            custodian = custodian_to(receiver.address)
            async with Hosts(custodian):
                custodian.submit(update(), bounds())
                await until(lambda: custodian.custodian.record("o").deferred)
                receiver.resolve("o", APPLIED)
                await until(lambda: status(custodian) == "applied")

    run(work())


def test_a_stop_ends_connections_that_are_open_without_a_word(caplog):
    async def work():
        receiver = receiver_host()
        async with Hosts(receiver):
            reader, writer = await asyncio.open_connection("127.0.0.1", receiver.address.port)
            writer.write(sent(update()))
            await reader.readline()
        assert await reader.read() == b""
        writer.close()

    run(work())
    assert caplog.messages == []


BAD = {
    "no JSON": b"what is this\n",
    "no ASCII": "käse\n".encode(),
    "another message": frame(ack_text(ack_of(update()))),
    "too long": b'{"obligation":"' + b"x" * (3 * LIMIT) + b'"}\n',
    "changed on its way": sent(update()).replace(b"-0.125", b"-0.25"),
    "for another": sent(update(target="agent-c")),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_receiver_cannot_take_is_lost_and_the_next_delivery_on_the_connection_is_answered(
    name, caplog
):
    async def work():
        host = receiver_host()
        async with Hosts(host):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            writer.write(BAD[name] + sent(update("next")))
            answer = read_ack((await reader.readline()).decode())
            assert (answer.obligation_id, answer.status) == ("next", "applied")
            writer.close()

    run(work())
    assert any("lost" in message for message in caplog.messages)


def test_an_obligation_of_an_unknown_kind_is_declined():
    known = sent(update())
    unknown = Obligation(id="o", kind="tests.unknown", target=TARGET, payload={})
    text = json.loads(known)
    text.update(obligation=json.loads(unknown.text), digest=unknown.digest)

    async def work():
        host = receiver_host()
        async with Hosts(host):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            writer.write(frame(json.dumps(text)))
            answer = read_ack((await reader.readline()).decode())
            assert answer.status == "declined"
            assert "unknown kind" in answer.reason
            writer.close()

    run(work())


def test_an_application_that_raises_loses_the_delivery_and_the_next_one_tries_again():
    answers = [RuntimeError("not today"), APPLIED]

    def decide(_obligation):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def work():
        host = receiver_host(decide)
        async with Hosts(host):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            writer.write(sent(update()) * 2)
            assert read_ack((await reader.readline()).decode()).status == "applied"
            writer.close()

    run(work())
    assert answers == []


def test_a_receiver_whose_store_is_full_answers_nothing_and_the_next_delivery_tries_again(caplog):
    store = ReceiverStore()
    [[pages]] = store.connection.execute("PRAGMA page_count").fetchall()

    async def work():
        host = ReceiverHost(TARGET, store, KINDS, lambda _obligation: APPLIED, LOOPBACK)
        async with Hosts(host):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            store.connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
            large = update(payload={"weight_key": "w" * 4000, "weight_delta": -0.5})
            writer.write(sent(large))
            await until(lambda: any("free space on its disk" in message for message in caplog.messages))
            assert host.receiver.entry("o") is None
            store.connection.execute("PRAGMA max_page_count = 1000000").fetchall()
            writer.write(sent(large))
            assert read_ack((await reader.readline()).decode()).status == "applied"
            writer.close()

    run(work())


@pytest.mark.parametrize("name", ["no JSON", "no ASCII", "too long", "for another"])
def test_what_a_custodian_cannot_take_is_lost_and_the_next_answer_counts(name):
    async def answer(reader, writer):
        await reader.readline()
        writer.write(BAD[name] + frame(ack_text(ack_of(update()))))
        await reader.read()  # to the end, when the custodian stops
        writer.close()

    async def work():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        custodian = custodian_to(Address(host=host, port=port))
        async with Hosts(custodian):
            custodian.submit(update(), bounds())
            await until(lambda: status(custodian) == "applied")
        server.close()

    run(work())


def test_a_target_that_hangs_delays_neither_others_nor_its_own_fail_safe(monkeypatch):
    connect = asyncio.open_connection

    async def hang(host, port, **options):
        return await (asyncio.Event().wait() if port == NOWHERE.port else connect(host, port, **options))

    monkeypatch.setattr(asyncio, "open_connection", hang)

    async def work():
        receiver = receiver_host()
        async with Hosts(receiver):
            targets = {"hung": NOWHERE, TARGET: receiver.address}
            custodian = CustodianHost(CustodianStore(), KINDS, targets, patience=60.0)
            for number in range(5):
                custodian.submit(update(f"hung{number}", target="hung"), bounds(0.1))
            custodian.submit(update(), bounds())
            async with Hosts(custodian):
                await until(lambda: status(custodian) == "applied")
                await until(lambda: len(custodian.custodian.escalations()) == 5)

    run(work())


def test_an_attempt_that_takes_too_long_is_lost_and_the_next_one_is_made(monkeypatch):
    connect, tried = asyncio.open_connection, []

    async def hang_once(host, port, **options):
        tried.append(port)
        return await (asyncio.Event().wait() if len(tried) == 1 else connect(host, port, **options))

    monkeypatch.setattr(asyncio, "open_connection", hang_once)

    async def work():
        receiver = receiver_host()
        async with Hosts(receiver):
            custodian = custodian_to(receiver.address, patience=0.05)
            async with Hosts(custodian):
                custodian.submit(update("lost"), bounds())
                custodian.submit(update("taken"), bounds())
                await until(lambda: status(custodian, "taken") == "applied")
                assert status(custodian, "lost") == "pending"

    run(work())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"host": ""}, "host is ''"),
        ({"host": None}, "host is None"),
        ({"port": -1}, "port is -1"),
        ({"port": 65536}, "from 0 to 65535"),
        ({"port": "7601"}, "port is '7601'"),
        ({"port": True}, "port is True"),
    ],
)
def test_an_address_that_is_none_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Address(**{"host": "127.0.0.1", "port": 7601, **wrong})


def test_a_name_that_cannot_be_looked_up_loses_messages_and_does_not_end_the_link(caplog):
    caplog.set_level("INFO")

    async def work():
        custodian = custodian_to(Address(host="a..b", port=7601))
        async with Hosts(custodian):
            custodian.submit(update("one"), bounds())
            custodian.submit(update("two"), bounds())
            await until(lambda: sum("lost a message" in message for message in caplog.messages) == 2)

    run(work())


def test_a_peer_that_is_gone_without_a_word_is_noticed_and_another_connection_is_made():
    connections, read = [], []

    async def serve(reader, writer):
        connections.append(writer)
        while line := await reader.readline():
            read.append(line)
            if len(connections) > 1:
                writer.write(b"answer\n")
        writer.close()

    async def work():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        answers = []
        link = Link(Address(host=host, port=port), answers.append, patience=60, capacity=9)
        sending = asyncio.create_task(link.run())

        async def send(number: int, seconds_later: float) -> int:
            if link._unanswered is not None:
                link._unanswered -= seconds_later
            link.put(str(number))
            await until(lambda: len(read) == number)
            return len(connections)

        assert [await send(1, 0), await send(2, 25), await send(3, 40)] == [1, 1, 2]
        await until(lambda: answers)
        assert await send(4, 100) == 2  # what has answered all is not silent, however long ago that was
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        server.close()

    run(work())


def test_a_connection_to_a_target_that_hangs_is_given_up_at_once():
    held = []

    async def hang(_reader, writer):
        writer.transport.pause_reading()
        held.append(writer)

    async def work():
        server = await asyncio.start_server(hang, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        link = Link(Address(host=host, port=port), lambda _text: None, patience=0.05, capacity=99)
        sending = asyncio.create_task(link.run())
        opened = []
        connect = link._connect

        async def counted():
            opened.append(await connect())
            return opened[-1]

        link._connect = counted
        for _ in range(40):
            link.put("x" * (LIMIT - 1))
        await until(lambda: len(opened) == 3)
        assert opened[0].get_extra_info("socket").fileno() == -1
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        for writer in held:
            writer.transport.abort()
        server.close()

    run(work())


def test_a_flood_of_answers_delays_nobody():
    async def work():
        server = await asyncio.start_server(flood, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        answers = []
        link = Link(Address(host=host, port=port), answers.append, patience=10, capacity=9)
        sending = asyncio.create_task(link.run())
        link.put("please")
        turns = 0
        while len(answers) < 2000:
            turns += bool(answers)
            await asyncio.sleep(0)
        assert turns > 500
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        server.close()

    async def flood(reader, writer):
        await reader.readline()
        writer.write(b"answer\n" * 2000)
        await reader.read()
        writer.close()

    run(work())


def test_a_flood_of_deliveries_delays_nobody():
    async def work():
        taken = []
        host = receiver_host()
        host._take = lambda text, _writer: taken.append(text)
        async with Hosts(host):
            _, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            writer.write(b"delivery\n" * 2000)
            turns = 0
            while len(taken) < 2000:
                turns += bool(taken)
                await asyncio.sleep(0)
            writer.close()
        assert turns > 500

    run(work())


def test_a_receiver_stops_though_a_peer_reads_no_answers(caplog):
    async def work():
        host = receiver_host()
        tasks = [asyncio.create_task(host.run())]
        await until(lambda: host.address.port)
        _, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
        writer.transport.pause_reading()
        writer.write(sent(update()))
        await until(lambda: host._connections)
        [answers] = host._connections.values()
        answers.write(b"x" * 2**24)  # more than the system takes: the rest waits for the peer
        host.stop()
        await asyncio.gather(*tasks)
        writer.transport.abort()

    run(work())
    assert caplog.messages == []


def test_the_way_back_of_a_delivery_that_cannot_be_taken_is_forgotten():
    async def work():
        host = receiver_host()
        async with Hosts(host):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.address.port)
            writer.write(sent(update("strange", target="agent-c")) + sent(update()))
            await reader.readline()
            assert host._asked == {}
            writer.close()

    run(work())


def test_a_queue_that_is_full_and_a_message_that_is_too_long_are_lost():
    link = Link(NOWHERE, lambda _text: None, patience=1.0, capacity=2)
    link.put("1")
    link.put("2")
    with pytest.raises(asyncio.QueueFull):
        link.put("3")
    with pytest.raises(ValueError, match="make its payload smaller"):
        link.put("x" * LIMIT)


def test_a_target_without_an_address_is_refused_before_custody_begins():
    host = custodian_to(NOWHERE)
    with pytest.raises(Refused, match="known targets: agent-b"):
        host.submit(update(target="agent-z"), bounds())
    assert host.custodian.next_due() is None


def test_on_a_start_what_is_overdue_escalates_before_anything_is_sent_again(tmp_path):
    now = SystemClock().now()
    store = CustodianStore()
    before = Custodian(store, KINDS, lambda _delivery: None)
    before.accept(update("due"), bounds(60), now)
    before.accept(update("overdue"), bounds(5), now - timedelta(seconds=5))

    async def work():
        host = CustodianHost(store, KINDS, {TARGET: NOWHERE}, log=log)
        async with Hosts(host):
            await until(lambda: host.custodian.record("due").deliveries == 1)

    with EventLog(tmp_path / "log", "custodian", "c") as log:
        run(work())
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    told = [(event["event"], event.get("obligation")) for event in events]
    assert told == [
        ("start", None),
        ("escalate", "overdue"),
        ("attempt", "due"),
        ("send", "due"),
        ("stop", None),
    ]


def test_one_unreadable_row_is_told_once_and_stops_no_other_fail_safe(caplog):
    store = CustodianStore()
    host = CustodianHost(store, KINDS, {TARGET: NOWHERE})
    host.submit(update("bad"), bounds())
    store._db.execute("UPDATE custody SET terms = '{}'")
    host.submit(update("young"), bounds(0.3))

    async def work():
        async with Hosts(host):
            await until(lambda: status(host, "young") == "escalated")

    run(work())
    assert len([message for message in caplog.messages if "'bad' is due, and waits" in message]) == 1


class Hasty:
    """A clock that moves on by a second whenever it is read."""

    def __init__(self):
        self.seconds = 0

    def now(self):
        self.seconds += 1
        return at(self.seconds)


def test_a_fail_safe_that_comes_due_during_a_long_agenda_is_not_last(monkeypatch):
    monkeypatch.setattr(custodian_host, "_AGENDA", 0)
    monkeypatch.setattr(custodian_host, "_WORTH", 0)
    host = CustodianHost(CustodianStore(), KINDS, {TARGET: NOWHERE}, clock=Hasty())
    done = []
    host.custodian._observe = lambda command, _now: done.append(command)
    host.submit(update("urgent"), bounds(window=45))
    host.custodian.advance("urgent", host._clock.now())
    for number in range(30):
        host.submit(update(f"o{number:02}"), bounds(window=10_000))
    done.clear()

    async def work():
        async with Hosts(host):
            await until(lambda: host.custodian.record("o29").deliveries)

    run(work())
    names = [type(command).__name__ for command in done]
    assert "Attempt" in names[names.index("Escalate") :]


@pytest.mark.parametrize(("cost", "asked"), [(0.0, 10), (1.0, 1)])
def test_an_agenda_is_asked_again_after_a_while_and_after_longer_if_asking_costs_more(
    monkeypatch, cost, asked
):
    seconds, times = [0.0], []

    def passing():
        seconds[0] += 0.005
        return seconds[0]

    monkeypatch.setattr(custodian_host, "monotonic", passing)
    host = custodian_to(NOWHERE)
    for number in range(495):
        host.submit(update(f"o{number:03}"), bounds())
    ask = host.custodian.agenda

    def asking(now):
        times.append(now)
        seconds[0] += cost
        return ask(now)

    host.custodian.agenda = asking

    async def work():
        async with Hosts(host):
            await until(lambda: all(host.custodian.record(f"o{n:03}").deliveries for n in range(495)))

    run(work())
    assert len(times) in (asked, asked + 1)  # a last round may have found that nothing is left


def test_answers_are_heard_between_the_deliveries_of_a_long_agenda():
    async def work():
        receiver = receiver_host()
        async with Hosts(receiver):
            host = custodian_to(receiver.address)
            for number in range(200):
                host.submit(update(f"o{number:03}"), bounds())
            async with Hosts(host):
                await until(lambda: status(host, "o000") == "applied")
                assert host.custodian.record("o199").deliveries == 0

    run(work())
