/* Results with a sentence, as the core has them, for what this library is asked. */
#ifndef PLI_ASSET_ERROR_H
#define PLI_ASSET_ERROR_H

#include "pliant/extend.h"
#include "shown.h"

#if defined(__GNUC__)
#define PLI_ASSET_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PLI_ASSET_PRINTF(text, first)
#endif

/* Records the sentence for pliant_last_error() on this thread, as pli_show() makes it safe to
   print, and returns `result`. */
pliant_result pli_asset_fail(pliant_result result, const char *format, ...) PLI_ASSET_PRINTF(2, 3);

/* Checks one argument of a public call: a null pointer, named as in the header. */
#define PLI_ASSET_REQUIRE(pointer)                                                                 \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return pli_asset_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL", __func__, #pointer);    \
        }                                                                                          \
    } while (0)

/* The magic numbers of its definitions, from those of the project (src/base/error.h). */
enum { PLI_MAGIC_pliant_asset_def = 0x5059, PLI_MAGIC_pliant_fit_def };

#define PLI_ASSET_TAG(type) PLIANT_TAG(PLI_MAGIC_##type, type)

#endif
