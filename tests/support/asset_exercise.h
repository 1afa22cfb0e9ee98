/* Files from memory, and everything that can be done with what they hold. For tests and fuzzing. */
#ifndef PLIANT_TESTS_ASSET_EXERCISE_H
#define PLIANT_TESTS_ASSET_EXERCISE_H

#include "pliant/asset.h"

typedef struct memory_file {
    const char *path;
    const void *bytes;
    uint64_t size;
} memory_file;

typedef struct memory_folder {
    const memory_file *files;
    uint32_t count;
} memory_folder;

/* Files that are read from a folder in memory, which must stay as long as the asset. */
pliant_files memory_files(const memory_folder *folder);

/*
 * Loads the paths, samples every clip at its ends, between them and beyond them, evaluates every
 * body, creates small shapes and bodies, sets their states and lets them collide. The result is
 * that of loading; what follows may fail too, but cleanly.
 */
pliant_result exercise_paths(pliant_context *context, const memory_folder *folder,
                             const char *const *paths, uint32_t path_count);

/* The same for one file. */
pliant_result exercise_bytes(pliant_context *context, const char *path, const void *bytes,
                             uint64_t size);

#endif
