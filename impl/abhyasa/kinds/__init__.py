"""The kinds of governance obligations (section 5): small instances of one interface."""

from abhyasa.kinds.anumati import Consent
from abhyasa.kinds.oauth import Token
from abhyasa.kinds.phala import BeliefUpdate

__all__ = ["BeliefUpdate", "Consent", "Token"]
