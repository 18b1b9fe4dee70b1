"""Write requirements.lock: exact versions with the hashes of their files, and no addresses.

Reads what ``pip freeze`` prints; pip's own index says which files a version has. Kept are the
wheels of CPython 3.11 to 3.14 on Linux (x86_64, aarch64), macOS and Windows, and the source of a
version that has no such wheel.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from pip._internal.commands.index import IndexCommand
from pip._internal.index.collector import parse_links
from pip._internal.models.link import Link
from pip._vendor.packaging.utils import (
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._vendor.packaging.version import Version

HEAD = """\
# Exact versions of the core, the extras web, postgres, peers, ray and dev, and the build backend,
# with the SHA-256 of their wheels for CPython 3.11 to 3.14 on Linux, macOS and Windows.
# CONTRIBUTING.md says how to renew it.
"""
PYTHONS = ("py3", "cp311", "cp312", "cp313", "cp314")
NEWEST = 14
PLATFORMS = re.compile(r"any|manylinux\w*_(x86_64|aarch64)|macosx_\w+|win_amd64")


def write_lock(frozen: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the lock for lines such as ``numpy==2.4.6``."""
    command = IndexCommand("index", "")
    options, _ = command.parse_args([])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        yield HEAD
        for line in frozen:
            name, is_exact, version = line.strip().partition("==")
            if not is_exact or name.startswith("#"):
                continue
            hashes = sorted(_hashes(finder._link_collector, name, Version(version)))
            if not hashes:
                raise SystemExit(f"{line.strip()} must have a file with a hash; got none.")
            yield f"{name}=={version} \\\n"
            yield " \\\n".join(f"    --hash=sha256:{found}" for found in hashes) + "\n"


def _hashes(collector, name: str, version: Version) -> set[str]:
    links = [
        link
        for source in collector.search_scope.get_index_urls_locations(canonicalize_name(name))
        if (content := collector.fetch_response(Link(source))) is not None
        for link in parse_links(content)
        if link.hash_name == "sha256" and link.hash
    ]
    wheels = {link.hash for link in links if _is_our_wheel(link.filename, version)}
    return wheels or {link.hash for link in links if _is_source(link.filename, version)}


def _is_our_wheel(filename: str, version: Version) -> bool:
    if not filename.endswith(".whl"):
        return False
    try:
        _, found, _, tags = parse_wheel_filename(filename)
    except ValueError:
        return False
    return found == version and any(
        PLATFORMS.fullmatch(tag.platform)
        and (
            (tag.interpreter in PYTHONS and tag.abi in ("none", tag.interpreter))
            or (tag.abi == "abi3" and _may_run(tag.interpreter))
        )
        for tag in tags
    )


def _may_run(interpreter: str) -> bool:
    """Return whether a Python that we support runs the stable ABI of an interpreter."""
    number = interpreter.removeprefix("cp3")
    return number.isdecimal() and int(number) <= NEWEST


def _is_source(filename: str, version: Version) -> bool:
    try:
        return parse_sdist_filename(filename)[1] == version
    except ValueError:
        return False


if __name__ == "__main__":
    sys.stdout.writelines(write_lock(sys.stdin))
