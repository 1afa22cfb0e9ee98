# Scripts that cannot do everything here; they source this. Status 77 counts as skipped.
skipped=0 # the status of a script without failures

# skip REASON: nothing more can be done.
skip() {
    echo "skipped: $*"
    exit 77
}

# without_assets FOLDER: a part is left out for lack of files of the assets. If PLIANT_ASSETS_REQUIRED
# is set, that is a failure.
without_assets() {
    if [ -n "${PLIANT_ASSETS_REQUIRED-}" ]; then
        echo "FAILED: PLIANT_ASSETS_REQUIRED is set, and $1 is not there" >&2
        exit 1
    fi
    echo "skipped: parts that need $1"
    skipped=77
}
