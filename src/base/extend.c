/* For libraries beside the core (pliant/extend.h): arrays, workers, the floating-point environment.
 */
#include "base/array.h"

#include <fenv.h>
#include <string.h>

bool pliant_context_reserve_array(pliant_context *context, size_t capacity, size_t element_size,
                                  pliant_array *array)
{
    if (context == NULL || array == NULL) {
        pli_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL", __func__,
                 context == NULL ? "context" : "array");
        return false;
    }
    return pli_array_reserve(context, array, capacity, element_size);
}

void pliant_context_release_array(pliant_context *context, pliant_array *array)
{
    if (context != NULL && array != NULL) {
        pli_array_release(context, array);
    }
}

pliant_result pliant_context_run(pliant_context *context, pliant_task task, void *user,
                                 uint32_t count)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(task);
    return pli_context_run(context, task, user, count);
}

_Static_assert(sizeof(fenv_t) <= sizeof(pliant_float_env), "pliant_float_env is too short");

/* The whole environment, because libraries beside the core also call other libraries. The core's
   own arithmetic uses the part that base/float_env.h switches. */
void pliant_float_env_enter(pliant_float_env *saved)
{
    if (saved != NULL) {
        fenv_t now;
        fegetenv(&now);
        memcpy(saved, &now, sizeof now);
        fesetenv(FE_DFL_ENV);
    }
}

void pliant_float_env_leave(const pliant_float_env *saved)
{
    if (saved != NULL) {
        fenv_t before;
        memcpy(&before, saved, sizeof before);
        fesetenv(&before);
    }
}
