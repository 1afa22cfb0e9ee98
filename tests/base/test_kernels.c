/*
 * Every kernel of every instruction set against plain C, to the bit, and the float triangle test
 * against exact arithmetic: what it decides must be right.
 */
#include "fixture.h"
#include "as_triangle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/vertex_kernels.h"
#include "query/pair_kernels.h"
#include "random.h"
#include "records.h"

/* Equal as numbers: a minimum may be 0 or -0. */
static void assert_same_floats(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(a[i] == b[i])) {
            fail_msg("entry %zu is %a instead of %a", i, (double)a[i], (double)b[i]);
        }
    }
}

/* Grows a box, vertex by vertex, as nobody could get it wrong. */
static void grow(pli_vertex_box *box, pli_positions positions, uint32_t vertex)
{
    const float *p = pli_position(positions, vertex);
    for (int k = 0; k < 3; k++) {
        box->lower[k] = fminf(box->lower[k], p[k]);
        box->upper[k] = fmaxf(box->upper[k], p[k]);
    }
}

/* The box of `count` vertices, those of a list or from `first` on, and of the extras. */
static pli_vertex_box true_box(pli_positions positions, const uint32_t *list, uint32_t first,
                               uint32_t count, const uint32_t *extras, uint32_t extra_count)
{
    pli_vertex_box box = {.lower = {INFINITY, INFINITY, INFINITY},
                          .upper = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < count; i++) {
        grow(&box, positions, list != NULL ? list[i] : first + i);
    }
    for (uint32_t i = 0; i < extra_count; i++) {
        grow(&box, positions, extras[i]);
    }
    return box;
}

static void vertex_boxes(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    enum { VERTICES = 300 };
    rng random;
    for (uint32_t seed = 1; seed <= fixture_count(2000); seed++) {
        rng_seed(&random, seed);
        /* Exactly as long as the contract says, so that a sanitiser sees any read beyond. */
        size_t stride = 12 + 4 * (size_t)rng_below(&random, 3);
        size_t bytes = (VERTICES - 1) * stride + 12;
        char *memory = malloc(bytes);
        for (size_t v = 0; v < VERTICES; v++) {
            float p[3];
            for (int k = 0; k < 3; k++) {
                p[k] = (float)rng_range(&random, -1.0, 1.0) * (seed % 3 == 0 ? 1e30f : 1.0f);
            }
            memcpy(memory + v * stride, p, sizeof p);
        }
        pli_positions positions = {(const float *)(void *)memory, stride, VERTICES - 1};
        uint32_t list[100], extras[20];
        uint32_t count = (uint32_t)rng_below(&random, 100) + 1;
        uint32_t extra_count = (uint32_t)rng_below(&random, 20);
        for (uint32_t i = 0; i < 100; i++) {
            list[i] = (uint32_t)rng_below(&random, VERTICES);
        }
        for (uint32_t i = 0; i < 20; i++) {
            extras[i] = VERTICES - 1 - (uint32_t)rng_below(&random, 5);
        }
        uint32_t first = (uint32_t)rng_below(&random, VERTICES - count + 1);
        first = seed % 4 == 0 ? VERTICES - count : first; /* up to the very last vertex */
        pli_vertex_box box, listed = true_box(positions, list, 0, count, extras, extra_count),
                            in_range = true_box(positions, NULL, first, count, extras, extra_count);
        for (int s = -1; s < set_count; s++) {
            const pli_vertex_kernels *kernels = s < 0 ? pli_kernels_for(PLIANT_ISA_PLAIN)->vertex
                                                      : pli_kernels_for(sets[s])->vertex;
            kernels->enclose_lists(positions, list, count, extras, extra_count, &box);
            assert_same_floats(box.lower, listed.lower, 3);
            assert_same_floats(box.upper, listed.upper, 3);
            kernels->enclose_range(positions, first, count, extras, extra_count, &box);
            assert_same_floats(box.lower, in_range.lower, 3);
            assert_same_floats(box.upper, in_range.upper, 3);
        }
        free(memory);
    }
}

static const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                     {PLIANT_PARTITION_SHAPE_MEAN, 4, 3},
                                     {PLIANT_PARTITION_CONNECTIVITY, 2, 8},
                                     {PLIANT_PARTITION_SHAPE_CENTRE, 8, 1}};

static void cluster_records(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    const gallery_kind *kinds[] = {&gallery_spheres, &gallery_soup};
    for (int n = 0; n < 8; n++) {
        gallery_settings settings = {.triangles = 700, .seed = (uint64_t)n + 1};
        gallery_scene *scene = gallery_create(kinds[n % 2], &settings);
        const gallery_mesh *mesh = &scene->bodies[0];
        recorded plain = record_all(mesh, mesh->positions, trees[n / 2], PLIANT_ISA_PLAIN);
        for (int s = 0; s < set_count; s++) {
            recorded other = record_all(mesh, mesh->positions, trees[n / 2], sets[s]);
            for (uint32_t c = 0; c < plain.shape->cluster_count; c++) {
                const pli_cluster_record *a = other.record[c], *b = plain.record[c];
                assert_true(a->extent == b->extent);
                assert_same_floats(a->leaf_box.side[0], b->leaf_box.side[0], 48);
                assert_same_floats(a->data, b->data, 6 * (size_t)a->slots);
                for (size_t i = 0; i < 3 * (size_t)a->stride; i++) {
                    assert_true(pli_cluster_coordinate(a, i / 3, i % 3) ==
                                pli_cluster_coordinate(b, i / 3, i % 3));
                }
            }
            recorded_free(&other);
        }
        recorded_free(&plain);
        gallery_destroy(scene);
    }
}

/* Eight spheres of a size, many of which barely touch what `towards` holds, or barely do not. */
static void scatter_spheres(rng *random, double size, const pli_spheres *towards, double more,
                            pli_spheres *spheres)
{
    for (int lane = 0; lane < 8; lane++) {
        double radius = size * rng_range(random, 0.0, 1.0), direction[3], length = 0.0;
        for (int k = 0; k < 3; k++) {
            direction[k] = rng_range(random, -1.0, 1.0);
            length += direction[k] * direction[k];
        }
        spheres->radius[lane] = (float)radius;
        size_t other = (size_t)rng_below(random, 8);
        double reach = towards == NULL ? size * rng_range(random, 0.0, 3.0)
                                       : radius + (double)towards->radius[other] + more;
        reach *= 1.0 + 0x1p-20 * rng_range(random, -4.0, 4.0);
        for (int k = 0; k < 3; k++) {
            double from = towards == NULL ? 0.0 : (double)towards->centre[k][other];
            spheres->centre[k][lane] = (float)(from + reach * direction[k] / sqrt(length));
        }
    }
}

/* The kernels must keep what meets, and drop what is clearly apart unless squares overflow. */
static void check_sphere_mask(const pli_spheres *a, const pli_spheres *b, float more, uint64_t mask,
                              uint64_t counts[2])
{
    for (int i = 0; i < 64; i++) {
        double square = 0.0,
               sum = (double)a->radius[i / 8] + (double)b->radius[i % 8] + (double)more;
        for (int k = 0; k < 3; k++) {
            double d = (double)a->centre[k][i / 8] - (double)b->centre[k][i % 8];
            square += d * d;
        }
        bool kept = mask >> i & 1;
        assert_true(kept || sqrt(square) > sum * (1.0 - 1e-12));
        assert_true(!kept || sqrt(square) <= sum * (1.0 + 0x1p-18) + 0x1p-62 ||
                    square > 0.5 * (double)FLT_MAX);
        counts[kept]++;
    }
}

static void sphere_masks(void **state)
{
    (void)state;
    static const double sizes[] = {1.0, 1e-3, 1e-20, 1e-30, 1e18, 1e19, 1e37};
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    uint64_t counts[2] = {0, 0};
    rng random;
    for (uint32_t seed = 1; seed <= fixture_count(20000); seed++) {
        rng_seed(&random, seed);
        double size = sizes[seed % 7];
        float more = rng_below(&random, 2) == 0 ? 0.0f : (float)(0.1 * size);
        pli_spheres a, b;
        scatter_spheres(&random, size, NULL, 0.0, &a);
        scatter_spheres(&random, size, &a, (double)more, &b);
        uint64_t expected = pli_kernels_for(PLIANT_ISA_PLAIN)->pair->spheres_meet(&a, &b, more);
        check_sphere_mask(&a, &b, more, expected, counts);
        for (int s = -1; s < set_count; s++) {
            const pli_pair_kernels *kernels =
                s < 0 ? pli_kernels_for(PLIANT_ISA_PLAIN)->pair : pli_kernels_for(sets[s])->pair;
            assert_true(kernels->spheres_meet(&a, &b, more) == expected);
            for (int i = 0; i < 8; i++) {
                const float centre[3] = {a.centre[0][i], a.centre[1][i], a.centre[2][i]};
                assert_int_equal(kernels->sphere_meets(centre, a.radius[i], &b, more),
                                 expected >> (8 * i) & 0xff);
            }
        }
    }
    assert_true(counts[0] > 0 && counts[1] > 0);
}

static void box_masks(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    rng random;
    for (uint32_t seed = 1; seed <= fixture_count(20000); seed++) {
        rng_seed(&random, seed);
        pli_boxes boxes[2];
        for (int b = 0; b < 2; b++) {
            for (int lane = 0; lane < 8; lane++) {
                bool empty = rng_below(&random, 9) == 0;
                for (int k = 0; k < 3; k++) { /* small integers: touching is common */
                    float low = (float)rng_below(&random, 6);
                    boxes[b].side[k][lane] = empty ? INFINITY : low;
                    boxes[b].side[3 + k][lane] =
                        empty ? -INFINITY : low + (float)rng_below(&random, 3);
                }
            }
        }
        uint64_t expected = 0;
        for (int i = 0; i < 64; i++) {
            bool meets = true;
            for (int k = 0; k < 3; k++) {
                meets = meets && boxes[0].side[k][i / 8] <= boxes[1].side[3 + k][i % 8] &&
                        boxes[1].side[k][i % 8] <= boxes[0].side[3 + k][i / 8];
            }
            expected |= (uint64_t)meets << i;
        }
        const float *a = boxes[0].side[0], *b = boxes[1].side[0];
        for (int s = -1; s < set_count; s++) {
            const pli_pair_kernels *kernels =
                s < 0 ? pli_kernels_for(PLIANT_ISA_PLAIN)->pair : pli_kernels_for(sets[s])->pair;
            assert_int_equal(kernels->boxes_meet(a, 8, b, 8), expected);
            for (uint32_t i = 0; i < 8; i++) {
                assert_int_equal(kernels->box_meets(&boxes[0], i, &boxes[1]),
                                 expected >> (8 * i) & 0xff);
            }
        }
    }
}

/* Triangles of one shape in all kinds of trouble, as two clusters' worth of soup. */
static void make_triangles(rng *random, uint32_t seed, float *positions, uint32_t count)
{
    float scale = ldexpf(1.0f, (int)rng_below(random, 60) - 40);
    if (seed % 4 == 0) { /* products of three differences underflow, of two do not */
        scale = ldexpf(1.0f, (int)rng_below(random, 8) - 50);
    }
    bool moved = seed % 3 != 0 && seed % 5 != 3; /* that would wrinkle the tilted plane */
    float offset = moved ? scale * (float)rng_range(random, -1e4, 1e4) : 0.0f;
    for (uint32_t t = 0; t < count; t++) {
        float local[9], centre[3];
        float size = seed % 5 == 3 ? 2.0f : (float)rng_range(random, 0.05, 1.0);
        for (int k = 0; k < 3; k++) {
            centre[k] = (float)rng_unit(random);
        }
        for (int c = 0; c < 9; c++) {
            float x = centre[c % 3] + size * (float)rng_range(random, -0.5, 0.5);
            if (seed % 5 == 0) {
                x = (float)rng_below(random, 4); /* a grid: degenerate and touching ones abound */
            } else if (seed % 5 == 1 && c % 3 == 2) {
                x = 0.5f + 1e-7f * (float)rng_range(random, -1.0, 1.0); /* nearly one plane */
            } else if (seed % 5 == 2 && c / 3 == 2) {
                x = local[c - 3];                     /* slivers */
            } else if (seed % 5 == 3 && c % 3 == 2) { /* the same, tilted, and large ones */
                x = 0.37f * local[c - 2] + 0.71f * local[c - 1];
                x += 0x1p-23f * (float)rng_range(random, -1.0, 1.0);
            }
            local[c] = x;
            positions[9 * t + (uint32_t)c] = offset + scale * x;
        }
    }
}

/* Candidates and verdicts: the same under every set; decided rightly; and mostly decided. */
static void triangle_verdicts(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    uint64_t tested = 0, unsure = 0;
    for (uint32_t seed = 1; seed <= fixture_count(1500); seed++) {
        enum { COUNT = 64 };
        float positions[2][COUNT * 9];
        uint32_t faces[COUNT * 3];
        rng random;
        rng_seed(&random, seed);
        recorded plain[2], other[2];
        for (uint32_t i = 0; i < COUNT * 3; i++) {
            faces[i] = i;
        }
        uint32_t count = seed % 2 == 0 ? COUNT : 20; /* more than 64 vertices, or fewer */
        gallery_mesh mesh[2];
        for (int b = 0; b < 2; b++) {
            make_triangles(&random, seed, positions[b], count);
            mesh[b] = (gallery_mesh){.positions = positions[b],
                                     .triangles = faces,
                                     .vertex_count = 3 * count,
                                     .triangle_count = count};
            plain[b] = record_all(&mesh[b], positions[b], trees[0], PLIANT_ISA_PLAIN);
        }
        static uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
        static uint8_t other_a[PLI_CANDIDATES], other_b[PLI_CANDIDATES];
        const pli_pair_kernels *twin = pli_kernels_for(PLIANT_ISA_PLAIN)->pair;
        uint32_t found =
            twin->list_candidates(plain[0].record[0], plain[1].record[0], slot_a, slot_b);
        static pli_verdicts verdicts[COUNT * COUNT / PLI_BATCH];
        pli_slot_triangles a = {plain[0].record[0], plain[0].shape->slot_corners};
        pli_slot_triangles b = {plain[1].record[0], plain[1].shape->slot_corners};
        for (uint32_t i = 0; i < found; i += PLI_BATCH) {
            uint32_t batch = found - i < PLI_BATCH ? found - i : PLI_BATCH;
            pli_verdicts v = twin->test_triangles(&a, slot_a + i, &b, slot_b + i, batch);
            assert_int_equal(v.touch & v.unsure, 0);
            for (uint32_t j = 0; j < batch; j++) {
                uint32_t ta = plain[0].shape->slot_triangles[slot_a[i + j]];
                uint32_t tb = plain[1].shape->slot_triangles[slot_b[i + j]];
                tested++;
                unsure += v.unsure >> j & 1;
                if (v.unsure >> j & 1) {
                    continue;
                }
                bool truth = pliant_triangle_overlap(as_triangle(positions[0] + 9 * ta),
                                                     as_triangle(positions[1] + 9 * tb));
                if (truth != (v.touch >> j & 1)) {
                    fail_msg("seed %u: triangles %u and %u: the kernel is wrong", seed, ta, tb);
                }
            }
            verdicts[i / PLI_BATCH] = v;
        }
        for (int s = 0; s < set_count; s++) {
            const pli_pair_kernels *kernels = pli_kernels_for(sets[s])->pair;
            for (int i = 0; i < 2; i++) {
                other[i] = record_all(&mesh[i], positions[i], trees[0], sets[s]);
            }
            pli_slot_triangles oa = {other[0].record[0], other[0].shape->slot_corners};
            pli_slot_triangles ob = {other[1].record[0], other[1].shape->slot_corners};
            assert_int_equal(kernels->list_candidates(oa.record, ob.record, other_a, other_b),
                             found);
            assert_memory_equal(other_a, slot_a, found + 16);
            assert_memory_equal(other_b, slot_b, found + 16);
            for (uint32_t i = 0; i < found; i += PLI_BATCH) {
                uint32_t batch = found - i < PLI_BATCH ? found - i : PLI_BATCH;
                pli_verdicts v = kernels->test_triangles(&oa, other_a + i, &ob, other_b + i, batch);
                assert_int_equal(v.touch, verdicts[i / PLI_BATCH].touch);
                assert_int_equal(v.unsure, verdicts[i / PLI_BATCH].unsure);
            }
            recorded_free(&other[0]);
            recorded_free(&other[1]);
        }
        recorded_free(&plain[0]);
        recorded_free(&plain[1]);
    }
    assert_true(tested > 0 && unsure < tested);
    printf("%llu pairs, %llu left to exact arithmetic\n", (unsigned long long)tested,
           (unsigned long long)unsure);
}

/* Whole queries: the same pairs and the same statistics under every set, within a body too. */
static void whole_queries(void **state)
{
    (void)state;
    const gallery_kind *kinds[] = {&gallery_spheres, &gallery_cloth, &gallery_soup};
    for (int i = 0; i < 3; i++) {
        gallery_settings settings = {.triangles = 2000, .seed = 3};
        gallery_scene *scene = gallery_create(kinds[i], &settings);
        uint32_t last = scene->kind->body_count - 1;
        pliant_stats expected[2];
        uint64_t expected_hash[2] = {0, 0};
        for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
            pliant_context_def def = pliant_context_def_default();
            def.isa = (pliant_isa)isa;
            pliant_context *context = NULL;
            pliant_query *query = NULL;
            pliant_shape *shape[2];
            pliant_body *body[2];
            float *positions[2];
            assert_ok(pliant_context_create(&def, &context));
            assert_ok(pliant_query_create(context, &query));
            for (int b = 0; b < 2; b++) {
                const gallery_mesh *mesh = &scene->bodies[b == 0 ? 0 : last];
                shape[b] = fixture_shape(context, mesh, trees[0]);
                positions[b] = malloc(mesh->vertex_count * 3 * sizeof(float));
                gallery_evaluate(scene, b == 0 ? 0 : last, scene->steps, positions[b]);
                assert_ok(pliant_body_create(shape[b], NULL, &body[b]));
                assert_ok(pliant_body_share_positions(body[b], positions[b], 0));
            }
            for (int self = 0; self < 2; self++) {
                pliant_contacts contacts;
                assert_ok(self ? pliant_collide_self(query, body[0], NULL, &contacts)
                               : pliant_collide(query, body[0], body[1], NULL, &contacts));
                pliant_stats stats = *pliant_query_get_stats(query);
                stats.bytes = 0;
                stats.seconds_update = stats.seconds_traverse = stats.seconds_sort = 0.0;
                uint64_t hash = contacts.count;
                for (uint64_t j = 0; j < contacts.count; j++) {
                    hash = (hash ^ contacts.pairs[j].a) * UINT64_C(0x100000001b3);
                    hash = (hash ^ contacts.pairs[j].b) * UINT64_C(0x100000001b3);
                }
                if (isa == PLIANT_ISA_PLAIN) {
                    expected[self] = stats;
                    expected_hash[self] = hash;
                }
                assert_int_equal(hash, expected_hash[self]);
                assert_memory_equal(&stats, &expected[self], sizeof stats);
            }
            for (int b = 0; b < 2; b++) {
                pliant_body_destroy(body[b]);
                pliant_shape_destroy(shape[b]);
                free(positions[b]);
            }
            pliant_query_destroy(query);
            pliant_context_destroy(context);
        }
        gallery_destroy(scene);
    }
}

/* How many pairs touch when all positions are multiplied by a power of two. */
static uint64_t count_scaled(pliant_query *query, pliant_context *context, gallery_scene *scene,
                             float scale)
{
    pliant_body *body[2];
    pliant_shape *shape[2];
    float *positions[2];
    for (uint32_t b = 0; b < 2; b++) {
        const gallery_mesh *mesh = &scene->bodies[b];
        positions[b] = malloc(mesh->vertex_count * 3 * sizeof(float));
        gallery_evaluate(scene, b, scene->steps, positions[b]);
        for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++) {
            positions[b][k] *= scale;
        }
        shape[b] = fixture_shape(context, mesh, trees[0]);
        assert_ok(pliant_body_create(shape[b], NULL, &body[b]));
        assert_ok(pliant_body_set_positions(body[b], positions[b], 0));
    }
    pliant_contacts contacts;
    assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
    for (int b = 0; b < 2; b++) {
        pliant_body_destroy(body[b]);
        pliant_shape_destroy(shape[b]);
        free(positions[b]);
    }
    return contacts.count;
}

/* Coordinates too large for the kernels' bound go to exact arithmetic; the answer is the same. In
   between some products overflow and others do not. */
static void huge_coordinates(void **state)
{
    (void)state;
    const gallery_kind *kinds[] = {&gallery_spheres, &gallery_soup};
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    for (int i = 0; i < 2; i++) {
        gallery_settings settings = {.triangles = i == 0 ? 320 : 2000, .seed = 1};
        gallery_scene *scene = gallery_create(kinds[i], &settings);
        uint64_t pairs = count_scaled(query, context, scene, 1.0f);
        assert_true(pairs > 0);
        for (int power = 36; power <= 48; power++) {
            assert_int_equal(count_scaled(query, context, scene, ldexpf(1.0f, power)), pairs);
        }
        assert_int_equal(count_scaled(query, context, scene, 0x1p120f), pairs);
        gallery_destroy(scene);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_boxes),      cmocka_unit_test(cluster_records),
        cmocka_unit_test(sphere_masks),      cmocka_unit_test(box_masks),
        cmocka_unit_test(triangle_verdicts), cmocka_unit_test(whole_queries),
        cmocka_unit_test(huge_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
