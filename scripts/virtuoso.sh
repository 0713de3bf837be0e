#!/usr/bin/env bash
# A second SPARQL engine for the tests: Debian's Virtuoso with its libraries, unpacked into a folder, not installed.
set -euo pipefail
folder=${ASOF_VIRTUOSO:-$HOME/.cache/asof/virtuoso}
[ -x "$folder/usr/bin/virtuoso-t" ] && exit 0
missing() { echo "There is no Virtuoso here ($1): the tests that ask it will be skipped." >&2; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing "it comes as a Debian package"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
package=virtuoso-opensource-7-bin
libraries=$(apt-cache depends "$package" 2>/dev/null | sed -n 's/^ *Depends: \(lib[^c<][^<]*\)$/\1/p')
apt-get download -qq $package $libraries >/dev/null 2>&1 || missing "$package cannot be downloaded"
mkdir -p unpacked
for file in *.deb; do dpkg -x "$file" unpacked; done
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
mv unpacked "$folder"
