/* Wall-clock time for statistics and time budgets; nothing else may depend on it. */
#ifndef PLI_BASE_CLOCK_H
#define PLI_BASE_CLOCK_H

#if defined(_WIN32)
/* In clock_windows.c. */
double pli_seconds(void);
#else
#include <time.h>

static inline double pli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

#endif
