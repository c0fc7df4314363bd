"""Every code has a section in the documentation, and every section a code."""

import ast
import re

from infra.places import ROOT


def test_each_finding_of_the_cluster_is_documented_and_no_other():
    codes = set()
    for file in (ROOT / "infra" / "live").glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call):
                codes |= {
                    word for keyword in call.keywords if keyword.arg == "code" for word in texts(keyword)
                }
                if ast.unparse(call.func) == "Finding.of":
                    codes |= set(texts(call.args[0]))
    assert len(codes) > 20
    text = (ROOT / "docs" / "checks" / "live.md").read_text("utf-8")
    assert codes == set(re.findall(r"^## (\S+)$", text, re.MULTILINE))


def texts(node):
    """Constants in it that look like a code."""
    constants = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return [text for text in constants if re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", str(text))]
