/*
 * Asserts, in two tiers. They find mistakes in the library, and in Debug builds objects that are
 * destroyed before their users; they never guard input. Release builds have none of them.
 */
#ifndef PLI_BASE_ASSERT_H
#define PLI_BASE_ASSERT_H

#include <assert.h>

/* The cheap tier, everywhere but in release builds: a comparison or two. */
#define PLI_ASSERT(condition) assert(condition)

/* The dear tier, in Debug builds only: a function goes through a whole structure and returns
   whether all is as it should be. */
#ifdef PLI_DEBUG
#define PLI_ASSERT_VALID(check) assert(check)
#else
#define PLI_ASSERT_VALID(check) ((void)0)
#endif

/*
 * An object is destroyed that others still use. That is safe, since users are counted, but often a
 * mistake: Debug builds stop here and name the object and its users.
 */
#ifdef PLI_DEBUG
#define PLI_ASSERT_UNUSED(unused, ...)                                                             \
    do {                                                                                           \
        if (!(unused)) {                                                                           \
            pli_stop(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)
#else
#define PLI_ASSERT_UNUSED(unused, ...) ((void)0)
#endif

#if defined(PLI_DEBUG) && defined(__GNUC__)
__attribute__((format(printf, 1, 2))) __attribute__((noreturn))
#endif
/* Says a sentence on stderr and aborts; Debug builds only. */
void pli_stop(const char *format, ...);

#endif
