/* Candidates, one per lane: filters, then whole numbers, and what remains goes to the processor. */
#ifndef PLI_CUDA_KERNEL_TESTS_H
#define PLI_CUDA_KERNEL_TESTS_H

#include "exact.h"
#include "scratch.h"

/* Whether a candidate cannot be the least of its pair of bodies, which is all that is asked. */
PLI_DEVICE bool pli_is_beaten(const pli_cuda_step *s, const pli_cuda_candidate *c)
{
    return s->finds_first != 0 && c->triangles >= s->first[c->bodies];
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
        } else if (at < s->capacity[PLI_CUDA_TOUCHING]) {
            s->touching[at].bodies = (uint64_t)s->pairs[pair].a << 32 | s->pairs[pair].b;
            s->touching[at].triangles = PLI_AT(triangles);
        }
    }
    PLI_END
}

/* 32 candidates: filters in float, then in double. */
PLI_DEVICE void pli_filter_candidates(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                      uint64_t first, uint64_t count)
{
    PLI_VARIES(uint32_t, touches);
    PLI_VARIES(uint32_t, tested);
    PLI_VARIES(uint32_t, bodies);
    PLI_VARIES(uint64_t, triangles);
    PLI_LANES(warp)
    PLI_OF(touches) = PLI_OF(tested) = PLI_OF(bodies) = 0;
    PLI_OF(triangles) = 0;
    uint64_t name = first + lane < count ? s->candidates[first + lane] : PLI_CUDA_NOTHING;
    if (name != PLI_CUDA_NOTHING) {
        pli_cuda_candidate c;
        pli_read_candidate(s, name, &c);
        PLI_OF(bodies) = c.bodies;
        PLI_OF(triangles) = c.triangles;
        int verdict = pli_is_beaten(s, &c) ? PLI_CUDA_APART : c.verdict;
        PLI_OF(tested) = verdict == PLI_CUDA_UNSURE;
        if (verdict == PLI_CUDA_UNSURE && s->forces_exact == 0) {
            verdict = pli_float_decide(&c.corners, &c.shared);
            if (verdict == PLI_CUDA_UNSURE) {
                verdict = pli_double_decide(&c.corners, &c.shared);
            }
        }
        PLI_OF(touches) = verdict == PLI_CUDA_TOUCH;
        if (verdict == PLI_CUDA_UNSURE) {
            uint64_t at = pli_atomic_add(&s->counters[PLI_CUDA_UNDECIDED], 1);
            if (at < s->capacity[PLI_CUDA_UNDECIDED]) {
                s->undecided[at] = name;
            }
        }
    }
    PLI_END
    uint32_t lanes = pli_ballot(PLI_REF(tested));
    if (lanes != 0) {
        (void)pli_warp_add(&s->counters[PLI_CUDA_TESTED], pli_count_bits(lanes));
    }
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
    open->place = c->bodies;
    open->shared_count = (uint32_t)c->shared.count;
    open->key.bodies = (uint64_t)s->pairs[c->bodies].a << 32 | s->pairs[c->bodies].b;
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
        pli_read_candidate(s, s->undecided[first + lane], &c);
        PLI_OF(bodies) = c.bodies;
        PLI_OF(triangles) = c.triangles;
        if (!pli_is_beaten(s, &c)) {
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
            if (at < s->capacity[PLI_CUDA_TOUCHING]) {
                s->touching[at].bodies = (uint64_t)s->pairs[i].a << 32 | s->pairs[i].b;
                s->touching[at].triangles = s->first[i];
            }
        }
    }
    PLI_END
}

#endif
