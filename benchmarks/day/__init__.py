"""One day of a cluster that online services and offline training share, on the real control plane.

Nodes and the running of pods are simulated; scheduler, controllers and training operator are the real ones.
Settings are measured one after the other, on the same nodes, with the same work: how much of the cluster is
used, and what online services pay for it.
"""
