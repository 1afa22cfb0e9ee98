/* The tree of a shape: connected where it should be, full where it can be, made of any mesh. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "shape/shape.h"

/* The triangles of a range of clusters must hang together by edges. */
static void check_connected(const pliant_shape *shape, uint32_t first_cluster, uint32_t clusters)
{
    uint32_t joined = 1, triangles = 0;
    bool *inside = calloc(shape->triangle_count, sizeof *inside);
    bool *reached = calloc(shape->triangle_count, sizeof *reached);
    uint32_t seed = UINT32_MAX;
    for (uint32_t c = first_cluster; c < first_cluster + clusters; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t s = 0; s < cluster->slot_count; s++) {
            if (cluster->live >> s & 1) {
                uint32_t t = shape->slot_triangles[cluster->first_slot + s];
                inside[t] = true;
                seed = seed == UINT32_MAX ? t : seed;
                triangles++;
            }
        }
    }
    reached[seed] = true;
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < shape->triangle_count; t++) {
            for (uint32_t u = 0; inside[t] && !reached[t] && u < shape->triangle_count; u++) {
                int common = 0;
                for (int i = 0; i < 9 && reached[u]; i++) {
                    common += shape->triangles[3 * t + (uint32_t)i / 3] ==
                              shape->triangles[3 * u + (uint32_t)i % 3];
                }
                if (common >= 2) {
                    reached[t] = grew = true;
                    joined++;
                }
            }
        }
    }
    assert_int_equal(joined, triangles);
    free(inside);
    free(reached);
}

static void connectivity_subtrees_are_connected(void **state)
{
    (void)state;
    for (uint32_t arity = 2; arity <= 8; arity *= 2) {
        pliant_shape *shape = fixture_sphere(
            test_context, 320, (fixture_tree){PLIANT_PARTITION_CONNECTIVITY, arity, 4});
        for (uint32_t n = 0; n < shape->node_count; n++) {
            for (uint32_t i = 0; i < shape->nodes[n].child_count; i++) {
                uint32_t first = shape->nodes[n].child[i], last = first;
                while (!(first & PLI_CLUSTER_BIT)) {
                    first = shape->nodes[first].child[0];
                }
                while (!(last & PLI_CLUSTER_BIT)) {
                    last = shape->nodes[last].child[shape->nodes[last].child_count - 1];
                }
                check_connected(shape, first & ~PLI_CLUSTER_BIT, last - first + 1);
            }
        }
        pliant_shape_destroy(shape);
    }
}

/* Coincident midpoints, one point a thousand times, and a fan of triangles around one edge. */
static void contrived_meshes_terminate(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    float *positions = malloc((COUNT + 2) * 3 * sizeof *positions);
    uint32_t *faces = malloc(3 * COUNT * sizeof *faces);
    rng random;
    rng_seed(&random, 11);
    for (int kind = 0; kind < 4; kind++) {
        for (uint32_t v = 0; v < COUNT + 2; v++) {
            for (uint32_t k = 0; k < 3; k++) {
                float x = (float)rng_unit(&random);
                positions[3 * v + k] = kind == 0   ? 1.0f
                                       : kind == 1 ? ldexpf(1.0f + x, (int)(v % 266) - 140)
                                                   : x;
            }
        }
        for (uint32_t t = 0; t < COUNT; t++) {
            faces[3 * t] = kind == 2 ? 0 : t;
            faces[3 * t + 1] = kind == 2 ? 1 : kind == 3 ? 0 : t + 1;
            faces[3 * t + 2] = t + 2;
        }
        for (int partition = 0; partition < 5; partition++) {
            for (uint32_t arity = 2; arity <= 8; arity *= 2) {
                pliant_shape_def def = pliant_shape_def_default();
                def.positions = positions;
                def.vertex_count = COUNT + 2;
                def.triangles = faces;
                def.triangle_count = COUNT;
                def.partition = (pliant_partition)partition;
                def.arity = arity;
                def.leaf_size = arity == 8 ? 8 : 1;
                pliant_shape *shape = NULL;
                assert_ok(pliant_shape_create(test_context, &def, &shape));
                assert_ok(pliant_shape_validate(shape));
                pliant_shape_destroy(shape);
            }
        }
    }
    free(positions);
    free(faces);
}

static void vertex_order_is_a_permutation(void **state)
{
    (void)state;
    pliant_shape *shape = fixture_sphere(test_context, 1280, fixture_usual_tree);
    uint32_t count = pliant_shape_get_vertex_count(shape);
    uint32_t *order = malloc(count * sizeof *order);
    bool *seen = calloc(count, sizeof *seen);
    assert_ok(pliant_shape_get_vertex_order(shape, order));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
    }
    uint32_t corners[3];
    assert_ok(pliant_shape_get_triangle(shape, 1279, corners));
    assert_int_equal(pliant_shape_get_triangle(shape, 1280, corners), PLIANT_ERROR_RANGE);
    free(order);
    free(seen);
    pliant_shape_destroy(shape);
}

static void balanced_clusters_are_full(void **state)
{
    (void)state;
    pliant_shape *shape = fixture_sphere(test_context, 20480, fixture_usual_tree);
    pliant_shape_quality quality = fixture_quality(shape);
    assert_int_equal(quality.cluster_count, 320);
    assert_int_equal(quality.node_count, 46);
    assert_int_equal(quality.levels, 5);
    pliant_shape_destroy(shape);
}

/* A bar of separate small triangles: `lengths` are its sides, and where `crowded` most of them lie
   near its lower end along every axis. */
enum { BAR = 4000 };

static gallery_mesh create_bar(const double lengths[3], bool crowded, rng *r)
{
    gallery_mesh mesh;
    assert_true(mesh_allocate(3 * BAR, BAR, &mesh));
    for (uint32_t t = 0; t < BAR; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            double x = rng_unit(r);
            x = t < 2 ? t : crowded ? x * x * x : x; /* the first two lie in opposite corners */
            for (uint32_t c = 0; c < 3; c++) {
                mesh.positions[9 * t + 3 * c + k] = (float)(lengths[k] * (x + 1e-4 * (c == k)));
            }
            mesh.triangles[3 * t + k] = 3 * t + k;
        }
    }
    return mesh;
}

/* The root of a tree and its children. */
typedef struct root_bounds {
    pliant_bound root, child[PLI_WIDTH];
    uint32_t count;
} root_bounds;

static bool take_bound(void *user, const pliant_bound *bound)
{
    root_bounds *bounds = user;
    if (bound->level == 0) {
        bounds->root = *bound;
    } else {
        bounds->child[bounds->count++] = *bound;
    }
    return bound->level == 0;
}

static root_bounds find_root_bounds(const pliant_shape *shape)
{
    root_bounds bounds = {.count = 0};
    pliant_query *query = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_visit_bounds(query, body, true, take_bound, &bounds));
    pliant_body_destroy(body);
    pliant_query_destroy(query);
    return bounds;
}

static float side_of(const pliant_bound *bound, int k)
{
    return bound->box.upper[k] - bound->box.lower[k];
}

/* Initial-shape trees halve the longest side, with arity 4 the two longest, with arity 8 all. */
static void initial_shape_trees_split_the_longest_sides(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 21);
    for (int i = 0; i < 18; i++) {
        double lengths[3];
        for (int k = 0; k < 3; k++) { /* 16, 4 and 1 along each axis in turn */
            lengths[(k + i) % 3] = k == 0 ? 16.0 : k == 1 ? 4.0 : 1.0;
        }
        uint32_t cuts = 1 + (uint32_t)i / 3 % 3;
        fixture_tree tree = {i < 9 ? PLIANT_PARTITION_SHAPE_CENTRE : PLIANT_PARTITION_SHAPE_MEAN,
                             1u << cuts, 8};
        gallery_mesh mesh = create_bar(lengths, false, &r);
        pliant_shape *shape = fixture_shape(test_context, &mesh, tree);
        root_bounds bounds = find_root_bounds(shape);
        assert_int_equal(bounds.count, tree.arity);
        for (uint32_t c = 0; c < bounds.count; c++) {
            for (int k = 0; k < 3; k++) {
                float share = side_of(&bounds.child[c], k) / side_of(&bounds.root, k);
                bool is_cut = cuts == 3 || lengths[k] > (cuts == 1 ? 4.0 : 1.0);
                assert_true(is_cut ? share < 0.6f : share > 0.9f);
            }
        }
        pliant_shape_destroy(shape);
        mesh_free(&mesh);
    }
}

/* Covariance trees cut at the median along the longest axis of the midpoints, which lies between
   two coordinate axes here: of a bar turned by 45 degrees, hardly a triangle of the one half lies
   beyond one of the other. */
static void covariance_trees_split_at_the_median(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 23);
    const double lengths[3] = {16.0, 6.0, 1.0};
    gallery_mesh mesh = create_bar(lengths, false, &r);
    for (size_t v = 0; v < 3 * (size_t)BAR; v++) {
        float *p = mesh.positions + 3 * v, x = p[0], y = p[1];
        p[0] = x - y;
        p[1] = x + y;
    }
    pliant_shape *shape =
        fixture_shape(test_context, &mesh, (fixture_tree){PLIANT_PARTITION_COVARIANCE, 2, 8});
    root_bounds bounds = find_root_bounds(shape);
    assert_int_equal(bounds.count, 2);
    assert_int_equal(bounds.child[0].triangle_count, BAR / 2);
    uint32_t order[3 * BAR];
    assert_int_equal(pliant_shape_get_vertex_order(shape, order), PLIANT_OK);
    uint32_t first_below = 0, second_below = 0;
    for (uint32_t i = 0; i < 3 * BAR; i++) {
        const float *p = mesh.positions + 3 * (size_t)order[i];
        bool below = p[0] + p[1] < 16.0f;
        *(i < 3 * (BAR / 2) ? &first_below : &second_below) += below;
    }
    uint32_t fewer = first_below < second_below ? first_below : second_below;
    uint32_t more = first_below < second_below ? second_below : first_below;
    assert_true(fewer < 3 * BAR / 40);
    assert_true(more > 3 * BAR / 2 - 3 * BAR / 40);
    pliant_shape_destroy(shape);
    mesh_free(&mesh);
}

/* They are cut in the middle of the box, or at the mean of the triangles' midpoints, as asked. */
static void initial_shape_trees_split_where_asked(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 22);
    const double lengths[3] = {1.0, 8.0, 2.0};
    gallery_mesh mesh = create_bar(lengths, true, &r);
    double mean = 0.0, middle[BAR], centre = 0.5 * 8.0 * (1.0 + 1e-4);
    for (uint32_t t = 0; t < BAR; t++) {
        const float *y = mesh.positions + 9 * (size_t)t + 1;
        middle[t] = ((double)y[0] + (double)y[3] + (double)y[6]) / 3.0;
        mean += middle[t] / BAR;
    }
    for (int i = 0; i < 2; i++) {
        fixture_tree tree = {i == 0 ? PLIANT_PARTITION_SHAPE_CENTRE : PLIANT_PARTITION_SHAPE_MEAN,
                             2, 8};
        pliant_shape *shape = fixture_shape(test_context, &mesh, tree);
        root_bounds bounds = find_root_bounds(shape);
        uint32_t below = 0;
        for (uint32_t t = 0; t < BAR; t++) {
            below += middle[t] < (i == 0 ? centre : mean);
        }
        assert_int_equal(bounds.count, 2);
        assert_in_range(bounds.child[0].triangle_count, below - 3, below + 3);
        pliant_shape_destroy(shape);
    }
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connectivity_subtrees_are_connected),
        cmocka_unit_test(contrived_meshes_terminate),
        cmocka_unit_test(vertex_order_is_a_permutation),
        cmocka_unit_test(balanced_clusters_are_full),
        cmocka_unit_test(initial_shape_trees_split_the_longest_sides),
        cmocka_unit_test(initial_shape_trees_split_where_asked),
        cmocka_unit_test(covariance_trees_split_at_the_median),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
