/*
 * Results with a sentence: every failure in the library goes through pli_fail(). What public calls
 * refuse: null pointers, structs of another version, objects in use, sizes that overflow. Asserts
 * find mistakes in the library and never guard input.
 */
#ifndef PLI_BASE_ERROR_H
#define PLI_BASE_ERROR_H

#include "pliant/extend.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#if defined(__GNUC__)
#define PLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PLI_PRINTF(text, first)
#endif

/* Records the sentence for pliant_last_error() on this thread and returns `result`. */
pliant_result pli_fail(pliant_result result, const char *format, ...) PLI_PRINTF(2, 3);

/* The usual sentence for a failed allocation. */
pliant_result pli_fail_memory(size_t size);

/* Checks one argument of a public call: a null pointer, named as in the header. */
#define PLI_REQUIRE(pointer)                                                                       \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL", __func__, #pointer);          \
        }                                                                                          \
    } while (0)

/* ------------------------------------------------------------ tags

   The first word of every definition and options struct, its tag: a magic number that says which
   struct it is, and how large the caller believes it to be. A struct that was not made by its
   default function, or that a program has for another version, is refused before anything else of
   it is read. Libraries beside the core have numbers of their own (libs/asset/error.h,
   libs/gl/gl.c). */

/* The magic numbers. New ones go to the end: a number keeps its meaning from version to version. */
enum {
    PLI_MAGIC_pliant_context_def = 0x504c,
    PLI_MAGIC_pliant_shape_def,
    PLI_MAGIC_pliant_attach_def,
    PLI_MAGIC_pliant_body_def,
    PLI_MAGIC_pliant_collide_options,
    PLI_MAGIC_pliant_within_options,
    PLI_MAGIC_of_back_tracking, /* not in use any more */
    PLI_MAGIC_pliant_proxy_options,
    PLI_MAGIC_pliant_scene_def,
    PLI_MAGIC_pliant_member_def,
    PLI_MAGIC_pliant_scene_options,
    PLI_MAGIC_pliant_volume_def,
    PLI_MAGIC_pliant_volume_options,
    PLI_MAGIC_pliant_distance_options = 0x505c, /* the three before are those of the libraries */
    PLI_MAGIC_pliant_contour_options,
    PLI_MAGIC_pliant_feature_options,
    PLI_MAGIC_pliant_scene_select,
    PLI_MAGIC_pliant_recording_options,
    PLI_MAGIC_pliant_draw_options,
    PLI_MAGIC_pliant_meeting_options,
    PLI_MAGIC_pliant_advance_options,
    PLI_MAGIC_pliant_volume_backend_def
};

/* The tag of a type. */
#define PLI_TAG(type) PLIANT_TAG(PLI_MAGIC_##type, type)

/* The sentence for a struct whose tag is not the one expected. */
pliant_result pli_fail_tag(uint32_t given, uint32_t expected, const char *type);

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

/* ------------------------------------------------------------ objects in use

   An object during a call that may run the caller's code: a filter, a callback. That code may come
   back to the object. It is then in use: calls about it are refused, and if it is destroyed, that
   is done when the call ends. The same refuses a second thread that comes at the same time. */

typedef struct pli_use {
    PLI_ATOMIC(bool) busy;
    bool doomed; /* to be destroyed when the call ends */
} pli_use;

static inline bool pli_use_is_busy(const pli_use *use)
{
    return atomic_load_explicit(&use->busy, memory_order_relaxed);
}

/* Fails if a call is under way; `what` is the object's name, "the scene" for example. */
static inline pliant_result pli_use_check(const pli_use *use, const char *call, const char *what)
{
    return pli_use_is_busy(use)
               ? pli_fail(PLIANT_ERROR_STATE, "%s: another call about %s is under way", call, what)
               : PLIANT_OK;
}

/* Returns from a public call unless the object, whose pli_use is `use`, is idle. */
#define PLI_REQUIRE_IDLE(object, what)                                                             \
    do {                                                                                           \
        pliant_result idle_ = pli_use_check(&(object)->use, __func__, what);                       \
        if (idle_ != PLIANT_OK) {                                                                  \
            return idle_;                                                                          \
        }                                                                                          \
    } while (0)

/* Begins a call; every one that began must end. */
static inline pliant_result pli_use_begin(pli_use *use, const char *call, const char *what)
{
    bool idle = false;
    return atomic_compare_exchange_strong(&use->busy, &idle, true) ? PLIANT_OK
                                                                   : pli_use_check(use, call, what);
}

/* Ends a call; true if the object is to be destroyed now. */
static inline bool pli_use_end(pli_use *use)
{
    bool doomed = use->doomed;
    atomic_store(&use->busy, false);
    return doomed;
}

/* Whether destroying has to wait for the end of a call, which is then told. */
static inline bool pli_use_postpones(pli_use *use)
{
    use->doomed = use->doomed || pli_use_is_busy(use);
    return use->doomed && pli_use_is_busy(use);
}

/* ------------------------------------------------------------ sizes from counts, overflow noticed
 */

/* *sum = a * b; false on overflow. */
static inline bool pli_size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* *sum += count * size; false on overflow. */
static inline bool pli_size_add_array(size_t *sum, size_t count, size_t size)
{
    size_t bytes = 0;
    return pli_size_multiply(count, size, &bytes) && !__builtin_add_overflow(*sum, bytes, sum);
}

/* *size rounded up to a multiple of `alignment`, a power of two; false on overflow. */
static inline bool pli_size_align(size_t *size, size_t alignment)
{
    if (__builtin_add_overflow(*size, alignment - 1, size)) {
        return false;
    }
    *size &= ~(alignment - 1);
    return true;
}

/* ------------------------------------------------------------ asserts

   In two tiers. They find mistakes in the library, and in Debug builds objects that are destroyed
   before their users. Release builds have none of them. */

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
            pli_abort(__VA_ARGS__);                                                                \
        }                                                                                          \
    } while (0)
#else
#define PLI_ASSERT_UNUSED(unused, ...) ((void)0)
#endif

#if defined(PLI_DEBUG) && defined(__GNUC__)
__attribute__((format(printf, 1, 2))) __attribute__((noreturn))
#endif
/* Says a sentence on stderr and aborts; Debug builds only. */
void pli_abort(const char *format, ...);

#endif
