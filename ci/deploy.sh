#!/usr/bin/env bash
# Updates one stack with the policy pack.
#
#   ci/deploy.sh STACK
#
# KUBECONFIG_TEXT may hold a kubeconfig: ci/environment.sh.
set -euo pipefail
stack=$1
# shellcheck source=ci/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

colo check --stack "$stack" --live
pulumi up --stack "$stack" --yes --skip-preview --non-interactive --color never \
  --policy-pack policy --policy-pack-config "policy/config/$stack.json"
