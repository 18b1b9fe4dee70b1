"""A private PostgreSQL server in a temporary folder: a real one, reached through its socket.

PostgreSQL refuses to run as root, so root runs it as the user ``postgres`` of the Debian package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

__all__ = ["PostgresServer"]


@dataclass(frozen=True)
class PostgresServer:
    """A running server; ``url`` is that of its database."""

    folder: Path
    options: str

    @classmethod
    def start(cls, *, is_durable: bool = False) -> Self:
        """Make a cluster and start it; ``is_durable`` flushes commits to disk, as users do."""
        folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        options = f"-k {folder} -c listen_addresses='' -c max_connections=200"
        if not is_durable:
            options += " -c fsync=off -c full_page_writes=off"
        server = cls(folder, options)
        authority = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C")
        server._run("initdb", f"--pgdata={server.data}", *authority, "--no-sync")
        server.resume()
        return server

    @property
    def data(self) -> Path:
        """Folder of the cluster."""
        return self.folder / "data"

    @property
    def url(self) -> str:
        """Address of the database."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def url_of_schema(self, name: str) -> str:
        """Return the address of a fresh, empty schema."""
        self.sql(f'DROP SCHEMA IF EXISTS "{name}" CASCADE; CREATE SCHEMA "{name}"')
        return f"{self.url}&options=-csearch_path%3D{name}"

    def sql(self, statement: str) -> None:
        """Run statements."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)

    def resume(self) -> None:
        """Start the server, and wait until it answers."""
        log = self.folder / "log"
        self._run("pg_ctl", "start", "-w", "-D", self.data, "-l", log, "-o", self.options)

    def halt(self) -> None:
        """Stop the server at once, as a crash would; `resume` recovers it."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self.data)

    def remove(self) -> None:
        """Stop the server for good and delete its folder."""
        try:
            self.halt()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: object) -> None:
        words: Sequence[str] = (_find(program), *map(str, arguments))
        who = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        done = subprocess.run(
            words,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **who,  # type: ignore[arg-type]
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")


def _find(program: str) -> str:
    places = [os.environ.get("PATH", ""), *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
    found = shutil.which(program, path=os.pathsep.join(places))
    if found is None:
        raise RuntimeError(f"{program} must be installed: Debian's package is called postgresql")
    return found
