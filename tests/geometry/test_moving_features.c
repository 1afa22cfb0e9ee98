/* A vertex and a face, and two edges, that move: against rational arithmetic and public labels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "geometry/moving_features.h"
#include "moving_cases.h"
#include "oracle_moving.h"
#include "triangle_cases.h"

static pli_moving_points as_points(const float x[4][2][3], bool edges)
{
    pli_moving_points points = {.edges = edges};
    for (int i = 0; i < 8; i++) {
        points.x[i / 2][i % 2] = x[i / 2][i % 2];
    }
    return points;
}

static void print_points(const float x[4][2][3])
{
    for (int i = 0; i < 8; i++) {
        const float *p = x[i / 2][i % 2];
        print_error("%a %a %a%s", (double)p[0], (double)p[1], (double)p[2],
                    i % 2 == 0 ? "  to  " : "\n");
    }
}

static bool is_narrow(const pliant_meeting_time *time)
{
    return time->low >= 0.0 && time->high <= 1.0 && time->low <= time->high &&
           time->high - time->low <= 0x1p-40;
}

/* Whether every tier says what the oracle says. */
static bool agrees(const float x[4][2][3], bool edges, oracle_moving *m)
{
    pli_moving_points points = as_points(x, edges);
    pliant_meeting_time time, exact_time;
    oracle_moving_set(m, x, edges);
    bool expected = oracle_moving_meet(m);
    pli_exact_time exact;
    if (pli_moving_meet(&points, NULL, NULL) != expected ||
        pli_moving_meet(&points, &time, NULL) != expected ||
        pli_moving_find_exact(&points, &exact) != expected) {
        return false;
    }
    if (!expected) {
        return true;
    }
    pli_time_enclose(&exact, &exact_time.low, &exact_time.high);
    return is_narrow(&time) && is_narrow(&exact_time) &&
           oracle_moving_time_is_in(m, time.low, time.high) &&
           oracle_moving_time_is_in(m, exact_time.low, exact_time.high);
}

/* The filters never decide wrongly: against the exact tier, which the oracle has been asked about.
 */
static void test_filters(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 4);
    for (uint64_t i = 0; i < scaled_count(100000); i++) {
        float x[4][2][3];
        bool edges = i % 2 != 0;
        moving_case((int)(i / 2 % MOVING_FAMILIES), &r, 4, x);
        pli_moving_points points = as_points((const float(*)[2][3])x, edges);
        pliant_meeting_time time;
        pli_exact_time exact;
        bool expected = pli_moving_find_exact(&points, &exact);
        bool right = pli_moving_meet(&points, &time, NULL) == expected;
        if (right && expected) {
            double low, high;
            pli_time_enclose(&exact, &low, &high);
            right = is_narrow(&time) && time.low <= high && low <= time.high;
        }
        if (!right) {
            print_points((const float(*)[2][3])x);
            fail_msg("case %llu", (unsigned long long)i);
        }
    }
}

static void test_families(void **state)
{
    (void)state;
    oracle_moving m;
    oracle_moving_init(&m);
    rng r;
    rng_seed(&r, test_seed());
    for (int family = 0; family < MOVING_FAMILIES; family++) {
        uint64_t count = scaled_count(300), met = 0;
        for (uint64_t i = 0; i < count; i++) {
            float x[4][2][3];
            moving_case(family, &r, 4, x);
            bool edges = i % 2 != 0;
            if (!agrees((const float(*)[2][3])x, edges, &m)) {
                print_points((const float(*)[2][3])x);
                fail_msg("%s, case %llu", moving_family_name(family), (unsigned long long)i);
            }
            pli_moving_points points = as_points((const float(*)[2][3])x, edges);
            met += pli_moving_meet(&points, NULL, NULL);
        }
        if (count >= 100 && (met == 0 || met == count)) {
            fail_msg("%s: %llu of %llu meet", moving_family_name(family), (unsigned long long)met,
                     (unsigned long long)count);
        }
    }
    oracle_moving_clear(&m);
}

/* Exchanging features, the ends of an edge or corners of a face changes nothing; running backwards
   mirrors the times of contacts that last a moment. */
static void test_symmetry(void **state)
{
    (void)state;
    static const int edge_order[3][4] = {{2, 3, 0, 1}, {1, 0, 2, 3}, {0, 1, 3, 2}};
    static const int face_order[3][4] = {{0, 2, 3, 1}, {0, 2, 1, 3}, {0, 3, 2, 1}};
    rng r;
    rng_seed(&r, test_seed() + 1);
    for (uint64_t i = 0; i < scaled_count(20000); i++) {
        float x[4][2][3], y[4][2][3], back[4][2][3];
        bool edges = i % 2 != 0;
        moving_case((int)(i / 2 % MOVING_FAMILIES), &r, 4, x);
        const int *order = edges ? edge_order[i / 2 % 3] : face_order[i / 2 % 3];
        for (int p = 0; p < 4; p++) {
            memcpy(y[p], x[order[p]], sizeof y[p]);
            memcpy(back[p][0], x[p][1], sizeof back[p][0]);
            memcpy(back[p][1], x[p][0], sizeof back[p][1]);
        }
        pli_moving_points one = as_points((const float(*)[2][3])x, edges);
        pli_moving_points other = as_points((const float(*)[2][3])y, edges);
        pli_moving_points reverse = as_points((const float(*)[2][3])back, edges);
        pliant_meeting_time a = {0}, b = {0};
        bool meet = pli_moving_meet(&one, &a, NULL);
        if (pli_moving_meet(&other, &b, NULL) != meet || a.low > b.high || b.low > a.high ||
            pli_moving_meet(&reverse, NULL, NULL) != meet ||
            (meet && pli_moving_compare(&one, &a, &other, &b) != 0)) {
            print_points((const float(*)[2][3])x);
            fail_msg("case %llu", (unsigned long long)i);
        }
    }
}

/* The order of two times of contact. */
static void test_order(void **state)
{
    (void)state;
    oracle_moving m[2];
    oracle_moving_init(&m[0]);
    oracle_moving_init(&m[1]);
    rng r;
    rng_seed(&r, test_seed() + 2);
    uint64_t equal = 0, count = scaled_count(400);
    for (uint64_t i = 0; i < count;) {
        static const int families[6] = {1, 2, 3, 10, 11, 12};
        float x[2][4][2][3];
        pli_moving_points points[2];
        pliant_meeting_time time[2];
        bool meet = true;
        for (int k = 0; k < 2 && meet; k++) {
            bool edges = rng_below(&r, 2) == 0;
            moving_case(families[rng_below(&r, 6)], &r, 4, x[k]);
            points[k] = as_points((const float(*)[2][3])x[k], edges);
            oracle_moving_set(&m[k], (const float(*)[2][3])x[k], edges);
            meet = pli_moving_meet(&points[k], &time[k], NULL);
        }
        if (!meet) {
            continue;
        }
        i++;
        oracle_moving_meet(&m[0]);
        oracle_moving_meet(&m[1]);
        int expected = oracle_moving_compare(&m[0], &m[1]);
        equal += expected == 0;
        /* With intervals that say nothing, the comparison is by exact arithmetic alone. */
        const pliant_meeting_time any = {0.0, 1.0};
        if (pli_moving_compare(&points[0], &time[0], &points[1], &time[1]) != expected ||
            pli_moving_compare(&points[0], &any, &points[1], &any) != expected ||
            pli_moving_compare(&points[1], &any, &points[0], &any) != -expected) {
            print_points((const float(*)[2][3])x[0]);
            print_points((const float(*)[2][3])x[1]);
            fail_msg("case %llu: expected %d", (unsigned long long)i, expected);
        }
    }
    assert_true(count < 100 || (equal > 0 && equal < count));
    oracle_moving_clear(&m[0]);
    oracle_moving_clear(&m[1]);
}

/* Numbers of the widest kind: what the tiers compute fits, and the answer is right. */
static void test_widest(void **state)
{
    (void)state;
    oracle_moving m;
    oracle_moving_init(&m);
    rng r;
    rng_seed(&r, test_seed() + 3);
    static const float extremes[6] = {0x1.fffffep127f, 0x1p-149f, 0x1.fffffep-127f,
                                      0x1.555556p0f,   0.0f,      0x1.fffffep126f};
    for (uint64_t i = 0; i < scaled_count(300); i++) {
        float x[4][2][3];
        for (int k = 0; k < 24; k++) {
            float value = extremes[rng_below(&r, 6)];
            x[k / 6][k / 3 % 2][k % 3] = rng_below(&r, 2) == 0 ? value : -value;
        }
        if (!agrees((const float(*)[2][3])x, i % 2 != 0, &m)) {
            print_points((const float(*)[2][3])x);
            fail_msg("case %llu", (unsigned long long)i);
        }
    }
    oracle_moving_clear(&m);
}

/* ------------------------------------------------------------------ labels */

/* One line of a file: three fractions and a label. */
static bool read_line(FILE *file, mpq_t x[3], int *label)
{
    char line[1024];
    if (fgets(line, sizeof line, file) == NULL) {
        return false;
    }
    char *rest = line;
    for (int k = 0; k < 3; k++) {
        char *numerator = strtok(k == 0 ? rest : NULL, ","), *denominator = strtok(NULL, ",");
        assert_non_null(denominator);
        assert_int_equal(mpz_set_str(mpq_numref(x[k]), numerator, 10), 0);
        assert_int_equal(mpz_set_str(mpq_denref(x[k]), denominator, 10), 0);
        mpq_canonicalize(x[k]);
    }
    const char *last = strtok(NULL, ",");
    assert_non_null(last);
    *label = atoi(last);
    return true;
}

/* The oracle gives every label as it stands, and the library what the oracle gives for the
   coordinates rounded to float32. Returns how many queries there were. */
static unsigned check_labels(const char *path, bool edges)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    oracle_moving m;
    oracle_moving_init(&m);
    unsigned count = 0;
    int label = 0;
    while (read_line(file, m.x[0][0], &label)) {
        for (int i = 1; i < 8; i++) {
            assert_true(read_line(file, m.x[i % 4][i / 4], &label));
        }
        m.edges = edges;
        if (oracle_moving_meet(&m) != (label != 0)) {
            fail_msg("%s: query %u: the label is %d", path, count, label);
        }
        float x[4][2][3];
        for (int i = 0; i < 24; i++) {
            x[i / 6][i / 3 % 2][i % 3] = (float)mpq_get_d(m.x[i / 6][i / 3 % 2][i % 3]);
        }
        if (!agrees((const float(*)[2][3])x, edges, &m)) {
            print_points((const float(*)[2][3])x);
            fail_msg("%s: query %u, rounded to float32", path, count);
        }
        count++;
    }
    fclose(file);
    oracle_moving_clear(&m);
    return count;
}

static void test_labels(void **state)
{
    (void)state;
    static const char *const sets[6] = {"unit-tests",
                                        "erleben-cube-cliff-edges",
                                        "erleben-cube-internal-edges",
                                        "erleben-sliding-spike",
                                        "erleben-sliding-wedge",
                                        "erleben-spike-crack"};
    const char *assets = getenv("PLIANT_ASSETS");
    unsigned count = 0;
    for (int i = 0; i < 24; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/truth/continuous/%s/%s/data_0_%d.csv",
                 assets != NULL ? assets : PLIANT_ASSETS_DIR, sets[i / 4],
                 i / 2 % 2 != 0 ? "edge-edge" : "vertex-face", i % 2);
        FILE *file = fopen(path, "r");
        if (file == NULL) {
            skip_without_assets(path);
        }
        fclose(file);
        count += check_labels(path, i / 2 % 2 != 0);
    }
    assert_true(count > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families), cmocka_unit_test(test_filters),
        cmocka_unit_test(test_symmetry), cmocka_unit_test(test_order),
        cmocka_unit_test(test_widest),   cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
