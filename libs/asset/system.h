/*
 * What the system knows of files. Paths are UTF-8 everywhere: system_posix.c hands them on as they
 * are, system_windows.c translates them. Functions that fail set errno.
 */
#ifndef PLI_ASSET_SYSTEM_H
#define PLI_ASSET_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The errno of these functions for a path that is neither a regular file nor a folder: a pipe or a
   device could wait, or give bytes, without an end. No system uses this number. */
#define PLI_NOT_REGULAR 99999

/* The size of a regular file. */
bool pli_system_size(const char *path, uint64_t *size);

/* Opens a regular file to be read as it is, byte by byte; NULL if it cannot be. */
FILE *pli_system_open(const char *path);

typedef struct pli_folder pli_folder;

/* The names in a folder, one by one: NULL after the last. */
pli_folder *pli_folder_open(const char *path);
const char *pli_folder_next(pli_folder *folder);
void pli_folder_close(pli_folder *folder);

/* A sentence about an errno; false if the system has none. */
bool pli_system_reason(int error, char *text, size_t size);

#endif
