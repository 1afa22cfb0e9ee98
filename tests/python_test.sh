#!/bin/bash
# The tests of the Python package, where numpy, pytest and hypothesis are there.
#   python_test.sh EXTENSION PYTHON TOOL TESTS COMPILER [SANITIZERS]
set -euo pipefail
extension=$1 python=$2 tool=$3 tests=$4 compiler=$5 sanitizers=${6-}

if ! "$python" -c 'import numpy, pytest, hypothesis' 2>/dev/null; then
    echo "$python has no numpy, pytest or hypothesis: scripts/setup test installs them"
    exit 77
fi
if [[ $sanitizers == *thread* ]]; then
    echo "Python itself is not made for ThreadSanitizer"
    exit 77
fi
if [ -n "$sanitizers" ]; then # the sanitizer must be there before Python is, which leaks on purpose
    LD_PRELOAD=$("$compiler" -print-file-name="libclang_rt.asan-$(uname -m).so")
    [ -e "$LD_PRELOAD" ] || LD_PRELOAD=$("$compiler" -print-file-name=libasan.so)
    export LD_PRELOAD PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS-}
fi
PYTHONPATH=$(cd "$(dirname "$extension")/.." && pwd)
export PYTHONPATH PLIANT_TOOL=$tool PYTHONDONTWRITEBYTECODE=1
cd "$tests"
exec "$python" -m pytest -q --no-header -p no:cacheprovider
