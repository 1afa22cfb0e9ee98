/*
 * Files that commands write. A file is written beside its target and then takes its place. After a
 * full disk, an interrupt or any other failure, the target is as it was before. An existing target
 * keeps its permissions. If it is a symbolic link, the file at the link's end is replaced. Pipes
 * and devices are written as they are.
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdatomic.h>
#include <stdio.h>

#include "cli.h"

#include "pliant/asset.h"

typedef struct output_file {
    FILE *stream;
    const char *path;    /* as the caller gave it, for messages */
    char *target, *part; /* NULL if the stream writes to the target itself */
} output_file;

/* Opens an output; prints one line on failure. `path` must stay valid until output_close(). Only
   one output is open at a time: an interrupt removes its unfinished file. */
cli_status output_open(output_file *file, const char *path);

/*
 * Closes an output, which becomes visible now if `status` is CLI_DONE and every write succeeded;
 * otherwise the target stays as it was. `durable` waits until the disk has the data. Returns
 * `status`, or CLI_FAILED after one line.
 */
cli_status output_close(output_file *file, cli_status status, bool durable);

/* Returns true if a path names standard output: "-" or /dev/stdout. */
bool output_is_standard(const char *path);

/* ------------------------------------------------------------------ what must stay */

#define OUTPUT_MOST 8

/* Identity of a file that may not exist yet. */
typedef struct output_identity {
    uint64_t device, file; /* of the file, or of the folder that it would be in */
    char *name;            /* in that folder; NULL: the file exists */
    bool known;            /* false: a pipe, a device, or nothing that can be written */
} output_identity;

typedef struct output_entry {
    const char *option, *path;
    output_identity identity;
} output_entry;

/* The outputs of one run, which must differ from each other and from everything that it reads. */
typedef struct output_guard {
    output_entry entries[OUTPUT_MOST];
    uint32_t count;
    pliant_files files; /* of the file system */
    atomic_uint clash;  /* 1 + the first entry that the loader of a file wanted to read */
} output_guard;

/* Adds the output of an option; NULL and standard output need no guard. False after one line:
   another option writes the same file. */
bool output_guard_add(output_guard *guard, const char *option, const char *path);

/* False after one line: an output would overwrite this input. `path` may be NULL. */
bool output_guard_input(const output_guard *guard, const char *path);

/* The file system for pliant_asset_def.files, which does not read outputs: buffers beside a model
   and frames of a sequence are only known when they are read. `guard` must outlive the asset. */
pliant_files output_guard_files(output_guard *guard);

/* False after one line if such a read was rejected: then nothing may be written. */
bool output_guard_holds(const output_guard *guard);

void output_guard_free(output_guard *guard);

#endif
