"""The programs of the README print what they say they print."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from engine import need

README = Path(__file__).parents[1] / "README.md"


def test_the_blocks_of_the_readme() -> None:
    need("pyarrow")
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7
    names: dict[str, Any] = {}
    for block in blocks:
        said = [line.split("  # ", 1)[1] for line in block.splitlines() if "print(" in line and "  # " in line]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)
        if said:
            assert printed.getvalue().splitlines() == said
        else:
            assert printed.getvalue()
