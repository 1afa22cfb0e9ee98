/*
 * Contacts in ascending order. Usually: they are counted by buckets that are in that order as they
 * are found, put side by side, and each finds its rank by counting the lesser ones of its bucket.
 * Buckets stand in rows, within which a warp finds where each ends. Where a bucket is so full that
 * ranks would take long, contacts are sorted by digits instead, from the last to the first, which
 * takes the same time whatever they are.
 */
#ifndef PLI_CUDA_KERNEL_SORT_H
#define PLI_CUDA_KERNEL_SORT_H

#include "kernel_refit.h"

PLI_DEVICE bool pli_key_less(const pli_cuda_key *a, const pli_cuda_key *b)
{
    return a->bodies != b->bodies ? a->bodies < b->bodies : a->triangles < b->triangles;
}

/* The bucket of a contact: by its bodies, and by the first triangle where bodies are few. */
PLI_DEVICE uint32_t pli_bucket_of(const pli_cuda_step *s, const pli_cuda_key *key)
{
    uint64_t cell = (key->bodies >> 32) * s->body_count + (key->bodies & UINT32_MAX);
    uint64_t within = s->bucket_triangles > 1 ? key->triangles >> 32 : 0;
    uint64_t place = cell * s->bucket_triangles + within - s->bucket_first;
    return (uint32_t)(s->bucket_scale == 0 ? place : pli_multiply_high(place, s->bucket_scale));
}

/* A contact that was found, at its place in the queue if there is room. */
PLI_DEVICE void pli_add_contact(const pli_cuda_step *s, uint64_t at, pli_cuda_bodies bodies,
                                uint64_t triangles)
{
    if (at < s->capacity[PLI_CUDA_TOUCHING]) {
        pli_cuda_key key;
        key.bodies = (uint64_t)bodies.a << 32 | bodies.b;
        key.triangles = triangles;
        s->touching[at] = key;
        pli_atomic_add32(&s->bucket_sizes[pli_bucket_of(s, &key)], 1);
    }
}

PLI_DEVICE void pli_write_contact(const pli_cuda_step *s, uint64_t at, const pli_cuda_key *key)
{
    s->sorted[4 * at] = (uint32_t)(key->bodies >> 32);
    s->sorted[4 * at + 1] = (uint32_t)key->bodies;
    s->sorted[4 * at + 2] = (uint32_t)(key->triangles >> 32);
    s->sorted[4 * at + 3] = (uint32_t)key->triangles;
}

/* Before contacts are sorted once more, some of which came from outside. */
PLI_DEVICE void pli_kernel_clear_buckets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    (void)scratch;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < (uint64_t)s->bucket_rows * PLI_CUDA_BUCKET_ROW;
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

/* Where each bucket begins within its row; a warp does a row. Contacts that are put into a bucket
   move that on, so that it becomes the end. */
PLI_DEVICE void pli_kernel_begin_buckets(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    (void)scratch;
    enum { OF_LANE = PLI_CUDA_BUCKET_ROW / PLI_CUDA_LANES };
    for (uint64_t i = warp->number; i < s->bucket_rows; i += warp->count) {
        uint64_t row = pli_item(warp, i, s->bucket_rows);
        PLI_VARIES(uint32_t, sum);
        PLI_LANES(warp)
        const uint32_t *sizes = s->bucket_sizes + row * PLI_CUDA_BUCKET_ROW + lane * OF_LANE;
        uint32_t fullest = 0;
        PLI_OF(sum) = 0;
        PLI_UNROLL
        for (uint32_t k = 0; k < OF_LANE; k++) {
            PLI_OF(sum) += sizes[k];
            fullest = sizes[k] > fullest ? sizes[k] : fullest;
        }
        if (fullest > PLI_CUDA_FULL) {
            pli_atomic_max(&s->counters[PLI_CUDA_FULLEST], fullest);
        }
        PLI_END
        uint32_t total = pli_scan(PLI_REF(sum));
        PLI_LANES(warp)
        uint64_t first = row * PLI_CUDA_BUCKET_ROW + lane * OF_LANE;
        uint32_t at = PLI_OF(sum);
        PLI_UNROLL
        for (uint32_t k = 0; k < OF_LANE; k++) {
            s->bucket_ends[first + k] = at;
            at += s->bucket_sizes[first + k];
        }
        if (lane == 0) {
            s->row_sizes[row] = total;
        }
        PLI_END
    }
}

/* Where rows begin, in the warp's scratch. */
PLI_DEVICE void pli_begin_rows(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               pli_cuda_scratch *scratch)
{
    uint32_t of_lane = s->bucket_rows / PLI_CUDA_LANES + (s->bucket_rows % PLI_CUDA_LANES != 0);
    PLI_VARIES(uint32_t, sum);
    PLI_LANES(warp)
    PLI_OF(sum) = 0;
    for (uint32_t k = lane * of_lane; k < (lane + 1) * of_lane && k < s->bucket_rows; k++) {
        PLI_OF(sum) += s->row_sizes[k];
    }
    PLI_END(void) pli_scan(PLI_REF(sum));
    PLI_LANES(warp)
    uint32_t at = PLI_OF(sum);
    for (uint32_t k = lane * of_lane; k < (lane + 1) * of_lane && k < s->bucket_rows; k++) {
        scratch->rows[k] = at;
        if (warp->number == 0) {
            s->row_begins[k] = at;
        }
        at += s->row_sizes[k];
    }
    PLI_END
}

/* All that a step counts is known before its contacts are put side by side: the processor is told,
   by the last warp, which has least to do, and goes on while they are. */
PLI_DEVICE void pli_report(const pli_cuda_step *s, const pli_cuda_warp *warp)
{
    if (warp->number + 1 != warp->count) {
        return;
    }
    PLI_LANES(warp)
    if (lane < PLI_CUDA_COUNTERS) {
        s->report[lane] = s->counters[lane];
    }
    PLI_END
    pli_tell(&s->report[PLI_CUDA_COUNTERS]);
}

PLI_DEVICE void pli_kernel_scatter(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                   pli_cuda_scratch *scratch)
{
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    pli_report(s, warp);
    if (warp->number != 0 && (uint64_t)warp->number * PLI_CUDA_LANES >= count) {
        return;
    }
    pli_begin_rows(s, warp, scratch);
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_cuda_key key = s->touching[i];
        uint32_t bucket = pli_bucket_of(s, &key);
        uint32_t within = pli_atomic_add32(&s->bucket_ends[bucket], 1);
        s->scattered[scratch->rows[bucket / PLI_CUDA_BUCKET_ROW] + within] = key;
    }
    PLI_END
}

PLI_DEVICE void pli_kernel_rank(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    pli_end_step(s, warp);
    PLI_LANES(warp)
    uint64_t first = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = first; i < count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_cuda_key key = s->scattered[i];
        uint32_t bucket = pli_bucket_of(s, &key), size = s->bucket_sizes[bucket], rank = 0;
        if (size > PLI_CUDA_FULL) {
            continue; /* they are sorted by digits */
        }
        uint64_t begin =
            (uint64_t)s->row_begins[bucket / PLI_CUDA_BUCKET_ROW] + s->bucket_ends[bucket] - size;
        PLI_UNROLL_BY_EIGHT
        for (uint32_t k = 0; k < size; k++) {
            rank += pli_key_less(&s->scattered[begin + k], &key);
        }
        pli_write_contact(s, begin + rank, &key);
    }
    PLI_END
}

enum { PLI_CUDA_READ = 8 }; /* contacts that a lane reads at once */

/* How many of a lane's share of all contacts come before one. */
PLI_DEVICE uint32_t pli_count_lesser(const pli_cuda_step *s, const pli_cuda_key *key,
                                     uint32_t count, uint32_t lane)
{
    pli_cuda_key other[PLI_CUDA_READ];
    uint32_t lesser = 0;
    for (uint32_t k = lane; k < count; k += PLI_CUDA_READ * PLI_CUDA_LANES) {
        PLI_UNROLL
        for (uint32_t r = 0; r < PLI_CUDA_READ; r++) { /* all are on their way at once */
            uint32_t at = k + r * PLI_CUDA_LANES;
            other[r] = s->touching[at < count ? at : k];
        }
        PLI_UNROLL
        for (uint32_t r = 0; r < PLI_CUDA_READ; r++) {
            bool there = k + r * PLI_CUDA_LANES < count;
            lesser += there && pli_key_less(&other[r], key);
        }
    }
    return lesser;
}

/* Few contacts: each finds its rank among all of them, which takes the place of three kernels where
   the step before had few; where this one has more, the processor sees it in what is reported, and
   has them sorted as usual. */
PLI_DEVICE void pli_kernel_rank_few(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                    pli_cuda_scratch *scratch)
{
    uint64_t count = pli_queued(s, PLI_CUDA_TOUCHING);
    (void)scratch;
    pli_report(s, warp);
    pli_end_step(s, warp);
    for (uint64_t i = warp->number; count <= PLI_CUDA_FEW && i < count; i += warp->count) {
        pli_cuda_key key = s->touching[i];
        PLI_VARIES(uint32_t, rank);
        PLI_LANES(warp)
        PLI_OF(rank) = pli_count_lesser(s, &key, (uint32_t)count, lane);
        PLI_END
        uint32_t total = pli_scan(PLI_REF(rank));
        PLI_LANES(warp)
        if (lane == 0) {
            pli_write_contact(s, total, &key);
        }
        PLI_END
    }
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

/* How many keys with the same digit are in the runs before; a warp does a digit. */
PLI_DEVICE void pli_kernel_digit_begin(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                       pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t runs = pli_digit_runs(s);
    for (uint64_t digit = warp->number; digit < PLI_CUDA_DIGITS; digit += warp->count) {
        uint32_t before = 0, *counts = s->digit_counts + digit * runs;
        for (uint64_t i = 0; i < runs; i += PLI_CUDA_LANES) {
            PLI_VARIES(uint32_t, count);
            PLI_LANES(warp)
            PLI_OF(count) = i + lane < runs ? counts[i + lane] : 0;
            PLI_END
            uint32_t sum = pli_scan(PLI_REF(count));
            PLI_LANES(warp)
            if (i + lane < runs) {
                counts[i + lane] = before + PLI_OF(count);
            }
            PLI_END
            before += sum;
        }
        PLI_LANES(warp)
        if (lane == 0) {
            s->digit_counts[PLI_CUDA_DIGITS * runs + digit] = before;
        }
        PLI_END
    }
}

/* Where keys of each digit begin, in the warp's scratch. */
PLI_DEVICE void pli_begin_digits(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    const uint32_t *totals = s->digit_counts + PLI_CUDA_DIGITS * pli_digit_runs(s);
    uint32_t before = 0;
    for (uint32_t first = 0; first < PLI_CUDA_DIGITS; first += PLI_CUDA_LANES) {
        PLI_VARIES(uint32_t, count);
        PLI_LANES(warp)
        PLI_OF(count) = totals[first + lane];
        PLI_END
        uint32_t sum = pli_scan(PLI_REF(count));
        PLI_LANES(warp)
        scratch->digits.count[first + lane] = before + PLI_OF(count);
        PLI_END
        before += sum;
    }
}

/* Keys go to their places, equal digits in the order in which they were. */
PLI_DEVICE void pli_kernel_digit_scatter(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                         pli_cuda_scratch *scratch)
{
    uint64_t runs = pli_digit_runs(s);
    if (warp->number < runs) {
        pli_begin_digits(s, warp, scratch);
    }
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
                s->scattered[scratch->digits.count[digit] + s->digit_counts[digit * runs + run] +
                             PLI_OF(lower)] = s->touching[first + lane];
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
