/*
 * Which files a batch is of. A word is a file, a folder, in which glTF and GLB files are sought at
 * any depth, or a pattern for paths: *, ? and [...] stay within one name, ** is any number of
 * folders. Folders and files that begin with a dot are left out.
 *
 * Symbolic links are followed after everything else: a folder that was visited already, and a link
 * to a file that is in the list, are left out. Hard links are names of their own, and each is in
 * the list.
 */
#ifndef TOOL_CHECK_GATHER_H
#define TOOL_CHECK_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder, or something below it, that could not be visited. */
typedef struct gathered_failure {
    char *path, *error;
} gathered_failure;

typedef struct gathered {
    char **paths; /* sorted by their bytes, each once */
    uint32_t count, capacity;
    gathered_failure *failures; /* in the order of their paths */
    uint32_t failure_count;
    bool no_memory;
} gathered;

/* Adds what a word stands for. False, with a sentence, if it stands for nothing. */
bool gather_word(gathered *files, const char *word, char *error, size_t capacity);

/* Sorts the paths and leaves each once. */
void gather_end(gathered *files);

void gather_free(gathered *files);

/* Whether a path fits a pattern of the kind above. */
bool gather_fits(const char *pattern, const char *path);

#endif
