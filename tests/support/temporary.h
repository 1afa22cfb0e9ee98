/* Files for a while, on every system. */
#ifndef PLIANT_TESTS_TEMPORARY_H
#define PLIANT_TESTS_TEMPORARY_H

#include <stddef.h>
#include <stdio.h>

/* Room for the path of a temporary folder, and of a file in it. */
enum { TEMPORARY_FOLDER = 200, TEMPORARY_FILE = 300 };

/* Makes a new, empty folder. Its name has spaces and a letter beyond ASCII, as users' folders have.
 */
void temporary_folder(char folder[TEMPORARY_FOLDER]);

/* The path of a file in a folder. */
void temporary_path(char path[TEMPORARY_FILE], const char *folder, const char *name);

/* Opens a new file to be written, and read, as it is, byte by byte. */
FILE *temporary_open(const char *path);

/* Writes a whole file. */
void temporary_write(const char *path, const void *bytes, size_t size);

/* Removes a folder and the files in it. */
void temporary_remove(const char *folder);

#endif
