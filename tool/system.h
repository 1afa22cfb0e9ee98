/* What the commands ask of the system, and Windows has by other names. */
#ifndef TOOL_SYSTEM_H
#define TOOL_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#endif

/* Seconds since some moment, for what is shown while one waits. */
static inline double system_seconds(void)
{
#if defined(_WIN32)
    return (double)clock() / CLOCKS_PER_SEC; /* by the wall, there */
#else
    struct timespec time = {0};
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
}

/* Processors that can be used; 0 or less if that is not known. */
static inline long system_processors(void)
{
#if defined(_WIN32)
    const char *count = getenv("NUMBER_OF_PROCESSORS"); /* the system sets it */
    return count != NULL ? strtol(count, NULL, 10) : 0;
#else
    return sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* mkdir(), of which Windows asks nothing about permissions. */
static inline int system_make_folder(const char *path)
{
#if defined(_WIN32)
    return mkdir(path);
#else
    return mkdir(path, 0777);
#endif
}

/* Creates a file that does not exist yet, for writing; -1 with errno. */
static inline int system_create(const char *path)
{
#if defined(_WIN32)
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_BINARY, 0666);
#else
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
#endif
}

/* Gives a file the owner, as far as that is permitted, and the permissions of another. */
static inline void system_copy_mode(int handle, const struct stat *from)
{
#if defined(_WIN32)
    (void)handle, (void)from;
#else
    int owned = fchown(handle, from->st_uid, from->st_gid);
    owned = owned != 0 ? fchown(handle, (uid_t)-1, from->st_gid) : owned;
    (void)owned;
    fchmod(handle, from->st_mode & 07777);
#endif
}

/* Waits until the disk has a file. */
static inline bool system_sync(FILE *file)
{
#if defined(_WIN32)
    return _commit(_fileno(file)) == 0;
#else
    return fsync(fileno(file)) == 0 || errno == EINVAL; /* EINVAL: there is nothing to wait for */
#endif
}

/* Puts a file in the place of another, which may exist, in one step. */
static inline bool system_replace(const char *from, const char *to)
{
#if defined(_WIN32)
    errno = EACCES;
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
#else
    return rename(from, to) == 0;
#endif
}

/* Returns true if there is nothing by this name; a file that cannot be read is there. */
static inline bool system_is_absent(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

#endif
