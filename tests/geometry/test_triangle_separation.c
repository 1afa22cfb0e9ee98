/* How to part two triangles: far enough, no farther than need be, and degenerate ones by nothing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "skipping.h"

#include "oracle.h"
#include "as_triangle.h"
#include "pliant/triangle.h"
#include "random.h"
#include "triangle_cases.h"

typedef const float (*const_corners)[3];

static void random_triangle(rng *r, float size, float t[3][3])
{
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            t[c][k] = size * (float)rng_range(r, -1.0, 1.0);
        }
    }
}

static bool overlap_after(float a[3][3], float b[3][3], const double move[3])
{
    float moved[3][3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            moved[c][k] = (float)((double)b[c][k] + move[k]);
        }
    }
    return pliant_triangle_overlap(as_triangle(a), as_triangle(moved));
}

/* Moved by the depth and a little more they are apart; moved by a little less, any way, they are
   not. */
static void test_shortest_way(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 71);
    uint64_t touching = 0, wanted = scaled_count(20000);
    while (touching < wanted) {
        float size = ldexpf(1.0f, (int)(rng_u64(&r) % 60) - 30), a[3][3], b[3][3];
        random_triangle(&r, size, a);
        random_triangle(&r, size, b);
        if (!pliant_triangle_overlap(as_triangle(a), as_triangle(b))) {
            continue;
        }
        touching++;
        pliant_separation s;
        pliant_triangle_separate(as_triangle(a), as_triangle(b), 0.0f, &s);
        double length = 0.0, move[3], slack = 1e-5 * (double)size;
        for (int k = 0; k < 3; k++) {
            length += (double)s.normal[k] * (double)s.normal[k];
            move[k] = ((double)s.depth + slack) * (double)s.normal[k];
        }
        assert_true(fabs(length - 1.0) < 1e-6 && s.depth >= 0.0f);
        if (overlap_after(a, b, move)) {
            fail_msg("pair %llu: a move by its depth does not part it",
                     (unsigned long long)touching);
        }
        for (int i = 0; i < 8; i++) {
            double way[3], squared = 0.0;
            for (int k = 0; k < 3; k++) { /* near the shortest way, and anywhere */
                double spread = i < 4 ? 0.05 : 100.0;
                way[k] = (double)s.normal[k] + spread * rng_range(&r, -1.0, 1.0);
                squared += way[k] * way[k];
            }
            for (int k = 0; k < 3; k++) {
                move[k] = fmax((double)s.depth - slack, 0.0) * way[k] / sqrt(squared);
            }
            if ((double)s.depth > 2.0 * slack && !overlap_after(a, b, move)) {
                fail_msg("pair %llu: there is a shorter way than its depth",
                         (unsigned long long)touching);
            }
        }
        pliant_separation other;
        pliant_triangle_separate(as_triangle(b), as_triangle(a), 0.0f, &other);
        assert_true(fabs((double)s.depth - (double)other.depth) <= slack);
        /* What is enough never is less than the depth, and nothing is lost beyond it. */
        float enough = s.depth * (float)rng_range(&r, 0.0, 2.0);
        pliant_triangle_separate(as_triangle(a), as_triangle(b), enough, &other);
        assert_true(other.depth >= s.depth && (other.depth == s.depth || other.depth <= enough));
    }
}

/* With a hint: never against it, far enough, no longer than the shortest way where that agrees, and
   of two opposite hints one allows the shortest way. */
static void test_towards(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 72);
    uint64_t touching = 0, wanted = scaled_count(20000), longer = 0;
    while (touching < wanted) {
        float size = ldexpf(1.0f, (int)(rng_u64(&r) % 60) - 30), a[3][3], b[3][3], least = INFINITY;
        random_triangle(&r, size, a);
        random_triangle(&r, size, b);
        if (!pliant_triangle_overlap(as_triangle(a), as_triangle(b))) {
            continue;
        }
        touching++;
        pliant_separation shortest, s;
        pliant_triangle_separate(as_triangle(a), as_triangle(b), 0.0f, &shortest);
        float hint[3] = {(float)rng_range(&r, -1.0, 1.0), (float)rng_range(&r, -1.0, 1.0),
                         (float)rng_range(&r, -1.0, 1.0)};
        for (int turned = 0; turned < 2; turned++) {
            double along = 0.0, agrees = 0.0, move[3];
            pliant_triangle_separate_towards(as_triangle(a), as_triangle(b), hint, &s);
            for (int k = 0; k < 3; k++) {
                along += (double)s.normal[k] * (double)hint[k];
                agrees += (double)shortest.normal[k] * (double)hint[k];
                move[k] = ((double)s.depth + 1e-5 * (double)size) * (double)s.normal[k];
            }
            if (along < -1e-6 || s.depth < shortest.depth || overlap_after(a, b, move) ||
                (agrees > 1e-6 && s.depth != shortest.depth)) {
                fail_msg("pair %llu: depth %g, %g along the hint; the shortest %g, %g along it",
                         (unsigned long long)touching, (double)s.depth, along,
                         (double)shortest.depth, agrees);
            }
            least = s.depth < least ? s.depth : least;
            longer += s.depth > shortest.depth;
            for (int k = 0; k < 3; k++) {
                hint[k] = -hint[k];
            }
        }
        assert_true(least == shortest.depth);
        const float nothing[3] = {0, 0, 0};
        pliant_triangle_separate_towards(as_triangle(a), as_triangle(b), nothing, &s);
        assert_memory_equal(&s, &shortest, sizeof s);
    }
    assert_true(longer > wanted / 2);
}

/* Whether all six corners lie in one plane, exactly. */
static bool are_flat(const triangle_pair *pair)
{
    const float *corners[6] = {pair->a[0], pair->a[1], pair->a[2],
                               pair->b[0], pair->b[1], pair->b[2]};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                for (int l = 0; l < k; l++) {
                    if (oracle_orient3d(corners[i], corners[j], corners[k], corners[l]) != 0) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static double length_of(const float x[3])
{
    return sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] +
                (double)x[2] * (double)x[2]);
}

/* Triangles of all families: apart, or flat, if and only if exact arithmetic says so, then by
   exactly 0; otherwise by a finite depth along a direction. */
static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed(), count = scaled_count(4000);
    for (int f = 0; f < triangle_family_count; f++) {
        const triangle_family *family = &triangle_families[f];
        for (uint64_t i = 0; i < count; i++) {
            triangle_pair pair;
            triangle_case(&pair, family, seed, i);
            pliant_separation s;
            pliant_triangle_separate(as_triangle(pair.a), as_triangle(pair.b), 0.0f, &s);
            bool touch = oracle_overlap((const_corners)pair.a, (const_corners)pair.b);
            double length = length_of(s.normal);
            bool right = !touch ? s.depth == 0.0f && length == 0.0
                                : s.depth >= 0.0f && isfinite(s.depth) &&
                                      (length == 0.0 || fabs(length - 1.0) < 1e-6) &&
                                      (s.depth == 0.0f || !are_flat(&pair));
            if (!right) {
                triangle_print(&pair, family->name, seed, i);
                fail_msg("they %s, and their depth is %g along a vector of length %g",
                         touch ? "touch" : "are apart", (double)s.depth, length);
            }
        }
    }
}

static void test_known(void **state)
{
    (void)state;
    float floor[3][3] = {{-4, -4, 0}, {4, -4, 0}, {0, 4, 0}};
    float spike[3][3] = {{0, 0, -0.25f}, {-1, 0, 3}, {1, 0, 3}};
    pliant_separation s;
    pliant_triangle_separate(as_triangle(floor), as_triangle(spike), 0.0f, &s);
    assert_true(s.depth == 0.25f && s.normal[0] == 0.0f && s.normal[1] == 0.0f &&
                s.normal[2] == 1.0f);
    pliant_triangle_separate(as_triangle(spike), as_triangle(floor), 0.0f, &s);
    assert_true(s.depth == 0.25f && s.normal[2] == -1.0f);
    /* In one plane. */
    float flat[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    pliant_triangle_separate(as_triangle(floor), as_triangle(flat), 0.0f, &s);
    assert_true(s.depth == 0.0f && fabsf(s.normal[2]) == 1.0f);
    /* A segment through a triangle has an end that is nearer. */
    float segment[3][3] = {{0, 0, -1}, {0, 0, 2}, {0, 0, 0.5f}};
    pliant_triangle_separate(as_triangle(floor), as_triangle(segment), 0.0f, &s);
    assert_true(s.depth == 1.0f && s.normal[2] == 1.0f);
    /* A point, and two segments on one line. */
    float point[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    pliant_triangle_separate(as_triangle(point), as_triangle(point), 0.0f, &s);
    assert_true(s.depth == 0.0f && s.normal[0] == 0.0f && s.normal[1] == 0.0f);
    pliant_triangle_separate(as_triangle(segment), as_triangle(segment), 0.0f, &s);
    assert_true(s.depth == 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest_way),
        cmocka_unit_test(test_towards),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
