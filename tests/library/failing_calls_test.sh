#!/bin/bash
# Every public function that can fail and is given an object is called by the tests of failing
# memory: a new one fails here until it is.
#
#   tests/library/failing_calls_test.sh FOLDER [LIBRARY TEST...]
#
# LIBRARY is the folder of a project beside the core, and TEST are files in its folder tests.
set -euo pipefail
cd "${1:?usage: failing_calls_test.sh FOLDER [LIBRARY TEST...]}"
headers=include/pliant least=40
tests=(tests/library/test_failing_{calls,questions,scenes}.c tests/libs/asset/test_asset_failing_calls.c
    tests/body/test_tear_memory.c tests/support/{fixture,world_of_bodies}.c)
if [ $# -gt 1 ]; then
    headers=$2/include/pliant least=6
    tests=("${@:3}")
    tests=("${tests[@]/#/$2/tests/}")
fi
# These allocate nothing; the last one needs a driver of OpenGL.
exempt="pliant_asset_output_write pliant_attach_vertices pliant_compute_joint_transform pliant_fail
pliant_check_tag pliant_context_join pliant_context_run pliant_body_get_state pliant_body_get_quality pliant_shape_get_view
pliant_shape_get_cluster pliant_gl_create"
missing=0 count=0
for name in $(grep -hoE 'pliant_result pliant_[a-z0-9_]+\(' "$headers"/*.h |
    sed 's/.* //; s/(//' | sort -u); do
    case " ${exempt//$'\n'/ } " in *" $name "*) continue ;; esac
    count=$((count + 1))
    grep -qE "\b$name\(" "${tests[@]}" || {
        echo "failing_calls_test: no test lets an allocation of $name fail" >&2
        missing=$((missing + 1))
    }
done
[ $count -gt $least ] || { echo "failing_calls_test: found only $count functions" >&2; exit 1; }
exit $((missing > 0))
