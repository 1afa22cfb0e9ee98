/* Results with a sentence: every failure in the library goes through pli_fail(). */
#ifndef PLI_BASE_ERROR_H
#define PLI_BASE_ERROR_H

#include "pliant/base.h"

#include <stddef.h>

#include "tag.h"

#if defined(__GNUC__)
#define PLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PLI_PRINTF(text, first)
#endif

/* Records the sentence for pliant_last_error() on this thread and returns `result`. */
pliant_result pli_fail(pliant_result result, const char *format, ...) PLI_PRINTF(2, 3);

/* The usual sentence for a failed allocation. */
pliant_result pli_fail_memory(size_t size);

/* The sentence for a struct whose tag is not the one expected (base/tag.h). */
pliant_result pli_fail_tag(uint32_t given, uint32_t expected, const char *type);

/* Checks one argument of a public call: a null pointer, named as in the header. */
#define PLI_REQUIRE(pointer)                                                                       \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL", __func__, #pointer);          \
        }                                                                                          \
    } while (0)

/*
 * Checks that a definition or options struct is what the library takes it for: from its default
 * function, and of this version. Nothing else of it may be read before.
 */
#define PLI_REQUIRE_TAG(pointer, type)                                                             \
    do {                                                                                           \
        if ((pointer)->tag != PLI_TAG(type)) {                                                     \
            return pli_fail_tag((pointer)->tag, PLI_TAG(type), #type);                             \
        }                                                                                          \
    } while (0)

/* An option of a struct that several calls take: bit n of `calls` is set if call n uses it. */
typedef struct pli_option {
    const char *name;
    uint16_t offset, size;
    uint32_t calls;
} pli_option;

#define PLI_OPTION(type, field, calls)                                                             \
    {                                                                                              \
#field, offsetof(type, field), sizeof(((type *)NULL)->field), (calls)                      \
    }

/* Fails if an option that a call does not use differs from its default. */
pliant_result pli_check_options(const void *given, const void *defaults, const pli_option *options,
                                size_t count, uint32_t call);

#endif
