"""Templates of labels and annotations."""

import pytest

from infra.templates import template_faults


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "{{ $labels.pod }} has {{ $value | humanizePercentage }}",
        "{{- if eq $labels.workload `offline` -}}a{{ else }}b{{ end }}",
        '{{ range query "up{job=\\"x\\"}" }}{{ .Labels.instance }} {{ . | value }}{{ end }}',
        "{{ with $first := query `up` | first }}{{ $first.Value }}{{ end }}",
        '{{ printf "%.2f $x" $value }}',
        '{{ .Labels.pod }} {{ index $labels "a-b" }} {{ humanize .Value }}',
    ],
)
def test_what_prometheus_can_work_out_is_left_alone(text):
    assert list(template_faults(text)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ $labels.pod", "a {{ has no }}"),
        ("$labels.pod }}", "a }} has no {{"),
        ("{{ }}", "an empty {{ }}"),
        ("{{ $label.pod }}", "$label is not set; write $labels"),
        ("{{ pod }}", "pod is no function of templates; write $labels.pod"),
        ("{{ if $value }}x", "has no {{ end }}"),
        ("{{ end }}", "ends nothing"),
        ("{{ $value | humanise }}", "humanise is no function"),
    ],
)
def test_what_it_cannot_is_said(text, said):
    [fault] = template_faults(text)
    assert said in fault
