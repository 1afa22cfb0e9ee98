#include "clock.h"

#include <windows.h>

double pli_seconds(void)
{
    LARGE_INTEGER now, per_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&per_second);
    return (double)now.QuadPart / (double)per_second.QuadPart;
}
