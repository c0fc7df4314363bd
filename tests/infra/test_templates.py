"""Templates of labels and annotations."""

import pytest

from infra.templates import template_faults

FINE = [
    "plain",
    "{{ $labels.pod }} has {{ $value | humanizePercentage }}",
    "{{- if eq $labels.workload `offline` -}}a{{ else }}b{{ end }}",
    '{{ range query "up{job=\\"x\\"}" }}{{ .Labels.instance }} {{ . | value }}{{ end }}',
    "{{ with $first := query `up` | first }}{{ $first.Value }}{{ end }}",
    '{{ printf "%.2f $x" $value }}',
    '{{ .Labels.pod }} {{ index $labels "a-b" }} {{ humanize .Value }}',
    "{{/* c */}}ok",
    "{{- /* a }} b\n{{ */ -}} ok {{/**/}}",
    '{{ $value | humanize | printf "%s }}" }}',
    "{{ print `}} {{` }}{{ print '}' }}",
    'a }} b, {"a": {"b": 1}}, {single}',
    "{{$value}}{{-  $value  -}}{{ -1 | humanize }}{{-1}}",
    r'{{ "\a\n\t\"\\ \x41 \101 \u00e9 \U0001F600" }}',
    "{{ $value | }}",
    "{{ if $value }}a{{ else if eq 1 2 }}b{{ else }}c{{ end }}",
    "{{ with $value }}a{{ else }}b{{ end }}{{ range query `up` }}{{ break }}{{ else }}none{{ end }}",
    "{{ if $value }}{{ if $value }}a{{ else }}b{{ end }}{{ else }}c{{ end }}",
    "{{ range $i, $s := query `up` }}{{ $i }}{{ $s.Value }}{{ continue }}{{ end }}",
    "{{ $x := 1.5e3 }}{{ $x = 2 }}{{ $x }}{{ $ }}{{ $.Labels }}{{ . }}",
    '{{ (query "up" | first).Value }} {{ printf "%d" (len (query `up`)) }}',
    '{{ define "t" }}{{ . }}{{ end }}{{ template "t" }}{{ template "t" . }}{{ block "b" . }}x{{ end }}',
    "{{ $labels.世界 }} {{ $externalURL }} {{ $externalLabels.cluster }}",
    "{{ $labels\n.pod }}",
    "{{ 0x1F }} {{ .5 }} {{ 'a' }} {{ true }} {{ args 1 2 }}",
]
REFUSED = [
    ("{{ $labels.pod", "a {{ has no }}"),
    ("{{", "a {{ has no }}"),
    ("{{/* c }}", "a comment begins"),
    ("{{ /* c */ }}", "a comment begins"),
    ("{{ }}", "an empty {{ }}"),
    ("{{}}", "an empty {{ }}"),
    ("{{ $label.pod }}", "$label is not set; write $labels"),
    ("{{ pod }}", "pod is no function of templates; write $labels.pod"),
    ("{{ if $value }}x", "has no {{ end }}"),
    ("{{ end }}", "ends nothing"),
    ("{{ $value | humanise }}", "humanise is no function"),
    ('{{ printf "%.2f }}', 'a " has no other'),
    ("{{ print `a }}", "a ` has no other"),
    ('{{ printf "a\nb" }}', 'a " has no other'),
    ("{{ $labels.pod ) }}", "a ) closes nothing"),
    ("{{ (query `up` | first.Value }}", "a ( has no )"),
    ("{{ ) ( }}", "a ) closes nothing"),
    ("{{ else }}", "belongs to nothing"),
    ("{{ if $value }}a{{ else }}b{{ else }}c{{ end }}", "the second one"),
    ("{{ if $value }}a{{ else }}b{{ else if $value }}c{{ end }}", "the second one"),
    ('{{ define "a" }}{{ else }}{{ end }}', "belongs to nothing"),
    ("{{ if $value }}a{{ else $value }}b{{ end }}", "is followed by"),
    ("{{ if }}a{{ end }}", "lacks a value"),
    ("{{ range }}a{{ end }}", "lacks a value"),
    ("{{ if $value }}a{{ else if }}b{{ end }}", "lacks a value"),
    ("{{ $x := }}", "lacks a value"),
    ("{{ | humanize }}", "lacks a value"),
    ("{{ $value || humanize }}", "lacks a value"),
    ("{{ print () }}", "lacks a value"),
    (r'{{ "a\qb" }}', r"\q in"),
    (r'{{ "\x4" }}', r"\x in"),
    (r"""{{ "\'" }}""", "stands for nothing"),
    (r'{{ reReplaceAll "(\d+)" "$1" $labels.pod }}', r"\d in"),
    ("{{ eq $labels.pod 'abc' }}", "single quotes"),
    ("{{ '' }}", "single quotes"),
    ("{{ if $value > 5 }}a{{ end }}", "> has no meaning"),
    ("{{ if $value == 5 }}a{{ end }}", "a = or a comma"),
    ("{{ print 1, 2 }}", "a = or a comma"),
    ("{{ $labels.app-name }}", "- has no meaning"),
    ("{{ $labels.app - 1 }}", "- has no meaning"),
    ("{{ $labels.app-1 }}", "- has no meaning"),
    ("{{ $x=1 }}", "= stands at once behind $x"),
    ("{{ query `up`5 }}", "5 stands at once behind `up`"),
    ("{{ humanize$value }}", "$ stands at once behind humanize"),
    ("{{ humanizeDuration 5m }}", "m stands at once behind 5"),
    ("{{ print 0x }}", "x stands at once behind 0"),
    ("{{ $value if }}", "if stands within an action"),
    ("{{ print end }}", "end stands within an action"),
    ('{{ $labels["pod"] }}', "[ has no meaning"),
    ("{{ {{ $value }} }}", "{ has no meaning"),
    ("{{ break }}", "outside of"),
    ("{{- }}", "an empty {{ }}"),
]


@pytest.mark.parametrize("text", FINE)
def test_what_prometheus_can_work_out_is_left_alone(text):
    assert list(template_faults(text)) == []


@pytest.mark.parametrize(("text", "said"), [*REFUSED, ("$labels.pod }}", "a }} has no {{")])
def test_what_it_cannot_is_said(text, said):
    [fault] = template_faults(text)
    assert said in fault
    assert "; " in fault


@pytest.mark.parametrize("text", [*FINE, *(text for text, _ in REFUSED)])
def test_prometheus_says_the_same_of_a_template(accepts_rule, text):
    assert accepts_rule(summary=text) == (text in FINE)
