"""Fills in the templates of this package."""

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["render"]

_TEMPLATES = Environment(
    loader=PackageLoader("specwalk.generate"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **values: object) -> str:
    """The text of a template, by its file name; it ends with one newline."""
    return f"{_TEMPLATES.get_template(template).render(values).rstrip()}\n"
