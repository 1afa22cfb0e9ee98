/*
 * The vectorised rival for blended bodies: the same work as the plain one, done as fast as we know
 * how without leaving its method. Vertices are evaluated in blocks of 16 that lie side by side in
 * the tree, so that they share most of their nodes; boxes are refitted and compared with all their
 * sides at once. All three kernels are compiled for AVX-512, AVX2 and what every machine has.
 */
#include "baselines.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "geometry/triangle_overlap.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#else
#define HAVE_X86 0
#endif

enum { BLOCK = 16 };

typedef float block_vector __attribute__((vector_size(4 * BLOCK)));
typedef float box_vector __attribute__((vector_size(16)));
typedef int32_t box_mask __attribute__((vector_size(16)));

/* The vertices of a shape in blocks, with a weight for each of the nodes that any of them has. */
typedef struct block_model {
    uint32_t block_count, vertex_count;
    uint32_t *vertices;  /* per lane: the caller's vertex; lanes beyond the last repeat it */
    float *rest;         /* per block: x, y, z of its lanes */
    uint32_t *starts;    /* per block: its first node; one more at the end */
    uint32_t *nodes;     /* ascending within a block */
    float *weights;      /* per node of a block: one per lane */
    uint32_t *triangles; /* corners as places in the order of blocks */
} block_model;

typedef struct blend_simd {
    const bench_motion *motion;
    pliant_isa isa;
    baseline_forest forest;
    baseline_scratch scratch;
    block_model models[BENCH_MAX_BODIES]; /* of twins: that of the first */
    float *positions[BENCH_MAX_BODIES];   /* x, y, z and room, in the order of blocks */
} blend_simd;

static void free_model(block_model *model)
{
    free(model->vertices);
    free(model->rest);
    free(model->starts);
    free(model->nodes);
    free(model->weights);
    free(model->triangles);
}

static void destroy(void *state)
{
    blend_simd *rival = state;
    if (rival == NULL) {
        return;
    }
    baseline_forest_free(&rival->forest);
    baseline_scratch_free(&rival->scratch);
    for (uint32_t i = 0; i < rival->motion->body_count; i++) {
        free_model(&rival->models[i]);
        free(rival->positions[i]);
    }
    free(rival);
}

/* Lists vertices in the order in which the leaves of a tree use them first; unused ones last. */
static void order_vertices(const baseline_tree *tree, uint32_t node, uint32_t *places,
                           block_model *model)
{
    const baseline_node *at = tree->nodes + node;
    for (uint32_t k = 0; k < 3 && at->count == 0; k++) {
        uint32_t vertex = tree->triangles[3 * (size_t)at->first + k];
        if (places[vertex] == UINT32_MAX) {
            places[vertex] = model->vertex_count;
            model->vertices[model->vertex_count++] = vertex;
        }
    }
    for (uint32_t i = 0; i < at->count; i++) {
        order_vertices(tree, at->first + i, places, model);
    }
}

static bool order_model(const baseline_tree *tree, const gallery_mesh *mesh, uint32_t *places,
                        block_model *model)
{
    memset(places, 0xff, mesh->vertex_count * sizeof *places);
    model->block_count = (mesh->vertex_count + BLOCK - 1) / BLOCK;
    model->vertices = malloc((size_t)model->block_count * BLOCK * sizeof *model->vertices);
    model->triangles = malloc(3 * (size_t)mesh->triangle_count * sizeof *model->triangles);
    if (model->vertices == NULL || model->triangles == NULL) {
        return false;
    }
    order_vertices(tree, 0, places, model);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (places[v] == UINT32_MAX) {
            model->vertices[model->vertex_count++] = v;
        }
    }
    for (uint32_t i = model->vertex_count; i < model->block_count * BLOCK; i++) {
        model->vertices[i] = model->vertices[model->vertex_count - 1];
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        model->triangles[i] = places[mesh->triangles[i]];
    }
    return true;
}

/* Marks the nodes of a block in `used` and counts them. */
static uint32_t mark_nodes(const gallery_model *source, const block_model *model, uint32_t block,
                           uint8_t *used)
{
    uint32_t count = 0;
    memset(used, 0, source->joint_count);
    for (uint32_t lane = 0; lane < BLOCK; lane++) {
        uint32_t v = model->vertices[block * BLOCK + lane];
        for (uint32_t i = source->influence_offsets[v]; i < source->influence_offsets[v + 1]; i++) {
            count += !used[source->influence_joints[i]];
            used[source->influence_joints[i]] = 1;
        }
    }
    return count;
}

static bool count_nodes(const gallery_model *source, uint8_t *used, block_model *model)
{
    model->starts = malloc(((size_t)model->block_count + 1) * sizeof *model->starts);
    if (model->starts == NULL) {
        return false;
    }
    model->starts[0] = 0;
    for (uint32_t b = 0; b < model->block_count; b++) {
        model->starts[b + 1] = model->starts[b] + mark_nodes(source, model, b, used);
    }
    size_t count = model->starts[model->block_count];
    model->nodes = malloc((count + 1) * sizeof *model->nodes);
    model->weights = aligned_alloc(64, (count + 1) * BLOCK * sizeof *model->weights);
    model->rest = aligned_alloc(64, (size_t)model->block_count * 3 * BLOCK * sizeof *model->rest);
    return model->nodes != NULL && model->weights != NULL && model->rest != NULL;
}

static float weight_of(const gallery_model *source, uint32_t vertex, uint32_t node)
{
    for (uint32_t i = source->influence_offsets[vertex]; i < source->influence_offsets[vertex + 1];
         i++) {
        if (source->influence_joints[i] == node) {
            return source->influence_weights[i];
        }
    }
    return 0.0f;
}

static void fill_block(const gallery_model *source, const float *rest, uint32_t block,
                       uint8_t *used, block_model *model)
{
    uint32_t at = model->starts[block];
    const uint32_t *vertices = model->vertices + (size_t)block * BLOCK;
    for (size_t lane = 0; lane < BLOCK; lane++) {
        for (size_t k = 0; k < 3; k++) {
            model->rest[(3 * (size_t)block + k) * BLOCK + lane] =
                rest[3 * (size_t)vertices[lane] + k];
        }
    }
    mark_nodes(source, model, block, used);
    for (uint32_t node = 0; node < source->joint_count; node++) {
        if (used[node]) {
            model->nodes[at] = node;
            for (size_t lane = 0; lane < BLOCK; lane++) {
                model->weights[(size_t)at * BLOCK + lane] = weight_of(source, vertices[lane], node);
            }
            at++;
        }
    }
}

static bool build_model(const baseline_tree *tree, const gallery_mesh *mesh,
                        const gallery_model *source, const float *rest, block_model *model)
{
    uint32_t *places = malloc(mesh->vertex_count * sizeof *places);
    uint8_t *used = malloc(source->joint_count);
    bool done = places != NULL && used != NULL && order_model(tree, mesh, places, model) &&
                count_nodes(source, used, model);
    for (uint32_t b = 0; done && b < model->block_count; b++) {
        fill_block(source, rest, b, used, model);
    }
    free(places);
    free(used);
    return done;
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)method;
    blend_simd *rival = calloc(1, sizeof *rival);
    if (rival == NULL) {
        return NULL;
    }
    rival->motion = motion;
    rival->isa = pli_isa_choose(settings->isa);
    bool done = baseline_forest_build(motion, false, 2, &rival->forest);
    for (uint32_t i = 0; i < motion->body_count && done; i++) {
        /* Twins must have the tree of the first, whose order of vertices they use. */
        uint32_t twin = motion->twins[i];
        if (twin == i) {
            done = build_model(&rival->forest.trees[i], &motion->meshes[i], motion->models[i],
                               motion->rest[i], &rival->models[i]);
        } else {
            const baseline_tree *tree = &rival->forest.trees[twin];
            rival->forest.trees[i].node_count = tree->node_count;
            memcpy(rival->forest.trees[i].nodes, tree->nodes,
                   tree->node_count * sizeof *tree->nodes);
        }
        size_t lanes = (size_t)rival->models[twin].block_count * BLOCK;
        rival->positions[i] = done ? aligned_alloc(64, 4 * lanes * sizeof(float)) : NULL;
        done = rival->positions[i] != NULL;
    }
    if (!done) {
        destroy(rival);
        return NULL;
    }
    return rival;
}

#if defined(__GNUC__) && !defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline, artificial))
#else
#define ALWAYS_INLINE inline __attribute__((always_inline))
#endif

#if HAVE_X86
static ALWAYS_INLINE box_vector least(box_vector a, box_vector b)
{
    return _mm_min_ps(a, b);
}

static ALWAYS_INLINE box_vector greatest(box_vector a, box_vector b)
{
    return _mm_max_ps(a, b);
}

/* Four x, four y and four z become four points. */
static ALWAYS_INLINE void store_points(const float *x, const float *y, const float *z, float *out)
{
    __m128 a = _mm_loadu_ps(x), b = _mm_loadu_ps(y), c = _mm_loadu_ps(z), d = _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(out, a);
    _mm_storeu_ps(out + 4, b);
    _mm_storeu_ps(out + 8, c);
    _mm_storeu_ps(out + 12, d);
}
#else
static ALWAYS_INLINE box_vector least(box_vector a, box_vector b)
{
    box_mask less = a < b;
    return (box_vector)((less & (box_mask)a) | (~less & (box_mask)b));
}

static ALWAYS_INLINE box_vector greatest(box_vector a, box_vector b)
{
    box_mask more = a > b;
    return (box_vector)((more & (box_mask)a) | (~more & (box_mask)b));
}

static ALWAYS_INLINE void store_points(const float *x, const float *y, const float *z, float *out)
{
    for (size_t i = 0; i < 4; i++) {
        out[4 * i] = x[i];
        out[4 * i + 1] = y[i];
        out[4 * i + 2] = z[i];
        out[4 * i + 3] = 0.0f;
    }
}
#endif

/* One row of a transform applied to a block and added with its weights. */
#define ADD_ROW(sum, row)                                                                          \
    sum += weight * ((((row)[0] * rest[0] + (row)[1] * rest[1]) + (row)[2] * rest[2]) + (row)[3])

static ALWAYS_INLINE void evaluate_blocks(const block_model *model, const float *transforms,
                                          float *positions)
{
    for (uint32_t b = 0; b < model->block_count; b++) {
        block_vector rest[3], x = {0}, y = {0}, z = {0};
        memcpy(rest, model->rest + 3 * (size_t)b * BLOCK, sizeof rest);
        for (uint32_t i = model->starts[b]; i < model->starts[b + 1]; i++) {
            const float *t = transforms + 12 * (size_t)model->nodes[i];
            block_vector weight;
            memcpy(&weight, model->weights + (size_t)i * BLOCK, sizeof weight);
            ADD_ROW(x, t);
            ADD_ROW(y, t + 4);
            ADD_ROW(z, t + 8);
        }
        block_vector sums[3] = {x + 0.0f, y + 0.0f, z + 0.0f};
        float lanes[3][BLOCK];
        memcpy(lanes, sums, sizeof lanes);
        for (size_t lane = 0; lane < BLOCK; lane += 4) {
            store_points(lanes[0] + lane, lanes[1] + lane, lanes[2] + lane,
                         positions + 4 * ((size_t)b * BLOCK + lane));
        }
    }
}

static ALWAYS_INLINE box_vector load4(const float *p)
{
    box_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Stores three sides of a box and leaves the number behind them alone. */
static ALWAYS_INLINE void store3(float *p, box_vector sides)
{
    box_mask first_three = {-1, -1, -1, 0};
    box_vector old = load4(p);
    box_vector both =
        (box_vector)((first_three & (box_mask)sides) | (~first_three & (box_mask)old));
    memcpy(p, &both, sizeof both);
}

static ALWAYS_INLINE void refit_tree(baseline_tree *tree, const uint32_t *corners,
                                     const float *positions)
{
    for (uint32_t i = tree->node_count; i-- > 0;) {
        baseline_node *node = tree->nodes + i;
        box_vector lower, upper;
        if (node->count == 0) {
            const uint32_t *corner = corners + 3 * (size_t)node->first;
            box_vector p = load4(positions + 4 * (size_t)corner[0]);
            box_vector q = load4(positions + 4 * (size_t)corner[1]);
            box_vector r = load4(positions + 4 * (size_t)corner[2]);
            lower = least(least(p, q), r);
            upper = greatest(greatest(p, q), r);
        } else {
            const baseline_node *child = tree->nodes + node->first;
            lower = least(load4(child[0].lower), load4(child[1].lower));
            upper = greatest(load4(child[0].upper), load4(child[1].upper));
        }
        store3(node->lower, lower);
        store3(node->upper, upper);
    }
}

#if HAVE_X86
#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#define FOR_AVX2   __attribute__((target("avx2")))

FOR_AVX512 static void update_avx512(const block_model *model, const float *transforms,
                                     baseline_tree *tree, float *positions)
{
    evaluate_blocks(model, transforms, positions);
    refit_tree(tree, model->triangles, positions);
}

FOR_AVX2 static void update_avx2(const block_model *model, const float *transforms,
                                 baseline_tree *tree, float *positions)
{
    evaluate_blocks(model, transforms, positions);
    refit_tree(tree, model->triangles, positions);
}
#endif

static void update_baseline(const block_model *model, const float *transforms, baseline_tree *tree,
                            float *positions)
{
    evaluate_blocks(model, transforms, positions);
    refit_tree(tree, model->triangles, positions);
}

static void update(blend_simd *rival, const bench_frame *frame)
{
    void (*update_body)(const block_model *, const float *, baseline_tree *, float *) =
        update_baseline;
#if HAVE_X86
    if (rival->isa >= PLIANT_ISA_AVX2) {
        update_body = rival->isa >= PLIANT_ISA_AVX512 ? update_avx512 : update_avx2;
    }
#endif
    for (uint32_t i = 0; i < rival->motion->body_count; i++) {
        update_body(&rival->models[rival->motion->twins[i]], frame->transforms[i],
                    &rival->forest.trees[i], rival->positions[i]);
    }
}

static inline bool boxes_overlap(const baseline_node *a, const baseline_node *b)
{
    box_mask apart = (load4(a->lower) > load4(b->upper)) | (load4(b->lower) > load4(a->upper));
    return (apart[0] | apart[1] | apart[2]) == 0;
}

static void corners_of(const blend_simd *rival, uint32_t body, uint32_t triangle,
                       float corners[3][3])
{
    const block_model *model = &rival->models[rival->motion->twins[body]];
    for (size_t k = 0; k < 3; k++) {
        uint32_t place = model->triangles[3 * (size_t)triangle + k];
        memcpy(corners[k], rival->positions[body] + 4 * (size_t)place, sizeof corners[k]);
    }
}

/* False when there is no memory. */
static bool try_triangles(blend_simd *rival, uint32_t a, uint32_t b, uint32_t i, uint32_t j)
{
    float p[3][3], q[3][3];
    uint64_t fallbacks = 0;
    corners_of(rival, a, i, p);
    corners_of(rival, b, j, q);
    if (!pli_triangle_overlap((const float(*)[3])p, (const float(*)[3])q, &fallbacks)) {
        return true;
    }
    if (!baseline_pairs_reserve(&rival->scratch)) {
        return false;
    }
    rival->scratch.pairs[rival->scratch.pair_count++] = (pliant_pair){i, j};
    return true;
}

/* Walks the trees of two bodies whose roots overlap. */
static bool walk(blend_simd *rival, uint32_t a, uint32_t b, bool first_only)
{
    const baseline_node *nodes_a = rival->forest.trees[a].nodes;
    const baseline_node *nodes_b = rival->forest.trees[b].nodes;
    baseline_scratch *scratch = &rival->scratch;
    size_t first = scratch->pair_count, top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    scratch->stack[top++] = 0;
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        uint32_t i = (uint32_t)(both >> 32), j = (uint32_t)both;
        const baseline_node *p = nodes_a + i, *q = nodes_b + j;
        if (p->count == 0 && q->count == 0) {
            if (!try_triangles(rival, a, b, p->first, q->first)) {
                return false;
            }
            if (first_only && scratch->pair_count > first) {
                return true;
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 2)) {
            return false;
        }
        bool open_a =
            q->count == 0 || (p->count != 0 && baseline_node_size(p) >= baseline_node_size(q));
        for (uint32_t c = 2; c-- > 0;) {
            uint32_t next_i = open_a ? p->first + c : i, next_j = open_a ? j : q->first + c;
            scratch->stack[top] = (uint64_t)next_i << 32 | next_j;
            top += boxes_overlap(nodes_a + next_i, nodes_b + next_j);
        }
    }
    return true;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    blend_simd *rival = state;
    double start = bench_seconds();
    update(rival, frame);
    double updated = bench_seconds();
    bool done = true;
    baseline_scratch_clear(&rival->scratch);
    for (uint32_t a = 0; a < rival->forest.count; a++) {
        for (uint32_t b = a + 1; done && b < rival->forest.count; b++) {
            size_t first = rival->scratch.pair_count;
            if (boxes_overlap(rival->forest.trees[a].nodes, rival->forest.trees[b].nodes)) {
                done = walk(rival, a, b, first_only) &&
                       baseline_close_range(&rival->scratch, a, b, first);
            }
        }
    }
    double end = bench_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    baseline_scratch_show(&rival->scratch, outcome);
    return done;
}

const bench_method bench_blend_simd = {
    .name = "vectorised bottom-up",
    .create = create,
    .step = step,
    .destroy = destroy,
};
