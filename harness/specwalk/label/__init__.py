"""The wrapper modules that make TLC label every edge of an unmodified spec.

``spec`` is what they start from, ``behaviour`` finds Init and Next, ``splitting`` and ``actions`` find the
leaf actions, ``skeleton`` is what a wrapper consists of, ``render`` writes it as TLA+, ``alphabet`` adds the
action instances that Next speaks of, ``wrapper`` puts the modules together and ``export`` runs them.
"""
