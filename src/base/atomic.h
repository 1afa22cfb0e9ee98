/*
 * Atomic variables: C11's, where the compiler has them. One that does not, or a build told to do
 * without (PLI_NO_ATOMICS), has no threads either, and gets the same names for plain variables.
 */
#ifndef PLI_BASE_ATOMIC_H
#define PLI_BASE_ATOMIC_H

#if !defined(PLI_NO_ATOMICS) && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>

#define PLI_ATOMIC(type) _Atomic(type)
#else
#if !defined(PLI_NO_THREADS)
#error "threads need C11 atomics; build with PLIANT_THREADS=OFF"
#endif
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PLI_ATOMIC(type)                                  type

static inline uint64_t pli_plain_or(uint64_t *variable, uint64_t bits)
{
    uint64_t before = *variable;
    *variable = before | bits;
    return before;
}

static inline uint64_t pli_plain_and(uint64_t *variable, uint64_t bits)
{
    uint64_t before = *variable;
    *variable = before & bits;
    return before;
}

static inline bool pli_plain_exchange_bool(bool *variable, bool value)
{
    bool before = *variable;
    *variable = value;
    return before;
}

/* Of a pointer to anything. */
static inline void *pli_plain_exchange(void *variable, void *value)
{
    void *before;
    memcpy(&before, variable, sizeof before);
    memcpy(variable, &value, sizeof value);
    return before;
}

/* So that what was there may be left unread. */
static inline bool pli_plain_is(bool equal)
{
    return equal;
}

static inline uint64_t pli_plain_number(uint64_t before)
{
    return before;
}

#define atomic_init(variable, value)                      ((void)(*(variable) = (value)))
#define atomic_load(variable)                             (*(variable))
#define atomic_store(variable, value)                     ((void)(*(variable) = (value)))
#define atomic_fetch_add(variable, value)                 pli_plain_number((*(variable) += (value)) - (value))
#define atomic_fetch_sub(variable, value)                 pli_plain_number((*(variable) -= (value)) + (value))
#define atomic_fetch_or(variable, value)                  pli_plain_or((variable), (value))
#define atomic_fetch_and(variable, value)                 pli_plain_and((variable), (value))
#define atomic_load_explicit(variable, order)             atomic_load(variable)
#define atomic_store_explicit(variable, value, order)     atomic_store(variable, value)
#define atomic_fetch_add_explicit(variable, value, order) atomic_fetch_add(variable, value)
#define atomic_fetch_sub_explicit(variable, value, order) atomic_fetch_sub(variable, value)
#define atomic_exchange(variable, value)                                                           \
    _Generic(*(variable), bool                                                                     \
             : pli_plain_exchange_bool, default                                                    \
             : pli_plain_exchange)((variable), (value))
#define atomic_exchange_explicit(variable, value, order) atomic_exchange(variable, value)
#define atomic_compare_exchange_strong(variable, expected, value)                                  \
    pli_plain_is(*(variable) == *(expected) ? (*(variable) = (value), true)                        \
                                            : (*(expected) = *(variable), false))
#define atomic_compare_exchange_weak(variable, expected, value)                                    \
    atomic_compare_exchange_strong(variable, expected, value)
#define atomic_compare_exchange_strong_explicit(variable, expected, value, done, failed)           \
    atomic_compare_exchange_strong(variable, expected, value)
#define atomic_compare_exchange_weak_explicit(variable, expected, value, done, failed)             \
    atomic_compare_exchange_strong(variable, expected, value)
#endif

/* A plain variable while several threads change it, as an atomic one. */
#define PLI_SHARED(type, variable) ((PLI_ATOMIC(type) *)(variable))

#endif
