/* Two clusters, or one with itself: which of their triangles have boxes that meet. Warps take pairs
   of clusters as they come free, since some cost much more than others. */
#ifndef PLI_CUDA_KERNEL_BOXES_H
#define PLI_CUDA_KERNEL_BOXES_H

#include "decide.h"
#include "scratch.h"

/* A cluster of a body. */
typedef struct pli_cuda_side {
    const pli_cuda_shape *shape;
    const pli_cuda_cluster *of;
    const uint32_t *corners; /* by slot */
    const float *vertices;
    pli_cuda_box box;
} pli_cuda_side;

/* Room in the queue of candidates that a warp has taken and not used yet. */
typedef struct pli_cuda_room {
    uint64_t base, left;
} pli_cuda_room;

PLI_DEVICE pli_cuda_side pli_side_of(const pli_cuda_step *s, uint32_t body, uint32_t cluster)
{
    pli_cuda_side side;
    uint32_t own = cluster - s->bodies[body].first_cluster;
    side.shape = s->bodies[body].shape;
    side.of = &side.shape->clusters[own];
    side.corners = side.shape->corners + (uint64_t)own * PLI_CUDA_SLOTS;
    side.vertices = s->vertices + (uint64_t)s->places[cluster] * PLI_CUDA_UNIT;
    side.box = s->boxes[cluster];
    return side;
}

PLI_DEVICE void pli_box_triangle(const pli_cuda_side *side, uint32_t slot, pli_cuda_box *box)
{
    uint32_t corners = side->corners[slot];
    for (uint32_t k = 0; k < 3; k++) {
        const float *axis = side->vertices + k * side->of->stride;
        int32_t x = pli_order_of(axis[corners & 255u]), y = pli_order_of(axis[corners >> 8 & 255u]);
        int32_t z = pli_order_of(axis[corners >> 16 & 255u]);
        int32_t low = x < y ? x : y, high = x < y ? y : x;
        box->lower[k] = z < low ? z : low;
        box->upper[k] = z > high ? z : high;
    }
    box->lower[3] = box->upper[3] = 0;
}

/* Puts the boxes of a side's triangles that meet the other's box side by side into the scratch;
   returns how many there are. */
PLI_DEVICE uint32_t pli_clip_side(const pli_cuda_warp *warp, const pli_cuda_side *side,
                                  const pli_cuda_box *other, pli_cuda_scratch *scratch, int which)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < side->of->triangle_count; first += PLI_CUDA_LANES) {
        PLI_VARIES(uint32_t, kept);
        PLI_VARIES(pli_cuda_box, box);
        PLI_LANES(warp)
        PLI_OF(kept) = 0;
        PLI_OF(box) = *other;
        if (first + lane < side->of->triangle_count) {
            pli_box_triangle(side, first + lane, &PLI_OF(box));
            PLI_OF(kept) = pli_boxes_meet(&PLI_OF(box), other);
        }
        PLI_END
        uint32_t lanes = pli_ballot(PLI_REF(kept));
        PLI_LANES(warp)
        if (PLI_OF(kept) != 0) {
            uint32_t at = count + pli_lower_lanes(lanes, lane);
            scratch->triangles.box[which][at] = PLI_OF(box);
            scratch->triangles.slot[which][at] = (uint8_t)(first + lane);
        }
        PLI_END
        count += pli_count_bits(lanes);
    }
    return count;
}

/* Whether two triangles of one body use a vertex in common. */
PLI_DEVICE bool pli_use_one_vertex(const pli_cuda_side *a, uint32_t slot_a, const pli_cuda_side *b,
                                   uint32_t slot_b)
{
    const uint32_t *list_a = a->shape->vertices + a->of->first_vertex;
    const uint32_t *list_b = b->shape->vertices + b->of->first_vertex;
    uint32_t corners_a = a->corners[slot_a], corners_b = b->corners[slot_b];
    uint32_t x = list_b[corners_b & 255u], y = list_b[corners_b >> 8 & 255u];
    uint32_t z = list_b[corners_b >> 16 & 255u];
    bool one = false;
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = list_a[corners_a >> (8 * i) & 255u];
        one = one || vertex == x || vertex == y || vertex == z;
    }
    return one;
}

/* Fills what is left of a warp's room with nothing. */
PLI_DEVICE void pli_close_room(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               pli_cuda_room *room)
{
    PLI_LANES(warp)
    for (uint64_t i = lane; i < room->left; i += PLI_CUDA_LANES) {
        if (room->base + i < s->capacity[PLI_CUDA_CANDIDATES]) {
            s->candidates[room->base + i] = PLI_CUDA_NOTHING;
        }
    }
    PLI_END
    room->left = 0;
}

/* Room for so many candidates; returns where it begins. */
PLI_DEVICE uint64_t pli_take_room(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_room *room, uint32_t count)
{
    if (count > room->left) {
        pli_close_room(s, warp, room);
        room->left = count > PLI_CUDA_CHUNK ? count : PLI_CUDA_CHUNK;
        room->base = pli_warp_add(&s->counters[PLI_CUDA_CANDIDATES], room->left);
    }
    uint64_t base = room->base;
    room->base += count;
    room->left -= count;
    return base;
}

/* Each lane holds one triangle of a, 32 from `first` on, and goes through all of b. */
PLI_DEVICE void pli_cross_triangles(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                    const pli_cuda_scratch *scratch, const pli_cuda_side side[2],
                                    uint32_t first, const uint32_t count[2], uint64_t pair,
                                    bool same, bool skips, pli_cuda_room *room)
{
    PLI_VARIES(uint64_t, met);
    PLI_VARIES(uint32_t, offset);
    PLI_LANES(warp)
    PLI_OF(met) = 0;
    if (first + lane < count[0]) {
        pli_cuda_box own = scratch->triangles.box[0][first + lane];
        uint32_t slot = scratch->triangles.slot[0][first + lane];
        for (uint32_t j = same ? first + lane + 1 : 0; j < count[1]; j++) {
            PLI_OF(met) |= (uint64_t)pli_boxes_meet(&own, &scratch->triangles.box[1][j]) << j;
        }
        for (uint64_t left = skips ? PLI_OF(met) : 0; left != 0; left &= left - 1) {
            uint32_t j = (uint32_t)pli_lowest_bit(left);
            if (pli_use_one_vertex(&side[0], slot, &side[1], scratch->triangles.slot[1][j])) {
                PLI_OF(met) &= ~((uint64_t)1 << j);
            }
        }
    }
    PLI_OF(offset) = pli_count_bits(PLI_OF(met));
    PLI_END
    uint32_t total = pli_scan(PLI_REF(offset));
    if (total == 0) {
        return;
    }
    uint64_t base = pli_take_room(s, warp, room, total);
    PLI_LANES(warp)
    uint64_t at = base + PLI_OF(offset);
    for (uint64_t left = PLI_OF(met); left != 0; left &= left - 1, at++) {
        uint64_t slot_a = scratch->triangles.slot[0][first + lane];
        uint64_t slot_b = scratch->triangles.slot[1][pli_lowest_bit(left)];
        if (at < s->capacity[PLI_CUDA_CANDIDATES]) {
            s->candidates[at] = pair << 12 | slot_a << 6 | slot_b;
        }
    }
    PLI_END
}

PLI_DEVICE void pli_cross_clusters(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                   pli_cuda_scratch *scratch, uint64_t place, pli_cuda_room *room)
{
    pli_cuda_pair pair = s->cluster_pairs[place];
    pli_cuda_bodies bodies = s->pairs[pair.bodies];
    if (s->places[pair.a] == UINT32_MAX || s->places[pair.b] == UINT32_MAX) {
        return; /* there was no room for their vertices: the step will be run again */
    }
    pli_cuda_side side[2];
    side[0] = pli_side_of(s, bodies.a, pair.a);
    side[1] = pli_side_of(s, bodies.b, pair.b);
    if (!pli_boxes_meet(&side[0].box, &side[1].box)) {
        return; /* evaluated ones are smaller than they were */
    }
    uint32_t count[2];
    count[0] = pli_clip_side(warp, &side[0], &side[1].box, scratch, 0);
    count[1] = count[0] == 0 ? 0 : pli_clip_side(warp, &side[1], &side[0].box, scratch, 1);
    bool same = pair.a == pair.b;
    bool skips = bodies.a == bodies.b && s->neighbours == PLI_CUDA_NEIGHBOURS_SKIP;
    for (uint32_t first = 0; count[1] > 0 && first < count[0]; first += PLI_CUDA_LANES) {
        pli_cross_triangles(s, warp, scratch, side, first, count, place, same, skips, room);
    }
}

PLI_DEVICE void pli_kernel_boxes(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    uint64_t count = pli_queued(s, PLI_CUDA_CLUSTERS);
    pli_cuda_room room = {0, 0};
    for (uint64_t i = pli_warp_add(&s->counters[PLI_CUDA_TAKEN], 1); i < count;
         i = pli_warp_add(&s->counters[PLI_CUDA_TAKEN], 1)) {
        pli_cross_clusters(s, warp, scratch, pli_item(warp, i, count), &room);
    }
    pli_close_room(s, warp, &room);
}

#endif
