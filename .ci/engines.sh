#!/usr/bin/env bash
# The tests over real engines: for each one its artifacts are fetched, three nodes started, the suite run, and the nodes
# stopped, whatever happens. Needs bash, curl, Java 17 and Maven, and Go.
#   .ci/engines.sh                          all
#   .ci/engines.sh opensearch-2.19.6 …      some
# FAULTS=0 leaves out the tests that kill and freeze nodes. Programs and data are kept in CACHE, which the servers' own
# user must be able to reach: Elasticsearch does not run as root.
set -euo pipefail
cd "$(dirname "$0")/.."
all=(opensearch-2.19.6 elasticsearch-7.10.2 elasticsearch-8.19.7)
log=$(mktemp)
cache=${CACHE:-/tmp/esdriver-engines}
run=

stop() { [ -z "$run" ] || "$run" clean >/dev/null 2>&1 || true; }
trap 'stop; rm -f "$log"' EXIT

# setting prepares the harness of one engine, on ports of its own.
setting() { # setting ENGINE
  local product=${1%-*} version=${1##*-}
  run=$PWD/.ci/engines/$product/run.sh
  export WORK=$cache/$1
  case $1 in
    opensearch-*) export OS_VERSION=$version HTTP0=19200 TCP0=19300 ;;
    elasticsearch-7*) export ES_VERSION=$version HTTP0=19220 TCP0=19320 ;;
    *) export ES_VERSION=$version HTTP0=19240 TCP0=19340 ;;
  esac
}

# suite runs the tests. It fails when the real engine's part did not run.
suite() { # suite ENGINE
  local pattern=TestRealClusterBehavesAsTheFake
  [ "${FAULTS:-1}" != 1 ] || [ "$1" != opensearch-2.19.6 ] || pattern+='|TestKilledNode|TestFrozenNode'
  ESDRIVER_TEST_ADDRS=$("$run" addrs) ESDRIVER_TEST_ENGINE=$run \
    go test -count=1 -timeout 8m -v -run "$pattern" ./internal/enginetest >"$log" 2>&1 || { cat "$log"; return 1; }
  grep -E '^(---|ok|\s+---|\|)|^\s*\|' "$log" | grep -vE '^\s+--- PASS' || true
  grep -q '^--- PASS: TestRealClusterBehavesAsTheFake' "$log" || { echo "the suite did not run over $1"; return 1; }
  ! grep -q '^--- SKIP' "$log" || { echo "a test was skipped over $1"; return 1; }
}

for engine in "${@:-${all[@]}}"; do
  began=$SECONDS
  echo "-- $engine"
  setting "$engine"
  [ -d "$WORK/home" ] || "$run" fetch
  "$run" start
  suite "$engine"
  stop
  echo "-- $engine: $((SECONDS - began)) s"
done
