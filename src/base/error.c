#include "error.h"

#include "assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The one exception to "no global state". */
static _Thread_local char last_error[256];

const char *pliant_last_error(void)
{
    return last_error;
}

pliant_result pli_fail(pliant_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return result;
}

#ifdef PLI_DEBUG
void pli_stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
#endif

pliant_result pli_fail_memory(size_t size)
{
    return pli_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes", size);
}

pliant_result pli_fail_tag(uint32_t given, uint32_t expected, const char *type)
{
    pli_tag_is_right(given, expected, type, last_error, sizeof last_error);
    return PLIANT_ERROR_ARGUMENT;
}

const char *pliant_result_get_name(pliant_result result)
{
    switch (result) {
    case PLIANT_OK:
        return "PLIANT_OK";
    case PLIANT_ERROR_ARGUMENT:
        return "PLIANT_ERROR_ARGUMENT";
    case PLIANT_ERROR_RANGE:
        return "PLIANT_ERROR_RANGE";
    case PLIANT_ERROR_NOT_FINITE:
        return "PLIANT_ERROR_NOT_FINITE";
    case PLIANT_ERROR_TOO_LARGE:
        return "PLIANT_ERROR_TOO_LARGE";
    case PLIANT_ERROR_OUT_OF_MEMORY:
        return "PLIANT_ERROR_OUT_OF_MEMORY";
    case PLIANT_ERROR_DATA:
        return "PLIANT_ERROR_DATA";
    case PLIANT_ERROR_STATE:
        return "PLIANT_ERROR_STATE";
    }
    return "unknown result";
}
