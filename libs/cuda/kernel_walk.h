/* From pairs of bodies to pairs of clusters: which bodies are compared, then all octets of one with
   all of the other, 32 x 32 at a time, then the clusters of two octets. Where there are no more
   than two bodies, their pairs were listed when the step began (kernel_refit.h). */
#ifndef PLI_CUDA_KERNEL_WALK_H
#define PLI_CUDA_KERNEL_WALK_H

#include "kernel_refit.h"

PLI_DEVICE uint32_t pli_octet_count(const pli_cuda_body *body)
{
    return (body->cluster_count + PLI_CUDA_OCTET - 1) / PLI_CUDA_OCTET;
}

/* Rows of 32 octets that a body has. */
PLI_DEVICE uint64_t pli_tile_rows(const pli_cuda_body *body)
{
    return (pli_octet_count(body) + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES;
}

PLI_DEVICE uint64_t pli_tile_count(const pli_cuda_step *s, uint32_t a, uint32_t b)
{
    return pli_tile_rows(&s->bodies[a]) * pli_tile_rows(&s->bodies[b]);
}

/* Adds pairs of bodies: the lane's `own` of the scratch with those `others` that its bits name. */
PLI_DEVICE void pli_add_pairs(const pli_cuda_step *s, const pli_cuda_warp *warp,
                              pli_cuda_scratch *scratch, uint32_t *count, const uint32_t *met)
{
    uint32_t total = pli_scan(count); /* which becomes the place of a lane's first one */
    uint64_t base = pli_warp_add(&s->counters[PLI_CUDA_BODIES], total);
    PLI_LANES(warp)
    uint64_t tiles = 0, place = base + PLI_AT(count);
    scratch->found.met[lane] = PLI_AT(met);
    scratch->found.place[lane] = place;
    for (uint32_t left = PLI_AT(met); left != 0; left &= left - 1, place++) {
        uint32_t a = scratch->found.own[lane], b = scratch->found.others[pli_lowest_bit(left)];
        pli_cuda_bodies pair = {a < b ? a : b, a < b ? b : a};
        tiles += pli_tile_count(s, a, b);
        if (place < s->capacity[PLI_CUDA_BODIES]) {
            s->pairs[place] = pair;
        }
    }
    scratch->found.tile[lane] = tiles > 0 ? pli_atomic_add(&s->counters[PLI_CUDA_TILES], tiles) : 0;
    PLI_END
}

/* Writes the tiles that octets of these pairs make. */
PLI_DEVICE void pli_write_tiles(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                const pli_cuda_scratch *scratch, uint32_t of)
{
    uint64_t base = scratch->found.tile[of], place = scratch->found.place[of];
    for (uint32_t left = scratch->found.met[of]; left != 0; left &= left - 1, place++) {
        uint32_t x = scratch->found.own[of], y = scratch->found.others[pli_lowest_bit(left)];
        uint64_t columns = pli_tile_rows(&s->bodies[x < y ? y : x]);
        uint64_t count = pli_tile_count(s, x, y);
        PLI_LANES(warp)
        for (uint64_t t = lane; t < count; t += PLI_CUDA_LANES) {
            if (base + t < s->capacity[PLI_CUDA_TILES]) {
                pli_cuda_pair *tile = &s->tiles[base + t];
                tile->a = (uint32_t)(t / columns);
                tile->b = (uint32_t)(t % columns);
                tile->bodies = (uint32_t)place;
            }
        }
        PLI_END
        base += count;
    }
}

/* Pairs and their tiles. */
PLI_DEVICE void pli_add_bodies(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               pli_cuda_scratch *scratch, const uint32_t *met)
{
    uint32_t lanes = pli_ballot(met);
    if (lanes == 0) {
        return;
    }
    PLI_VARIES(uint32_t, count);
    PLI_LANES(warp)
    PLI_OF(count) = pli_count_bits(PLI_AT(met));
    PLI_END
    pli_add_pairs(s, warp, scratch, PLI_REF(count), met);
    for (; lanes != 0; lanes &= lanes - 1) {
        pli_write_tiles(s, warp, scratch, pli_lowest_bit(lanes));
    }
}

/* 32 bodies and 32 others. */
PLI_DEVICE void pli_pair_bodies(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch, uint32_t first_a, uint32_t first_b)
{
    PLI_VARIES(uint32_t, met);
    PLI_LANES(warp)
    scratch->found.own[lane] = first_a + lane;
    scratch->found.others[lane] = first_b + lane;
    if (first_b + lane < s->body_count) {
        scratch->found.boxes[lane] = s->body_boxes[first_b + lane];
    }
    PLI_END
    PLI_LANES(warp)
    uint32_t a = first_a + lane, left = s->body_count - first_b;
    uint32_t near = 0, limit = left < PLI_CUDA_LANES ? left : PLI_CUDA_LANES;
    PLI_OF(met) = 0;
    if (a < s->body_count) {
        pli_cuda_ordered own = s->body_boxes[a];
        for (uint32_t j = 0; j < limit; j++) {
            near |= (uint32_t)pli_ordered_meet(&own, &scratch->found.boxes[j]) << j;
        }
    }
    for (; near != 0; near &= near - 1) {
        uint32_t j = pli_lowest_bit(near);
        PLI_OF(met) |= (uint32_t)pli_bodies_compared(s, a, first_b + j) << j;
    }
    PLI_END
    pli_add_bodies(s, warp, scratch, PLI_REF(met));
}

PLI_DEVICE void pli_kernel_broad(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    uint64_t side = (s->body_count + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES, count = side * side;
    for (uint64_t i = warp->number; i < count; i += warp->count) {
        uint64_t tile = pli_item(warp, i, count), row = tile / side, column = tile % side;
        if (row <= column) {
            pli_pair_bodies(s, warp, scratch, (uint32_t)row * PLI_CUDA_LANES,
                            (uint32_t)column * PLI_CUDA_LANES);
        }
    }
}

/* One against the rest of a sorted list: bodies[order[i]] with itself, and with those behind whose
   boxes begin before its own ends. */
PLI_DEVICE void pli_sweep_body(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               pli_cuda_scratch *scratch, uint32_t i)
{
    uint32_t own = s->order[i], more = 1;
    int32_t end = s->body_boxes[own].upper[0];
    for (uint32_t j = i; more != 0 && j < s->body_count; j += PLI_CUDA_LANES) {
        PLI_VARIES(uint32_t, met);
        PLI_VARIES(uint32_t, inside);
        PLI_LANES(warp)
        PLI_OF(met) = PLI_OF(inside) = 0;
        scratch->found.others[lane] = own;
        if (j + lane < s->body_count) {
            uint32_t other = s->order[j + lane];
            scratch->found.own[lane] = other;
            PLI_OF(inside) = s->body_boxes[other].lower[0] <= end;
            PLI_OF(met) = PLI_OF(inside) != 0 && pli_bodies_compared(s, own < other ? own : other,
                                                                     own < other ? other : own);
        }
        PLI_END
        pli_add_bodies(s, warp, scratch, PLI_REF(met));
        more = pli_ballot(PLI_REF(inside)) == PLI_ALL_LANES;
    }
}

PLI_DEVICE void pli_kernel_sweep(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    for (uint64_t i = warp->number; i < s->body_count; i += warp->count) {
        pli_sweep_body(s, warp, scratch, (uint32_t)pli_item(warp, i, s->body_count));
    }
}

/* Bodies as keys that are sorted by where their boxes begin. */
PLI_DEVICE void pli_kernel_order_keys(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      pli_cuda_scratch *scratch)
{
    (void)scratch;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < s->body_count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        uint32_t order = (uint32_t)s->body_boxes[i].lower[0] ^ 0x80000000u;
        s->touching[i].bodies = 0;
        s->touching[i].triangles = (uint64_t)order << 32 | i;
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_order(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < s->body_count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        s->order[i] = (uint32_t)s->touching[i].triangles;
    }
    PLI_END
}

/* 32 octets of one body and 32 of another, or of the same. */
PLI_DEVICE void pli_open_tile(const pli_cuda_step *s, const pli_cuda_warp *warp,
                              pli_cuda_scratch *scratch, pli_cuda_pair tile)
{
    pli_cuda_bodies bodies = s->pairs[tile.bodies];
    bool one = bodies.a == bodies.b;
    if (one && tile.a > tile.b) {
        return;
    }
    uint32_t first_a = s->bodies[bodies.a].first_cluster / PLI_CUDA_OCTET;
    uint32_t first_b = s->bodies[bodies.b].first_cluster / PLI_CUDA_OCTET;
    uint32_t left_a = pli_octet_count(&s->bodies[bodies.a]) - tile.a * PLI_CUDA_LANES;
    uint32_t left_b = pli_octet_count(&s->bodies[bodies.b]) - tile.b * PLI_CUDA_LANES;
    uint32_t count = left_b < PLI_CUDA_LANES ? left_b : PLI_CUDA_LANES;
    first_a += tile.a * PLI_CUDA_LANES;
    first_b += tile.b * PLI_CUDA_LANES;
    PLI_VARIES(uint32_t, met);
    PLI_VARIES(uint32_t, offset);
    PLI_LANES(warp)
    if (lane < count) {
        scratch->boxes[lane] = s->octet_boxes[first_b + lane];
    }
    PLI_END
    PLI_LANES(warp)
    PLI_OF(met) = 0;
    if (lane < left_a) {
        pli_cuda_ordered own = s->octet_boxes[first_a + lane];
        for (uint32_t j = one && tile.a == tile.b ? lane : 0; j < count; j++) {
            PLI_OF(met) |= (uint32_t)pli_ordered_meet(&own, &scratch->boxes[j]) << j;
        }
    }
    PLI_OF(offset) = pli_count_bits(PLI_OF(met));
    PLI_END
    uint32_t total = pli_scan(PLI_REF(offset));
    if (total == 0) {
        return;
    }
    uint64_t base = pli_warp_add(&s->counters[PLI_CUDA_OCTETS], total);
    PLI_LANES(warp)
    uint64_t at = base + PLI_OF(offset);
    for (uint32_t left = PLI_OF(met); left != 0; left &= left - 1, at++) {
        if (at < s->capacity[PLI_CUDA_OCTETS]) {
            s->octet_pairs[at].a = first_a + lane;
            s->octet_pairs[at].b = first_b + pli_lowest_bit(left);
            s->octet_pairs[at].bodies = tile.bodies;
        }
    }
    PLI_END
}

/* Tile i of the few bodies' pairs, as if all were in a queue. */
PLI_DEVICE pli_cuda_pair pli_few_tile(const pli_cuda_step *s, uint64_t i)
{
    pli_cuda_pair tile = {0, 0, 0};
    for (uint32_t p = 0; p < s->counters[PLI_CUDA_BODIES]; p++) {
        uint64_t columns = pli_tile_rows(&s->bodies[s->pairs[p].b]);
        uint64_t count = pli_tile_rows(&s->bodies[s->pairs[p].a]) * columns;
        if (i < count) {
            tile.a = (uint32_t)(i / columns);
            tile.b = (uint32_t)(i % columns);
            tile.bodies = p;
            return tile;
        }
        i -= count;
    }
    return tile;
}

PLI_DEVICE uint64_t pli_few_tile_count(const pli_cuda_step *s)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < s->counters[PLI_CUDA_BODIES]; p++) {
        count += pli_tile_count(s, s->pairs[p].a, s->pairs[p].b);
    }
    return count;
}

PLI_DEVICE void pli_kernel_tiles(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    bool few = s->body_count <= 2;
    uint64_t count = few ? pli_few_tile_count(s) : pli_queued(s, PLI_CUDA_TILES);
    for (uint64_t i = warp->number; i < count; i += warp->count) {
        uint64_t item = pli_item(warp, i, count);
        pli_open_tile(s, warp, scratch, few ? pli_few_tile(s, item) : s->tiles[item]);
    }
}

/* Of 8 x 8 clusters, two pairs per lane, those in a pair that meets: bits 0 to 7 the first octet's,
   8 to 15 the second's. `halves` are the lanes whose first and whose second pair meet. */
PLI_DEVICE uint32_t pli_used_clusters(const uint32_t halves[2])
{
    uint32_t used = 0, columns = halves[0] | halves[1];
    for (uint32_t k = 0; k < PLI_CUDA_OCTET; k++) {
        used |= (halves[k / 4] >> 8 * (k % 4) & 255u) != 0 ? 1u << k : 0;
        used |= (columns & 0x01010101u << k) != 0 ? 256u << k : 0;
    }
    return used;
}

/* Clusters whose vertices follow from their body's state are wanted: the first who wants one gives
   it a place and has it evaluated. Each of the first sixteen lanes has one of two octets. */
PLI_DEVICE void pli_want_clusters(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  const pli_cuda_pair *pair, uint32_t used)
{
    PLI_VARIES(uint32_t, is_new);
    PLI_VARIES(uint32_t, units);
    PLI_LANES(warp)
    PLI_OF(is_new) = PLI_OF(units) = 0;
    if ((used >> lane & 1u) != 0) {
        uint32_t octet = lane < PLI_CUDA_OCTET ? pair->a : pair->b;
        uint32_t cluster = octet * PLI_CUDA_OCTET + lane % PLI_CUDA_OCTET;
        pli_cuda_site site = s->sites[cluster];
        const pli_cuda_body *body = &s->bodies[site.body];
        PLI_OF(is_new) = body->positions == NULL && s->marks[cluster] == 0 &&
                         pli_atomic_exchange(&s->marks[cluster], 1) == 0;
        PLI_OF(units) = PLI_OF(is_new) != 0 ? 3u * site.stride / PLI_CUDA_UNIT : 0;
    }
    PLI_END
    uint32_t lanes = pli_ballot(PLI_REF(is_new));
    if (lanes == 0) {
        return;
    }
    uint32_t total = pli_scan(PLI_REF(units));
    uint64_t first_unit = pli_warp_add(&s->counters[PLI_CUDA_UNITS], total);
    uint64_t first = pli_warp_add(&s->counters[PLI_CUDA_EVALUATED], pli_count_bits(lanes));
    uint64_t capacity = s->capacity[PLI_CUDA_UNITS];
    bool fits = first_unit + total <= capacity;
    PLI_LANES(warp)
    if (PLI_OF(is_new) != 0) {
        uint32_t octet = lane < PLI_CUDA_OCTET ? pair->a : pair->b;
        uint32_t cluster = octet * PLI_CUDA_OCTET + lane % PLI_CUDA_OCTET;
        uint64_t at = first + pli_lower_lanes(lanes, lane);
        s->sites[cluster].place = fits ? (uint32_t)(first_unit + PLI_OF(units)) : UINT32_MAX;
        if (at < s->capacity[PLI_CUDA_EVALUATED]) {
            s->evaluated[at] = cluster;
        }
    }
    PLI_END
}

/* Two octets: 8 x 8 clusters, two pairs per lane. */
PLI_DEVICE void pli_open_octets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_pair pair)
{
    uint32_t first_a = pair.a * PLI_CUDA_OCTET, first_b = pair.b * PLI_CUDA_OCTET;
    PLI_VARIES(uint32_t, met);
    PLI_VARIES(uint32_t, offset);
    PLI_LANES(warp)
    PLI_OF(met) = 0;
    uint32_t b = lane % PLI_CUDA_OCTET;
    pli_cuda_box other = s->boxes[first_b + b];
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t a = lane / PLI_CUDA_OCTET + 4 * half;
        if ((pair.a != pair.b || a <= b) && pli_boxes_meet(&s->boxes[first_a + a], &other)) {
            PLI_OF(met) |= 1u << half;
        }
    }
    PLI_OF(offset) = pli_count_bits(PLI_OF(met));
    PLI_END
    uint32_t total = pli_scan(PLI_REF(offset));
    if (total == 0) {
        return;
    }
    if (s->lazy_count > 0) {
        uint32_t halves[2];
        for (uint32_t half = 0; half < 2; half++) {
            PLI_VARIES(uint32_t, bit);
            PLI_LANES(warp)
            PLI_OF(bit) = PLI_OF(met) >> half & 1u;
            PLI_END
            halves[half] = pli_ballot(PLI_REF(bit));
        }
        pli_want_clusters(s, warp, &pair, pli_used_clusters(halves));
    }
    uint64_t base = pli_warp_add(&s->counters[PLI_CUDA_CLUSTERS], total);
    PLI_LANES(warp)
    uint64_t at = base + PLI_OF(offset);
    for (uint32_t half = 0; half < 2; half++) {
        if ((PLI_OF(met) >> half & 1u) != 0) {
            uint32_t a = first_a + lane / PLI_CUDA_OCTET + 4 * half;
            uint32_t b = first_b + lane % PLI_CUDA_OCTET;
            if (at < s->capacity[PLI_CUDA_CLUSTERS]) {
                s->cluster_pairs[at].a = a;
                s->cluster_pairs[at].b = b;
                s->cluster_pairs[at].bodies = pair.bodies;
            }
            at++;
        }
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_octets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_OCTETS);
    for (uint64_t i = warp->number; i < count; i += warp->count) {
        pli_open_octets(s, warp, s->octet_pairs[pli_item(warp, i, count)]);
    }
}

#endif
