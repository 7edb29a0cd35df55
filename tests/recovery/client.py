"""The application's side of the wire to a provider: standard HTTP, and a logical time with each message."""

import http.client
import json

from abhyasa.recovery import Answer, AnswerKind
from tests.recovery.service import TIME

_PATIENCE = 30.0


def request_body(request):
    """Return a request as the JSON object that a provider is sent."""
    scope = request.scope
    return {
        "reference": request.reference,
        "key": request.key,
        "participant": request.participant,
        "organisation": scope.organisation,
        "principal": scope.principal,
        "run": scope.run,
        "action": request.action,
    }


class HttpProvider:
    """A provider at an address."""

    def __init__(self, address, clock):
        self._address, self._clock = address, clock

    def send(self, request):
        return self._ask("/requests", request_body(request))

    def lookup(self, reference, participant):
        return self._ask("/lookups", {"reference": reference, "participant": participant})()

    def _ask(self, path, body):
        connection = http.client.HTTPConnection(*self._address, timeout=_PATIENCE)
        connection.request("POST", path, json.dumps(body), {TIME: str(self._clock())})
        return lambda: self._answer(connection)

    def _answer(self, connection):
        try:
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (http.client.HTTPException, OSError):
            return Answer(kind=AnswerKind.LOST)
        finally:
            connection.close()
        self._clock.reach(int(response.headers[TIME]))
        return Answer(kind=AnswerKind(answer["kind"]), receipt=answer["receipt"])
