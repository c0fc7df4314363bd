"""The page of results, and what README says of it, are those of the records."""

import re

import pytest

from benchmarks import results
from sandbox import paths

RECORDS = results.FOLDER


def test_the_page_and_its_pictures_are_those_of_the_records():
    pytest.importorskip("matplotlib")
    text, pictures = results.written(RECORDS)
    assert results.PAGE.read_text("utf-8") == text
    assert {name: (RECORDS / name).read_text("utf-8") for name in pictures} == pictures


def test_no_picture_is_left_that_the_page_does_not_show():
    shown = set(re.findall(rf"\]\({RECORDS.name}/([^)]+)\)", results.PAGE.read_text("utf-8")))
    assert shown == {file.name for file in RECORDS.glob("*.svg")}


@pytest.mark.parametrize(("readme", "language"), [("README.md", "en"), ("README.zh-CN.md", "zh")])
def test_readme_says_what_was_measured(readme, language):
    said = " ".join((paths.CHECKOUT / readme).read_text("utf-8").split())
    assert results.headline(RECORDS)[language] in said


def test_a_folder_without_records_gives_a_page_without_numbers(tmp_path):
    text, pictures = results.written(tmp_path)
    assert pictures == {}
    assert "|" not in text
