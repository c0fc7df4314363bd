#!/usr/bin/env bash
# Updates one stack with the policy pack.
#
#   ci/deploy.sh STACK
#
# KUBECONFIG_TEXT may hold a kubeconfig, for systems that keep secrets as variables.
set -euo pipefail
stack=$1
PATH="$PWD/.venv/bin:$PATH"
if [ -n "${KUBECONFIG_TEXT:-}" ]; then
  KUBECONFIG=$(mktemp)
  export KUBECONFIG
  trap 'rm -f "$KUBECONFIG"' EXIT
  printf '%s\n' "$KUBECONFIG_TEXT" > "$KUBECONFIG"
fi
if [ -z "${PULUMI_BACKEND_URL:-}" ]; then unset PULUMI_BACKEND_URL; fi

colo check --stack "$stack" --live
pulumi up --stack "$stack" --yes --skip-preview --non-interactive --color never \
  --policy-pack policy --policy-pack-config "policy/config/$stack.json"
