"""A monitoring stack as clusters have one: prometheus-operator with Prometheus, Alertmanager and exporters.

Objects and `job` labels have the names that the chart kube-prometheus-stack gives them, so that rules and
dashboards read the same here as there.
"""
