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

# check_help COMMAND: its help names every option that all commands take, in lines that stand in line.
check_help() {
    expect 0 "$1" --help
    grep -q "^usage: pliant $1" "$folder/out" || fail "$1 --help has no usage"
    local option
    for option in '--threads N' '--isa SET' --help --version; do
        [ "$(grep -c "^  $option  " "$folder/out")" -eq 1 ] || fail "$1 --help does not explain $option"
    done
    awk 'length > 100 {exit 1}' "$folder/out" || fail "$1 --help has lines of over 100 columns"
    # What is said about options stands in line.
    [ "$(grep -E '^  --?[a-z]+( [A-Z][A-Za-z.:#]*)? {2}' "$folder/out" |
        sed -E 's/^(  --?[a-z-]+( [A-Za-z.:#]+)? +).*/\1/' | awk '{print length}' | sort -u |
        wc -l)" -eq 1 ] || fail "$1 --help is not in line"
}

# check_version [COMMAND]
check_version() {
    expect 0 "$@" --version
    grep -Eq '^pliant(-bench)? [0-9]+\.[0-9]+\.[0-9]+$' "$folder/out" || fail "$* --version looks wrong"
    grep -Eq '^  libpliant +[0-9.]+ \(([a-z0-9=]+ )*plain\)$' "$folder/out" ||
        fail "$* --version does not say which kernels there are"
}

# Under sanitizers every start takes its time: fewer values there, all read by the same code.
is_small=$(awk "BEGIN { if (${PLIANT_TEST_SCALE:-1} < 0.1) print \"yes\" }")
limits=('--' '--threads=3' '--isa plain')
bad_threads=(0 abc)
bad_sets=(sse9)
if [ -z "$is_small" ]; then
    limits+=('--threads 1' '--isa=avx2 --threads 2')
    bad_threads+=(-1 257 1e9 99999999999999999999 2x ' 2' '')
    bad_sets+=(best AVX2 1 '')
fi

strip_times() { sed 's|"ms":[0-9.]*|"ms":0|g' "$1/report.html"; }

# What a call printed and wrote into $folder/limited, the times apart.
all_but_times() {
    sed -E 's/^((bottom-up|top-down|hybrid|front|auto)( +[0-9]+){3}) +[0-9.]+/\1 ms/' "$folder/out"
    [ ! -e "$folder/limited/report.html" ] || strip_times "$folder/limited"
    find "$folder/limited" -type f ! -name report.html | sort | while read -r file; do
        echo "$file" && cat "$file"
    done
}

# check_limits STATUS COMMAND ARGUMENTS...: a call that ends with STATUS takes --threads and --isa, which
# do not change its answer, and refuses values of which it cannot make sense.
check_limits() {
    local wanted=$1 limit value
    shift
    rm -f "$folder/unlimited"
    for limit in "${limits[@]}"; do
        rm -rf "$folder/limited"
        mkdir "$folder/limited"
        expect "$wanted" "$@" $limit
        all_but_times >"$folder/answer"
        [ -s "$folder/out" ] || fail "$1 $limit prints nothing"
        [ -e "$folder/unlimited" ] || cp "$folder/answer" "$folder/unlimited"
        cmp -s "$folder/unlimited" "$folder/answer" || fail "$1: $limit changes the answer"
    done
    for value in "${bad_threads[@]}"; do
        refuse '--threads' "$@" "--threads=$value"
    done
    refuse '--threads' "$@" --threads -1
    refuse '--threads' "$@" --threads
    for value in "${bad_sets[@]}"; do
        refuse '--isa' "$@" "--isa=$value"
    done
    refuse '--isa' "$@" --isa
}

# gltf FILE X: two tetrahedra, the second moved by X and a little aside.
gltf() {
    cat >"$1" <<GLTF
{"asset": {"version": "2.0"}, "nodes": [{"name": "left", "mesh": 0}, {"name": "right", "mesh": 0, "translation": [$2, 0.1, 0.1]}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
  {"bufferView": 1, "componentType": 5121, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "buffers": [{"byteLength": 60, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAIBAAEDAQIDAgAD"}]}
GLTF
}
