/* Rays run where they are shortest. */
#include "fixture.h"

#include <string.h>

#include "volume/grid.h"

/* A box with sides of 16, 4 and 1, the longest along `longest`, the shortest after it. */
static pliant_box bar(uint32_t longest, float shift)
{
    static const float sides[3] = {16.0f, 1.0f, 4.0f};
    pliant_box box;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t axis = (longest + k) % 3;
        box.lower[axis] = shift * sides[k];
        box.upper[axis] = (1.0f + shift) * sides[k];
    }
    return box;
}

static void rays_are_short(void **state)
{
    (void)state;
    for (uint32_t longest = 0; longest < 3; longest++) {
        const pliant_box boxes[2] = {bar(longest, 0.0f), bar(longest, 0.5f)};
        pli_grid grid;
        pli_grid_for_body(&boxes[0], PLI_ANY_AXIS, 64, &grid);
        assert_int_equal(grid.axis[2], (longest + 1) % 3);
        assert_true(grid.extent[2] == 1.0);
        pli_grid_for_pair(boxes, PLI_ANY_AXIS, 64, &grid);
        assert_int_equal(grid.axis[2], (longest + 1) % 3);
        assert_true(grid.extent[2] <= 1.0);
        for (uint32_t axis = 0; axis < 3; axis++) { /* an axis that is asked for is kept */
            pli_grid_for_pair(boxes, axis, 64, &grid);
            assert_int_equal(grid.axis[2], axis);
            pli_grid_for_body(&boxes[0], axis, 64, &grid);
            assert_int_equal(grid.axis[2], axis);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_are_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
