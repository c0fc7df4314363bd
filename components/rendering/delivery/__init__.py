"""How alerts reach people: what Alertmanager and the relay are told. Loads no Pulumi."""
