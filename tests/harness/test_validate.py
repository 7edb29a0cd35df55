"""Validating logs: behaviours are accepted, and what is not one is explained."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from specwalk.errors import BadInput, ExitCode
from specwalk.graph import Label, StateGraph, explore
from specwalk.model import Model, Reading
from specwalk.validate import Machine, Possible, Validation, validate
from specwalk.validate.flaws import Flaws
from specwalk.validate.lines import read_log
from specwalk.validate.track import Tracks
from tests.bench.growth import bytes_of
from tests.harness.logs import Silent
from tests.harness.post import PostModel, write_log, write_project
from tests.harness.toy import build

Event = Mapping[str, Any]

BEGAN = {"event": "began", "at": 0}
OPENED = {"event": "opened", "at": 0}


def sent(n: int, at: int, due: int = 0, letter: str = "a") -> Event:
    return {"event": "sent", "number": n, "at": at, "due": due, "letter": letter}


def stored(n: int, at: int, letter: str = "a") -> Event:
    return {"event": "stored", "number": n, "at": at, "letter": letter}


def answered(at: int, letter: str = "a") -> Event:
    return {"event": "answered", "at": at, "letter": letter}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> StateGraph:
    folder = tmp_path_factory.mktemp("post")
    write_project(folder)
    return explore(folder / "spec/Post.tla", folder / "spec/Post.cfg")


class Post:
    """Validates logs of sender and office."""

    def __init__(self, graph: StateGraph, folder: Path) -> None:
        self.graph = graph
        self.files = [folder / "sender.log", folder / "office.log"]

    def __call__(self, sender: list[Event], office: list[Event], model: Model | None = None) -> Validation:
        for file, log in zip(self.files, (sender, office), strict=True):
            write_log(file, log)
        return self.again(model)

    def again(self, model: Model | None = None) -> Validation:
        """Validate what is in the files."""
        machine = Machine(graph=self.graph, model=model or PostModel({}))
        return validate(Possible([machine]), self.files, Silent())


@pytest.fixture
def post(graph: StateGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Post:
    monkeypatch.chdir(tmp_path)
    return Post(graph, Path())


def walk(graph: StateGraph, random: Random) -> Iterator[tuple[str, Event]]:
    """What sender and office write in a random behaviour of one letter."""
    state, run = graph.initial[0], 1
    for at in range(random.randint(1, 25)):
        edge = random.choice(graph.out(state))
        state = graph.target[edge]
        label = graph.labels[graph.label[edge]]
        office = {"at": at, "run": f"r{run}", "letter": "a"}
        match label.action, label.arguments:
            case "Send", (n,):
                yield "sender", sent(n, at, due=at + 1)
            case "Store", (n, False):
                yield "office", {**office, "event": "stored", "number": n}
            case "Repeat", (n,):
                yield "office", {**office, "event": "repeated", "number": n}
            case "Open", ():
                run += 1
                yield "office", {"at": at, "event": "opened", "run": f"r{run}"}
            case (("GiveUp" | "Answered"), ()):
                event = {"GiveUp": "gave up", "Answered": "answered"}[label.action]
                yield "sender", {"at": at, "letter": "a", "event": event}


@pytest.mark.parametrize("skew", [0, -1000, 1000])
def test_every_behaviour_is_accepted_whatever_the_clocks_say(post: Post, skew: int) -> None:
    random, reordered = Random(skew), 0
    for _ in range(40):
        lines = list(walk(post.graph, random))
        sender = [BEGAN, *(line for side, line in lines if side == "sender")]
        office = [{**line, "at": line["at"] + skew} for side, line in lines if side == "office"]
        found = post(sender, [OPENED, *office])
        assert not found.rejected, (lines, found.rejections)
        assert not found.flaws.told
        assert found.events == len(lines) + 2
        reordered += len(found.reordered)
    assert bool(reordered) is bool(skew)


def test_a_rejected_log_is_explained(post: Post) -> None:
    found = post([BEGAN, sent(1, at=1), answered(at=9)], [OPENED, stored(2, at=6)])
    assert found.exit_code is ExitCode.DIVERGENCE
    # By hand: the letter flies or is lost, the office is open or not, and has stored it or not (unseen, as
    # it was killed), at three times. What is stored can be repeated, and that answers.
    told = """\
a: office.log:2: the spec does not allow stored 2 here.
  {"run": "r1", "n": 1, "event": "stored", "number": 2, "at": 6, "letter": "a"}
  lines explained before it: 3 of 5
  states that the spec could have been in: 24, the first 3:
    sent = 1, flying = {1}, stored = FALSE, answered = FALSE, ended = "no", open = TRUE, now = 0
    sent = 1, flying = {1}, stored = FALSE, answered = FALSE, ended = "no", open = FALSE, now = 0
    sent = 1, flying = {1}, stored = FALSE, answered = FALSE, ended = "no", open = TRUE, now = 1
  it would have allowed: Store(1, FALSE), Open, Send(2), GiveUp, Repeat(1)
  the line may be, in other states: Store(2, FALSE)
  nearest legal reading: any one of
    Send(2) is missing before office.log:2
    office.log:2 (stored 2) should be Repeat(1)
"""
    assert str(found.rejections[0]).startswith(told)


def test_what_happened_too_early_is_no_behaviour(post: Post) -> None:
    def log(at: int) -> list[Event]:
        return [BEGAN, sent(1, at=1, due=5), sent(2, at=at, due=9)]

    assert not post(log(at=5), [OPENED]).rejected
    (early,) = post(log(at=4), [OPENED]).rejections
    assert str(early).startswith("a: sender.log:3: the spec does not allow sent 2 early here.")
    assert early.meant == ()
    assert early.nearest[0] == "sender.log:3 (sent 2 early) is one too many"


def test_a_missing_line_at_the_end_of_a_run_is_explained_by_a_kill(post: Post) -> None:
    sender = [BEGAN, sent(1, at=1), sent(2, at=3), answered(at=9)]
    repeated = {**stored(2, at=5), "event": "repeated"}
    again = {**OPENED, "run": "r2", "at": 4}
    assert not post(sender, [OPENED, again, {**repeated, "run": "r2"}]).rejected
    # The store went unseen, so there must have been a kill; but the run goes on.
    (rejected,) = post(sender, [OPENED, stored(1, at=2), stored(1, at=2), repeated]).rejections
    assert rejected.place.line == 3


def test_a_message_arrives_behind_the_first_line_that_sends_it(post: Post) -> None:
    sender = [BEGAN, sent(1, at=5), answered(at=9)]
    office = [OPENED, stored(1, at=2), {**stored(1, at=3), "event": "repeated"}]
    found = post(sender, office)
    assert (found.rejected, found.reordered) == ((), ("a",))
    # Within a log the order is known.
    (rejected,) = post([BEGAN, *office[1:], *sender[1:]], []).rejections
    assert "it receives a message that no line before it sends" in str(rejected)


def test_what_a_line_surely_sent_does_not_arrive_without_it(post: Post) -> None:
    class Surely(PostModel):
        def read_event(self, line: Event, kept: dict[str, Any]) -> Reading | None:
            reading = super().read_event(line, kept)
            return reading and reading._replace(surely=reading.receives is not None)

    sender = [BEGAN, sent(1, at=5), answered(at=9)]
    assert not post(sender, [OPENED, stored(1, at=6)], Surely({})).rejected
    assert post(sender, [OPENED, stored(1, at=2)], Surely({})).reordered == ("a",)

    class Renumbered(Surely):
        """Takes a letter from the office's line for another one."""

        def read_event(self, line: Event, kept: dict[str, Any]) -> Reading | None:
            reading = super().read_event(line, kept)
            return reading and reading._replace(receives=reading.receives and 2)

    (rejected,) = post(sender, [OPENED, stored(1, at=6)], Renumbered({})).rejections
    assert str(rejected).startswith("a: office.log:2: the spec does not allow stored 1 here.")
    assert "it receives a message that no line before it sends" in str(rejected)
    assert rejected.nearest == ("office.log:2 (stored 1) should be Repeat(1)",)


def test_what_opens_a_run_may_not_concern_a_subject(post: Post) -> None:
    class Unconcerned(PostModel):
        def explains(self, sight: Any, *about: Any) -> bool:
            return sight != ("began",) and super().explains(sight, *about)

    found = post([BEGAN, sent(1, at=1)], [OPENED], Unconcerned({}))
    assert (found.rejected, found.reordered) == ((), ())
    found = post([sent(1, at=1), BEGAN], [OPENED], Unconcerned({}))
    assert found.rejected == ("a",)


def test_what_was_before_a_subject_may_concern_it_earlier_runs_too(tmp_path: Path) -> None:
    class Twice(Model):
        """A subject that needs two starts."""

        def read_event(self, line: Event, kept: dict[str, Any]) -> Reading:
            return Reading(line["who"], line["event"], begins=line["event"] == "A")

        def explains(self, sight: Any, step: Label | None, *_: object) -> bool:
            return step is not None and step.action == sight

    def rejected(*lines: tuple[str, str | None]) -> tuple[str, ...]:
        log = tmp_path / "log"
        log.write_text("".join(json.dumps({"event": event, "who": who}) + "\n" for event, who in lines))
        return validate(Possible([machine]), [log], Silent()).rejected

    graph = build([(0, "A", 1), (1, "A", 2), (0, "B", 0), (2, "C", 2)])
    machine = Machine(graph=graph, model=Twice({}))
    assert not rejected(("B", "s"), ("A", None), ("A", None), ("C", "s"))
    assert not rejected(("A", None), ("A", "s"), ("C", "s"))
    assert not rejected(("A", None), ("A", None), ("C", "s"))
    assert rejected(("A", None), ("C", "s")) == ("s",)


def test_subjects_have_the_spec_to_themselves(post: Post) -> None:
    sender = [sent(1, at=n, letter=f"letter {n}") for n in range(9)]
    office = [stored(1, at=n + 3, letter=f"letter {n}") for n in range(9)]
    ends = [answered(at=n + 20, letter=f"letter {n}") for n in range(9)]
    found = post([BEGAN, *sender, *ends], [OPENED, *office[:1], *office[2:]])
    assert (found.subjects, found.rejected) == (9, ("letter 1",))
    found = post([BEGAN, *ends], [OPENED])
    assert len(found.rejected) == 9
    assert [r.subject for r in found.rejections] == [f"letter {n}" for n in range(5)]


def test_what_is_kept_does_not_grow_with_the_lines(post: Post) -> None:
    def kept(repeats: int) -> int:
        repeated = {**stored(1, at=3), "event": "repeated"}
        post([BEGAN, sent(1, at=1)], [OPENED, stored(1, at=2), *[repeated] * repeats])
        model = PostModel({})
        tracks = Tracks(Possible([Machine(graph=post.graph, model=model)]), 2)
        logs = [read_log(n, file, model, Flaws()) for n, file in enumerate(post.files)]
        tracks.follow(logs, lambda _: None)
        assert tracks.events == repeats + 4
        assert not tracks.unexplained()
        return bytes_of(tracks)

    # The number of events itself is a larger one.
    assert kept(1000) - kept(10) < 100


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({**stored(1, at=2), "n": 2}, r"lines are missing .* \(number 2, expected 1\)"),
        ({**stored(1, at=2), "run": "r2", "n": 0}, r"a run .* its start.* \(run r2\)"),
        ({"event": "burnt"}, r"the model .* \(There is no event 'burnt'\)"),
        ({"event": "sent"}, r"the model .* \(KeyError: 'at'\)"),
    ],
    ids=["gap", "no start", "unknown", "field"],
)
def test_a_flaw_of_a_log_is_a_finding_of_its_own(post: Post, line: Event, told: str) -> None:
    found = post([BEGAN, sent(1, at=1)], [OPENED, line])
    assert not found.rejected
    assert found.exit_code is ExitCode.BAD_INPUT
    (flaw,) = found.flaws.told
    assert re.match(f"office.log:2: {told}", str(flaw))


def test_a_torn_line_is_what_a_kill_leaves(post: Post) -> None:
    post([BEGAN, sent(1, at=1)], [])
    office = post.files[1]
    opened = '{"event":"opened","at":0,"n":0,"run":"%s"}\n'
    office.write_text(opened % 1 + '{"event":"sto\n' + opened % 2 + '{"eve')
    found = post.again()
    assert (found.exit_code, list(map(str, found.flaws.torn))) == (0, ["office.log:2", "office.log:4"])


def test_a_line_that_is_no_json_within_a_run_is_a_flaw(post: Post) -> None:
    post([BEGAN, sent(1, at=1)], [])
    office = post.files[1]
    opened, closed = '{"event":"opened","at":0,"n":0,"run":1}', '{"event":"stored","n":1,"run":1,'
    stored = closed + '"at":1,"number":1,"letter":"a"}'
    office.write_bytes(b"\n".join([opened.encode(), *[b"\xff[]", b"", b"[1]"] * 4, stored.encode(), b""]))
    found = post.again()
    assert (len(found.flaws), len(found.flaws.told), found.events) == (8, 5, 4)
    assert str(found.flaws.told[0]).startswith("office.log:2: no JSON object. Remove the line")


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("a", "TypeError: it returned 'a', which is no Reading"),
        (Reading("a", []), "TypeError: unhashable type: 'list'"),
        (Reading(5, "a"), "its subject is 5: name it by a text"),  # type: ignore[arg-type]
    ],
)
def test_what_a_model_must_not_return(post: Post, returned: Any, told: str) -> None:
    class Wrong(PostModel):
        def read_event(self, *_: object) -> Any:
            return returned

    found = post([BEGAN], [], Wrong({}))
    assert (found.events, found.flaws.told[0].detail) == (0, told)


def test_a_model_that_cannot_be_asked_says_what_to_write(post: Post) -> None:
    class Lacking(Model):
        spec = ""

    with pytest.raises(BadInput, match=r"Lacking has no read_event\(\)"):
        post([BEGAN], [OPENED], Lacking({}))

    class Raising(PostModel):
        def explains(self, *_: object) -> bool:
            raise LookupError("no")

    with pytest.raises(BadInput, match=r"explains fails at \('began',\), None: LookupError: no\."):
        post([BEGAN, sent(1, at=1)], [OPENED], Raising({}))
