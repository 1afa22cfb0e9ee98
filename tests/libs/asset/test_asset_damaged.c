/* Files of every format that are cut off at every byte, have single bits flipped (T9), cannot be
   read, or meet a machine without memory (T10). */
#include "asset_seeds.h"

#include <stdlib.h>
#include <string.h>

/* The promise for any file: a clean answer or a clear error, and no more memory than this. */
static pliant_result exercise_checked(const char *path, const uint8_t *bytes, size_t size)
{
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    assert_non_null(context);
    /* In memory of its own, so that sanitizers see the end of it. */
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    pliant_result result = exercise_bytes(context, path, copy, size);
    free(copy);
    if (result != PLIANT_OK) {
        assert_true(strlen(pliant_last_error()) > 10);
    }
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    assert_true(memory.peak_bytes <= 3 * (64 * (uint64_t)size + ((uint64_t)16 << 20)));
    return result;
}

static void every_format_has_a_seed(void **unused)
{
    (void)unused;
    static const char *const endings[] = {
#define FORMAT(kind, ending, name, magic) "." #ending,
#include "../../../libs/asset/formats.inl"
    };
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        bool found = false;
        for (int k = 0; k < SEEDS; k++) {
            found |= seeds[k].path != NULL && strcmp(seeds[k].path + 1, endings[i]) == 0;
        }
        if (!found) {
            fail_msg("tests/support/asset_seeds.c has no seed s%s", endings[i]);
        }
    }
    free_seeds(seeds);
}

static void files_cut_off_anywhere_end_cleanly(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        size_t good = 0;
        for (size_t size = 0; size <= seeds[i].bytes.size; size++) {
            good += exercise_checked(seeds[i].path, seeds[i].bytes.at, size) == PLIANT_OK ? 1 : 0;
        }
        if (exercise_checked(seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size) != PLIANT_OK) {
            fail_msg("%s is not a good seed: %s", seeds[i].path, pliant_last_error());
        }
        /* Most prefixes are no files. */
        assert_true(good >= 1 && good < seeds[i].bytes.size / 2);
    }
    free_seeds(seeds);
}

static void flipped_bits_end_cleanly(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        byte_string *bytes = &seeds[i].bytes;
        size_t refused = 0;
        for (size_t bit = 0; bit < 8 * bytes->size; bit++) {
            uint8_t mask = (uint8_t)(1u << bit % 8);
            bytes->at[bit / 8] ^= mask;
            refused += exercise_checked(seeds[i].path, bytes->at, bytes->size) != PLIANT_OK ? 1 : 0;
            bytes->at[bit / 8] ^= mask;
        }
        assert_true(refused > 0);
    }
    free_seeds(seeds);
}

/* A folder whose n-th read fails, and all behind it. */
typedef struct failing_folder {
    memory_folder folder;
    unsigned reads, fail_at;
} failing_folder;

static bool failing_size(void *user, const char *path, uint64_t *size)
{
    failing_folder *failing = user;
    pliant_files files = memory_files(&failing->folder);
    return ++failing->reads < failing->fail_at && files.size(files.user, path, size);
}

static bool failing_read(void *user, const char *path, uint64_t offset, void *buffer,
                         uint64_t count)
{
    failing_folder *failing = user;
    pliant_files files = memory_files(&failing->folder);
    return ++failing->reads < failing->fail_at &&
           files.read(files.user, path, offset, buffer, count);
}

/* T11 for the library: a disk that fails sooner or later. */
static void files_that_cannot_be_read_are_errors(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        bool failed = true;
        unsigned fail_at = 1;
        for (; failed; fail_at++) {
            memory_file file = {seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size};
            failing_folder failing = {{&file, 1}, 0, fail_at};
            counting_allocator memory = {0};
            pliant_context *context = asset_context(&memory);
            pliant_asset_def def = pliant_asset_def_default();
            def.paths = &seeds[i].path;
            def.path_count = 1;
            def.files = (pliant_files){failing_size, failing_read, &failing};
            pliant_asset *asset = NULL;
            pliant_asset_pose *pose = NULL;
            pliant_result result = pliant_asset_load(context, &def, &asset);
            if (result == PLIANT_OK) {
                assert_ok(pliant_asset_pose_create(asset, &pose));
                result = pliant_asset_get_counts(asset).clips > 0
                             ? pliant_asset_pose_sample(pose, 0, 0.0)
                             : PLIANT_OK;
            }
            failed = result != PLIANT_OK;
            if (failed) {
                assert_int_equal(result, PLIANT_ERROR_DATA);
                assert_non_null(strstr(pliant_last_error(), "cannot read "));
                assert_non_null(strstr(pliant_last_error(), seeds[i].path));
            }
            pliant_asset_pose_destroy(pose);
            pliant_asset_destroy(asset);
            pliant_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
        assert_true(fail_at > 3);
    }
    free_seeds(seeds);
}

static void missing_memory_is_an_error(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        uint64_t fail_at = 1;
        for (bool failed = true; failed; fail_at++) {
            counting_allocator memory = {.fail_from_there = true};
            pliant_context *context = asset_context(&memory);
            memory.fail_at = memory.calls + fail_at;
            memory_file file = {seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size};
            memory_folder folder = {&file, 1};
            pliant_asset_def def = pliant_asset_def_default();
            def.paths = &seeds[i].path;
            def.path_count = 1;
            def.files = memory_files(&folder);
            pliant_asset *asset = NULL;
            pliant_asset_pose *pose = NULL;
            pliant_result result = pliant_asset_load(context, &def, &asset);
            result = result == PLIANT_OK ? pliant_asset_pose_create(asset, &pose) : result;
            failed = result != PLIANT_OK;
            if (failed && result != PLIANT_ERROR_OUT_OF_MEMORY) {
                fail_msg("%s, allocation %llu: %s: %s", seeds[i].path, (unsigned long long)fail_at,
                         pliant_result_get_name(result), pliant_last_error());
            }
            pliant_asset_pose_destroy(pose);
            pliant_asset_destroy(asset);
            pliant_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
        assert_true(fail_at > 5);
    }
    free_seeds(seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_a_seed),
        cmocka_unit_test(files_cut_off_anywhere_end_cleanly),
        cmocka_unit_test(flipped_bits_end_cleanly),
        cmocka_unit_test(files_that_cannot_be_read_are_errors),
        cmocka_unit_test(missing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
