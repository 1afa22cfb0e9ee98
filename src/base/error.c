#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

pliant_result pliant_fail(pliant_result result, const char *sentence)
{
    PLI_REQUIRE(sentence);
    size_t length = strlen(sentence);
    length = length < sizeof last_error ? length : sizeof last_error - 1;
    memmove(last_error, sentence, length); /* it may be a part of the last one */
    last_error[length] = '\0';
    return result;
}

#ifdef PLI_DEBUG
void pli_abort(const char *format, ...)
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
    unsigned ours = expected & 0xffff;
    if (given >> 16 == expected >> 16) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the %s given has %u bytes, that of this library %u: it was made for "
                        "another version",
                        type, (unsigned)(given & 0xffff), ours);
    }
    return pli_fail(PLIANT_ERROR_ARGUMENT,
                    "what was given is no %s of %u bytes: its first word is 0x%08x; start from "
                    "%s_default()",
                    type, ours, (unsigned)given, type);
}

void pliant_copy_settings(const void *ours, size_t our_size, size_t size, void *settings)
{
    uint32_t tag = 0;
    if (ours == NULL || settings == NULL || our_size < sizeof tag || size < sizeof tag) {
        return;
    }
    size_t known = size < our_size ? size : our_size;
    memcpy(settings, ours, known);
    memset((char *)settings + known, 0, size - known);
    memcpy(&tag, ours, sizeof tag);
    tag = (tag & 0xffff0000u) | (uint16_t)size;
    memcpy(settings, &tag, sizeof tag);
}

pliant_result pliant_check_tag(uint32_t given, uint32_t expected, const char *type)
{
    PLI_REQUIRE(type);
    return given == expected ? PLIANT_OK : pli_fail_tag(given, expected, type);
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

pliant_result pli_check_options(const void *given, const void *defaults, const pli_option *options,
                                size_t count, uint32_t call)
{
    for (size_t i = 0; i < count; i++) {
        const pli_option *option = &options[i];
        const char *value = (const char *)given + option->offset;
        if ((option->calls >> call & 1) == 0 &&
            memcmp(value, (const char *)defaults + option->offset, option->size) != 0) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "%s has no effect on this call; leave its default", option->name);
        }
    }
    return PLIANT_OK;
}
