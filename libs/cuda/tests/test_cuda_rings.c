/*
 * The rings that fans of a shape's vertices have on a device: the far ends of the edges round a
 * vertex in order, where its triangles go on from each other in the same sense and are all there
 * are; none where they do not. Meshes made by hand, and small random ones with an oracle.
 */
#include "cuda_fixture.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIANGLES = 48, MOST_VERTICES = 52, NO_VERTEX = 99 };

/* Some triangles; what matters is which are round vertex 0. */
typedef struct patch {
    uint32_t triangles[MOST_TRIANGLES][3];
    uint32_t count;
} patch;

static void add(patch *p, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(p->count < MOST_TRIANGLES);
    uint32_t *t = p->triangles[p->count++];
    t[0] = a, t[1] = b, t[2] = c;
}

/* So many triangles round vertex 0, whose ring begins with 1. */
static patch make_fan(uint32_t count, bool closes)
{
    patch p = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        add(&p, 0, 1 + i, closes && i + 1 == count ? 1 : 2 + i);
    }
    return p;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b, *b = kept;
}

/* Other corners come first, and other triangles. */
static void shuffle(patch *p, rng *r)
{
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t *t = p->triangles[i], *other = p->triangles[rng_below(r, i + 1)];
        for (uint64_t turns = rng_below(r, 3); turns > 0; turns--) {
            swap(&t[0], &t[1]), swap(&t[1], &t[2]);
        }
        for (int k = 0; k < 3; k++) {
            swap(&t[k], &other[k]);
        }
    }
}

static void reverse(patch *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        swap(&p->triangles[i][1], &p->triangles[i][2]);
    }
}

/* A twin of one body with these triangles, which has been asked, so that its fans are there; false
   where memory of the device cannot be read. */
static bool ask(cuda_twin *t, const patch *p, rng *r)
{
    float positions[MOST_VERTICES][3];
    for (int i = 0; i < 3 * MOST_VERTICES; i++) {
        positions[i / 3][i % 3] = (float)rng_range(r, -1.0, 1.0);
    }
    uint32_t triangles[MOST_TRIANGLES][3];
    memcpy(triangles, p->triangles, sizeof triangles);
    gallery_mesh mesh = {.positions = positions[0],
                         .triangles = triangles[0],
                         .vertex_count = MOST_VERTICES,
                         .triangle_count = p->count};
    pliant_shape *shape = fixture_shape(test_context, &mesh, fixture_usual_tree);
    pliant_member_def def = pliant_member_def_default();
    def.self = true;
    *t = cuda_twin_create(test_context);
    cuda_twin_add(t, shape, &def);
    pliant_shape_destroy(shape);
    cuda_twin_set(t, 0, &(pliant_state){.positions = positions[0]});
    assert_true(cuda_twin_agrees(t, NULL, "patch"));
    return cuda_fixture_emulator(t->cuda) != NULL;
}

/* The same ring; where it closes, wherever it begins. */
static bool is_ring(const uint32_t *ring, const uint32_t *expected, uint32_t length)
{
    if (length == 0 || expected[0] != expected[length - 1]) {
        return memcmp(ring, expected, length * sizeof *ring) == 0;
    }
    uint32_t start = 0, same = 0;
    while (start + 1 < length && expected[start] != ring[0]) {
        start++;
    }
    while (same < length && ring[same] == expected[(start + same) % (length - 1)]) {
        same++;
    }
    return same == length;
}

static void assert_ring(const cuda_twin *t, uint32_t vertex, const uint32_t *expected,
                        uint32_t length)
{
    const pli_cuda_shape *shape = t->scene->step.bodies[0].shape;
    assert_non_null(shape->fans);
    assert_int_equal(shape->fans[vertex + 1] - shape->fans[vertex], length);
    assert_true(is_ring(shape->rings + shape->fans[vertex], expected, length));
}

/* ------------------------------------------------------------ an oracle */

/* What follows a vertex in the ring, and what comes before it. */
typedef struct links {
    uint32_t next[MOST_VERTICES], previous[MOST_VERTICES];
    uint32_t count; /* of edges */
    bool branches;  /* a vertex has two of one kind, or a triangle is degenerate */
} links;

static links links_round(const patch *p, uint32_t vertex)
{
    links l = {.count = 0};
    for (int v = 0; v < MOST_VERTICES; v++) {
        l.next[v] = l.previous[v] = NO_VERTEX;
    }
    for (uint32_t i = 0; i < 3 * p->count; i++) {
        const uint32_t *t = p->triangles[i / 3];
        uint32_t from = t[(i + 1) % 3], to = t[(i + 2) % 3];
        if (t[i % 3] == vertex) {
            l.branches |= l.next[from] != NO_VERTEX || l.previous[to] != NO_VERTEX || from == to ||
                          from == vertex || to == vertex;
            l.next[from] = to, l.previous[to] = from;
            l.count++;
        }
    }
    return l;
}

/* Without branches, edges are rows and circles: a ring is all of them in one. */
static uint32_t expect_ring(const patch *p, uint32_t vertex, uint32_t *ring)
{
    links l = links_round(p, vertex);
    uint32_t start = NO_VERTEX, length = 0;
    for (uint32_t v = 0; v < MOST_VERTICES; v++) {
        bool begins = l.next[v] != NO_VERTEX && l.previous[v] == NO_VERTEX;
        start = begins || (start == NO_VERTEX && l.next[v] != NO_VERTEX) ? v : start;
    }
    if (l.branches || l.count == 0 || l.count >= PLI_CUDA_RING) {
        return 0;
    }
    ring[length++] = start;
    for (uint32_t v = l.next[start]; v != NO_VERTEX; v = v == start ? NO_VERTEX : l.next[v]) {
        ring[length++] = v;
    }
    return length == l.count + 1 ? length : 0;
}

static void assert_all_rings(const cuda_twin *t, const patch *p)
{
    for (uint32_t v = 0; v < MOST_VERTICES; v++) {
        uint32_t ring[PLI_CUDA_RING + 1];
        uint32_t length = expect_ring(p, v, ring);
        assert_ring(t, v, ring, length);
    }
}

/* ------------------------------------------------------------ tests */

/* Closed and open fans, up to so many triangles that none is made. */
static void test_fans(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    static const uint32_t counts[] = {1, 2, 3, 4, 6, 12, 30, 31, 32, 40};
    for (uint32_t i = 0; i < 4 * sizeof counts / sizeof *counts; i++) {
        uint32_t count = counts[i / 4], ring[MOST_VERTICES];
        bool closes = i % 2 == 1 && count > 1, reversed = i / 2 % 2 == 1;
        patch p = make_fan(count, closes);
        for (uint32_t k = 0; k <= count; k++) {
            uint32_t at = reversed ? count - k : k;
            ring[at] = closes && k == count ? 1 : 1 + k;
        }
        if (reversed) {
            reverse(&p);
        }
        shuffle(&p, &r);
        cuda_twin t;
        if (ask(&t, &p, &r)) {
            assert_ring(&t, 0, ring, count < PLI_CUDA_RING ? count + 1 : 0);
            assert_ring(&t, MOST_VERTICES - 1, NULL, 0); /* of no triangle */
            assert_all_rings(&t, &p);
        }
        cuda_twin_destroy(&t);
    }
}

typedef struct bad_patch {
    const char *name;
    uint32_t count, triangles[6][3];
} bad_patch;

/* Round vertex 0 there is no fan. */
static const bad_patch bad_patches[] = {
    {"a flipped triangle", 4, {{0, 1, 2}, {0, 3, 2}, {0, 3, 4}, {0, 4, 1}}},
    {"the last one flipped", 3, {{0, 1, 2}, {0, 2, 3}, {0, 4, 3}}},
    {"a bow tie", 2, {{0, 1, 2}, {0, 3, 4}}},
    {"two closed fans", 6, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 4, 5}, {0, 5, 6}, {0, 6, 4}}},
    {"a closed fan and an open one", 4, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 4, 5}}},
    {"three triangles at an edge", 3, {{0, 1, 2}, {0, 2, 3}, {0, 2, 4}}},
    {"three that end there", 3, {{0, 1, 2}, {0, 3, 2}, {0, 2, 4}}},
    {"a tail into a circle", 4, {{0, 4, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 1}}},
    {"a tail out of a circle", 4, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 4}}},
    {"one circle through another",
     6,
     {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 4}, {0, 4, 5}, {0, 5, 1}}},
    {"an edge for a triangle", 3, {{0, 1, 2}, {0, 2, 3}, {0, 3, 3}}},
    {"the vertex twice", 3, {{0, 1, 2}, {0, 2, 3}, {0, 0, 3}}},
    {"one triangle twice", 3, {{0, 1, 2}, {0, 2, 3}, {0, 2, 3}}},
    {"all of them twice", 4, {{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {0, 2, 3}}},
    {"a closed fan twice", 6, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 1}}},
};

static void test_bad_patches(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    for (uint32_t i = 0; i < 4 * sizeof bad_patches / sizeof *bad_patches; i++) {
        const bad_patch *bad = &bad_patches[i / 4];
        patch p = {.count = bad->count};
        memcpy(p.triangles, bad->triangles, sizeof bad->triangles);
        if (i % 4 > 0) {
            shuffle(&p, &r);
        }
        if (i % 4 > 2) {
            reverse(&p);
        }
        cuda_twin t;
        if (ask(&t, &p, &r)) {
            const uint32_t *fans = t.scene->step.bodies[0].shape->fans;
            if (fans[1] != fans[0]) {
                fail_msg("%s has a fan", bad->name);
            }
            assert_all_rings(&t, &p);
        }
        cuda_twin_destroy(&t);
    }
}

/* A few triangles of few vertices: fans, and all that is nearly one. */
static void test_random_patches(void **state)
{
    (void)state;
    uint32_t runs = fixture_at_least(300, 4000);
    uint64_t fans = 0;
    for (uint32_t run = 0; run < runs; run++) {
        rng r;
        rng_seed(&r, 900 + run);
        bool closes = rng_below(&r, 2) == 0;
        patch p = make_fan(2 + (uint32_t)rng_below(&r, 6), closes);
        uint32_t vertices = 4 + (uint32_t)rng_below(&r, 6);
        for (uint64_t changes = rng_below(&r, 4); changes > 0; changes--) {
            uint32_t at = (uint32_t)rng_below(&r, 3 * p.count);
            p.triangles[at / 3][at % 3] = (uint32_t)rng_below(&r, vertices);
        }
        for (uint64_t more = rng_below(&r, 6); more > 0; more--) {
            add(&p, (uint32_t)rng_below(&r, vertices), (uint32_t)rng_below(&r, vertices),
                (uint32_t)rng_below(&r, vertices));
        }
        shuffle(&p, &r);
        cuda_twin t;
        if (ask(&t, &p, &r)) {
            assert_all_rings(&t, &p);
            fans += t.scene->step.bodies[0].shape->fans[1];
        }
        cuda_twin_destroy(&t);
    }
    assert_true(fans > 0 || getenv("PLIANT_TEST_GPU") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fans),
        cmocka_unit_test(test_bad_patches),
        cmocka_unit_test(test_random_patches),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
