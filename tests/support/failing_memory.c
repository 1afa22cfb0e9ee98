#include "failing_memory.h"

#include <stdio.h>
#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* What a call and the question behind it answer where nothing fails. */
typedef struct truth {
    uint64_t hash, answer;
    uint64_t allocations; /* of the call */
} truth;

static truth find_truth(const failing_world *kind, const failing_call *call)
{
    counting_allocator allocator = {0};
    void *world = kind->create(&allocator);
    uint64_t before = allocator.calls;
    truth t = {.hash = 0};
    pliant_result result = call->call(world, &t.hash);
    if (result != PLIANT_OK) {
        fail_msg("%s: %s: %s", call->name, pliant_result_get_name(result), pliant_last_error());
    }
    t.allocations = allocator.calls - before;
    t.answer = kind->answer(world);
    kind->destroy(world);
    assert_int_equal(allocator.live, 0);
    return t;
}

/* Allocation number `n` of the call fails. */
static void try_failure(const failing_world *kind, const failing_call *call, const truth *t,
                        uint64_t n, bool from_there)
{
    counting_allocator allocator = {0};
    void *world = kind->create(&allocator);
    uint64_t before = kind->fingerprint(world), hash = 0;
    allocator.fail_at = allocator.calls + n;
    allocator.fail_from_there = from_there;
    pliant_result result = call->call(world, &hash);
    allocator.fail_at = 0;
    char place[160];
    snprintf(place, sizeof place, "%s: allocation %llu%s", call->name, (unsigned long long)n,
             from_there ? " and all behind it" : "");
    if (result != PLIANT_ERROR_OUT_OF_MEMORY) {
        fail_msg("%s: %s: %s", place, pliant_result_get_name(result), pliant_last_error());
    }
    if (strstr(pliant_last_error(), "no memory for") == NULL) {
        fail_msg("%s: the sentence is \"%s\"", place, pliant_last_error());
    }
    if (kind->fingerprint(world) != before) {
        fail_msg("%s: the failed call has changed something", place);
    }
    result = call->call(world, &hash);
    if (result != PLIANT_OK || hash != t->hash) {
        fail_msg("%s: the call afterwards: %s, %s answer", place, pliant_result_get_name(result),
                 hash == t->hash ? "the right" : "another");
    }
    if (kind->answer(world) != t->answer) {
        fail_msg("%s: what is asked afterwards has another answer", place);
    }
    kind->destroy(world);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
}

uint64_t try_failing_call(const failing_world *kind, const failing_call *call)
{
    truth t = find_truth(kind, call);
    uint64_t tried = 0, samples = fixture_count(32), all = fixture_scale() < 0.1 ? 8 : 32;
    uint64_t step = t.allocations > all + samples ? (t.allocations - all) / samples : 1;
    for (uint64_t n = 1; n <= t.allocations; n += n < all ? 1 : step) {
        try_failure(kind, call, &t, n, false);
        try_failure(kind, call, &t, n, true);
        tried += 2;
    }
    return tried;
}
