#!/usr/bin/env bash
# pliant replay from outside: the same answers with any threads and instruction set, differences and
# broken files by their exit status.
# usage: replay_test.sh PATH-TO-PLIANT PATH-TO-DUMP-RECORDING
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
dump=$2
prefix=(replay)
file=$folder/life.pliant

questions=$("$dump" "$file" 11 30) || fail "no recording"
questions=${questions% questions}
for threads in 1 2 3 8; do
    for isa in plain baseline avx2 avx512; do
        expect 0 "$file" --threads $threads --isa $isa
        grep -q "^$questions of $questions questions asked: the same answers" "$folder/out" ||
            fail "$threads threads, $isa: $(tail -1 "$folder/out")"
    done
done
[ "$(grep -c ' same$' "$folder/out")" -gt 10 ] || fail "hardly any answer was compared"
expect 0 "$file" --differing
grep -q ' same$' "$folder/out" && fail "--differing prints answers that are the same"

# A part of it.
expect 0 "$file" --from 5 --to 6
grep -q "^2 of $questions questions asked" "$folder/out" || fail "--from and --to ask something else"
expect 0 "$file" --from 4000
grep -q "^0 of $questions questions asked" "$folder/out" || fail "--from asks something else"

# JSON.
expect 0 "$file" --json
python3 - "$folder/out" "$questions" <<'END' || fail "--json looks wrong"
import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["questions"]) == report["asked"] == int(sys.argv[2])
assert report["differing"] == 0 and report["first_differing"] == 0 and report["error"] == ""
assert [q["number"] for q in report["questions"]] == list(range(1, report["asked"] + 1))
for q in report["questions"]:
    if q["verdict"] == "same":
        assert q["recorded"]["checksum"] == q["played"]["checksum"]
END

# Answers of a recording, to be altered in place and sealed again.
cat >"$folder/forge.py" <<'END'
import struct
def answers(data):
    at = 16
    while at < len(data):
        kind, zero, size = struct.unpack_from("<IIQ", data, at)
        if kind == 8:
            yield at + 16
            sum = 0
            for i in range(at, at + 16 + size, 8):
                word = bytes(data[i:min(i + 8, at + 16 + size)]).ljust(8, b"\0")
                sum = ((sum ^ struct.unpack("<Q", word)[0]) * 0x9E3779B97F4A7C15) % 2**64
                sum ^= sum >> 32
            struct.pack_into("<Q", data, at + 16 + size, sum)
        at += 24 + size
END
export PYTHONPATH=$folder

# Another answer: the checksum of the third one that can be compared.
python3 - "$file" "$folder/other" <<'END'
import struct, sys, forge
data = bytearray(open(sys.argv[1], "rb").read())
comparable = 0
for at in forge.answers(data):
    comparable += struct.unpack_from("<I", data, at + 4)[0] == 1
    if comparable == 3:
        data[at + 24] ^= 1
        comparable += 1
open(sys.argv[2], "wb").write(data)
END
expect 1 "$folder/other"
grep -q '1 answers differ, the first to question' "$folder/out" || fail "no difference is named"
grep -q 'first difference: checksum; recorded: PLIANT_OK' "$folder/out" || fail "no field is named"

# Broken files.
refuse 'replay needs a file'
refuse 'cannot open' "$folder/nowhere"
refuse 'not a recording' "${BASH_SOURCE[0]}"
: >"$folder/empty"
refuse 'not a recording' "$folder/empty"
head -c -100 "$file" >"$folder/cut"
expect 2 "$folder/cut"
grep -q 'longer than the file' "$folder/err" || fail "a cut file: $(cat "$folder/err")"
[ "$(grep -c -E ' (same|not compared|unanswered)$' "$folder/out")" -eq "$questions" ] ||
    fail "what comes before the cut was not played"
head -c -32 "$file" >"$folder/cut" # without its end
expect 2 "$folder/cut"
grep -q 'ends without an end' "$folder/err" || fail "a file without its end: $(cat "$folder/err")"
cp "$file" "$folder/altered"
printf 'x' | dd of="$folder/altered" bs=1 seek=3000 conv=notrunc status=none
refuse 'does not match its checksum' "$folder/altered"
cp "$file" "$folder/altered"
printf '\001' | dd of="$folder/altered" bs=1 seek=8 conv=notrunc status=none
refuse 'the recording has format 1, this program reads format 2: replay it with the version' "$folder/altered"

# Files that never end, or wait: no recording, and nothing of it is read.
limit_memory() { [ -n "$is_small" ] || ulimit -v 2000000; } # sanitizers need more
(
    limit_memory
    refuse 'it is no regular file' /dev/zero
    exit "$failures"
) || fail "a device is read"
refuse 'it is no regular file' "$folder"
mkfifo "$folder/pipe"
timeout 20 "$pliant" replay "$folder/pipe" 2>&1 | grep -q 'it is no regular file' ||
    fail "a pipe is waited for"

# 4 GiB of zeros behind what is no recording, or behind a recording's chunks: they are not read.
for what in none whole cut; do
    case $what in
    none) printf 'pliantrX' >"$folder/long" ;;
    whole) cp "$file" "$folder/long" ;;
    cut) head -c -32 "$file" >"$folder/long" ;;
    esac
    truncate -s 4G "$folder/long"
    (
        limit_memory
        expect 2 "$folder/long"
        exit "$failures"
    ) || fail "$what: 4 GiB of zeros are read"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$what: not one line on stderr"
done
rm "$folder/long"

# A sentence of a recorded answer is shown without what a terminal would act on.
python3 - "$folder/other" <<'END'
import sys, forge
data = bytearray(open(sys.argv[1], "rb").read())
text = b"\x1b[31m\xc2\x9b\xff"
for at in forge.answers(data):
    data[at + 40:at + 40 + len(text)] = text
open(sys.argv[1], "wb").write(data)
END
expect 1 "$folder/other"
grep -qF '?[31m???' "$folder/out" || fail "no recorded sentence is shown"
grep -q $'\x1b' "$folder/out" && fail "escape sequences of a recording reach the terminal"
exit $((failures > 0))
