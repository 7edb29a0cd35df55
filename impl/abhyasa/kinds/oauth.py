"""OAuth tokens: revocation, a binary polarity defined independently of this work (section 5).

Rule 1: a revocation is admissible: the authorization server, which is the custodian here, stops
        honouring the token at issue, and `safe(O)` asserts that again. The issue or refresh of a
        token is inadmissible: its loss is benign, the client asks again.
Rule 2: the token itself never travels; its SHA-256 does. It is the governed key, so two tokens of
        one client never share one.
Rule 3: revoked is a mark of its own beside issued, so no delayed issue can undo a revocation.
"""

import hashlib
import re
from collections.abc import Mapping

from abhyasa.core.actions import Set
from abhyasa.core.obligation import Obligation
from abhyasa.core.polarity import Kind
from abhyasa.core.values import Json, path_key

_OPERATIONS = ("revoke", "issue", "refresh")


def token_hash(token: str) -> str:
    """Return what stands for a token in payloads and keys: its SHA-256 in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


def revoked_key(hashed: str) -> str:
    """Return the key, on both sides, that is True once the token of this hash is revoked."""
    return path_key("token", hashed, "revoked")


def issued_key(hashed: str) -> str:
    """Return the key at the receiver that is True once the token of this hash was issued."""
    return path_key("token", hashed, "issued")


class Token(Kind):
    """`{"operation": "revoke" | "issue" | "refresh", "token_hash": <64 hexadecimal digits>}`."""

    name = "oauth.token"

    def check(self, payload: Mapping[str, Json]) -> None:
        """Raise ValueError unless this is an operation on a token's hash."""
        if payload.keys() != {"operation", "token_hash"}:
            raise ValueError(f"the fields are operation and token_hash, not {sorted(payload)}")
        if payload["operation"] not in _OPERATIONS:
            raise ValueError(f"operation is one of {_OPERATIONS}, not {payload['operation']!r}")
        if not re.fullmatch("[0-9a-f]{64}", str(payload["token_hash"])):
            raise ValueError("token_hash is a SHA-256 in hexadecimal; never send the token itself")

    def governed_key(self, obligation: Obligation) -> str:
        """Return the token."""
        return path_key("token", str(obligation.payload["token_hash"]))

    def safe(self, obligation: Obligation) -> Set | None:
        """Stop honouring a revoked token; None for an issue or refresh."""
        return self.effect(obligation) if obligation.payload["operation"] == "revoke" else None

    def effect(self, obligation: Obligation) -> Set:
        """Mark the token as revoked, or as issued."""
        revokes = obligation.payload["operation"] == "revoke"
        hashed = str(obligation.payload["token_hash"])
        return Set(key=revoked_key(hashed) if revokes else issued_key(hashed), value=True)

    def at_issue(self, obligation: Obligation) -> Set | None:
        """Let a revocation hold at once."""
        return self.safe(obligation)
