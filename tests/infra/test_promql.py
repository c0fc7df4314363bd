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


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ('up{job="a" or job="b"}', "`or` between matchers"),
        ('sum(rate({job="a" or job="b"}[5m])) > 1', "`or` between matchers"),
        ("info(up)", "info is an experimental function"),
        ("limitk(2, up)", "limitk is an experimental"),
        ("limit_ratio(0.5, up) > 1", "limit_ratio is an experimental"),
        ("double_exponential_smoothing(up[5m], 0.5, 0.5)", "double_exponential_smoothing is an"),
        ("sort_by_label(up, 'a')", "sort_by_label is an"),
        ("topk(1, sort_by_label_desc(up, 'a'))", "sort_by_label_desc is an"),
        ("mad_over_time(up[5m]) > 1", "mad_over_time is an"),
        ("first_over_time(up[5m]) > 1", "first_over_time is an"),
        ("up > step()", "step is an"),
    ],
)
def test_what_the_parser_reads_and_prometheus_refuses_is_refused(expression, said):
    with pytest.raises(PromqlError, match=said):
        parse(expression)


REFUSED_REGEXES = [
    *("(?=x)", "(?!x)a", "(?<=x)a", "(?<!x)a", "(?>a)", r"(a)\\1", r"(?P<n>a)(?P=n)"),
    *("a++", "a*+", "a?+", "a**", "[a-z]++", "a{2}{3}", r"\\+++", "a+?+"),
    *("(?x)a", "(?x: a)", "(?u)a", "(?R)a", r"\\u{61}", r"\\u0061"),
    *("a{1001}", "a{1,1001}", "a{1001,}", "a{99999999999}"),
]
FINE_REGEXES = [
    *("(?i)a", "(?s)(?m).", "(?i:a)", "(?i-s:a)", "(?P<n>a)", "(?U)a", "(?:a+)+", "(a|b)?c"),
    *("a+?", "a??", "a{2}?", "a{1000}", "a{,5}", r"\\+\\++", "[+*]+", "[]+]+", "[^]+]*", "[[:alpha:]+]+"),
    *(r"\\(\\?=", r"[(?]x", r"\\d{2}\\.x", r"\\\\\\\\u", "a{", r"a\\{2}+"),
]


@pytest.mark.parametrize("pattern", REFUSED_REGEXES)
@pytest.mark.parametrize("operator", ["=~", "!~"])
def test_regular_expressions_that_re2_refuses_are_refused(pattern, operator):
    with pytest.raises(PromqlError):
        parse(f'sum(up{{a{operator}"{pattern}"}})')


@pytest.mark.parametrize("pattern", FINE_REGEXES)
def test_regular_expressions_that_re2_reads_are_read(pattern):
    assert parse(f'up{{a=~"{pattern}"}}')
    assert parse('up{a="a++"}')


@pytest.mark.parametrize("pattern", REFUSED_REGEXES + FINE_REGEXES)
def test_prometheus_says_the_same_of_regular_expressions(accepts_rule, pattern):
    assert accepts_rule(f'up{{a=~"{pattern}"}}') == (pattern in FINE_REGEXES)
