#!/usr/bin/env bash
# What the commands write, from outside: nothing that is read is written over, nothing is lost, no name
# does anything in a terminal, a spreadsheet or XML; folders are searched whole; and hostile files of a
# few kB take no more time than their limits allow.
# usage: outputs_test.sh PATH-TO-PLIANT SOURCE-FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
source=$2
cd "$folder" || exit 1

says() {
    grep -qF -- "$1" "${2:-out}" || fail "${2:-out} lacks '$1': $(head -20 "${2:-out}")"
}

# stops TEXT ARGUMENTS...: refuses with TEXT, without waiting for anything, and leaves $kept as it was.
stops() {
    local text=$1 real=$pliant
    shift
    cp "$kept" before
    pliant=timeout
    refuse "$text" 60 "$real" "$@"
    pliant=$real
    cmp -s "$kept" before || fail "$*: $kept is not as it was"
    [ ! -f "$kept" ] || cat before >"$kept"
}

# ------------------------------------------------------------------ over an input, or each other
gltf model.gltf 0.25
ln model.gltf hard.gltf
ln -s model.gltf soft.gltf
mkdir sub
ln -s .. sub/up
echo '{"check": {"against": "none"}}' >config.json
expect 0 accept model.gltf -o known.ref
for option in --json --csv --html --junit --markdown; do
    for target in model.gltf hard.gltf soft.gltf sub/up/model.gltf; do
        kept=model.gltf stops "$option $target would overwrite model.gltf" check model.gltf "$option" "$target"
    done
    kept=known.ref stops 'would overwrite' check model.gltf --against known.ref "$option" known.ref
    kept=config.json stops 'would overwrite' check model.gltf --config config.json "$option" config.json
    kept=model.gltf stops 'would overwrite' check known.ref --clips x.gltf,model.gltf "$option" model.gltf
    [ "$option" = --csv ] ||
        kept=model.gltf stops 'would overwrite' check --each model.gltf "$option" soft.gltf
done
mkdir each
cp known.ref each/model.ref
kept=each/model.ref stops 'would overwrite' check --each model.gltf --against 'each/*.ref' --json each/model.ref
kept=model.gltf stops 'both write new' check model.gltf --json new --html new
kept=model.gltf stops 'both write sub/up/new' check --each model.gltf --json new --junit sub/up/new
[ ! -e new ] || fail 'something was written'
kept=model.gltf stops 'would overwrite' accept model.gltf -o hard.gltf
expect 0 accept model.gltf -o known.ref # brought up to date
expect 1 check model.gltf --against none --json /dev/null --html /dev/null

# A buffer beside the model, and a frame of a sequence, are only known when they are read.
python3 - <<'END'
import base64, json
model = json.load(open("model.gltf"))
uri = model["buffers"][0]["uri"]
open("data.bin", "wb").write(base64.b64decode(uri[uri.index(",") + 1:]))
model["buffers"][0]["uri"] = "data.bin"
json.dump(model, open("beside.gltf", "w"))
for frame in range(3):
    with open("s.%04d.obj" % frame, "w") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 0 1 %g\nf 1 2 3\n" % frame)
END
kept=data.bin stops 'would overwrite data.bin' check beside.gltf --json data.bin
cp data.bin before
expect 2 check --each beside.gltf model.gltf --json sub/up/data.bin
says 'would overwrite sub/up/data.bin' err
cmp -s data.bin before || fail '--each wrote over a buffer'
kept=s.0001.obj stops 'would overwrite s.0001.obj' check s.####.obj --html s.0001.obj
kept=s.0001.obj stops 'would overwrite s.0001.obj' fit s.####.obj --modes 1 -o s.0001.obj
kept=s.0001.obj stops 'would overwrite' fit s.0001.obj --modes 1 -o ./s.0001.obj

# ------------------------------------------------------------------ nothing is lost
# A reference that is cut anywhere but in its last line is no reference.
size=$(wc -c <known.ref)
for ((cut = 1; cut < size - 1; cut += 1 + size / 40)); do
    head -c "$cut" known.ref >cut.ref
    kept=known.ref stops cut.ref check model.gltf --against cut.ref
done
head -c $((size - 4)) known.ref >cut.ref # without the mark alone
kept=known.ref stops 'cut.ref is cut' check model.gltf --against cut.ref
{ echo 'pliant-reference 1' && sed -e 1d -e '$d' known.ref; } >old.ref
expect 0 check model.gltf --against none --against old.ref
says 'format 1'
printf 'pliant-reference 1\npair\tleft\tri' >cut.ref
kept=old.ref stops cut.ref check model.gltf --against cut.ref

# A disk that takes no more (here: a limit of the shell) leaves what is there.
long=$(printf 'a long reason %.0s' {1..120})
printf 'pliant-reference 2\nend\n' >full.ref
cp full.ref before.ref
gltf other.gltf 0.3
(
    trap '' XFSZ
    ulimit -f 1
    "$pliant" accept other.gltf --against none -o full.ref --reason "$long" >/dev/null 2>err
) && fail 'a full disk is a success'
says 'cannot write full.ref' err
cmp -s full.ref before.ref || fail 'a full disk changed the reference'

# Interrupts at any moment: the file is an old one or a new one.
cp known.ref old.ref
expect 0 accept model.gltf -o new.ref --against none --reason again
for ((i = 0; i < 20; i++)); do
    cp old.ref k.ref
    timeout "0.00$((1 + i % 9))" "$pliant" accept model.gltf --against none -o k.ref --reason again \
        >/dev/null 2>&1
    cmp -s k.ref old.ref || cmp -s k.ref new.ref || fail "an interrupt left $(wc -c <k.ref) bytes"
done
[ -z "$(find . -name '.pliant-*')" ] || fail "unfinished files: $(find . -name '.pliant-*')"
chmod 640 k.ref
ln -s k.ref link.ref
expect 0 accept model.gltf -o link.ref
[ -L link.ref ] && [ "$(stat -c %a k.ref)" = 640 ] || fail 'a link or its permissions changed'
"$pliant" check model.gltf --json /dev/stdout 2>/dev/null | grep -q '"tool"' || fail 'no JSON in a pipe'
"$pliant" accept model.gltf -o /dev/stdout 2>/dev/null | grep -qx end || fail 'no reference in a pipe'
mkfifo pipe
timeout 60 "$pliant" check model.gltf --json pipe >/dev/null 2>&1 &
timeout 60 grep -q '"tool"' pipe || fail 'no JSON in a FIFO'
wait

# ------------------------------------------------------------------ configs and references
kept=model.gltf stops 'no regular file' check model.gltf --against pipe
kept=model.gltf stops 'no regular file' check model.gltf --config pipe
kept=model.gltf stops 'no regular file' accept model.gltf -o pipe
ln -s round.ref round.ref
mkdir closed
ln -s model.ref closed/model.ref # is there, and cannot be opened
expect 2 check --each model.gltf --against 'closed/*.ref'
says 'cannot read closed/model.ref'
kept=model.gltf stops 'round.ref' accept model.gltf -o round.ref
echo '{"files": [{"match": "model*", "skip": true}]}' >skip.json
kept=model.gltf stops 'skip.json skips model.gltf' check model.gltf --config skip.json
kept=model.gltf stops 'skip.json skips model.gltf' check other.gltf model.gltf --config skip.json
expect 1 check other.gltf --config skip.json

# ------------------------------------------------------------------ folders
mkdir -p loops/a loops/b
cp other.gltf loops/x.gltf
for i in 1 2 3; do
    ln -s .. loops/a/l$i
    ln -s ../a loops/b/l$i
    ln -s ../x.gltf loops/b/x$i.gltf
done
ln loops/x.gltf loops/hard.gltf
timeout 60 "$pliant" check --each loops >out 2>err
[ $? -eq 1 ] || fail 'loops of links'
says '2 files: 0 ok'
says 'FOUND  loops/x.gltf'
says 'FOUND  loops/hard.gltf'
expect 1 check --each 'loops/b/l*/l*/*.gltf' loops/b/x2.gltf
says '3 files: 0 ok'
mkdir -p round/ok far
cp other.gltf round/ok
ln -s self round/self # nobody can look into it
expect 2 check --each round --max-depth '1000%' --json r.json
says 'ERROR  round/self'
says '1 ok, 0 with findings, 1 could not be checked'
says 'round/self' r.json
deep=far
for i in {1..70}; do deep=$deep/d; done
mkdir -p "$deep"
cp other.gltf "$deep"
expect 2 check --each far
says '64 folders deep'
mkdir -p shut/ok shut/closed
cp other.gltf shut/ok
cp other.gltf shut/closed
chmod 755 "$folder"
as=()
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null && as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 700 shut/closed
else
    chmod 000 shut/closed
fi
if [ "$(id -u)" -ne 0 ] || { [ ${#as[@]} -gt 0 ] && "${as[@]}" "$pliant" --version >/dev/null 2>&1; }; then
    "${as[@]}" "$pliant" check --each shut --max-depth '1000%' >out 2>err
    [ $? -eq 2 ] || fail 'a closed folder is no error'
    says 'ERROR  shut/closed'
    says 'cannot open this folder'
fi
chmod 700 shut/closed

# ------------------------------------------------------------------ names
if command -v python3 >/dev/null; then
    python3 - "$pliant" <<'END' || fail 'names'
import csv, json, subprocess, sys, unicodedata, xml.dom.minidom
pliant = sys.argv[1]
evil = ["=cmd|' /c calc'!A0", "+1", "-1", "@x", "\u202egnp.exe\u200b", "a\ufffe\uffff\u009b31m\x1b[31m",
        "</script><b>", "a,b;\"c", "\uff1dx", "::error::x"]
model = json.load(open("model.gltf"))
model["nodes"] = [{"mesh": 0, "name": name, "translation": [0.01 * i, 0, 0]} for i, name in enumerate(evil)]
json.dump(model, open("evil\u202e\x1b[1m.gltf", "w"))
bad = []

def run(*words):
    made = subprocess.run([pliant, *words], capture_output=True)
    for code in (made.stdout + made.stderr).decode():
        if code != "\n" and (unicodedata.category(code) in ("Cc", "Cf", "Cn", "Zl", "Zp")):
            bad.append("%s: U+%04X in the terminal" % (words[0], ord(code)))
    return made.returncode

path = "evil\u202e\x1b[1m.gltf"
if run("check", path, "--json", "e.json", "--csv", "e.csv", "--junit", "e.xml", "--markdown", "e.md", "--html",
       "e.html", "--annotations") != 1:
    bad.append("nothing was found")
run("check", "--each", path)
run("info", path)
run("info", "none\u202e.glb")
run("check", path, "--clip", "\u202ex")
run("accept", path, "-o", "out\u202e.ref", "--reason", "a\nb")
run("check", path, "--against", "out\u202e.ref")
run("fit", "s.####.obj", "--modes", "1", "-o", "fit\u202e.glb")
run("export", "soup", "--steps", "2", "-o", "soup\u202e.glb")
run("demo", "soup", "--steps", "2", "-o", "demo\u202e")
run("demo", "\u202e\x1b[1m")
run("\x1b[1m")
run("replay", "\u202e")
run("check", "--\u202e")
xml.dom.minidom.parse("e.xml")
names = [body["name"] for body in json.load(open("e.json"))["bodies"]]
if evil[4] not in names:
    bad.append("JSON lost a name: %s" % names)
rows = list(csv.reader(open("e.csv", newline="")))
cells = [cell for row in rows[1:] for cell in (row[0], row[3], row[4])]
if any(cell[:1] in "=+-@\uff1d" for cell in cells) or not any(cell.startswith("'=cmd") for cell in cells):
    bad.append("CSV: %s" % sorted(set(cells)))
for name in ("e.md", "e.html", "e.xml"):
    if "\u202e" in open(name, encoding="utf-8").read():
        bad.append("%s turns text around" % name)
if len(open("out\u202e.ref").read().split("\nb")) > 1:
    bad.append("a reason began a line")
raw = b"none\xff\xfe.gltf" # no UTF-8
subprocess.run([pliant.encode(), b"check", raw, b"--json", b"f.json", b"--junit", b"f.xml"], capture_output=True)
json.load(open("f.json", encoding="utf-8"))
xml.dom.minidom.parse("f.xml")
print("\n".join(bad))
sys.exit(len(bad) > 0)
END
fi

# ------------------------------------------------------------------ limits
# hostile KIND FILE NUMBER
hostile() {
    python3 - "$@" <<'END'
import base64, json, struct, sys
kind, path, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
model = json.load(open("model.gltf"))
if kind == "same":  # far from each other
    model["nodes"] = [{"mesh": 0, "translation": [3 * k, 0, 0]} for k in range(number)]
elif kind == "crowd":  # all in one place
    model["nodes"] = [{"mesh": 0} for k in range(number)]
else:  # a clip of so many seconds
    data = struct.pack("<8f", 0, number, 0, 0, 0, 0.2, 0.1, 0.05)
    model["buffers"].append({"byteLength": 32, "uri": "data:;base64," + base64.b64encode(data).decode()})
    view = len(model["bufferViews"])
    model["bufferViews"] += [{"buffer": 1, "byteLength": 8}, {"buffer": 1, "byteOffset": 8, "byteLength": 24}]
    at = len(model["accessors"])
    model["accessors"] += [{"bufferView": view, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [number]},
                           {"bufferView": view + 1, "componentType": 5126, "count": 2, "type": "VEC3"}]
    model["animations"] = [{"channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
                            "samplers": [{"input": at, "output": at + 1}]}]
json.dump(model, open(path, "w"))
END
}
# Seconds of the CPU, not of a clock. Equal names and boxes took more than this; now each of these runs
# takes less than a second, and sanitizers may take ten times as long.
if command -v python3 >/dev/null; then
    ulimit -t 20
    hostile same same.gltf 20000
    expect 0 check same.gltf
    says '20,000 bodies, 199,990,000 pairs'
    expect 0 info same.gltf
    says '#20000'
    hostile crowd crowd.gltf 500
    kept=crowd.gltf stops '--ignore' check crowd.gltf
    hostile clip clip.gltf 300000
    kept=clip.gltf stops '--frames' check clip.gltf
    hostile clip clip.gltf 2000000000
    kept=clip.gltf stops '--frames' check clip.gltf
    expect 0 check clip.gltf --frames 1000000:1000100 --against none
    says '101 frames'
fi
exit $((failures > 0))
