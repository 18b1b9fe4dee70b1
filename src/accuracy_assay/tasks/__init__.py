"""Tasks: tables whose gold is known, for benchmarks, demonstrations and tests."""
