#!/usr/bin/env bash
# Every command that a document shows is run, here or by the step of .ci/run that RULES names. What runs here is the
# document's own text, changed only as adapted says. A command without a rule is an error, and so is a rule that no document
# needs. The Go programs in documents are judged by go vet, and README's is run. Needs Go, bash and curl.
#   .ci/commands.sh           all that needs no real cluster
#   .ci/commands.sh engine    what needs the cluster that .ci/engines.sh has started
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
port=$((20000 + RANDOM % 10000)) # those of documents may be taken here
mkdir -p "$work/program"

# DOCUMENT: COMMAND -> what is done about it; * stands for anything, and the first rule that fits counts.
#   step NAME       this step of .ci/run does it
#   never REASON    nothing does
#   engine REGEXP   it is run with "engine", must succeed and print this
#   shows REGEXP    it is run here, must succeed and print this
#   quiet           it is run here, must succeed and print nothing
#   serves          it is run here, and goes on until the end
RULES='
*: docker compose * -> never: it needs Docker
.ci/compose/*: * -> never: it needs Docker
*: .ci/run -> never: it runs this
*: .ci/engines.sh -> step engines
*: .ci/clients.sh -> step clients
.ci/engines/*: ./run.sh * -> step engines
.ci/engines/*: SECURITY=1 ./run.sh * -> step engines
docs/reliability.md: .ci/engines/opensearch/run.sh * -> step engines
docs/reliability.md: go run ./bench/faults * -> engine \| kill \| esdriver \| [1-9]
README.md: go run ./cmd/esdriver demo -> step demo
CHANGELOG.md: esdriver * -> never: it tells of changes
*: go test work -> step tests
*/*: go test ./... -> step tests
examples/custom-balancer/*: go test -race ./... -> step tests
README.md: go build * -> quiet
README.md: ./esdriver fake -> serves
README.md: printf * -> quiet
README.md: ./esdriver load * -> shows books.csv: 2 rows: 2 loaded
README.md: ./esdriver sql * -> shows ^ +2$
README.md: ./esdriver doctor * -> shows ^Nothing is wrong
README.md: go mod edit * -> quiet
README.md: go mod * -> shows ^go: 
README.md: go run . -> shows ^Dune <nil>$
CONTRIBUTING.md: ESDRIVER_TEST_SQL_ADDRS=* go test * -> shows ^ok
examples/custom-balancer/*: go run . -> shows ^alice: 
examples/*: go run .* -> shows ^Bea has Ulysses$
examples/ent/*: go generate ./ent -> quiet
docs/performance.md: go test * -> shows ^BenchmarkLoad/fake
bench/README.md: go run ./bench -quick -> step benchmarks
bench/README.md: go run ./bench * -> shows ^\| esdriver \| [1-9]
bench/README.md: go test * -> shows ^BenchmarkInsert/esdriver
'

documents() { echo README.md; git ls-files -co --exclude-standard '*.md' | grep -vx README.md; }

# commands prints a document's commands, one a line: those in blocks without a language, in indented lines, and within a
# line what begins as a command does.
commands() { # commands DOCUMENT
  awk '
    /^```/ { fence = !fence; shell = fence && $0 == "```"; next }
    shell || !fence && /^    [^ ]/ { sub(/^ +/, ""); sub(/ +#.*/, ""); print; next }
    !fence {
      while (match($0, /`[^`]+`/)) {
        code = substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH)
        if (code ~ /^([A-Z_]+=[^ ]+ )*(go (run|build|test|install|get|mod|generate) |docker |(\.\/)?esdriver [a-z]|(\.\/|\.ci\/)[^ ]*(run|\.sh)( |$))/) print code
      }
    }' "$1"
}

# rule sets pattern, action and expected to the rule for a command.
rule() { # rule DOCUMENT COMMAND
  local line
  while IFS= read -r line; do
    pattern=${line% -> *}
    read -r action expected <<<"${line##* -> }"
    # shellcheck disable=SC2053
    [[ -n $line && "$1: $2" == $pattern ]] && return
  done <<<"$RULES"
  echo "$1 has a command that nothing runs: $2"
  return 1
}

# adapted changes ports and files, makes long commands short, leaves out tests that ask for _stats, and has what is generated
# compared.
adapted() { # adapted COMMAND
  sed -e "s/:9200/:$port/; s/:9210/:$((port + 10))/; s/esdriver fake\$/& --port $port/; s| DSN\$| http://localhost:$port|" \
    -e "s|-o \. |-o $work |; s|=../esdriver|=$root|; s|-cpuprofile /tmp/|-quick -cpuprofile $work/|" \
    -e "s/-rows 300000/-rows 3000/; s|-rounds 5|& -duration 200ms -works 'get300/1/3' -layers limit,esdriver|; s|^go run ./bench/faults .*|& -clients esdriver -faults kill|" \
    -e "s/ TestSuiteOverARealCluster / TestSuite -skip '\/(cancelled-rows|closed-cursors)' /" \
    -e "s|^go generate ./ent\$|cp -r ent $work \&\& & \&\& diff -r $work/ent ent|" <<<"$1"
}

# folder is where the document's reader is.
folder() { # folder DOCUMENT COMMAND
  case $1:$2 in
    README.md:./esdriver*|README.md:printf*) echo "$work" ;;
    README.md:go\ mod*|README.md:go\ run\ .) echo "$work/program" ;;
    examples/*) dirname "$1" ;;
    *) echo . ;;
  esac
}

serve() { # serve COMMAND PORT
  $1 >"$work/$2.log" 2>&1 &
  for _ in $(seq 100); do ! curl -fs "http://localhost:$2" >/dev/null || return 0; sleep 0.1; done
  cat "$work/$2.log"
  return 1
}

judge() { # judge COMMAND REGEXP
  bash -euo pipefail -c "$1" >"$work/out" 2>&1 || { cat "$work/out"; echo "it failed"; return 1; }
  if [ -n "$2" ]; then grep -qE -- "$2" "$work/out"; else [ ! -s "$work/out" ]; fi ||
    { cat "$work/out"; echo "it does not print ${2:-nothing}"; return 1; }
}

run() { # run COMMAND, by the rule that is set
  echo "$document: $1"
  case $action in
    serves) serve "$1" "$port" ;;
    quiet) judge "$1" '' ;;
    *) judge "$1" "$expected" ;;
  esac
}

# all goes through the documents.
all() { # all ACTION..., those that are run
  local document command
  for document in $(documents); do
    while IFS= read -r command; do
      rule "$document" "$command"
      echo "$pattern" >>"$work/used"
      [ "$action" != step ] || grep -q "^$expected()" .ci/run || { echo "$command: .ci/run has no step $expected"; return 1; }
      case " $* " in *" $action "*)
        cd "$(folder "$document" "$command")"
        run "$(adapted "$command")" </dev/null
        cd "$root" ;;
      esac
    done < <(commands "$document")
  done
}

unused() {
  local left
  left=$(grep . <<<"$RULES" | sed 's/ -> .*//' | grep -vxFf "$work/used" || true)
  [ -z "$left" ] || { echo "no document has a command for:"; echo "$left"; return 1; }
}

# programs compiles the Go programs of all documents, in a workspace of every module of this one.
programs() {
  mkdir "$work/go"
  go run .ci/programs.go "$work/go" $(documents)
  cp go.work.sum "$work/go"
  printf 'module documents\n\ngo 1.26\n' >"$work/go/go.mod"
  (modules=$(go list -m -f '{{.Dir}}') && cd "$work/go" && go work init . $modules && go vet ./...)
  sed "s/:9200/:$port/" "$(grep -lx 'package main' "$work"/go/README-*/program.go)" >"$work/program/main.go"
}

if [ "${1:-}" = engine ]; then all engine; exit; fi
programs
go build -o "$work/other" ./cmd/esdriver
serve "$work/other fake --product opensearch --port $((port + 10))" $((port + 10))
all shows quiet serves
unused
