/* Candidates, one per lane: filters, then whole numbers, and what remains goes to the processor. */
#ifndef PLI_CUDA_KERNEL_TESTS_H
#define PLI_CUDA_KERNEL_TESTS_H

#include "exact.h"
#include "kernel_sort.h"

/* Whether triangles cannot be the least of their pair of bodies, which is all that is asked. */
PLI_DEVICE bool pli_is_beaten(const pli_cuda_step *s, uint32_t bodies, uint64_t triangles)
{
    return s->finds_first != 0 && triangles >= s->first[bodies];
}

/* Keeps those lanes' candidates that touch. */
PLI_DEVICE void pli_keep_touching(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  const uint32_t *touches, const uint32_t *bodies,
                                  const uint64_t *triangles)
{
    uint32_t lanes = pli_ballot(touches);
    if (lanes == 0) {
        return;
    }
    uint64_t base = s->finds_first != 0
                        ? 0
                        : pli_warp_add(&s->counters[PLI_CUDA_TOUCHING], pli_count_bits(lanes));
    PLI_LANES(warp)
    if ((lanes >> lane & 1u) != 0) {
        uint32_t pair = PLI_AT(bodies);
        uint64_t at = base + pli_lower_lanes(lanes, lane);
        if (s->finds_first != 0) {
            pli_atomic_min(&s->first[pair], PLI_AT(triangles));
        } else {
            pli_add_contact(s, at, s->pairs[pair], PLI_AT(triangles));
        }
    }
    PLI_END
}

/* Counts the tests of a warp. */
PLI_DEVICE void pli_count_tests(const pli_cuda_step *s, const uint32_t *tested)
{
    uint32_t lanes = pli_ballot(tested);
    if (lanes != 0) {
        (void)pli_warp_add(&s->counters[PLI_CUDA_TESTED], pli_count_bits(lanes));
    }
}

/* Float, and where it cannot say, double. */
PLI_DEVICE int pli_filter_pair(const pli_cuda_step *s, const pli_cuda_corners *corners,
                               const pli_cuda_shared *shared)
{
    int verdict = s->forces_exact == 0 ? pli_float_decide(corners, shared) : PLI_CUDA_UNSURE;
    return verdict == PLI_CUDA_UNSURE && s->forces_exact == 0 ? pli_double_decide(corners, shared)
                                                              : verdict;
}

PLI_DEVICE void pli_leave_undecided(const pli_cuda_step *s, uint64_t name)
{
    uint64_t at = pli_atomic_add(&s->counters[PLI_CUDA_UNDECIDED], 1);
    if (at < s->capacity[PLI_CUDA_UNDECIDED]) {
        s->undecided[at] = name;
    }
}

/* Candidate i, by its pair of clusters and two slots; false where there is none. */
PLI_DEVICE bool pli_take_candidate(const pli_cuda_step *s, uint64_t i, uint64_t count,
                                   uint64_t *place, uint32_t *slots)
{
    uint32_t name = i < count ? s->candidates[i] : UINT32_MAX;
    if (name == UINT32_MAX) {
        return false;
    }
    *place = (uint64_t)s->bases[i / PLI_CUDA_CHUNK] + (name >> PLI_CUDA_SLOT_BITS);
    *slots = name & ((1u << PLI_CUDA_SLOT_BITS) - 1);
    return true;
}

/* Reads a candidate of the other queues. */
PLI_DEVICE void pli_read_named(const pli_cuda_step *s, uint64_t name, pli_cuda_candidate *c)
{
    pli_read_candidate(s, name >> PLI_CUDA_SLOT_BITS,
                       (uint32_t)name & ((1u << PLI_CUDA_SLOT_BITS) - 1), c);
}

/* Whether a candidate has to be looked at at all. */
PLI_DEVICE bool pli_is_wanted(const pli_cuda_step *s, uint64_t place, uint32_t slots)
{
    if (s->has_groups == 0 && s->finds_first == 0) {
        return true;
    }
    pli_cuda_found found;
    pli_find_candidate(s, place, slots, &found);
    return pli_groups_allow(s, &found) &&
           (s->finds_first == 0 || !pli_is_beaten(s, found.bodies, pli_name_triangles(s, &found)));
}

/* 32 candidates that share no vertex. */
PLI_DEVICE void pli_filter_candidates(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      uint64_t first, uint64_t count)
{
    PLI_VARIES(uint32_t, touches);
    PLI_VARIES(uint32_t, tested);
    PLI_VARIES(uint32_t, bodies);
    PLI_VARIES(uint64_t, triangles);
    PLI_LANES(warp)
    uint64_t place;
    uint32_t slots;
    PLI_OF(touches) = PLI_OF(tested) = PLI_OF(bodies) = 0;
    PLI_OF(triangles) = 0;
    if (pli_take_candidate(s, first + lane, count, &place, &slots)) {
        pli_cuda_corners corners;
        pli_cuda_shared none;
        none.count = 0;
        pli_read_corners(s, place, slots, corners.at);
        PLI_OF(tested) = pli_is_wanted(s, place, slots);
        int verdict = PLI_OF(tested) != 0 ? pli_filter_pair(s, &corners, &none) : PLI_CUDA_APART;
        if (verdict == PLI_CUDA_TOUCH) {
            pli_cuda_found found;
            pli_find_candidate(s, place, slots, &found);
            PLI_OF(touches) = 1;
            PLI_OF(bodies) = found.bodies;
            PLI_OF(triangles) = pli_name_triangles(s, &found);
        } else if (verdict == PLI_CUDA_UNSURE) {
            pli_leave_undecided(s, place << PLI_CUDA_SLOT_BITS | slots);
        }
    }
    PLI_END
    pli_count_tests(s, PLI_REF(tested));
    pli_keep_touching(s, warp, PLI_REF(touches), PLI_REF(bodies), PLI_REF(triangles));
}

PLI_DEVICE void pli_kernel_filter(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_CANDIDATES);
    uint64_t rows = (count + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES;
    for (uint64_t i = warp->number; i < rows; i += warp->count) {
        pli_filter_candidates(s, warp, pli_item(warp, i, rows) * PLI_CUDA_LANES, count);
    }
}

/* 32 candidates of one body each that may share vertices. */
PLI_DEVICE void pli_filter_neighbours(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      uint64_t first, uint64_t count)
{
    PLI_VARIES(uint32_t, touches);
    PLI_VARIES(uint32_t, tested);
    PLI_VARIES(uint32_t, bodies);
    PLI_VARIES(uint64_t, triangles);
    PLI_LANES(warp)
    PLI_OF(touches) = PLI_OF(tested) = PLI_OF(bodies) = 0;
    PLI_OF(triangles) = 0;
    if (first + lane < count) {
        pli_cuda_candidate c;
        uint64_t name = s->neighbours_found[first + lane];
        pli_read_named(s, name, &c);
        PLI_OF(bodies) = c.found.bodies;
        PLI_OF(triangles) = c.triangles;
        int verdict = pli_is_beaten(s, c.found.bodies, c.triangles) ? PLI_CUDA_APART : c.verdict;
        PLI_OF(tested) = verdict == PLI_CUDA_UNSURE;
        if (verdict == PLI_CUDA_UNSURE) {
            verdict = pli_filter_pair(s, &c.corners, &c.shared);
        }
        PLI_OF(touches) = verdict == PLI_CUDA_TOUCH;
        if (verdict == PLI_CUDA_UNSURE) {
            pli_leave_undecided(s, name);
        }
    }
    PLI_END
    pli_count_tests(s, PLI_REF(tested));
    pli_keep_touching(s, warp, PLI_REF(touches), PLI_REF(bodies), PLI_REF(triangles));
}

PLI_DEVICE void pli_kernel_neighbours(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_NEIGHBOURS);
    uint64_t rows = (count + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES;
    for (uint64_t i = warp->number; i < rows; i += warp->count) {
        pli_filter_neighbours(s, warp, pli_item(warp, i, rows) * PLI_CUDA_LANES, count);
    }
}

/* Hands a candidate to the processor. */
PLI_DEVICE void pli_leave_open(const pli_cuda_step *s, const pli_cuda_candidate *c)
{
    uint64_t at = pli_atomic_add(&s->counters[PLI_CUDA_OPEN], 1);
    if (at >= s->capacity[PLI_CUDA_OPEN]) {
        return;
    }
    pli_cuda_open *open = &s->open[at];
    for (int i = 0; i < 18; i++) {
        open->corner[i / 9][i / 3 % 3][i % 3] = c->corners.at[i / 9][i / 3 % 3][i % 3];
    }
    for (int i = 0; i < 8; i++) {
        open->shared[i / 4][i % 4] = i % 4 < c->shared.count ? c->shared.corner[i / 4][i % 4] : 0;
    }
    open->place = c->found.bodies;
    open->shared_count = (uint32_t)c->shared.count;
    open->key.bodies = (uint64_t)s->pairs[c->found.bodies].a << 32 | s->pairs[c->found.bodies].b;
    open->key.triangles = c->triangles;
}

PLI_DEVICE void pli_settle_candidates(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      uint64_t first, uint64_t count)
{
    PLI_VARIES(uint32_t, touches);
    PLI_VARIES(uint32_t, bodies);
    PLI_VARIES(uint64_t, triangles);
    PLI_LANES(warp)
    PLI_OF(touches) = PLI_OF(bodies) = 0;
    PLI_OF(triangles) = 0;
    if (first + lane < count) {
        pli_cuda_candidate c;
        uint64_t name = s->undecided[first + lane];
        pli_read_named(s, name, &c);
        PLI_OF(bodies) = c.found.bodies;
        PLI_OF(triangles) = c.triangles;
        if (!pli_is_beaten(s, c.found.bodies, c.triangles)) {
            int verdict = pli_exact_decide(&c.corners, &c.shared);
            PLI_OF(touches) = verdict == PLI_CUDA_TOUCH;
            if (verdict == PLI_CUDA_UNSURE) {
                pli_leave_open(s, &c);
            }
        }
    }
    PLI_END
    pli_keep_touching(s, warp, PLI_REF(touches), PLI_REF(bodies), PLI_REF(triangles));
}

PLI_DEVICE void pli_kernel_exact(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_UNDECIDED);
    uint64_t rows = (count + PLI_CUDA_LANES - 1) / PLI_CUDA_LANES;
    for (uint64_t i = warp->number; i < rows; i += warp->count) {
        pli_settle_candidates(s, warp, pli_item(warp, i, rows) * PLI_CUDA_LANES, count);
    }
}

/* FIRST: what the processor found comes to what the device did; the keys' bodies are places among
   pairs of bodies. */
PLI_DEVICE void pli_kernel_merge_first(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                       pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = s->key_count;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_atomic_min(&s->first[s->touching[i].bodies], s->touching[i].triangles);
    }
    PLI_END
}

/* FIRST: the least of each pair of bodies becomes its contact. */
PLI_DEVICE void pli_kernel_list_first(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_BODIES);
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        if (s->first[i] != PLI_CUDA_NOTHING) {
            uint64_t at = pli_atomic_add(&s->counters[PLI_CUDA_TOUCHING], 1);
            pli_add_contact(s, at, s->pairs[i], s->first[i]);
        }
    }
    PLI_END
}

#endif
