"""Every code has a section in the documentation, and every section a code."""

import ast
import re
from typing import get_args

from infra.checks import Severity
from infra.places import ROOT

PAGE = (ROOT / "docs" / "doctor" / "README.md").read_text("utf-8")
LIVE = (ROOT / "docs" / "checks" / "live.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)$", PAGE, re.MULTILINE)
OTHER_WORDS = {
    "istio-proxy",
    "site-packages",
    "dist-packages",
    "kube-dns",
    "kube-system",
    "default-scheduler",
}


def codes():
    """Constants of the rules that look like a code."""
    found = set()
    for file in (ROOT / "infra" / "doctor").rglob("*.py"):
        for part in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(part, ast.Constant) and re.fullmatch(r"[a-z]+(-[a-z]+)*", str(part.value)):
                found.add(part.value)
    return {word for word in found if "-" in word} - OTHER_WORDS


def test_each_code_is_documented_and_no_other():
    of_live = set(re.findall(r"^## (\S+)$", LIVE, re.MULTILINE))
    assert len(codes()) > 40
    assert codes() - of_live <= set(SECTIONS)
    assert {name for name in SECTIONS if "-" in name} <= codes()


def test_each_section_begins_with_its_severity():
    first = re.findall(r"^## \S+\n\n\*([a-z ]+)\.\*", PAGE, re.MULTILINE)
    assert len(first) == len(SECTIONS)
    assert {word for text in first for word in text.split(" or ")} <= set(get_args(Severity))


def test_the_table_of_symptoms_names_codes_that_there_are():
    table = re.findall(r"^\| .* \| (`.*) \|$", PAGE, re.MULTILINE)
    named = {code for row in table for code in re.findall(r"`([a-z-]+)`", row)}
    assert named <= set(SECTIONS) | set(re.findall(r"^## (\S+)$", LIVE, re.MULTILINE)) | {
        "operator-of-others"
    }
