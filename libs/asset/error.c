#include "error.h"

#include <stdarg.h>
#include <stdio.h>

pliant_result pli_asset_fail(pliant_result result, const char *format, ...)
{
    char sentence[512], shown[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pliant_fail(result, pli_show_string(shown, sizeof shown, sentence));
}
