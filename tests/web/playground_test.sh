#!/usr/bin/env bash
# The playground in headless Chromium: what is dropped shows what the tool's JSON says.
# usage: playground_test.sh PATH-TO-PLIANT SOURCE-FOLDER
# A small one beside the other tests; with PLIANT_TEST_SCALE of 10 or more every real character is dropped
# and the cape has to hold for 20 seconds. Ends with 77, which counts as skipped, where the page was not
# built or Node, its packages, Chromium or the real files are missing.
set -u
pliant=$1
source=$2
. "$(dirname "${BASH_SOURCE[0]}")/../support/skipping.sh"
built=$source/build/playground
[ -f "$built/index.html" ] || skip "there is no playground; \`make playground\` builds it"
[ -z "$(find "$source/web/src" "$source/web/wasm" -newer "$built/index.html" -print -quit)" ] ||
    skip "the playground is older than its source; \`make playground\` builds it"
command -v node >/dev/null || skip "there is no node"
[ -d "$source/web/node_modules/playwright-core" ] || skip "the package playwright-core is not installed; \`make web\` gets it"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "there is no chromium"

cases=$(mktemp -d)
trap 'rm -rf "$cases"' EXIT
characters="fox shark"
seconds=0.25
if awk "BEGIN { exit !(${PLIANT_TEST_SCALE:-1} >= 10) }"; then
    characters=all
    seconds=20
fi
failures=0
# The report is written beside what is dropped.
check() {
    local folder=$1
    shift
    (cd "$folder" && "$pliant" check "$@" --json report.json >/dev/null)
    if [ $? -gt 1 ]; then
        echo "FAILED: check $*" >&2
        failures=1
    fi
}
assets=${PLIANT_ASSETS:-$source/../shared/assets}/characters
if [ -d "$assets" ]; then
    for file in "$assets"/*.glb "$assets"/*.gltf; do
        name=$(basename "${file%.*}")
        [[ $characters == all || " $characters " == *" $name "* ]] || continue
        mkdir -p "$cases/$name"
        cp "$file" "$cases/$name/"
        case $file in *.gltf) cp "${file%.gltf}.bin" "$cases/$name/" ;; esac
        check "$cases/$name" "$(basename "$file")"
    done
    # What is set on the page is what is set on the command line.
    mkdir -p "$cases/settings"
    cp "$assets/fox.glb" "$cases/settings/"
    echo '{"clip": "Run", "self": true}' >"$cases/settings/settings.json"
    check "$cases/settings" fox.glb --clip Run --self
else
    without_assets "$assets"
fi
node --no-warnings "$source/web/test/cape.mjs" "$built" $seconds || failures=1
node "$source/web/test/playground.mjs" "$chromium" "$built" "$cases" $seconds || failures=1
[ $failures -eq 0 ] && echo "all is well"
exit $((failures > 0 ? 1 : skipped))
