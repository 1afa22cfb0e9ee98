# What the tests of the tool from outside share; they source it with $1 the path of the tool.
set -u
pliant=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
prefix=() # what every call below starts with, such as a command of the tool

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect STATUS ARGUMENTS...: runs the tool; output in $folder/out, messages in $folder/err.
expect() {
    local wanted=$1
    shift
    "$pliant" "${prefix[@]}" "$@" >"$folder/out" 2>"$folder/err"
    local status=$?
    [ "$status" -eq "$wanted" ] ||
        fail "pliant ${prefix[*]} $*: status $status, not $wanted: $(head -1 "$folder/err")"
}

# refuse TEXT ARGUMENTS...: status 2, one line on stderr with TEXT in it, nothing on stdout.
refuse() {
    local text=$1
    shift
    expect 2 "$@"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "pliant ${prefix[*]} $*: not one line on stderr"
    grep -qF -- "$text" "$folder/err" || fail "pliant ${prefix[*]} $*: no '$text' in: $(cat "$folder/err")"
    [ ! -s "$folder/out" ] || fail "pliant ${prefix[*]} $*: something on stdout"
}
