"""Templates of what Alertmanager writes itself: mail, and messages of a WeCom application."""

from typing import Final

from components.rendering.delivery.labels import JOB
from components.rendering.delivery.words import WORDS, Words
from infra.models.alerts.alerts import Language

SUBJECT: Final = "colocation.subject"
TEXT: Final = "colocation.text"
SHORT: Final = "colocation.short"
_SHORT_ALERTS = 4  # a WeCom application's text may have 2048 bytes

_FILE = """\
{{ define "colocation.subject" -}}
[{{ if eq .Status "firing" }}@firing@ {{ len .Alerts.Firing }}{{ else }}@resolved@{{ end }}] \
{{ .CommonLabels.alertname }}{{ range .CommonLabels.SortedPairs }}\
{{ if or (eq .Name "namespace") (eq .Name "@job_label@") }} {{ .Value }}{{ end }}{{ end }}
{{- end }}

{{ define "colocation.alert" -}}
[{{ if eq .Status "firing" }}@firing@{{ else }}@resolved@{{ end }}] {{ .Labels.alertname }}\
{{ with .Annotations.summary }}: {{ . }}{{ end }}
@severity@: @severities@
@cluster@: {{ or .Labels.cluster @cluster_name@ }}
{{- with .Labels.namespace }}
@namespace@: {{ . }}
{{- end }}
{{- with .Labels.@job_label@ }}
@job@: {{ . }}
{{- end }}
@since@: {{ .StartsAt.UTC.Format "2006-01-02 15:04:05 UTC" }}
{{- with .Annotations.description }}
{{ . }}
{{- end }}
{{- with .Annotations.runbook_url }}
@runbook@: {{ . }}
{{- end }}
{{- with .GeneratorURL }}
@source@: {{ . }}
{{- end }}
{{ end }}

{{ define "colocation.text" -}}
{{ range .Alerts }}{{ template "colocation.alert" . }}
{{ end }}
{{- end }}

{{ define "colocation.short" -}}
{{ template "colocation.subject" . }}
{{ range $number, $alert := .Alerts }}{{ if lt $number @short@ }}
{{ template "colocation.alert" $alert }}{{ end }}{{ end }}
{{- if gt (len .Alerts) @short@ }}
@left_out@
{{- end }}
{{- end }}
"""


def template_file(language: Language, cluster: str) -> str:
    """`colocation.tmpl`; `cluster` stands in alerts whose Prometheus says no name of its cluster."""
    words = WORDS[language]
    said = {
        "firing": words.firing,
        "resolved": words.resolved,
        "severity": words.severity,
        "severities": _severity(words),
        "cluster": words.cluster,
        "cluster_name": _quoted(cluster),
        "namespace": words.namespace,
        "job": words.job,
        "job_label": JOB,
        "since": words.since,
        "runbook": words.runbook,
        "source": words.source,
        "short": str(_SHORT_ALERTS),
        "left_out": words.left_out.format(shown=_SHORT_ALERTS, all="{{ len .Alerts }}"),
    }
    text = _FILE
    for name, word in said.items():
        text = text.replace(f"@{name}@", word)
    return text


def literal(text: str) -> str:
    """A text in which Alertmanager finds nothing to fill in."""
    return text.replace("{{", '{{ "{{" }}')


def _severity(words: Words) -> str:
    """The word for an alert's severity; one that is not known stands for itself."""
    cases = [f'if eq .Labels.severity "{label}" }}}}{word}' for label, word in words.severities.items()]
    return "{{ " + "{{ else ".join(cases) + "{{ else }}{{ .Labels.severity }}{{ end }}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
