/* Whether two triangles touch, or two neighbours by the rule asked for: what they share, filters in
   float and in double, and what remains for exact.h. */
#ifndef PLI_CUDA_DECIDE_H
#define PLI_CUDA_DECIDE_H

#include "step.h"

enum { PLI_CUDA_APART, PLI_CUDA_TOUCH, PLI_CUDA_UNSURE };

/* The rules for neighbours, numbered as pliant_neighbours. */
enum { PLI_CUDA_BEYOND_SHARED, PLI_CUDA_NEIGHBOURS_ALL, PLI_CUDA_NEIGHBOURS_SKIP };

/* The corners of two triangles of a candidate. */
typedef struct pli_cuda_corners {
    float at[2][3][3];
    uint32_t welded[2][3]; /* names of their vertices (pli_cuda_shape) */
} pli_cuda_corners;

/* Different positions that corners of two triangles share, as corners of both. */
typedef struct pli_cuda_shared {
    int count;
    uint8_t corner[2][4];
} pli_cuda_shared;

#define NAME(x)  pli_float_##x
#define REAL     float
#define ROUNDING 0x1p-24f
#define SMALLEST 0x1p-100f
#define LARGEST  0x1p40f
#include "filter.inl"
#undef NAME
#undef REAL
#undef ROUNDING
#undef SMALLEST
#undef LARGEST

#define NAME(x)  pli_double_##x
#define REAL     double
#define ROUNDING 0x1p-53
#define SMALLEST 0.0
#define LARGEST  0x1p200
#include "filter.inl"
#undef NAME
#undef REAL
#undef ROUNDING
#undef SMALLEST
#undef LARGEST

PLI_DEVICE bool pli_same_place(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/*
 * What two triangles of one body share (definition D4): corners that are the same welded vertex and
 * in the same place. Returns how many different vertices these are; different vertices may stand in
 * one place, and a triangle may use one twice.
 */
PLI_DEVICE int pli_find_shared(const pli_cuda_corners *c, pli_cuda_shared *shared)
{
    int vertex_count = 0;
    int vertex[3] = {0, 0, 0};
    shared->count = 0;
    for (int i = 0; i < 3; i++) {
        int partner = -1;
        for (int j = 2; j >= 0; j--) {
            bool same =
                c->welded[0][i] == c->welded[1][j] && pli_same_place(c->at[0][i], c->at[1][j]);
            partner = same ? j : partner;
        }
        bool new_vertex = partner >= 0, new_point = partner >= 0;
        for (int s = 0; s < vertex_count; s++) {
            bool same = pli_same_place(c->at[0][vertex[s]], c->at[0][i]);
            new_vertex = new_vertex && !(same && c->welded[0][vertex[s]] == c->welded[0][i]);
            new_point = new_point && !same;
        }
        if (new_point) {
            shared->corner[0][shared->count] = (uint8_t)i;
            shared->corner[1][shared->count++] = (uint8_t)partner;
        }
        if (new_vertex) {
            vertex[vertex_count++] = i;
        }
    }
    return vertex_count;
}

/* What follows from sharing alone; UNSURE: the triangles are to be looked at. */
PLI_DEVICE int pli_judge_neighbours(int vertex_count, uint32_t rule)
{
    if (vertex_count == 0) {
        return PLI_CUDA_UNSURE;
    }
    if (vertex_count == 3 || rule == PLI_CUDA_NEIGHBOURS_SKIP) {
        return PLI_CUDA_APART;
    }
    return rule == PLI_CUDA_NEIGHBOURS_ALL ? PLI_CUDA_TOUCH : PLI_CUDA_UNSURE;
}

/* Where the two triangles of a candidate are. */
typedef struct pli_cuda_found {
    uint32_t body[2];
    uint64_t slot[2]; /* of the bodies' shapes */
    uint32_t bodies;  /* place among the pairs of bodies */
    bool one;         /* it is one body */
} pli_cuda_found;

/* A candidate, with all that its test needs. */
typedef struct pli_cuda_candidate {
    pli_cuda_corners corners;
    pli_cuda_shared shared;
    pli_cuda_found found;
    uint64_t triangles; /* as in a key */
    int verdict;        /* UNSURE: it is to be tested */
} pli_cuda_candidate;

PLI_DEVICE bool pli_in_groups(const uint64_t *bits, uint32_t count, uint32_t group)
{
    return bits == NULL || (group < count && (bits[group / 64] >> group % 64 & 1) != 0);
}

/* Whether groups let two triangles through: those that bodies take part with, and those asked for;
   within one body in either order. */
PLI_DEVICE bool pli_groups_allow(const pli_cuda_step *s, const pli_cuda_found *found)
{
    uint32_t group[2];
    if (s->has_groups == 0) {
        return true;
    }
    for (int side = 0; side < 2; side++) {
        const pli_cuda_body *body = &s->bodies[found->body[side]];
        const uint16_t *groups = body->shape->groups;
        group[side] = groups != NULL ? groups[found->slot[side]] : 0;
        if (!pli_in_groups(body->group_bits, body->group_count, group[side])) {
            return false;
        }
    }
    bool straight = pli_in_groups(s->groups_a, s->groups_a_count, group[0]) &&
                    pli_in_groups(s->groups_b, s->groups_b_count, group[1]);
    bool swapped = found->one && pli_in_groups(s->groups_a, s->groups_a_count, group[1]) &&
                   pli_in_groups(s->groups_b, s->groups_b_count, group[0]);
    return straight || swapped;
}

/* Where the corners of a candidate are: two slots of a pair of clusters. */
PLI_DEVICE void pli_read_corners(const pli_cuda_step *s, uint64_t place, uint32_t slots,
                                 float at[2][3][3])
{
    pli_cuda_pair pair = s->cluster_pairs[place];
    PLI_UNROLL
    for (int side = 0; side < 2; side++) {
        const pli_cuda_site *site = &s->sites[side == 0 ? pair.a : pair.b];
        uint32_t corners = site->corners[slots >> (side == 0 ? 6 : 0) & 63u];
        uint32_t stride = site->stride;
        const float *vertices = s->vertices + (uint64_t)site->place * PLI_CUDA_UNIT;
        PLI_UNROLL
        for (int i = 0; i < 3; i++) {
            const float *vertex = vertices + (corners >> (8 * i) & 255u);
            at[side][i][0] = vertex[0];
            at[side][i][1] = vertex[stride];
            at[side][i][2] = vertex[2 * stride];
        }
    }
}

/* What else is to be known of a candidate. */
PLI_DEVICE void pli_find_candidate(const pli_cuda_step *s, uint64_t place, uint32_t slots,
                                   pli_cuda_found *found)
{
    pli_cuda_pair pair = s->cluster_pairs[place];
    found->bodies = pair.bodies;
    for (int side = 0; side < 2; side++) {
        const pli_cuda_site *site = &s->sites[side == 0 ? pair.a : pair.b];
        found->body[side] = site->body;
        found->slot[side] =
            (uint64_t)site->own * PLI_CUDA_SLOTS + (slots >> (side == 0 ? 6 : 0) & 63u);
    }
    found->one = found->body[0] == found->body[1];
}

/* The triangles of a candidate as a key has them. */
PLI_DEVICE uint64_t pli_name_triangles(const pli_cuda_step *s, const pli_cuda_found *found)
{
    uint64_t a = s->bodies[found->body[0]].shape->triangles[found->slot[0]];
    uint64_t b = s->bodies[found->body[1]].shape->triangles[found->slot[1]];
    return found->one && a > b ? b << 32 | a : a << 32 | b;
}

/* Reads a candidate with what its triangles share, and judges it by that and by groups. */
PLI_DEVICE void pli_read_candidate(const pli_cuda_step *s, uint64_t place, uint32_t slots,
                                   pli_cuda_candidate *c)
{
    pli_read_corners(s, place, slots, c->corners.at);
    pli_find_candidate(s, place, slots, &c->found);
    c->triangles = pli_name_triangles(s, &c->found);
    c->shared.count = 0;
    c->verdict = PLI_CUDA_UNSURE;
    if (!pli_groups_allow(s, &c->found)) {
        c->verdict = PLI_CUDA_APART;
    } else if (c->found.one) {
        const pli_cuda_shape *shape = s->bodies[c->found.body[0]].shape;
        for (int side = 0; side < 2; side++) {
            uint64_t slot = c->found.slot[side];
            uint32_t corners = shape->corners[slot];
            const uint32_t *names =
                shape->names + shape->clusters[slot / PLI_CUDA_SLOTS].first_vertex;
            for (int i = 0; i < 3; i++) {
                c->corners.welded[side][i] = names[corners >> (8 * i) & 255u];
            }
        }
        int shares = pli_find_shared(&c->corners, &c->shared);
        c->verdict = pli_judge_neighbours(shares, s->neighbours);
    }
}

#endif
