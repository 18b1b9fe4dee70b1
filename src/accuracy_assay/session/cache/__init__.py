"""Everything that may be deleted: a session computes it again.

``entries`` keeps and recalls, ``stamps`` tell whether a table has changed, and the others are what
is kept: ``ids``, ``table``, ``cells``, ``pool``, ``fits``. Nothing here knows rows or events.
"""
