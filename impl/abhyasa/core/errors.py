"""Why an endpoint turns an obligation away. Each changes nothing, and says what to change."""


class Refused(ValueError):
    """The obligation was not taken: no custody began, nothing was sent or applied."""


class UnknownKind(Refused):
    """No registered kind has this name."""


class Conflict(Refused):
    """The id or the sequence already stands for other content."""


class Misdirected(Refused):
    """The delivery names another receiver."""
