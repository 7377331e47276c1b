"""Runs a notebook against the server of ASFILED_URL with ASFILED_KEY.

`run.py NOTEBOOK` stores its outputs in it. `run.py --check NOTEBOOK` compares them with those that are stored, and fails
where a text differs or a picture is missing.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

cell_seconds = 120


def executed(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(notebook, timeout=cell_seconds, kernel_name="python3", resources={"metadata": {"path": "."}}).execute()
    for cell in notebook.cells:
        # Times and ids of a run, which would change the file each time.
        cell.metadata = {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def texts(notebook: Any) -> list[str]:
    lines = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            text = output.get("text") or ("a picture" if "image/png" in data else data.get("text/plain", output.output_type))
            lines += [f"cell {number}: {line}\n" for line in text.splitlines()]
    return lines


def main(arguments: list[str]) -> int:
    check = arguments[:1] == ["--check"]
    path = Path(arguments[-1]).resolve()
    stored = nbformat.read(path, as_version=4)
    now = executed(path)
    if not check:
        nbformat.write(now, path)
        return 0
    difference = list(difflib.unified_diff(texts(stored), texts(now), "stored", "now", n=0))
    sys.stdout.writelines(difference)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
