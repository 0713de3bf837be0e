#!/usr/bin/env bash
# A browser for the tests that look at pages: Debian's Chromium, where it is missing and we may install it.
set -euo pipefail
command -v chromium >/dev/null && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
else
  echo "There is no chromium here: the tests that look at pages will be skipped. Install it to run them." >&2
fi
