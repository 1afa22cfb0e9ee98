/*
 * Two clusters, or one with itself: which of their triangles have boxes that meet. Warps take pairs
 * of clusters as they come free, since some cost much more than others; where there are fewer pairs
 * than warps, several share one. What a pair costs is instructions, not memory: the vertices of a
 * cluster are brought to the warp's scratch, triangles whose boxes miss the other cluster are left
 * out, then lanes hold one triangle each and go through those of the other side.
 *
 * Triangles of one body that share a vertex go to a queue of their own, or nowhere where that is
 * known to be no contact (PLI_CUDA_SETTLED). Within a cluster it is known beforehand which share.
 */
#ifndef PLI_CUDA_KERNEL_BOXES_H
#define PLI_CUDA_KERNEL_BOXES_H

#include "outlines.h"

enum { PLI_CUDA_PART_BITS = 3 }; /* at most 8 warps share a pair of clusters */

/* Room in the queue of candidates that a warp has taken and not used yet. Candidates there name
   pairs of clusters by how far they are behind `pair`. */
typedef struct pli_cuda_room {
    uint64_t base;
    uint32_t pair, left;
} pli_cuda_room;

/* Fills what is left of a warp's room with nothing. */
PLI_DEVICE void pli_close_room(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               pli_cuda_room *room)
{
    PLI_LANES(warp)
    for (uint32_t i = lane; i < room->left; i += PLI_CUDA_LANES) {
        if (room->base + i < s->capacity[PLI_CUDA_CANDIDATES]) {
            s->candidates[room->base + i] = UINT32_MAX;
        }
    }
    PLI_END
    room->left = 0;
}

/* Chunks for so many candidates, all of which name pairs from `pair` on. */
PLI_DEVICE void pli_open_room(const pli_cuda_step *s, const pli_cuda_warp *warp,
                              pli_cuda_room *room, uint32_t count, uint32_t pair)
{
    uint32_t chunks = (count + PLI_CUDA_CHUNK - 1) / PLI_CUDA_CHUNK;
    room->pair = pair;
    room->left = chunks * PLI_CUDA_CHUNK;
    room->base = pli_warp_add(&s->counters[PLI_CUDA_CANDIDATES], room->left);
    PLI_LANES(warp)
    for (uint32_t i = lane; i < chunks; i += PLI_CUDA_LANES) {
        if (room->base + i * PLI_CUDA_CHUNK < s->capacity[PLI_CUDA_CANDIDATES]) {
            s->bases[room->base / PLI_CUDA_CHUNK + i] = pair;
        }
    }
    PLI_END
}

/* Whether a pair can be named in a room. */
PLI_DEVICE bool pli_names_pair(const pli_cuda_room *room, uint32_t pair)
{
    return pair >= room->pair && pair - room->pair < UINT32_MAX >> PLI_CUDA_SLOT_BITS;
}

/* A pair of clusters whose triangles are in the scratch. */
typedef struct pli_cuda_crossing {
    uint32_t pair;
    uint32_t row_count, column_count; /* triangles */
    int rows;                         /* the side that lanes hold triangles of, and */
    int columns;                      /* the other; the same where it is one cluster */
    const uint64_t *masks;            /* of that cluster; NULL where there are two */
    bool one;                         /* it is one body */
    bool settled;                     /* triangles of one side that share a vertex are no contact */
} pli_cuda_crossing;

/* The two slots of a row and a column, as candidates have them. */
PLI_DEVICE uint32_t pli_slots_of(const pli_cuda_scratch *scratch, const pli_cuda_crossing *c,
                                 uint32_t row, uint32_t column)
{
    uint32_t own = scratch->triangles.outline[c->rows][row].slot;
    uint32_t other = scratch->triangles.outline[c->columns][column].slot;
    return c->rows == 0 ? own << 6 | other : other << 6 | own;
}

/* Writes candidates of a pair, `total` in all: those of each lane begin at its offset, and are one
   for each bit of `met`, the columns from `column` on. */
PLI_DEVICE void pli_write_candidates(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                     const pli_cuda_scratch *scratch, const pli_cuda_crossing *c,
                                     uint32_t row, uint32_t column, const uint32_t *met,
                                     const uint32_t *offset, uint32_t total, pli_cuda_room *room)
{
    if (!pli_names_pair(room, c->pair)) {
        pli_close_room(s, warp, room);
    }
    pli_cuda_room old = *room;
    if (total > old.left) { /* the rest of the old room is filled first */
        pli_open_room(s, warp, room, total - old.left, c->pair);
    }
    uint32_t kept = old.left < total ? old.left : total;
    uint64_t next = total > old.left ? room->base : old.base;
    uint32_t before = total > old.left ? kept : 0;
    PLI_LANES(warp)
    uint32_t at = PLI_AT(offset);
    for (uint32_t left = PLI_AT(met); left != 0; left &= left - 1, at++) {
        uint32_t slots = pli_slots_of(scratch, c, row + lane, column + pli_lowest_bit(left));
        bool in_old = at < kept;
        uint64_t place = in_old ? old.base + at : next + (at - before);
        uint32_t distance = c->pair - (in_old ? old.pair : room->pair);
        if (place < s->capacity[PLI_CUDA_CANDIDATES]) {
            s->candidates[place] = distance << PLI_CUDA_SLOT_BITS | slots;
        }
    }
    PLI_END
    uint32_t used = total - before;
    room->base = next + used;
    room->left -= used;
}

/* The same for triangles that may share a vertex. */
PLI_DEVICE void pli_write_neighbours(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                     const pli_cuda_scratch *scratch, const pli_cuda_crossing *c,
                                     uint32_t row, uint32_t column, const uint32_t *near,
                                     const uint32_t *offset, uint32_t total)
{
    uint64_t base = pli_warp_add(&s->counters[PLI_CUDA_NEIGHBOURS], total);
    PLI_LANES(warp)
    uint64_t at = base + PLI_AT(offset);
    for (uint32_t left = PLI_AT(near); left != 0; left &= left - 1, at++) {
        if (at < s->capacity[PLI_CUDA_NEIGHBOURS]) {
            s->neighbours_found[at] =
                (uint64_t)c->pair << PLI_CUDA_SLOT_BITS |
                pli_slots_of(scratch, c, row + lane, column + pli_lowest_bit(left));
        }
    }
    PLI_END
}

/* Of the bits of `met`, columns whose triangles share a vertex with the lane's; *settled are those
   of them that share one that settles it. */
PLI_DEVICE uint32_t pli_sharing(const pli_cuda_scratch *scratch, const pli_cuda_crossing *c,
                                uint32_t row, uint32_t column, uint32_t met, uint32_t *settled)
{
    const uint32_t(*columns)[PLI_CUDA_SLOTS] = scratch->triangles.used[c->columns];
    uint32_t own[3], sharing = 0;
    PLI_UNROLL
    for (int i = 0; i < 3; i++) {
        own[i] = scratch->triangles.used[c->rows][i][row];
    }
    for (uint32_t left = met; left != 0; left &= left - 1) {
        uint32_t j = column + pli_lowest_bit(left), bit = left & (0u - left);
        uint32_t x = columns[0][j], y = columns[1][j], z = columns[2][j];
        bool first = (own[0] == x) | (own[0] == y) | (own[0] == z);
        bool second = (own[1] == x) | (own[1] == y) | (own[1] == z);
        bool third = (own[2] == x) | (own[2] == y) | (own[2] == z);
        sharing |= (first | second | third) ? bit : 0;
        if (!c->settled) {
            uint32_t shared = (first ? own[0] : 0) | (second ? own[1] : 0) | (third ? own[2] : 0);
            *settled |= (shared & PLI_CUDA_SETTLED) != 0 ? bit : 0;
        }
    }
    *settled = c->settled ? sharing : *settled;
    return sharing;
}

/* 32 triangles of one side and the other's from `column` to before `end`, at most 32. */
PLI_DEVICE void pli_cross_triangles(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                    const pli_cuda_scratch *scratch, const pli_cuda_crossing *c,
                                    uint32_t row, uint32_t column, uint32_t end,
                                    pli_cuda_room *room)
{
    const pli_cuda_outline *columns = scratch->triangles.outline[c->columns] + column;
    uint32_t limit = end - column < PLI_CUDA_LANES ? end - column : PLI_CUDA_LANES;
    PLI_VARIES(uint32_t, met);
    PLI_VARIES(uint32_t, near);
    PLI_VARIES(uint32_t, offset);
    PLI_LANES(warp)
    PLI_OF(met) = PLI_OF(near) = 0;
    if (row + lane < c->row_count) {
        pli_cuda_outline own = scratch->triangles.outline[c->rows][row + lane];
        uint32_t met_by = 0, settled = 0, least[3];
        PLI_UNROLL
        for (int k = 0; k < 3; k++) { /* from (greatest, -least) to (least, -greatest) */
            least[k] = (own.axis[k] >> 16 | own.axis[k] << 16) ^ 0x80008000u;
        }
        PLI_UNROLL_BY_FOUR
        for (uint32_t j = 0; j < limit; j++) {
            pli_cuda_outline other = columns[j];
            met_by |= pli_halves_at_most(least, other.axis) << j;
        }
        uint32_t sharing = c->one ? met_by : 0;
        if (c->masks != NULL) { /* slots are places here; each pair is met once */
            uint32_t behind = row + lane >= column ? row + lane - column + 1 : 0;
            met_by = behind < 32 ? met_by >> behind << behind : 0;
            sharing = met_by & (uint32_t)(c->masks[row + lane] >> column);
        }
        if (c->masks != NULL && c->settled) {
            settled = sharing;
        } else if (sharing != 0) {
            sharing = pli_sharing(scratch, c, row + lane, column, sharing, &settled);
        }
        PLI_OF(met) = met_by & ~sharing;
        PLI_OF(near) = sharing & ~settled;
    }
    PLI_OF(offset) = pli_count_bits(PLI_OF(met));
    PLI_END
    if (pli_ballot(PLI_REF(met)) != 0) {
        uint32_t total = pli_scan(PLI_REF(offset));
        pli_write_candidates(s, warp, scratch, c, row, column, PLI_REF(met), PLI_REF(offset), total,
                             room);
    }
    if (c->one && pli_ballot(PLI_REF(near)) != 0) {
        PLI_LANES(warp)
        PLI_OF(offset) = pli_count_bits(PLI_OF(near));
        PLI_END
        uint32_t total = pli_scan(PLI_REF(offset));
        pli_write_neighbours(s, warp, scratch, c, row, column, PLI_REF(near), PLI_REF(offset),
                             total);
    }
}

/* Where names of both sides are, if both are of one body. */
PLI_DEVICE void pli_name_sides(const pli_cuda_step *s, bool one, pli_cuda_sides *sides)
{
    bool has_fans = one && s->uses_fans != 0 && pli_has_fans(s, &s->bodies[sides->site[0].body]);
    bool flagged = has_fans || s->neighbours == PLI_CUDA_NEIGHBOURS_SKIP;
    sides->flags = flagged ? UINT32_MAX : ~PLI_CUDA_SETTLED;
    PLI_UNROLL
    for (int k = 0; k < 2; k++) {
        sides->names[k] = !one       ? NULL
                          : has_fans ? pli_names_at(s, sides->site[k].place)
                                     : sides->site[k].names;
    }
}

/* How many turns rows of one side make. */
PLI_DEVICE uint32_t pli_turns(uint32_t row_count, uint32_t column_count)
{
    return (row_count + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES * column_count;
}

PLI_DEVICE void pli_cross_clusters(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                   pli_cuda_scratch *scratch, uint32_t place, uint32_t part_bits,
                                   uint32_t part, pli_cuda_room *room)
{
    pli_cuda_pair pair = s->cluster_pairs[place];
    pli_cuda_sides sides;
    sides.site[0] = s->sites[pair.a];
    sides.site[1] = s->sites[pair.b];
    sides.box[0] = s->boxes[pair.a];
    sides.box[1] = s->boxes[pair.b];
    sides.count = pair.a == pair.b ? 1 : 2;
    if (sides.site[0].place == UINT32_MAX || sides.site[1].place == UINT32_MAX) {
        return; /* there was no room for their vertices: the step will be run again */
    }
    if (!pli_boxes_meet(&sides.box[0], &sides.box[1])) {
        return; /* evaluated ones are smaller than they were */
    }
    pli_cuda_crossing c;
    c.pair = place;
    c.one = sides.site[0].body == sides.site[1].body;
    pli_name_sides(s, c.one, &sides);
    PLI_VARIES(pli_cuda_held, held);
    pli_load_sides(s, warp, &sides, scratch, PLI_REF(held));
    pli_outline_sides(warp, &sides, scratch, PLI_REF(held));
    pli_cuda_kept kept = pli_keep_sides(warp, &sides, scratch, PLI_REF(held));
    c.settled = kept.settled;
    c.masks = NULL;
    c.rows = c.columns = 0;
    c.row_count = c.column_count = kept.count[0];
    if (sides.count == 1) {
        const pli_cuda_site *site = &s->sites[pair.a];
        c.masks = s->bodies[site->body].shape->masks + (uint64_t)site->own * PLI_CUDA_SLOTS;
    } else {
        bool turned =
            pli_turns(kept.count[1], kept.count[0]) < pli_turns(kept.count[0], kept.count[1]);
        c.rows = turned ? 1 : 0;
        c.columns = 1 - c.rows;
        c.row_count = turned ? kept.count[1] : kept.count[0];
        c.column_count = turned ? kept.count[0] : kept.count[1];
    }
    uint32_t begin = c.column_count * part >> part_bits;
    uint32_t end = c.column_count * (part + 1) >> part_bits;
    for (uint32_t row = 0; row < c.row_count; row += PLI_CUDA_LANES) {
        uint32_t first = c.masks != NULL && begin < row ? row : begin; /* later ones of the same */
        for (uint32_t j = first; j < end; j += PLI_CUDA_LANES) {
            pli_cross_triangles(s, warp, scratch, &c, row, j, end, room);
        }
    }
}

/* Into 2 to the power of how many parts a pair is cut, so that no warp is left without one. */
PLI_DEVICE uint32_t pli_part_bits(const pli_cuda_warp *warp, uint64_t count)
{
    uint32_t bits = 0;
    while (bits < PLI_CUDA_PART_BITS && count << (bits + 1) <= warp->count) {
        bits++;
    }
    return bits;
}

PLI_DEVICE void pli_kernel_boxes(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    uint64_t count = pli_queued(s, PLI_CUDA_CLUSTERS);
    uint32_t bits = pli_part_bits(warp, count);
    uint64_t items = count << bits;
    pli_cuda_room room = {0, 0, 0};
    PLI_VARIES(uint64_t, next); /* what lane 0 takes while the warp is still busy */
    for (uint64_t i = warp->number; i < items; i = warp->count + pli_of_first_lane(PLI_REF(next))) {
        PLI_LANES(warp)
        PLI_OF(next) = lane == 0 ? pli_atomic_add(&s->counters[PLI_CUDA_TAKEN], 1) : 0;
        PLI_END
        uint64_t item = pli_item(warp, i, items);
        uint32_t part = (uint32_t)item & ((1u << bits) - 1);
        pli_cross_clusters(s, warp, scratch, (uint32_t)(item >> bits), bits, part, &room);
    }
    pli_close_room(s, warp, &room);
}

#endif
