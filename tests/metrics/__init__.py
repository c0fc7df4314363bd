"""What the exporters of this stack serve: lists of metrics with their labels, and a comparison with them.

A file an exporter, a line a metric: `kube_pod_info{namespace,node,pod,...}`, with the labels that
Prometheus adds. `python -m tests.metrics.collect` adds what the sandbox's Prometheus has; what needs a
GPU, or a state that the sandbox is not in, is from the exporters' documentation.
"""
