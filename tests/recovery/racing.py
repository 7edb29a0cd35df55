"""Workers that race for one instance: processes on one store, which nobody takes step by step.

Each race has an instance, an organisation and a provider of its own, so the processes serve many races.
"""

import json
import os
import signal
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from multiprocessing.connection import wait

from abhyasa.recovery import Fact, Scope, application_events
from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import INSTANCE, PROMPT
from tests.recovery.processes import start
from tests.recovery.providers import P2
from tests.recovery.racer import Round, StoreClock, run, work
from tests.recovery.service import Ledger, Service
from tests.recovery.stage import declared

#: Seconds for which one that could be held up by another is given its head.
_MOMENT = 0.02


class Track:
    """Where workers race: a database, and processes on it that are started when they are needed."""

    _numbers = count(1)

    def __init__(self, opening):
        self._opening, self._children = opening, {}
        self.store = opening()
        self.clock = StoreClock(self.store)

    def close(self):
        for child in self._children.values():
            child.process.kill()
            child.process.join()
            child.pipe.close()
        self.store.close()

    @contextmanager
    def race(self, treatment=PROMPT):
        """A race for a new instance, at a provider of its own."""
        number = next(self._numbers)
        scope = Scope(organisation=f"org-{number}", principal="alice", run="run-1")
        instance = replace(INSTANCE, id=f"refund-{number}", scope=scope, approval=f"approval-{number}")
        with (
            tempfile.TemporaryFile("w+") as file,
            Service(P2, treatment, Ledger(file)) as service,
        ):
            threading.Thread(target=service.serve_forever, args=(0.005,), daemon=True).start()
            yield Race(self, instance, service)
            service.shutdown()

    def hire(self, name):
        """Return a racer, which is started if there is none of the name."""
        if name not in self._children:
            self._children[name] = start(work, name, self._opening, name)
        return self._children[name]

    def bury(self, name):
        """Wait until a racer is dead."""
        child = self._children.pop(name)
        child.process.join()
        child.pipe.close()
        assert child.process.exitcode == -signal.SIGKILL


class Race:
    """One instance and those who race for it, until it is brought to its end and judged."""

    def __init__(self, track, instance, service):
        self.instance, self._track, self._service = instance, track, service
        self.permit(instance)

    def permit(self, instance):
        """Register an instance under an authority that permits it."""
        store, clock = self._track.store, self._track.clock
        store.register(instance)
        store.set_fact(Fact.GRANT, instance.scope, 1, clock())
        store.set_fact(Fact.POLICY_EPOCH, instance.scope, instance.policy_epoch, clock())

    def begin(self, name, job=run, instance=None, stops=(), dies=None):
        """Have a racer begin, and return it."""
        racer = self._track.hire(name)
        racer.pipe.send(self._round(job, instance, frozenset(stops), dies))
        return racer

    def end(self, name, **how):
        """Have a racer begin, and return how it ended."""
        return self.begin(name, **how).hear()

    def die(self, name, place):
        """Have a racer begin, and die at a place."""
        self.begin(name, dies=place)
        self._track.bury(name)

    def play_out(self, racers, chance):
        """Let racers go on in an order that is drawn until none is left; return how each ended.

        Now and then one is stopped by a signal, wherever that finds it, while the others go on.
        """
        going, standing, ends = dict.fromkeys(racers), [], []
        while going or standing:
            for racer in _heard(going, _MOMENT if standing else None):
                del going[racer]
                said = self._said(racer)
                if " " in said:
                    standing.append(racer)
                else:
                    ends.append(said)
            if standing:
                racer = standing.pop(chance.randrange(len(standing)))
                racer.pipe.send(None)
                if chance.random() < 0.3:
                    _interrupt(racer, going)
                going[racer] = None
        return ends

    def _said(self, racer):
        try:
            return racer.pipe.recv()
        except EOFError:
            self._track.bury(racer.process.name)
            return "dead"

    def events(self, instance=None):
        """Return what the store holds of an instance."""
        return application_events(self._track.store, (instance or self.instance).id)

    def verdict(self, instance=None):
        """Bring an instance to its end by one more worker, and grade it by what is durable."""
        asked = instance or self.instance
        self._service.obey("commit_pending")
        run(self._track.store, self._round(run, asked, frozenset(), None), "last")
        self._service.clock.reach(self._track.store.time())
        provider = self._service.obey("finish")
        mine = {kind: _about(asked, part) for kind, part in provider.items()}
        history = {"contract": declared(P2), **self.events(asked), "provider": mine}
        return regrade(json.loads(json.dumps(history)))

    def _round(self, job, instance, stops, dies):
        asked = instance or self.instance
        return Round(
            job=job,
            instance_id=asked.id,
            scope=asked.scope,
            address=self._service.server_address,
            stops=stops,
            dies=dies,
        )


def _about(instance, part):
    """Return what of a part of a ledger is about an instance."""
    if not isinstance(part, list):
        return part
    return [event for event in part if event["reference"].startswith(f"{instance.id}/")]


def _heard(racers, patience):
    """Return the racers that say something, or have died."""
    speaking = wait([racer.pipe for racer in racers], patience)
    return [racer for racer in racers if racer.pipe in speaking]


def _interrupt(racer, others):
    """Stop a racer where it is until another one says something, or a moment has passed."""
    os.kill(racer.process.pid, signal.SIGSTOP)
    _heard(others, _MOMENT)
    os.kill(racer.process.pid, signal.SIGCONT)


def at_once(*racers):
    """Wait until each racer stands at its place, let all go on, and return what each says next."""
    for racer in racers:
        racer.hear()
    for racer in racers:
        racer.pipe.send(None)
    return [racer.hear() for racer in racers]
