#!/usr/bin/env bash
# Java for the tests that start Spark: Debian's OpenJDK, where it is missing and we may install it.
set -euo pipefail
[ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ] && exit 0
command -v java >/dev/null && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless >/dev/null
else
  echo "There is no Java here: the tests that start Spark will be skipped. Install Java 17 or 21 to run them." >&2
fi
