#!/usr/bin/env bash
# The tests over real engines: for each one its artifacts are fetched, three nodes started, the suite run, and the nodes
# stopped, whatever happens. Needs bash, curl, Java 17 and Maven, and Go; OpenSearch 3 needs Java 21 and is passed over
# where there is none.
#   .ci/engines.sh                          all
#   .ci/engines.sh opensearch-2.19.6 …      some
# FAULTS=0 leaves out the tests that do harm to nodes, FAULTS=long makes them long and runs them on every engine.
# SECURITY=0 starts Elasticsearch 8 without TLS and users. Programs and data are kept in CACHE, which the servers' own
# user must be able to reach: Elasticsearch does not run as root.
set -euo pipefail
cd "$(dirname "$0")/.."
all=(opensearch-2.19.6 opensearch-3.9.0 elasticsearch-7.10.2 elasticsearch-8.19.7)
[ $# -gt 0 ] || set -- "${all[@]}"
log=$(mktemp)
cache=${CACHE:-/tmp/esdriver-engines}
faults=${FAULTS:-short}
secured=${SECURITY:-1}
export ES_PASSWORD=${ES_PASSWORD:-test-password}
run=

stop() { [ -z "$run" ] || "$run" clean >/dev/null 2>&1 || true; }
trap 'stop; rm -f "$log"' EXIT

# setting prepares the harness of one engine, on ports of its own.
setting() { # setting ENGINE
  local product=${1%-*} version=${1##*-}
  run=$PWD/.ci/engines/$product/run.sh
  unset ESDRIVER_TEST_CA ESDRIVER_TEST_READER
  export WORK=$cache/$1 SECURITY=0 EXTRA=
  case $1 in
    opensearch-2*) export OS_VERSION=$version HTTP0=19200 TCP0=19300 ;;
    opensearch-*) # with so little room for writes that some are refused
      export OS_VERSION=$version HTTP0=19210 TCP0=19310 EXTRA="thread_pool.write.size=1 thread_pool.write.queue_size=2" ;;
    elasticsearch-7*) export ES_VERSION=$version HTTP0=19220 TCP0=19320 ;;
    *) # a node that is stopped answers on open connections for a while
      export ES_VERSION=$version HTTP0=19240 TCP0=19340 SECURITY=$secured EXTRA="http.shutdown_grace_period=5s" ;;
  esac
}

# tests is the pattern of the tests for one engine.
tests() { # tests ENGINE
  local pattern=TestRealClusterBehavesAsTheFake
  [ "$SECURITY" = 0 ] || pattern+='|TestSecured'
  case $1 in
    opensearch-3*) pattern+='|TestFullQueue' ;;
    elasticsearch-8*) [ "$faults" = 0 ] || pattern+='|TestStoppedNode' ;;
  esac
  case $faults-$1 in
    short-opensearch-2*|long-*) pattern+='|TestKilledNode|TestFrozenNode|TestRollingRestart|TestAddedNode|TestWipedNode' ;;
  esac
  echo "$pattern"
}

# addrs are the nodes' addresses, with the user that the harness made.
addrs() {
  local list
  list=$("$run" addrs)
  [ "$SECURITY" = 0 ] || list=${list//:\/\//:\/\/elastic:$ES_PASSWORD@}
  echo "$list"
}

# suite runs the tests. It fails when the real engine's part did not run.
suite() { # suite ENGINE
  local long=()
  [ "$faults" != long ] || long=(-long)
  [ "$SECURITY" = 0 ] || export ESDRIVER_TEST_CA=$WORK/certs/ca.crt ESDRIVER_TEST_READER=reader:reader-password
  ESDRIVER_TEST_ADDRS=$(addrs) ESDRIVER_TEST_ENGINE=$run \
    go test -count=1 -timeout 30m -v -run "$(tests "$1")" ./internal/enginetest ${long[@]+"${long[@]}"} >"$log" 2>&1 || { cat "$log"; return 1; }
  grep -E '^(---|ok|\s+---|\|)|^\s*\|' "$log" | grep -vE '^\s+--- PASS' || true
  grep -q '^--- PASS: TestRealClusterBehavesAsTheFake' "$log" || { echo "the suite did not run over $1"; return 1; }
  ! grep -q '^--- SKIP' "$log" || { echo "a test was skipped over $1"; return 1; }
}

# orms runs the ORM plug-ins' tests that need no SQL endpoint.
orms() {
  ESDRIVER_TEST_ADDRS=$(addrs) go test -count=1 -v -run TestRealClusterKeepsRowsWithoutItsSQL ./plugins/gorm ./plugins/bun ./plugins/xorm >"$log" 2>&1 || { cat "$log"; return 1; }
  [ "$(grep -c '^--- PASS' "$log")" = 3 ] || { echo "the plug-ins' tests did not run"; return 1; }
}

# documented does what documents tell a reader to try on such a cluster.
documented() { # documented ENGINE
  "$run" smoke >"$log" 2>&1 || { cat "$log"; return 1; }
  case $1 in opensearch-2*) .ci/commands.sh engine ;; esac
}

for engine; do
  began=$SECONDS
  echo "-- $engine"
  setting "$engine"
  case $engine in
    opensearch-3*) "$run" java >/dev/null 2>&1 || { echo "passed over: it needs Java 21 or later"; continue; } ;;
  esac
  [ -d "$WORK/home" ] || "$run" fetch
  "$run" start
  case $engine in opensearch-2*|elasticsearch-7*) orms ;; esac
  suite "$engine"
  documented "$engine"
  stop
  echo "-- $engine: $((SECONDS - began)) s"
done
