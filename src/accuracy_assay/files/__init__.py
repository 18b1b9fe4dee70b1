"""Files in and out: tables, texts, the surface file; every file is written whole or not at all."""
