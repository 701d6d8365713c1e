# Common code of shell scripts that test the program; the first argument of a script is the program.
#
#   . "$(dirname "$0")/../lib/weirtest.sh"
#   expect 2 "unknown verb" "$weir" rnu
#   finish
#
# "$weir" runs a case in the fork server if that runs the script; otherwise it is the program.  Cases that receive signals, or that
# have their own resource limits, need "$program".
# Sentences stay on one line, and tables in one part.
export COLUMNS=1000
set -u
program=$(realpath "$1")
weir=${FORK_CLIENT:-$program}
dir=$(realpath "$(mktemp -d)")
trap 'rm -rf "$dir"' EXIT
n_failed=0
n_checks=0
: >"$dir/holds"

# failed WHAT [FILE...]: counts a failure, and prints it with the content of the files.
failed() {
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || sed 's/^/    /' "$@"
    n_failed=$((n_failed + 1))
}

# expect CODE PATTERN COMMAND...: the command must end with this exit code, and a line of its output (both streams) must match.
expect() {
    code=$1 pattern=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    got=$?
    n_checks=$((n_checks + 1))
    if [ $got -ne "$code" ] || ! grep -q -- "$pattern" "$dir/out"; then
        failed "$*: wanted exit $code and a line like: $pattern; got exit $got and:" "$dir/out"
    fi
}

# must WHAT COMMAND...: the command must succeed.
must() {
    what=$1
    shift
    n_checks=$((n_checks + 1))
    "$@" >"$dir/must" 2>&1 || failed "$what" "$dir/must"
}

# holds EXPRESSION COMMAND...: the Python expression must be true; in it, 'out' is the JSON output of the command.  At the end a
# single Python process checks all expressions.
holds() {
    expression=$1
    shift
    n_checks=$((n_checks + 1))
    "$@" >"$dir/holds.$n_checks" 2>"$dir/err" || true
    printf '%s\n%s\n%s\n' "$dir/holds.$n_checks" "$expression" "$*" >>"$dir/holds"
}

check_held() {
    python3 -c 'import json, sys
lines = open(sys.argv[1]).read().split("\n")
for path, expression, command in zip(lines[0::3], lines[1::3], lines[2::3]):
    text = open(path).read()
    try:
        is_so = eval(expression, {"out": json.loads(text)})
    except Exception as error:
        is_so, text = False, f"{error!r}: {text}"
    if not is_so:
        print(f"FAILED: {command}\n  does not hold: {expression}\n    {text[:2000]}")' "$dir/holds" >"$dir/wrong"
    n_failed=$((n_failed + $(grep -c "^FAILED: " "$dir/wrong" || true)))
    cat "$dir/wrong"
}

# finish: the last line of a script.
finish() {
    check_held
    echo "$n_checks checks, $n_failed failed"
    [ $n_failed -eq 0 ] && [ $n_checks -gt 0 ]
}
