"""Mathematics on arrays alone: no attribute, pool or file is known here."""
