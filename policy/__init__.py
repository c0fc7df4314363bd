"""The CrossGuard pack: rules on what a Pulumi program sends to the cluster, whoever wrote the program."""
