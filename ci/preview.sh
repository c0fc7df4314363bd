#!/usr/bin/env bash
# Previews one stack with the policy pack, read only, and writes what a reviewer reads.
#
#   ci/preview.sh STACK DIR
#
# DIR gets preview.json, diff.txt and comment.md. Exit code: 0, or 1 if the preview or the pack refuses, or 3 if
# data would be gone. KUBECONFIG_TEXT may hold a kubeconfig, for systems that keep secrets as variables.
set -uo pipefail
stack=$1 out=$2
mkdir -p "$out"
# shellcheck source=ci/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# The runs differ in form only: the first is for people, with what the pack says; the second for the summary.
pulumi preview --stack "$stack" --diff --non-interactive --color never --suppress-outputs \
  --policy-pack policy --policy-pack-config "policy/config/$stack.json" > "$out/diff.txt" 2>&1
refused=$?
pulumi preview --stack "$stack" --json --non-interactive > "$out/preview.json" 2> "$out/errors.txt"
{
  colo diff-summary --format markdown --title "$stack" --fail-on-danger "$out/preview.json"
  code=$?
  if [ "$refused" -ne 0 ]; then printf '\n**Refused: the preview or the policy pack failed, see below.**\n'; fi
  printf '\n<details><summary>Diff, and what the policy pack says</summary>\n\n~~~~text\n'
  # A comment holds 65,536 characters.
  grep -v '^~~~~' "$out/diff.txt" | tail -c 50000
  printf '\n~~~~\n</details>\n'
} > "$out/comment.md"
cat "$out/comment.md"
if [ "$refused" -ne 0 ]; then exit 1; fi
exit "$code"
