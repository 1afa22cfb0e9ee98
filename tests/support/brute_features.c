/* Slow results of pliant_find_features(): every vertex with every face, every two edges. */
#include "brute_queries.h"

#include "geometry/feature_distance.h"

#include <stdlib.h>
#include <string.h>

typedef struct slow_feature {
    uint32_t number, count, vertices[3], triangle;
    float corner[3][3];
} slow_feature;

static slow_feature make_feature(const slow_mesh *m, uint32_t i, uint32_t first, uint32_t count)
{
    slow_feature f = {.count = count, .triangle = m->number[i]};
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t v = slow_corners(m, i)[(first + (c < count ? c : count - 1)) % 3];
        f.vertices[c] = m->actor->welded[v];
        memcpy(f.corner[c], m->at + 3 * (size_t)v, sizeof f.corner[c]);
    }
    f.number = count == 1 ? f.vertices[0] : count == 2 ? 3 * f.triangle + first : f.triangle;
    return f;
}

static bool same_feature(const slow_feature *f, const slow_feature *g)
{
    const uint32_t *p = f->vertices, *q = g->vertices;
    return (p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0]);
}

static int by_number(const void *p, const void *q)
{
    uint32_t a = ((const slow_feature *)p)->number, b = ((const slow_feature *)q)->number;
    return (a > b) - (a < b);
}

/* Features with `count` vertices each, ascending by number; the caller frees them. */
static slow_feature *find_features(const slow_mesh *m, uint32_t count, uint32_t *found)
{
    slow_feature *all = malloc((3 * (size_t)m->count + 1) * sizeof *all);
    *found = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t k = 0; k < (count == 3 ? 1 : 3); k++) {
            slow_feature f = make_feature(m, i, k, count);
            bool is_new = count != 2 || f.vertices[0] != f.vertices[1];
            for (uint32_t n = 0; n < *found && count < 3; n++) {
                is_new = is_new && !same_feature(&all[n], &f);
            }
            all[*found] = f;
            *found += is_new;
        }
    }
    qsort(all, *found, sizeof *all, by_number);
    return all;
}

static pli_feature_gap measure(pliant_feature_kind kind, const slow_feature *f,
                               const slow_feature *g)
{
    pli_feature_gap gap;
    if (kind == PLIANT_EDGE_EDGE) {
        pli_edge_edge_gap(f->corner, g->corner, &gap, NULL);
    } else if (kind == PLIANT_VERTEX_FACE) {
        pli_vertex_face_gap(f->corner[0], g->corner, &gap, NULL);
    } else {
        pli_vertex_face_gap(g->corner[0], f->corner, &gap, NULL);
    }
    return gap;
}

static bool feature_chosen(const slow_query *s, const slow_feature *f, const slow_feature *g)
{
    return (slow_in_group(s, 0, f->triangle) && slow_in_group(s, 1, g->triangle)) ||
           (s->self && slow_in_group(s, 0, g->triangle) && slow_in_group(s, 1, f->triangle));
}

static bool features_share(const slow_query *s, const slow_feature *f, const slow_feature *g)
{
    bool share = false;
    for (int k = 0; k < 9 && s->self; k++) {
        share = share || f->vertices[k / 3] == g->vertices[k % 3];
    }
    return share;
}

/* Appends the pairs of a kind that are in the result; they must be the next ones there. */
static bool take_kind(const slow_query *s, pliant_feature_kind kind, const pliant_features *got,
                      uint64_t *next)
{
    static const uint32_t counts[3][2] = {{1, 3}, {3, 1}, {2, 2}};
    uint32_t count[2];
    slow_feature *f = find_features(&s->mesh[0], counts[kind][0], &count[0]);
    slow_feature *g = find_features(&s->mesh[1], counts[kind][1], &count[1]);
    bool right = true;
    for (uint32_t i = 0; i < count[0]; i++) {
        for (uint32_t j = 0; j < count[1]; j++) {
            bool twice = s->self && kind == PLIANT_EDGE_EDGE && f[i].number >= g[j].number;
            if (twice || features_share(s, &f[i], &g[j]) || !feature_chosen(s, &f[i], &g[j])) {
                continue;
            }
            double distance = measure(kind, &f[i], &g[j]).distance;
            if (distance > (double)slow_distance(s, s->l->arguments.distance)) {
                continue;
            }
            const pliant_feature_pair *pair = *next < got->count ? &got->pairs[*next] : NULL;
            ++*next;
            bool same = pair != NULL && pair->kind == kind && pair->a == f[i].number &&
                        pair->b == g[j].number && pair->distance == distance;
            for (uint32_t v = 0; v < f[i].count + g[j].count && same && v < 4; v++) {
                same = pair->vertices[v] ==
                       (v < f[i].count ? f[i].vertices[v] : g[j].vertices[v - f[i].count]);
            }
            right = right && same;
        }
    }
    free(f);
    free(g);
    return right;
}

brute_verdict slow_check_features(slow_query *s)
{
    pliant_features got;
    pliant_body *const *body = s->l->place.body;
    const pliant_feature_options *options = &s->l->arguments.feature_options;
    float d = s->l->arguments.distance;
    assert_ok(s->self
                  ? pliant_find_features_self(s->l->place.query, body[0], d, options, &got)
                  : pliant_find_features(s->l->place.query, body[0], body[1], d, options, &got));
    uint64_t next = 0, crossings = 0;
    bool right = take_kind(s, PLIANT_VERTEX_FACE, &got, &next);
    right = right && (s->self || take_kind(s, PLIANT_FACE_VERTEX, &got, &next));
    right = right && take_kind(s, PLIANT_EDGE_EDGE, &got, &next) && next == got.count;
    pliant_pair *pairs = slow_find_pairs(s, PLIANT_NEIGHBOURS_BEYOND_SHARED, &crossings);
    right = right && crossings == got.crossing_count;
    for (uint64_t i = 0; i < crossings && right; i++) {
        right = got.crossings[i].a == s->mesh[0].number[pairs[i].a] &&
                got.crossings[i].b == s->mesh[1].number[pairs[i].b];
    }
    snprintf(s->text, 256, "count is %llu instead of %llu, or pair %llu differs, or a crossing",
             (unsigned long long)got.count, (unsigned long long)next, (unsigned long long)next);
    free(pairs);
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}
