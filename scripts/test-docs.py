"""Checks the documentation: links to files and headings, and the Python and JSON of the guide.

    test-docs.py links
    test-docs.py code PAGE...       needs the package libcupel

Python blocks of a page run one after another in one program. JSON blocks that are policies are read as such, and have to come back
the same when they are written and read again.
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def headings(text: str) -> set[str]:
    """The anchors that GitHub and mdBook give the headings of a page."""
    anchors = set()
    for title in re.findall(r"^#+ +(.*)$", BLOCK.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        anchors.add(re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-"))
    return anchors


def check_links() -> int:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    pages = [Path(name) for name in listed.stdout.split()] or sorted(
        page for page in Path().rglob("*.md") if not {"target", "node_modules"} & set(page.parts)
    )
    wrong = links = 0
    for page in pages:
        for match in LINK.finditer(BLOCK.sub("", page.read_text(encoding="utf-8"))):
            target = match.group(1) or match.group(2)
            if "://" in target or target.startswith("mailto:"):
                continue
            links += 1
            name, _, anchor = target.partition("#")
            file = page.parent / name if name else page
            if not file.exists():
                problem = "there is no such file"
            elif anchor and file.suffix == ".md" and anchor not in headings(file.read_text(encoding="utf-8")):
                problem = "there is no such heading"
            else:
                continue
            wrong += 1
            print(f"{page}: {target}: {problem}")
    print(f"links: {links - wrong} passed, {wrong} failed")
    return wrong


def check_code(pages: list[str]) -> int:
    import libcupel

    passed = wrong = 0
    for page in pages:
        names: dict[str, object] = {"__name__": "__main__"}
        text = Path(page).read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            language, code = match.groups()
            line = text[: match.start()].count("\n") + 1
            try:
                if language == "python":
                    exec(compile("\n" * line + code, page, "exec"), names)
                elif language == "json" and code.lstrip().startswith('{"scorer"'):
                    selector = libcupel.Selector.from_json(code)
                    again = libcupel.Selector.from_json(selector.to_json())
                    assert again.to_json() == selector.to_json(), "it is written in another way the second time"
                else:
                    continue
                passed += 1
            except Exception as error:  # whatever the program raised is the finding
                wrong += 1
                print(f"{page}:{line}: {type(error).__name__}: {error}")
    print(f"code: {passed} passed, {wrong} failed")
    return wrong or not passed


if __name__ == "__main__":
    sys.exit(bool(check_links() if sys.argv[1] == "links" else check_code(sys.argv[2:])))
