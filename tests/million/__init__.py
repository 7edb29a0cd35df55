"""Random transfers in great numbers: hostile channels, crashes and outages of either side, audited.

`python -m tests.million --help` runs them, a million unless told otherwise; `make deep` does so too. The
way of the data: `plan` draws a batch from a seed, `world` lets it happen, `journal` keeps what became
durable and when, `audit` judges that, `campaign` does it on all cores, `shrink` makes a failing batch small.
"""
