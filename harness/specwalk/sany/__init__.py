"""A spec's semantic tree: what it is (``tree``), and how it is read from SANY's XML (``reader``) and copied
from the modules' texts (``sources``)."""
