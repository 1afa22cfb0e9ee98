/* Walks over the tree of bodies find what brute force over all boxes finds, in the same order,
   whatever was added, moved and removed before; and miss nothing that a ray meets exactly. */
#include "broad_fixture.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "broad/broad.h"

/* What brute force finds: bodies by where they begin. */
typedef struct findings {
    pli_broad_walk_step steps[WORLD_BODIES];
    size_t count;
} findings;

static int compare_steps(const void *x, const void *y)
{
    const pli_broad_walk_step *a = x, *b = y;
    if (a->near != b->near) {
        return a->near < b->near ? -1 : 1;
    }
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static double enter_box(const pliant_ray *ray, const pliant_box *box)
{
    double near = 0.0, far = INFINITY;
    for (int k = 0; k < 3; k++) {
        double o = (double)ray->origin[k], d = (double)ray->direction[k];
        double low = (double)box->lower[k] - o, high = (double)box->upper[k] - o;
        if (d == 0.0) {
            far = low > 0.0 || high < 0.0 ? -1.0 : far;
            continue;
        }
        double inverse = 1.0 / d;
        double a = fmin(low * inverse, high * inverse), b = fmax(low * inverse, high * inverse);
        near = fmax(near, isinf(a) ? a : a - fabs(a) * 0x1p-50);
        far = fmin(far, isinf(b) ? b : b + fabs(b) * 0x1p-50);
    }
    return near <= far ? near : INFINITY;
}

static double approach_box(const float point[3], const pliant_box *box)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double p = (double)point[k], low = (double)box->lower[k], high = (double)box->upper[k];
        double gap = p < low ? low - p : p > high ? p - high : 0.0;
        sum += gap * gap;
    }
    return sqrt(sum) * (1.0 - 0x1p-40);
}

static void find_by_brute_force(const world *w, const pliant_ray *ray, bool is_ray, double limit,
                                findings *found)
{
    found->count = 0;
    for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
        if (w->present[slot]) {
            double near = is_ray ? enter_box(ray, &w->boxes[slot])
                                 : approach_box(ray->origin, &w->boxes[slot]);
            if (near <= limit && near < INFINITY) {
                found->steps[found->count++] = (pli_broad_walk_step){slot, near};
            }
        }
    }
    qsort(found->steps, found->count, sizeof *found->steps, compare_steps);
}

/* A side of a box that is there, the middle between two, or anything. */
static float draw_coordinate(const world *w, gallery_random *random, int axis)
{
    const pliant_box *box = &w->boxes[gallery_random_below(random, WORLD_BODIES)];
    float side = gallery_random_below(random, 2) == 0 ? box->lower[axis] : box->upper[axis];
    bool any = gallery_random_below(random, 2) == 0 || !isfinite(side);
    return any ? (float)gallery_random_range(random, -9.0, 9.0) : side;
}

static pliant_ray draw_ray(const world *w, gallery_random *random)
{
    pliant_ray ray = {.t_max = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        static const float directions[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-42f, 1e30f};
        uint32_t choice = gallery_random_below(random, 12);
        ray.origin[axis] = draw_coordinate(w, random, axis);
        ray.direction[axis] =
            choice < 6 ? directions[choice] : (float)gallery_random_range(random, -1.0, 1.0);
    }
    return ray;
}

static void check_step(const findings *expected, size_t i, const pli_broad_walk_step *step)
{
    assert_true(i < expected->count);
    assert_int_equal(step->slot, expected->steps[i].slot);
    assert_true(step->near == expected->steps[i].near);
}

/* A whole walk, and one whose limit shrinks to what was found last. */
static void check_nearest_first(const world *w, const pli_broad *broad, pli_broad_walk *walk,
                                gallery_random *random)
{
    pliant_ray ray = draw_ray(w, random);
    bool is_ray = gallery_random_below(random, 2) == 0;
    double limit =
        gallery_random_below(random, 3) == 0 ? INFINITY : gallery_random_range(random, 0.0, 9.0);
    findings expected;
    find_by_brute_force(w, &ray, is_ray, limit, &expected);
    size_t most = gallery_random_below(random, 2) == 0 ? SIZE_MAX : gallery_random_below(random, 8);
    if (is_ray) {
        pli_broad_walk_ray(walk, broad, ray.origin, ray.direction, limit);
    } else {
        pli_broad_walk_point(walk, broad, ray.origin, limit);
    }
    pli_broad_walk_step step;
    size_t count = 0;
    for (; pli_broad_walk_next(walk, limit, &step); count++) {
        check_step(&expected, count, &step);
        limit = count >= most ? step.near : limit;
    }
    assert_false(walk->failed);
    assert_true(count == expected.count ||
                (count < expected.count && expected.steps[count].near > limit));
}

static bool is_within(const pliant_box *a, const pliant_box *b, double distance)
{
    for (int k = 0; k < 3; k++) {
        double gap = fmax((double)a->lower[k] - (double)b->upper[k],
                          (double)b->lower[k] - (double)a->upper[k]);
        if (gap > distance * (1.0 + 0x1p-20)) {
            return false;
        }
    }
    return true;
}

static void check_box(const world *w, const pli_broad *broad, pli_broad_walk *walk,
                      gallery_random *random)
{
    uint32_t choice = gallery_random_below(random, 3);
    double distance = choice == 0 ? 0.0 : choice == 1 ? 1.0 : gallery_random_range(random, 0, 2);
    pliant_box box = random_box(random);
    const uint64_t *slots = NULL;
    size_t count = 0, next = 0;
    assert_ok(pli_broad_walk_box(walk, broad, &box, distance, &slots, &count));
    for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
        if (w->present[slot] && is_within(&w->boxes[slot], &box, distance)) {
            assert_true(next < count);
            assert_int_equal(slots[next++], slot);
        }
    }
    assert_int_equal(next, count);
}

static void check_pairs_within(const world *w, pli_broad *broad, gallery_random *random)
{
    double distance = (double)gallery_random_below(random, 3) / 4.0;
    const uint64_t *keys = NULL;
    size_t count = 0, next = 0;
    assert_ok(pli_broad_pairs_within(broad, distance, &keys, &count));
    for (uint32_t a = 0; a < WORLD_BODIES; a++) {
        for (uint32_t b = a + 1; w->present[a] && b < WORLD_BODIES; b++) {
            if (w->present[b] && is_within(&w->boxes[a], &w->boxes[b], distance)) {
                assert_true(next < count);
                assert_true(keys[next++] == ((uint64_t)a << 32 | b));
            }
        }
    }
    assert_int_equal(next, count);
}

/* One body comes, goes or moves; or all move. */
static void operate(world *w, pli_broad *broad, gallery_random *random, uint32_t operation)
{
    uint32_t slot = gallery_random_below(random, WORLD_BODIES);
    uint32_t choice = gallery_random_below(random, 64);
    bool shrinks = operation % 2000 >= 1000;
    if (!w->present[slot]) {
        if (!shrinks || choice < 16) {
            w->boxes[slot] = random_box(random);
            w->present[slot] = true;
            assert_ok(pli_broad_add(broad, slot, &w->boxes[slot]));
        }
    } else if (choice < (shrinks ? 24 : 4)) {
        w->present[slot] = false;
        pli_broad_remove(broad, slot);
    } else if (choice < 60) {
        w->boxes[slot] =
            choice % 2 == 0 ? random_box(random) : moved_box(random, w->boxes[slot], 0.3);
        pli_broad_move(broad, slot, &w->boxes[slot]);
    } else {
        for (slot = 0; slot < WORLD_BODIES; slot++) {
            if (w->present[slot]) {
                w->boxes[slot] = moved_box(random, w->boxes[slot], choice < 63 ? 0.02 : 0.5);
                pli_broad_move(broad, slot, &w->boxes[slot]);
            }
        }
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    pli_broad_walk walk = {.failed = false};
    pli_broad *broad = NULL;
    assert_ok(pli_broad_create(context, PLI_BROAD_AUTO, &broad));
    gallery_random random = gallery_random_seed(7, 0);
    uint32_t operations = fixture_count(100000);
    for (uint32_t operation = 0; operation < operations; operation++) {
        operate(w, broad, &random, operation);
        if (gallery_random_below(&random, 4) > 0) {
            assert_ok(pli_broad_update_tree(broad));
            check_nearest_first(w, broad, &walk, &random);
            check_box(w, broad, &walk, &random);
        }
        if (operation % 8 == 0) {
            check_pairs_within(w, broad, &random);
        }
    }
    pli_broad_walk_release(context, &walk);
    pli_broad_destroy(broad);
    free(w);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* -------------------------------------------------------------- exact rays */

/* Narrows [near, far] to where a ray is between two sides; all exact. */
static bool narrow(mpq_t near, mpq_t far, float origin, float direction, const float sides[2])
{
    mpq_t o, d, t[2];
    mpq_inits(o, d, t[0], t[1], NULL);
    mpq_set_d(o, (double)origin);
    mpq_set_d(d, (double)direction);
    bool meets = true;
    if (direction == 0.0f) {
        meets = sides[0] <= origin && origin <= sides[1];
    } else {
        for (int i = 0; i < 2; i++) {
            mpq_set_d(t[i], (double)sides[direction > 0.0f ? i : 1 - i]);
            mpq_sub(t[i], t[i], o);
            mpq_div(t[i], t[i], d);
        }
        if (mpq_cmp(t[0], near) > 0) {
            mpq_set(near, t[0]);
        }
        if (mpq_cmp(t[1], far) < 0) {
            mpq_set(far, t[1]);
        }
        meets = mpq_cmp(near, far) <= 0;
    }
    mpq_clears(o, d, t[0], t[1], NULL);
    return meets;
}

static bool meets_exactly(const pliant_ray *ray, const pliant_box *box, double limit)
{
    mpq_t near, far;
    mpq_inits(near, far, NULL);
    mpq_set_d(far, limit);
    bool meets = true;
    for (int k = 0; k < 3 && meets; k++) {
        float sides[2] = {box->lower[k], box->upper[k]};
        meets = narrow(near, far, ray->origin[k], ray->direction[k], sides);
    }
    mpq_clears(near, far, NULL);
    return meets;
}

/* Rays through corners and along faces: no body that one meets is left out. */
static void test_no_body_is_missed(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pli_broad_walk walk = {.failed = false};
    pli_broad *broad = NULL;
    assert_ok(pli_broad_create(context, PLI_BROAD_AUTO, &broad));
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    gallery_random random = gallery_random_seed(8, 0);
    for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
        for (int k = 0; k < 3; k++) {
            w->boxes[slot].lower[k] = (float)gallery_random_range(&random, -8.0, 8.0);
            w->boxes[slot].upper[k] =
                w->boxes[slot].lower[k] + (float)gallery_random_below(&random, 3);
        }
        assert_ok(pli_broad_add(broad, slot, &w->boxes[slot]));
    }
    assert_ok(pli_broad_update_tree(broad));
    uint64_t met = 0, found = 0;
    for (uint32_t i = 0; i < fixture_count(2000); i++) {
        pliant_ray ray = draw_ray(w, &random);
        const pliant_box *box = &w->boxes[gallery_random_below(&random, WORLD_BODIES)];
        for (int k = 0; k < 3 && i % 2 == 0; k++) { /* to a corner: exact if they are near */
            ray.direction[k] = box->lower[k] - ray.origin[k];
        }
        double limit = i % 4 < 2 ? 1.0 : 16.0;
        bool seen[WORLD_BODIES] = {false};
        pli_broad_walk_step step;
        pli_broad_walk_ray(&walk, broad, ray.origin, ray.direction, limit);
        for (; pli_broad_walk_next(&walk, limit, &step); found++) {
            seen[step.slot] = true;
        }
        for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
            bool meets = meets_exactly(&ray, &w->boxes[slot], limit);
            assert_true(seen[slot] || !meets);
            met += meets;
        }
    }
    assert_true(met > 0 && found < met + met / 100 + 10); /* nor are many found in vain */
    pli_broad_walk_release(context, &walk);
    pli_broad_destroy(broad);
    free(w);
    pliant_context_destroy(context);
}

/* ------------------------------------------------------------------ edges */

static void test_corner_cases(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    const float inf = INFINITY, zero[3] = {0, 0, 0}, along[3] = {1, 0, 0}, still[3] = {0, 0, 0};
    pli_broad_walk walk = {.failed = false};
    pli_broad_walk_step step;
    pli_broad *broad = NULL;
    assert_ok(pli_broad_create(context, PLI_BROAD_AUTO, &broad));
    assert_ok(pli_broad_update_tree(broad)); /* nothing was ever added */
    pli_broad_walk_point(&walk, broad, zero, (double)inf);
    assert_false(pli_broad_walk_next(&walk, (double)inf, &step));
    const pliant_box boxes[] = {
        {{FLT_MAX, FLT_MAX, FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}},
        {{inf, -1, -1}, {inf, 1, 1}}, /* at infinity: no ray comes there */
        {{-inf, -inf, -inf}, {inf, inf, inf}},
        {{2, 0, 0}, {3, 1, 1}}, /* touched by the ray */
        {{2, 0, 0}, {3, 1, 1}},
        {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}},
        {{2, nextafterf(0, 1), 0}, {3, 1, 1}}, /* missed by one bit */
        {{-0.0f, -0.0f, -0.0f}, {-0.0f, -0.0f, -0.0f}},
    };
    for (uint32_t slot = 0; slot < 8; slot++) {
        assert_ok(pli_broad_add(broad, slot, &boxes[slot]));
    }
    assert_ok(pli_broad_update_tree(broad));
    const uint32_t on_ray[] = {2, 5, 7, 3, 4}, around_zero[] = {2, 5, 7};
    pli_broad_walk_ray(&walk, broad, zero, along, 100.0);
    for (int i = 0; i < 5; i++) {
        assert_true(pli_broad_walk_next(&walk, 100.0, &step));
        assert_int_equal(step.slot, on_ray[i]);
        assert_true(step.near == (i < 3 ? 0.0 : 2.0 * (1.0 - 0x1p-50)));
    }
    assert_false(pli_broad_walk_next(&walk, 100.0, &step));
    pli_broad_walk_ray(&walk, broad, zero, still, (double)inf); /* a ray that is a point */
    for (int i = 0; i < 3; i++) {
        assert_true(pli_broad_walk_next(&walk, (double)inf, &step));
        assert_int_equal(step.slot, around_zero[i]);
    }
    assert_false(pli_broad_walk_next(&walk, (double)inf, &step));
    for (uint32_t slot = 0; slot < 8; slot++) {
        pli_broad_remove(broad, slot);
    }
    assert_ok(pli_broad_update_tree(broad));
    pli_broad_walk_ray(&walk, broad, zero, along, (double)inf);
    assert_false(pli_broad_walk_next(&walk, (double)inf, &step));
    pli_broad_walk_release(context, &walk);
    pli_broad_destroy(broad);
    pliant_context_destroy(context);
}

/* Nodes above the deepest leaf, counted. */
static uint32_t measure_depth(const pli_body_tree *tree)
{
    uint32_t most = 0;
    for (size_t slot = 0; slot < tree->leaves.count; slot++) {
        uint32_t depth = 0;
        for (uint32_t node = tree->leaves.data[slot]; node != 0; depth++) {
            node = tree->nodes.data[node].above;
        }
        most = depth > most ? depth : most;
    }
    return most;
}

/* Bodies that come in the worst order, each around all before it, make no branch too deep. */
static void test_depth_is_bounded(void **state)
{
    (void)state;
    enum { SMALL = 2000, GROWING = 380, BODIES = SMALL + GROWING };
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pli_broad_walk walk = {.failed = false};
    pli_broad *broad = NULL;
    uint32_t deepest = 0;
    assert_ok(pli_broad_create(context, PLI_BROAD_AUTO, &broad));
    for (uint32_t slot = 0; slot < BODIES; slot++) {
        float size = slot < SMALL ? 1e-34f : 1e-33f * powf(1.5f, (float)(slot - SMALL));
        pliant_box box = {{-size, -size, -size}, {size, size, size}};
        assert_ok(pli_broad_add(broad, slot, &box));
        if (slot >= SMALL - 1) {
            assert_ok(pli_broad_update_tree(broad));
            uint32_t depth = measure_depth(&broad->tree);
            assert_true(depth <= broad->tree.depth && broad->tree.depth < PLI_BODY_TREE_DEPTH);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    assert_true(deepest > PLI_BODY_TREE_DEPTH / 2); /* it was put to the test */
    const pliant_box origin = {{0, 0, 0}, {0, 0, 0}};
    const uint64_t *slots = NULL;
    size_t count = 0;
    assert_ok(pli_broad_walk_box(&walk, broad, &origin, 0.0, &slots, &count));
    assert_int_equal(count, BODIES);
    pli_broad_walk_release(context, &walk);
    pli_broad_destroy(broad);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_no_body_is_missed),
        cmocka_unit_test(test_corner_cases),
        cmocka_unit_test(test_depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
