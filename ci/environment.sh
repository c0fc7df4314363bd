# Sourced by the scripts of this folder: the project's programs, a cluster and a backend, as variables name them.
#
# KUBECONFIG_TEXT may hold a kubeconfig, for systems that keep secrets as variables.
PATH="$PWD/.venv/bin:$PATH"
if [ -n "${KUBECONFIG_TEXT:-}" ]; then
  KUBECONFIG=$(mktemp)
  export KUBECONFIG
  trap 'rm -f "$KUBECONFIG"' EXIT
  printf '%s\n' "$KUBECONFIG_TEXT" > "$KUBECONFIG"
fi
if [ -z "${PULUMI_BACKEND_URL:-}" ]; then unset PULUMI_BACKEND_URL; fi
