#!/usr/bin/env bash
# The commands of README's section "The command", as they stand there, against a fake cluster. Needs Go and bash.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
section=$(sed -n '/^## The command/,/^## /p' README.md)
go build -o "$work/esdriver" ./cmd/esdriver
cd "$work"
PATH=$work:$PATH
printf 'id,title,year\n1,Solaris,1961\n2,Dune,1965\n' >books.csv
# The port is the user's to choose, and may be taken here.
port=$((20000 + RANDOM % 10000))
sed -n '/^```$/,/^```$/p' <<<"$section" | grep '^esdriver ' | sed "s/9200/$port/g" >script
[ "$(wc -l <script)" -ge 3 ] || { echo "README's section has lost its commands"; exit 1; }
head -n 1 script | sed 's/ &$//' >first
bash first >fake.log 2>&1 &
for _ in $(seq 100); do curl -fs "http://localhost:$port" >/dev/null && break; sleep 0.1; done
tail -n +2 script | while read -r line; do
  echo "\$ $line"
  bash -c "$line" | tee -a out
done
grep -qE '(^|[^0-9])2([^0-9]|$)' out || { echo "the two books are not there"; exit 1; }
