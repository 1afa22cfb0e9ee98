#include "pieces.h"

#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "models.h"

static uint32_t find(uint32_t *root, uint32_t v)
{
    while (root[v] != v) {
        v = root[v];
    }
    return v;
}

/* Which piece each vertex is of, by the triangles alone. */
static void name_pieces(pieces *p)
{
    const gallery_mesh *mesh = &p->mesh;
    uint32_t *root = calloc(mesh->vertex_count, sizeof *root);
    p->piece = malloc(mesh->vertex_count * sizeof *p->piece);
    assert_non_null(root);
    assert_non_null(p->piece);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        root[v] = v;
    }
    for (uint32_t t = 0; t < 3 * mesh->triangle_count; t++) {
        uint32_t a = find(root, mesh->triangles[t]);
        uint32_t b = find(root, mesh->triangles[t - t % 3]);
        root[a < b ? b : a] = a < b ? a : b;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t lowest = find(root, v);
        p->piece[v] = lowest == v ? p->piece_count++ : p->piece[lowest];
    }
    free(root);
}

/* A mesh of a scene at its start, which outlives the scene. */
static gallery_mesh take_mesh(const gallery_kind *kind, uint32_t body, uint32_t triangles)
{
    gallery_settings settings = {.triangles = triangles, .seed = 1, .isa = PLIANT_ISA_PLAIN};
    gallery_scene *scene = gallery_create(kind, &settings);
    assert_non_null(scene);
    gallery_mesh mesh = scene->bodies[body];
    scene->bodies[body] = (gallery_mesh){0};
    gallery_destroy(scene);
    return mesh;
}

/* Three fields that move each piece as one. */
static void make_modes(pieces *p, rng *r)
{
    uint32_t vertices = p->mesh.vertex_count;
    p->modes = malloc(9 * (size_t)vertices * sizeof *p->modes);
    float *of_piece = malloc(9 * (size_t)p->piece_count * sizeof *of_piece);
    for (uint32_t i = 0; i < 9 * p->piece_count; i++) {
        of_piece[i] = (float)rng_range(r, -1.0, 1.0);
    }
    for (uint32_t m = 0; m < 3; m++) {
        for (uint32_t v = 0; v < vertices; v++) {
            memcpy(p->modes + 3 * ((size_t)m * vertices + v), of_piece + 9 * p->piece[v] + 3 * m,
                   3 * sizeof *p->modes);
        }
    }
    free(of_piece);
}

static void make_joints(pieces *p)
{
    uint32_t vertices = p->mesh.vertex_count;
    p->offsets = malloc((vertices + 1) * sizeof *p->offsets);
    p->weights = malloc(vertices * sizeof *p->weights);
    for (uint32_t v = 0; v < vertices; v++) {
        p->offsets[v] = v;
        p->weights[v] = 1.0f;
    }
    p->offsets[vertices] = vertices;
}

static uint32_t joint_count(const pieces *p)
{
    return p->kind == PIECES_BLENDED ? p->piece_count : p->kind == PIECES_MOVED;
}

pieces_def pieces_def_usual(pieces_kind kind, uint32_t triangles)
{
    return (pieces_def){.kind = kind,
                        .triangles = triangles,
                        .islands = PLIANT_ISLANDS_ALWAYS,
                        .body = pliant_body_def_default(),
                        .tree = fixture_usual_tree};
}

void pieces_create(pieces *p, pliant_context *context, const pieces_def *d, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    *p = (pieces){.kind = d->kind, .context = context};
    p->mesh = take_mesh(&gallery_shatter, 0, d->triangles);
    p->other_mesh = take_mesh(&gallery_shatter, 1, d->triangles);
    name_pieces(p);
    pliant_shape_def def = fixture_shape_def(&p->mesh);
    def.partition = d->tree.partition;
    def.arity = d->tree.arity;
    def.leaf_size = d->tree.leaf_size;
    def.islands = d->islands;
    def.bound = d->bound;
    def.joint_count = joint_count(p);
    if (d->kind == PIECES_MODES) {
        make_modes(p, &r);
        def.modes = p->modes;
        def.mode_count = 3;
    }
    if (d->kind == PIECES_BLENDED) {
        make_joints(p);
        def.influence_offsets = p->offsets;
        def.influence_joints = p->piece;
        def.influence_weights = p->weights;
    }
    p->positions = malloc(3 * (size_t)p->mesh.vertex_count * sizeof(float));
    p->transforms = malloc(12 * (size_t)(joint_count(p) + 1) * sizeof(float));
    assert_ok(pliant_query_create(context, &p->query));
    assert_ok(pliant_shape_create(context, &def, &p->shape));
    assert_ok(pliant_body_create(p->shape, &d->body, &p->body));
    p->other_shape = fixture_shape(context, &p->other_mesh, fixture_usual_tree);
    assert_ok(pliant_body_create(p->other_shape, NULL, &p->other));
    pieces_draw(p, &r, 0.0);
}

void pieces_destroy(pieces *p)
{
    pliant_body_destroy(p->body);
    pliant_body_destroy(p->other);
    pliant_shape_destroy(p->shape);
    pliant_shape_destroy(p->other_shape);
    pliant_query_destroy(p->query);
    mesh_free(&p->mesh);
    mesh_free(&p->other_mesh);
    free(p->piece);
    free(p->modes);
    free(p->weights);
    free(p->offsets);
    free(p->positions);
    free(p->transforms);
}

void pieces_draw(pieces *p, rng *r, double spread)
{
    uint32_t vertices = p->mesh.vertex_count;
    for (uint32_t j = 0; j < joint_count(p); j++) {
        float *rows = p->transforms + 12 * (size_t)j;
        model_random_transform(r, spread < 0.3 ? 0.3 * spread : 0.1, rows);
        for (int k = 0; k < 3; k++) {
            rows[4 * k + 3] += (float)rng_range(r, -spread, spread);
        }
    }
    for (int m = 0; m < 3; m++) {
        p->coordinates[m] = (float)rng_range(r, -spread, spread);
    }
    float *off = malloc(3 * ((size_t)p->piece_count + 1) * sizeof *off);
    assert_non_null(off);
    for (uint32_t i = 0; i < 3 * p->piece_count; i++) {
        off[i] = (float)rng_range(r, -spread, spread);
    }
    for (uint32_t i = 0; i < 3 * vertices; i++) {
        p->positions[i] = p->mesh.positions[i] + off[3 * p->piece[i / 3] + i % 3];
    }
    free(off);
}

pliant_result pieces_set(pieces *p)
{
    switch (p->kind) {
    case PIECES_MOVED: {
        pliant_state state = {
            .positions = p->positions, .transforms = p->transforms, .transform_count = 1};
        return pliant_body_set_state(p->body, &state);
    }
    case PIECES_MODES:
        return pliant_body_set_coordinates(p->body, p->coordinates, 3);
    case PIECES_BLENDED:
        return pliant_body_set_transforms(p->body, p->transforms, p->piece_count, 0);
    case PIECES_FREE:
    case PIECES_KINDS:
        break;
    }
    return pliant_body_set_positions(p->body, p->positions, 0);
}

static uint64_t fold_counts(pieces *p, uint64_t hash)
{
    const pliant_stats *s = pliant_query_get_stats(p->query);
    const uint64_t counts[] = {s->nodes_refreshed,   s->clusters_refreshed, s->vertices_read,
                               s->nodes_tested,      s->triangle_tests,     s->bound_sizes,
                               s->bound_sizes_at_cut};
    return hash_bytes(hash, counts, sizeof counts);
}

uint64_t pieces_ask(pieces *p, pliant_body *body, bool counts)
{
    uint64_t hash = 0;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.neighbours = PLIANT_NEIGHBOURS_ALL;
    assert_ok(pliant_collide(p->query, body, p->other, NULL, &contacts));
    hash = hash_bytes(hash, contacts.pairs, contacts.count * sizeof *contacts.pairs);
    hash = counts ? fold_counts(p, hash) : hash;
    assert_ok(pliant_collide_self(p->query, body, &options, &contacts));
    hash = hash_bytes(hash, contacts.pairs, contacts.count * sizeof *contacts.pairs);
    hash = counts ? fold_counts(p, hash) : hash;
    for (int i = 0; i < 4; i++) {
        pliant_ray ray = {{0.2f * (float)i, -0.3f, 3.0f}, {0.1f, 0.1f * (float)i, -1.0f}, 9.0f};
        const float point[3] = {0.4f * (float)i, 0.3f, 0.1f};
        pliant_ray_hit hit;
        pliant_closest closest;
        assert_ok(pliant_raycast(p->query, body, &ray, &hit));
        hash = hash_bytes(hash, &hit.triangle, sizeof hit.triangle);
        assert_ok(pliant_find_closest_point(p->query, body, point, 9.0f, &closest));
        hash = hash_bytes(hash, &closest.triangle, sizeof closest.triangle);
    }
    pliant_box box = {{-0.4f, -0.5f, -0.3f}, {0.7f, 0.3f, 0.4f}}, whole;
    const uint32_t *inside = NULL;
    uint64_t count = 0;
    assert_ok(pliant_overlap_box(p->query, body, &box, &inside, &count));
    hash = hash_bytes(hash, inside, count * sizeof *inside);
    assert_ok(pliant_body_get_bounds(body, &whole));
    for (int k = 0; k < 3; k++) { /* all of it */
        whole.lower[k] -= 1.0f;
        whole.upper[k] += 1.0f;
    }
    assert_ok(pliant_overlap_box(p->query, body, &whole, &inside, &count));
    assert_int_equal(count, p->mesh.triangle_count);
    return hash;
}

void pieces_check(pieces *p)
{
    gallery_mesh anew = p->mesh;
    anew.positions = malloc(3 * (size_t)anew.vertex_count * sizeof(float));
    assert_ok(pliant_body_evaluate(p->body, NULL, anew.vertex_count, anew.positions));
    pliant_shape_def def = fixture_shape_def(&anew);
    def.islands = PLIANT_ISLANDS_NEVER;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(p->context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_int_equal(pieces_ask(p, p->body, false), pieces_ask(p, body, false));
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    free(anew.positions);
}
