/* Common volumes against exact Booleans: the true volume lies in the range that is reported. */
#include "exact_common_volume.h"
#include "real_mesh.h"

#include "gallery/closed.h"

#include <math.h>

static exact_mesh plain(const gallery_mesh *mesh)
{
    return (exact_mesh){mesh->positions, mesh->triangles, mesh->vertex_count, mesh->triangle_count};
}

/* Takes both meshes over. */
static void check_pair(gallery_mesh first, gallery_mesh second, const char *what)
{
    exact_mesh exact[2] = {plain(&first), plain(&second)};
    double truth;
    if (!exact_common_volume(&exact[0], &exact[1], &truth)) {
        fail_msg("%s: there is no exact volume", what);
    }
    test_solid a = test_solid_create(test_context, first),
               b = test_solid_create(test_context, second);
    for (uint32_t resolution = 8; resolution <= 256; resolution *= 4) {
        pliant_volume_options options = pliant_volume_options_default();
        options.resolution = resolution;
        pliant_volume_measure m;
        assert_ok(pliant_volume_intersect(test_volume, a.body, b.body, &options, &m));
        if (!(m.least <= truth && truth <= m.most)) {
            fail_msg("%s, %u rays a side: %.9g is not between %.9g and %.9g", what, resolution,
                     truth, m.least, m.most);
        }
        assert_true(fabs(m.volume - truth) <= m.error);
        assert_true(truth > 0.0);
    }
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* The bodies of the experiments, coarser, so that exact arithmetic takes seconds at most. */
static void test_scenes(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(CLOSED_KINDS);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 900 + i);
        closed_kind kinds[2] = {(closed_kind)(i % CLOSED_KINDS),
                                (closed_kind)((i + 1) % CLOSED_KINDS)};
        gallery_mesh meshes[2];
        for (int k = 0; k < 2; k++) {
            assert_true(closed_make(kinds[k], 2000, &meshes[k]));
        }
        test_place place = place_random(&r, 0.4);
        test_solid_move(&meshes[1], &place);
        check_pair(meshes[0], meshes[1], closed_name(kinds[0]));
    }
}

static void test_real_meshes(void **state)
{
    (void)state;
    static const real_kind pairs[][2] = {
        {REAL_PENGUIN, REAL_SPOT}, {REAL_FISH, REAL_SCORPION}, {REAL_BUNNY, REAL_SPOT}};
    for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        gallery_mesh first, second;
        if (!real_mesh_load(test_context, pairs[i][0], &first)) {
            continue;
        }
        if (!real_mesh_load(test_context, pairs[i][1], &second)) {
            mesh_free(&first);
            continue;
        }
        for (uint32_t k = 0; k < 3 * second.vertex_count; k++) {
            second.positions[k] += k % 3 == 0 ? 0.31f : 0.07f;
        }
        check_pair(first, second, real_mesh_name(pairs[i][0]));
    }
    real_mesh_skip_missing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_real_meshes),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
