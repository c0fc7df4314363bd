"""What is read out of PromQL."""

import time

import pytest

from infra.promql import PromqlError, Selector, labels_used, metrics_used, parse, selectors

JOINED = """
sum by (node) (rate(cpu_seconds{mode="idle"}[5m])) / on (node) group_left (zone) nodes
  and max_over_time((load > 1)[1h:1m]) unless {__name__="up", job!~"a|b"}
"""


def test_metrics_are_found_in_ranges_subqueries_and_by_their_name_as_a_label():
    assert metrics_used(JOINED) == {"cpu_seconds", "nodes", "load", "up"}


def test_labels_are_those_that_are_matched_grouped_by_and_joined_on():
    assert labels_used(JOINED) == {"mode", "node", "zone", "job"}


def test_a_selector_says_what_it_matches():
    assert selectors('rate(up{job="x", pod!~"a.*"}[5m])') == (
        Selector("up", (("job", "=", "x"), ("pod", "!~", "a.*"))),
    )


def test_a_selector_without_a_name_has_no_metric():
    [found] = selectors('{__name__=~"node_.*", node="n1"}')
    assert (found.metric, found.labels) == (None, {"node"})


@pytest.mark.parametrize(
    ("expression", "from_here"),
    [
        ("up = 0", "= 0"),
        ("sum(rate(a[5m]) b) > 2", "b) > 2"),
        ("sum(a)) > 1", ") > 1"),
        ('up{job=="x"}', 'job=="x"}'),
        ('up == 0 and (x{a="b)("} > ', "> "),
    ],
)
def test_a_fault_is_told_with_the_place_where_it_begins(expression, from_here):
    with pytest.raises(PromqlError) as caught:
        parse(expression)
    assert expression[caught.value.column - 1 :] == from_here


def test_a_function_that_prometheus_does_not_know_is_named():
    with pytest.raises(PromqlError, match="nosuch"):
        parse("nosuch(up)")


@pytest.mark.parametrize("monster", ["(" * 4000 + "a" + ")" * 4000, "-" * 9000 + "a", "a+" * 4500 + "a"])
def test_what_would_keep_the_parser_busy_for_hours_is_refused_at_once(monster):
    start = time.process_time()
    with pytest.raises(PromqlError, match="brackets and operators"):
        parse(monster)
    assert time.process_time() - start < 1


def test_what_people_write_may_have_many_parts():
    start = time.process_time()
    assert len(selectors("sum(a) or " * 39 + "b")) == 40
    assert time.process_time() - start < 2


@pytest.mark.parametrize("expression", ["", "(", "up " * 2000])
def test_a_fault_without_a_place_is_told_all_the_same(expression):
    with pytest.raises(PromqlError) as caught:
        parse(expression)
    assert caught.value.column is None
