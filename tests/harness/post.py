"""A letter that is sent until it is answered, by two processes of which one crashes: spec, model and logs.

The sender writes `sent` (and when the next letter is due), `answered` and `gave up`; the office writes
`opened` (its process began), `stored` (the letter is kept, the answer leaves) and `repeated` (the answer
leaves again). The office may be killed between storing and writing so, which loses the answer too.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.model import LogFields, Model, Reading
from specwalk.values import Value

POST_TLA = r"""---- MODULE Post ----
EXTENDS Naturals
CONSTANT Most
VARIABLES sent, flying, stored, answered, ended, open, now
vars == <<sent, flying, stored, answered, ended, open, now>>

Init ==
    /\ sent = 0 /\ flying = {} /\ stored = FALSE /\ answered = FALSE
    /\ ended = "no" /\ open = TRUE /\ now = 0

\* A letter is due when the wait for the one before, of one tick, is over.
Send(n) ==
    /\ ended = "no" /\ n = sent + 1 /\ n <= Most /\ now >= sent
    /\ sent' = n /\ flying' = flying \cup {n}
    /\ UNCHANGED <<stored, answered, ended, open, now>>

GiveUp ==
    /\ ended = "no" /\ now >= Most
    /\ ended' = "gave up"
    /\ UNCHANGED <<sent, flying, stored, answered, open, now>>

Answered ==
    /\ ended = "no" /\ answered
    /\ ended' = "answered"
    /\ UNCHANGED <<sent, flying, stored, answered, open, now>>

Store(n, killed) ==
    /\ open /\ n \in flying /\ ~stored
    /\ stored' = TRUE /\ answered' = ~killed /\ open' = ~killed
    /\ UNCHANGED <<sent, flying, ended, now>>

Repeat(n) ==
    /\ open /\ n \in flying /\ stored
    /\ answered' = TRUE
    /\ UNCHANGED <<sent, flying, stored, ended, open, now>>

Close == open /\ open' = FALSE /\ UNCHANGED <<sent, flying, stored, answered, ended, now>>
Open == ~open /\ open' = TRUE /\ UNCHANGED <<sent, flying, stored, answered, ended, now>>
Lose(n) == n \in flying /\ flying' = flying \ {n} /\ UNCHANGED <<sent, stored, answered, ended, open, now>>
Tick == now < Most /\ now' = now + 1 /\ UNCHANGED <<sent, flying, stored, answered, ended, open>>

Next ==
    \/ GiveUp \/ Answered \/ Close \/ Open \/ Tick
    \/ \E n \in 1..Most : Send(n) \/ Repeat(n) \/ Lose(n) \/ \E killed \in BOOLEAN : Store(n, killed)
====
"""
POST_CFG = "CONSTANT Most = 2\nINIT Init\nNEXT Next\n"
MODEL = "from tests.harness.post import PostModel\n\nclass Post(PostModel):\n    pass\n"


class PostModel(Model):
    """Reads the logs of sender and office."""

    spec = "../spec/Post.tla"
    log_fields = LogFields(time="at", run="run", count="n")

    def read_event(self, line: Mapping[str, Any], kept: dict[str, Any]) -> Reading | None:
        event, letter, n = line["event"], line.get("letter"), line.get("number")
        match event:
            case "opened":
                return Reading(None, ("opened",), begins=True)
            case "began":
                return Reading(None, ("began",), begins=True)
            case "sent":
                early = line["at"] < kept.get(letter, 0)
                kept[letter] = line["due"]
                return Reading(letter, ("sent", n, "early") if early else ("sent", n), sends=n)
            case "stored" | "repeated":
                return Reading(letter, (event, n), receives=n)
            case "answered" | "gave up":
                return Reading(letter, (event,))
        raise BadInput(f"There is no event {event!r}.")

    def explains(
        self, sight: Any, step: Label | None, before: Mapping[str, Value], after: Mapping[str, Value]
    ) -> bool:
        if step is None:
            return sight == ("began",)
        match sight:
            case ("sent", n):
                return str(step) == f"Send({n})"
            case ("stored", n):
                return str(step) == f"Store({n}, FALSE)"
            case ("repeated", n):
                return str(step) == f"Repeat({n})"
        return str(step) == {"opened": "Open", "answered": "Answered", "gave up": "GiveUp"}.get(sight[0])

    def unobserved(self, step: Label, before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
        return step.action in ("Tick", "Lose", "Close") or step.arguments[1:] == (True,)


def write_project(folder: Path) -> None:
    """A project of spec, configuration and model."""
    for name, text in (("model/post.py", MODEL), ("spec/Post.tla", POST_TLA), ("spec/Post.cfg", POST_CFG)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def write_log(file: Path, events: Iterable[Mapping[str, Any]]) -> None:
    """A log whose lines are numbered anew in each run."""
    count = 0
    lines = []
    for event in events:
        count = 0 if event["event"] in ("began", "opened") else count + 1
        run = event.get("run", "r1")
        lines.append(json.dumps({"run": run, "n": count, **event}) + "\n")
    file.write_text("".join(lines))
