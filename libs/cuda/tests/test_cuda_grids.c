/*
 * Contacts of surfaces with themselves where most neighbours are told apart many at a time: grids
 * that are bumpy, folded, crumpled, rolled up with their edges welded, torn there, or with vertices
 * moved onto others. Lists are those of the core by every rule, no vertex is settled whose
 * triangles touch, and plain surfaces are settled, or nothing would be gained.
 */
#include "fan_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum family {
    BUMPY,
    FOLDED,
    CRUMPLED, /* onto whole numbers */
    MOVED,    /* vertices onto others */
    ROLLED,   /* first and last column welded, and in one place, */
    TORN,     /* or not */
    SOUP,
    FAMILIES
} family;

static const char *const family_names[FAMILIES] = {"bumpy",  "folded", "crumpled", "moved",
                                                   "rolled", "torn",   "soup"};

/* A grid of 2 * side * side triangles, with `welded` its first and last column in one place. */
static fan_surface make_grid(uint32_t side, bool welded)
{
    uint32_t row = side + 1;
    fan_surface s = fan_surface_create(row * row, 2 * side * side);
    for (uint32_t v = 0; v < row * row; v++) {
        s.mesh.positions[3 * v] = (float)(welded && v % row == side ? 0 : v % row);
        s.mesh.positions[3 * v + 1] = (float)(v / row);
        s.mesh.positions[3 * v + 2] = 0.0f;
    }
    for (uint32_t c = 0; c < side * side; c++) {
        uint32_t a = c / side * row + c % side, b = a + 1, d = a + row, e = d + 1;
        uint32_t straight[6] = {a, b, e, a, e, d}, other[6] = {a, b, d, b, e, d};
        memcpy(s.mesh.triangles + 6 * (size_t)c, c % 3 == 0 ? other : straight, sizeof other);
    }
    return s;
}

/* A vertex that is moved a little and up or down. */
static void place_vertex(float *p, family kind, uint32_t side, double x, double y, rng *r)
{
    double z = rng_range(r, -0.3, 0.3), turn = 6.283185307179586 / side;
    double radius = side / 6.0 + 0.3 * z;
    x += rng_range(r, -0.2, 0.2), y += rng_range(r, -0.2, 0.2);
    switch (kind) {
    case FOLDED:
        x = fabs(x - floor(side / 2.3)), z *= 0.5;
        break;
    case CRUMPLED:
        x = rint(x / 1.5), y = rint(y / 1.5), z = rint(2.0 * z);
        break;
    case ROLLED:
    case TORN:
        z = radius * sin(x * turn), x = radius * cos(x * turn);
        break;
    case SOUP:
        x = rng_range(r, 0.0, 6.0), y = rng_range(r, 0.0, 6.0), z = rng_range(r, 0.0, 6.0);
        break;
    case BUMPY:
    case MOVED:
    case FAMILIES:
        break;
    }
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
}

static void place_grid(fan_surface *s, family kind, uint32_t side, rng *r)
{
    uint32_t row = side + 1, vertices = row * row;
    for (uint32_t v = 0; v < vertices; v++) {
        place_vertex(s->positions + 3 * (size_t)v, kind, side, v % row, v / row, r);
    }
    for (uint32_t v = side; v < vertices && kind == ROLLED; v += row) {
        memcpy(s->positions + 3 * (size_t)v, s->positions + 3 * (size_t)(v - side),
               3 * sizeof(float));
    }
    for (uint32_t i = 0; i < side && kind == MOVED; i++) {
        uint32_t from = (uint32_t)rng_below(r, vertices), to = (uint32_t)rng_below(r, vertices);
        uint32_t next = from + 1 < vertices ? from + 1 : from - 1;
        to = i % 2 == 0 ? to : next;
        memcpy(s->positions + 3 * (size_t)to, s->positions + 3 * (size_t)from, 3 * sizeof(float));
    }
}

/* Every rule but BEYOND_SHARED in full, which is asked last. */
static void assert_rules(cuda_twin *t, const char *what)
{
    static const pliant_neighbours rules[3] = {PLIANT_NEIGHBOURS_ALL, PLIANT_NEIGHBOURS_SKIP,
                                               PLIANT_NEIGHBOURS_BEYOND_SHARED};
    pliant_collide_options options = pliant_collide_options_default();
    for (int rule = 0; rule < 3; rule++) {
        options.neighbours = rules[rule];
        for (int first = 0; first < 2; first++) {
            options.mode = first != 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
            assert_true(cuda_twin_agrees(t, &options, what));
        }
    }
}

/* Inner vertices, and those of them that are settled. */
typedef struct tally {
    uint64_t inner, settled, contacts;
} tally;

static void count_inner(tally *sum, const fan_surface *s, uint32_t side)
{
    for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
        uint32_t x = v % (side + 1), y = v / (side + 1);
        if (x > 0 && y > 0 && x < side && y < side) {
            sum->inner++;
            sum->settled += s->settled[v];
        }
    }
}

static void play_grid(uint32_t run, tally *sum)
{
    rng r;
    rng_seed(&r, 300 + run);
    family kind = (family)(run % FAMILIES);
    uint32_t side = 5 + (uint32_t)rng_below(&r, 9);
    fan_surface s = make_grid(side, kind == ROLLED || kind == TORN);
    cuda_twin t = fan_twin_create(&s, false, rng_below(&r, 3) * rng_u64(&r));
    char what[80];
    (void)snprintf(what, sizeof what, "grid %u, %s", run, family_names[kind]);
    for (int step = 0; step < 2; step++) {
        place_grid(&s, kind, side, &r);
        cuda_twin_set(&t, 0, &(pliant_state){.positions = s.positions});
        assert_rules(&t, what);
        if (fan_assert_sound(&t, &s, what)) {
            count_inner(&sum[kind], &s, side);
            sum[kind].contacts += t.got_count;
        }
    }
    cuda_twin_destroy(&t);
    fan_surface_destroy(&s);
}

static void test_grids(void **state)
{
    (void)state;
    tally sum[FAMILIES] = {{0, 0, 0}};
    uint32_t runs = fixture_at_least(70, 1000);
    for (uint32_t run = 0; run < runs; run++) {
        play_grid(run, sum);
    }
    for (int k = 0; k < FAMILIES; k++) {
        print_message("  %-9s %7llu contacts; of %6llu inner vertices %6llu are settled\n",
                      family_names[k], (unsigned long long)sum[k].contacts,
                      (unsigned long long)sum[k].inner, (unsigned long long)sum[k].settled);
    }
    assert_true(20 * sum[BUMPY].settled >= 19 * sum[BUMPY].inner);
    assert_true(20 * sum[ROLLED].settled >= 10 * sum[ROLLED].inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
