#!/usr/bin/env bash
# Other people's clients judge the fake: each makes its ordinary calls on a fake cluster of the product it is for.
# Needs Go; the clients for Python and JavaScript are passed over, with one line, where python3 or node is missing.
# They are installed in CACHE, at the versions here.
#   .ci/clients.sh
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${CACHE:-/tmp/esdriver-clients}
here=$PWD/.ci/clients
work=$(mktemp -d)
fake=
stop() { [ -z "$fake" ] || { exec 3>&-; wait "$fake" || true; fake=; }; }
trap 'stop; rm -rf "$work"' EXIT

# start runs a fake cluster and sets url. It ends when its standard input does.
start() { # start PRODUCT VERSION
  rm -f "$work/in" "$work/url"
  mkfifo "$work/in"
  "$work/fake" "$1" "$2" <"$work/in" >"$work/url" &
  fake=$!
  exec 3>"$work/in"
  until [ -s "$work/url" ]; do kill -0 "$fake"; sleep 0.1; done
  url=$(cat "$work/url")
}

# python installs a package once, and runs a program with it.
python() { # python PACKAGE VERSION PROGRAM PRODUCT VERSION
  command -v python3 >/dev/null || { echo "passed over: $1 $2 needs python3"; return; }
  local venv=$cache/$1-$2
  [ -f "$venv/done" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check "$1==$2" && touch "$venv/done"; }
  start "$4" "$5"
  "$venv/bin/python" -W error::DeprecationWarning "$here/$3" "$url"
  stop
}

# node does the same for a package of npm.
node() { # node PACKAGE VERSION PROGRAM PRODUCT VERSION
  command -v npm >/dev/null || { echo "passed over: $1 $2 needs node and npm"; return; }
  local dir=$cache/${1//\//-}-$2
  [ -f "$dir/done" ] || { mkdir -p "$dir" && (cd "$dir" && npm install --silent --no-audit --no-fund --prefix . "$1@$2") && touch "$dir/done"; }
  start "$4" "$5"
  command node "$here/$3" "$url" "$dir" "$2"
  stop
}

# golang builds and runs the program of the module for Go's client.
golang() { # golang PRODUCT VERSION
  (cd "$here/go" && GOWORK=off go build -o "$work/client" .)
  start "$1" "$2"
  "$work/client" "$url"
  stop
}

go build -o "$work/fake" "$here/fake.go"
golang elasticsearch 9.4.3
python elasticsearch 8.19.3 elastic.py elasticsearch 8.19.7
python elasticsearch 9.5.1 elastic.py elasticsearch 9.4.3
python opensearch-py 3.2.0 opensearch.py opensearch 2.19.6
node @elastic/elasticsearch 8.19.2 elastic.mjs elasticsearch 8.19.7
node @elastic/elasticsearch 9.4.3 elastic.mjs elasticsearch 9.4.3
node @opensearch-project/opensearch 3.9.0 opensearch.mjs opensearch 2.19.6
node @opensearch-project/opensearch 3.9.0 opensearch.mjs opensearch 3.9.0
