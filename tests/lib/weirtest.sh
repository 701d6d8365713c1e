# What shell scripts share; the first argument of a script is the program.
#
#   . "$(dirname "$0")/../lib/weirtest.sh"
#   expect 2 "unknown verb" "$weir" rnu
#   finish
#
# "$weir" plays a case by the fork server, if that runs the script, and else is the program.  Cases that are sent signals, or that have
# limits of their own, need "$program".
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

# failed WHAT [FILE...]: and what stands in the files.
failed() {
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || sed 's/^/    /' "$@"
    n_failed=$((n_failed + 1))
}

# expect CODE PATTERN COMMAND...: the exit code, and a line that the output (both streams) must have.
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

# must WHAT COMMAND...: the command succeeds.
must() {
    what=$1
    shift
    n_checks=$((n_checks + 1))
    "$@" >"$dir/must" 2>&1 || failed "$what" "$dir/must"
}

# holds EXPRESSION COMMAND...: it is true in Python of what the command gives as JSON, out.  At the end a single Python process checks all of them.
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
