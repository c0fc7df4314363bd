"""What Pulumi starts for `--policy-pack policy`."""

from policy.pack import serve

serve()
