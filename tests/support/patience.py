"""How long tests wait for what must happen: so long that only a fault takes longer.

A wait ends with its event; on an idle machine that is soon, on a busy one it may take a while.
"""

__all__ = ["PATIENCE_MS", "PATIENCE_S"]

PATIENCE_S = 120.0
PATIENCE_MS = 1000.0 * PATIENCE_S
