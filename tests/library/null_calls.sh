#!/bin/bash
# Writes C that calls every public function with NULL for all its pointers, from the list of
# scripts/api, as test_null.c needs it.   null_calls.sh ROOT [gl] [mpi] [cuda]
set -euo pipefail
"$1/scripts/api" --list "$1/include/pliant" | awk -F '\t' -v built=" ${*:2} " '
    $1 == "enum" { is_enum[$3] = 1 }
    $1 == "struct" {
        for (i = 4; i <= NF; i++) {
            field = $i
            sub(/.*\|/, "", field)
            zero[$3] = zero[$3] (i > 4 ? " && " : "") "!given." field
        }
    }
    { line[NR] = $0 }
    function arguments(i, type, out) {
        out = ""; pointers = 0
        for (i = 5; i <= NF; i++) {
            type = $i
            sub(/\|.*/, "", type)
            if (type ~ /[*\]]$/ || type ~ /callback$/) { pointers++; out = out ", NULL" }
            else if (type ~ /^pliant_/) { out = out ", (" type "){0}" }
            else { out = out ", 0" }
        }
        return substr(out, 3)
    }
    END {
        for (n = 1; n <= NR; n++) {
            $0 = line[n]
            list = arguments()
            if ($1 != "function" || pointers == 0 || $3 ~ /^pliant_(triangle|moving)_|^pliant_orient/ ||
                ($2 ~ /^(gl|mpi|cuda)\.h$/ && !index(built, " " substr($2, 1, length($2) - 2) " "))) { continue }
            kind = $4 == "pliant_result" ? "FAILS" : $4 == "void" ? "IGNORED" : \
                $4 ~ /\*$/ ? "POINTER" : $4 ~ /^pliant_/ && !($4 in is_enum) ? "STRUCT" : "NUMBER"
            print kind "(" $3 ", " $4 ", " (kind == "STRUCT" ? zero[$4] ", " : "") list ")"
        }
    }'
