/* What the commands ask of the system, and Windows has by other names. */
#ifndef TOOL_SYSTEM_H
#define TOOL_SYSTEM_H

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

#endif
