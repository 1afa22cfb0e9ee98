/*
 * Contacts in ascending order. Usually: they are counted by buckets that are in that order, put side
 * by side, and each finds its rank by counting the lesser ones of its bucket. Where a bucket is so
 * full that this would take long, they are sorted by digits instead, from the last to the first,
 * which takes the same time whatever they are.
 */
#ifndef PLI_CUDA_KERNEL_SORT_H
#define PLI_CUDA_KERNEL_SORT_H

#include "scratch.h"

PLI_DEVICE bool pli_key_less(const pli_cuda_key *a, const pli_cuda_key *b)
{
    return a->bodies != b->bodies ? a->bodies < b->bodies : a->triangles < b->triangles;
}

/* The bucket of a contact: by its bodies, and by the first triangle where bodies are few. */
PLI_DEVICE uint32_t pli_bucket_of(const pli_cuda_step *s, const pli_cuda_key *key)
{
    uint64_t n = s->body_count, cells = n * n;
    uint64_t cell = (key->bodies >> 32) * n + (key->bodies & UINT32_MAX);
    if (cells >= PLI_CUDA_BUCKETS) {
        return (uint32_t)(cell / (cells / PLI_CUDA_BUCKETS + 1));
    }
    uint64_t places = cells * s->most_triangles;
    uint64_t place = cell * s->most_triangles + (key->triangles >> 32);
    return (uint32_t)(place * PLI_CUDA_BUCKETS / places);
}

PLI_DEVICE void pli_write_contact(const pli_cuda_step *s, uint64_t at, const pli_cuda_key *key)
{
    s->sorted[4 * at] = (uint32_t)(key->bodies >> 32);
    s->sorted[4 * at + 1] = (uint32_t)key->bodies;
    s->sorted[4 * at + 2] = (uint32_t)(key->triangles >> 32);
    s->sorted[4 * at + 3] = (uint32_t)key->triangles;
}

PLI_DEVICE void pli_kernel_clear_buckets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    (void)scratch;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < 2 * (uint64_t)PLI_CUDA_BUCKETS;
         i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        s->bucket_sizes[i] = 0;
    }
    if (start == 0) {
        s->counters[PLI_CUDA_FULLEST] = 0;
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_count(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_atomic_add32(&s->bucket_sizes[pli_bucket_of(s, &s->touching[i])], 1);
    }
    PLI_END
}

/* Where each bucket begins; one warp does it, each lane a row of buckets. */
PLI_DEVICE void pli_kernel_begin_buckets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    (void)scratch;
    if (warp->number != 0) {
        return;
    }
    enum { ROW = PLI_CUDA_BUCKETS / PLI_CUDA_LANES };
    uint32_t *starts = s->bucket_sizes + 2 * PLI_CUDA_BUCKETS;
    PLI_VARIES(uint32_t, sum);
    PLI_LANES(warp)
    uint32_t fullest = 0;
    PLI_OF(sum) = 0;
    for (uint32_t i = lane * ROW; i < (lane + 1) * ROW; i++) {
        uint32_t size = s->bucket_sizes[i];
        PLI_OF(sum) += size;
        fullest = size > fullest ? size : fullest;
    }
    pli_atomic_max(&s->counters[PLI_CUDA_FULLEST], fullest);
    PLI_END
    (void)pli_scan(PLI_REF(sum));
    PLI_LANES(warp)
    uint32_t at = PLI_OF(sum);
    for (uint32_t i = lane * ROW; i < (lane + 1) * ROW; i++) {
        starts[i] = at;
        at += s->bucket_sizes[i];
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_scatter(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                   pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    uint32_t *cursors = s->bucket_sizes + PLI_CUDA_BUCKETS;
    const uint32_t *starts = cursors + PLI_CUDA_BUCKETS;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        uint32_t bucket = pli_bucket_of(s, &s->touching[i]);
        s->scattered[starts[bucket] + pli_atomic_add32(&cursors[bucket], 1)] = s->touching[i];
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_rank(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    const uint32_t *starts = s->bucket_sizes + 2 * PLI_CUDA_BUCKETS;
    PLI_LANES(warp)
    uint64_t first = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = first; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_cuda_key key = s->scattered[i];
        uint32_t bucket = pli_bucket_of(s, &key), size = s->bucket_sizes[bucket], rank = 0;
        if (size > PLI_CUDA_FULL) {
            continue; /* they are sorted by digits */
        }
        for (uint32_t k = 0; k < size; k++) {
            rank += pli_key_less(&s->scattered[starts[bucket] + k], &key);
        }
        pli_write_contact(s, starts[bucket] + (uint64_t)rank, &key);
    }
    PLI_END
}

/* ------------------------------------------------------------ by digits */

/* Digit `step->digit` of a key, the last one being 0. */
PLI_DEVICE uint32_t pli_digit_of(const pli_cuda_step *s, const pli_cuda_key *key)
{
    uint64_t word = s->digit < 8 ? key->triangles : key->bodies;
    return (uint32_t)(word >> 8 * (s->digit % 8)) & (PLI_CUDA_DIGITS - 1);
}

PLI_DEVICE uint64_t pli_digit_runs(const pli_cuda_step *s)
{
    return (s->key_count + PLI_CUDA_DIGIT_RUN - 1) / PLI_CUDA_DIGIT_RUN;
}

/* How often each digit stands in each run of keys. */
PLI_DEVICE void pli_kernel_digit_count(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                       pli_cuda_scratch *scratch)
{
    uint64_t runs = pli_digit_runs(s);
    for (uint64_t run = warp->number; run < runs; run += warp->count) {
        PLI_LANES(warp)
        for (uint32_t d = lane; d < PLI_CUDA_DIGITS; d += PLI_CUDA_LANES) {
            scratch->digits.count[d] = 0;
        }
        PLI_END
        PLI_LANES(warp)
        uint64_t end = (run + 1) * PLI_CUDA_DIGIT_RUN;
        end = end < s->key_count ? end : s->key_count;
        for (uint64_t i = run * PLI_CUDA_DIGIT_RUN + lane; i < end; i += PLI_CUDA_LANES) {
            pli_atomic_add32(&scratch->digits.count[pli_digit_of(s, &s->touching[i])], 1);
        }
        PLI_END
        PLI_LANES(warp)
        for (uint32_t d = lane; d < PLI_CUDA_DIGITS; d += PLI_CUDA_LANES) {
            s->digit_counts[d * runs + run] = scratch->digits.count[d];
        }
        PLI_END
    }
}

/* Counts become places; one warp does it. */
PLI_DEVICE void pli_kernel_digit_begin(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                       pli_cuda_scratch *scratch)
{
    (void)scratch;
    if (warp->number != 0) {
        return;
    }
    uint64_t total = pli_digit_runs(s) * PLI_CUDA_DIGITS;
    uint32_t before = 0;
    for (uint64_t i = 0; i < total; i += PLI_CUDA_LANES) { /* 256 is a multiple of 32 */
        PLI_VARIES(uint32_t, count);
        PLI_LANES(warp)
        PLI_OF(count) = s->digit_counts[i + lane];
        PLI_END
        uint32_t sum = pli_scan(PLI_REF(count));
        PLI_LANES(warp)
        s->digit_counts[i + lane] = before + PLI_OF(count);
        PLI_END
        before += sum;
    }
}

/* Keys go to their places, equal digits in the order in which they were. */
PLI_DEVICE void pli_kernel_digit_scatter(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    uint64_t runs = pli_digit_runs(s);
    for (uint64_t run = warp->number; run < runs; run += warp->count) {
        uint64_t end = (run + 1) * PLI_CUDA_DIGIT_RUN;
        end = end < s->key_count ? end : s->key_count;
        for (uint64_t first = run * PLI_CUDA_DIGIT_RUN; first < end; first += PLI_CUDA_LANES) {
            PLI_VARIES(uint32_t, lower);
            PLI_VARIES(uint32_t, higher);
            PLI_LANES(warp)
            uint64_t i = first + lane;
            scratch->digits.digit[lane] =
                i < end ? pli_digit_of(s, &s->touching[i]) : PLI_CUDA_DIGITS;
            PLI_END
            PLI_LANES(warp)
            PLI_OF(lower) = PLI_OF(higher) = 0;
            for (uint32_t k = 0; k < PLI_CUDA_LANES; k++) {
                bool same = scratch->digits.digit[k] == scratch->digits.digit[lane];
                PLI_OF(lower) += same && k < lane;
                PLI_OF(higher) += same && k > lane;
            }
            PLI_END
            PLI_LANES(warp)
            uint32_t digit = scratch->digits.digit[lane];
            if (digit < PLI_CUDA_DIGITS) {
                s->scattered[s->digit_counts[digit * runs + run] + PLI_OF(lower)] =
                    s->touching[first + lane];
            }
            PLI_END
            PLI_LANES(warp)
            uint32_t digit = scratch->digits.digit[lane];
            if (digit < PLI_CUDA_DIGITS && PLI_OF(higher) == 0) {
                s->digit_counts[digit * runs + run] += PLI_OF(lower) + 1;
            }
            PLI_END
        }
    }
}

/* Sorted keys become contacts. */
PLI_DEVICE void pli_kernel_list(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch)
{
    (void)scratch;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < s->key_count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_write_contact(s, i, &s->touching[i]);
    }
    PLI_END
}

#endif
