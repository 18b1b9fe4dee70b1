"""The session: ask, tell, surface; a fold over stored events."""
