/*
 * An object during a call that may run the caller's code: a filter, a callback. That code may come
 * back to the object. It is then in use: calls about it are refused, and if it is destroyed, that
 * is done when the call ends. The same refuses a second thread that comes at the same time.
 */
#ifndef PLI_BASE_USE_H
#define PLI_BASE_USE_H

#include "atomic.h"
#include "error.h"

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

#endif
