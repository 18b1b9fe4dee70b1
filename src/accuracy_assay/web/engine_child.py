"""The process in which surfaces are fitted and instances chosen; run by ``engine_process``.

It opens the same store. The first line of its input says which; each further line is a request,
``{"id": 1, "do": "pick", "n": 24, "besides": ["x7"]}`` or ``{"id": 2, "do": "fit", "service":
"reader", "is_exact": false, "folder": "/tmp/x"}``, and is answered by one line of output. A fit is
made beside a choice: neither waits for the other. Surfaces are handed over as surface files. The
end of its input ends the process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from accuracy_assay.session.assay import Assay
from accuracy_assay.web.engine import fit_service

__all__ = ["answer", "main"]

_NICE = 5
"""How far fits step back behind those who label, where a machine has few processors."""


def main(requests: TextIO = sys.stdin, answers: TextIO = sys.stdout) -> None:
    """Answer requests until there are no more."""
    os.nice(_NICE)
    sys.path.append(os.getcwd())  # as the command line has it, for ``module:name`` in a spec
    opened = json.loads(requests.readline())
    writing = threading.Lock()

    def reply(line: str) -> None:
        with writing:
            answers.write(line + "\n")
            answers.flush()

    assay = Assay.open(
        opened["store"],
        opened["name"],
        pool=opened["pool"],
        seed_set=opened["seed_set"],
        use_background_fits=True,
    )
    for line in requests:
        request = json.loads(line)
        threading.Thread(target=_serve, args=(assay, request, reply), daemon=True).start()


def _serve(assay: Assay, request: dict[str, Any], reply: Callable[[str], None]) -> None:
    try:
        found = {"id": request["id"], **answer(assay, request)}
    except Exception as error:  # whatever it was, who asked must hear of it
        found = {"id": request["id"], "error": str(error)}
    reply(json.dumps(found))


def answer(assay: Assay, request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request asks for."""
    if request["do"] == "pick":
        return {
            "picks": [
                asdict(pick) for pick in assay.session.pick(request["n"], request["besides"])
            ]
        }
    surface = fit_service(assay, request["service"], is_exact=request["is_exact"])
    if surface is None:
        return {"surface": None}
    path = Path(request["folder"]) / f"{request['id']}.surface"
    surface.save(path)
    return {"surface": str(path)}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it
    main()
    os._exit(0)  # a fit in progress is given up: threads of compiled code cannot be waited for
