"""From models to Kubernetes' own spelling: pure functions, no resource is declared here."""
