#include "undecided.h"

#include <stdlib.h>

#include "bounds/bounds.h"
#include "query/pair_kernels.h"

/* A body with all of its clusters refreshed. */
typedef struct side {
    pliant_shape *shape;
    pli_cluster_record **records;
} side;

/* Two clusters with candidates. */
typedef struct cluster_pair {
    uint32_t a, b;
} cluster_pair;

typedef struct visit {
    pliant_context *context;
    side sides[2];
    undecided_callback callback; /* NULL while the kernel is timed */
    void *user;
    cluster_pair *pairs;
    uint64_t pair_count;
    uint64_t unsure; /* keeps the kernel's work from being left out */
} visit;

static void side_free(side *s)
{
    for (uint32_t c = 0; s->records != NULL && c < s->shape->cluster_count; c++) {
        free(s->records[c]);
    }
    free(s->records);
    pliant_shape_destroy(s->shape);
}

static bool refresh(side *s, pliant_isa isa, const float *positions)
{
    const pli_vertex_kernels *kernels = pli_kernels_for(isa)->vertex;
    pli_positions view = {positions, 3 * sizeof(float), s->shape->vertex_count - 1};
    s->records = calloc(s->shape->cluster_count, sizeof(pli_cluster_record *));
    for (uint32_t c = 0; s->records != NULL && c < s->shape->cluster_count; c++) {
        size_t size = pli_cluster_record_size(&s->shape->clusters[c]) + PLI_RECORD_SLACK;
        s->records[c] = aligned_alloc(64, (size + 63) / 64 * 64);
        if (s->records[c] == NULL ||
            !pli_refresh_cluster_from_vertices(kernels, s->shape, c, view, NULL, NULL, NULL,
                                               s->records[c])) {
            return false;
        }
    }
    return s->records != NULL;
}

static bool side_create(visit *v, int i, const gallery_mesh *mesh, const float *positions)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    return pliant_shape_create(v->context, &def, &v->sides[i].shape) == PLIANT_OK &&
           refresh(&v->sides[i], pliant_context_get_isa(v->context), positions);
}

static pli_slot_triangles slots_of(const side *s, uint32_t cluster)
{
    pli_slot_triangles slots = {
        .record = s->records[cluster],
        .corners = s->shape->slot_corners + 3 * (size_t)s->shape->clusters[cluster].first_slot,
    };
    return slots;
}

static uint32_t triangle_of(const side *s, uint32_t cluster, uint32_t slot)
{
    return s->shape->slot_triangles[s->shape->clusters[cluster].first_slot + slot];
}

static void show_pairs(const visit *v, cluster_pair pair, const uint8_t *slot_a,
                       const uint8_t *slot_b, uint64_t unsure)
{
    for (; unsure != 0; unsure &= unsure - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(unsure);
        v->callback(v->user, triangle_of(&v->sides[0], pair.a, slot_a[k]),
                    triangle_of(&v->sides[1], pair.b, slot_b[k]));
    }
}

/* Two clusters, as a query would test them. Returns the number of candidates. */
static uint32_t test_clusters(visit *v, const pli_pair_kernels *kernels, cluster_pair pair)
{
    pli_slot_triangles slots_a = slots_of(&v->sides[0], pair.a);
    pli_slot_triangles slots_b = slots_of(&v->sides[1], pair.b);
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = kernels->list_candidates(slots_a.record, slots_b.record, slot_a, slot_b);
    for (uint32_t first = 0; first < count; first += PLI_BATCH) {
        uint32_t batch = count - first < PLI_BATCH ? count - first : PLI_BATCH;
        pli_verdicts verdicts =
            kernels->test_triangles(&slots_a, slot_a + first, &slots_b, slot_b + first, batch);
        v->unsure += verdicts.unsure;
        if (v->callback != NULL) {
            show_pairs(v, pair, slot_a + first, slot_b + first, verdicts.unsure);
        }
    }
    return count;
}

/* A query reaches two clusters only if their boxes meet. Others have no candidates, so all may be
   tried. */
static bool find_pairs(visit *v, const pli_pair_kernels *kernels, uint64_t *candidates)
{
    uint32_t count_a = v->sides[0].shape->cluster_count, count_b = v->sides[1].shape->cluster_count;
    v->pairs = calloc((size_t)count_a * count_b, sizeof *v->pairs);
    for (uint32_t i = 0; v->pairs != NULL && i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            cluster_pair pair = {i, j};
            uint32_t count = test_clusters(v, kernels, pair);
            *candidates += count;
            if (count > 0) {
                v->pairs[v->pair_count++] = pair;
            }
        }
    }
    return v->pairs != NULL;
}

static double time_pairs(visit *v, const pli_pair_kernels *kernels)
{
    double start = bench_seconds();
    for (uint64_t i = 0; i < v->pair_count; i++) {
        test_clusters(v, kernels, v->pairs[i]);
    }
    return 1e9 * (bench_seconds() - start);
}

/* The bound is made from the extents of two clusters: exchanging these for zero takes it away, and
   exchanging them again brings it back. */
static void exchange_extents(side *s, float *extents)
{
    for (uint32_t c = 0; c < s->shape->cluster_count; c++) {
        float kept = s->records[c]->extent;
        s->records[c]->extent = extents[c];
        extents[c] = kept;
    }
}

static bool time_kernel(visit *v, const pli_pair_kernels *kernels, undecided_totals *totals)
{
    enum { RUNS = 31 };
    double times[2][RUNS]; /* with the bound, without */
    float *extents[2];
    for (int i = 0; i < 2; i++) {
        extents[i] = calloc(v->sides[i].shape->cluster_count, sizeof *extents[i]);
    }
    bool done = extents[0] != NULL && extents[1] != NULL;
    v->callback = NULL;
    for (int run = 0; done && run < 2 * RUNS; run++) {
        times[run % 2][run / 2] = time_pairs(v, kernels);
        exchange_extents(&v->sides[0], extents[0]);
        exchange_extents(&v->sides[1], extents[1]);
    }
    if (done) {
        totals->bounded_ns += bench_median(times[0], RUNS);
        totals->unbounded_ns += bench_median(times[1], RUNS);
    }
    free(extents[0]);
    free(extents[1]);
    return done;
}

bool undecided_visit(const bench_motion *motion, const bench_frame *frame, pliant_isa cap,
                     undecided_callback callback, void *user, undecided_totals *totals)
{
    visit v = {.callback = callback, .user = user};
    pliant_context_def def = pliant_context_def_default();
    def.isa = cap;
    bool done = pliant_context_create(&def, &v.context) == PLIANT_OK &&
                side_create(&v, 0, &motion->meshes[0], frame->world[0]) &&
                side_create(&v, 1, &motion->meshes[1], frame->world[1]);
    if (done) {
        const pli_pair_kernels *kernels = pli_context_kernels(v.context)->pair;
        done = find_pairs(&v, kernels, &totals->candidates) && time_kernel(&v, kernels, totals);
    }
    free(v.pairs);
    side_free(&v.sides[0]);
    side_free(&v.sides[1]);
    pliant_context_destroy(v.context);
    return done;
}
