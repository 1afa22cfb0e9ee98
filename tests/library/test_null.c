/*
 * What NULL means is the same everywhere (pliant/base.h). Every public function is called with NULL
 * for all of its pointers; the calls are written from the headers, so that none is left out.
 */
#include "fixture.h"

#include "pliant/asset.h"
#include "pliant/backend.h"
#include "pliant/extend.h"
#include "pliant/fit.h"
#include "pliant/pliant.h"
#ifdef PLI_HAVE_GL
#include "pliant/gl.h"
#endif
#ifdef PLI_HAVE_MPI
#include "pliant/mpi.h"
#endif
#ifdef PLI_HAVE_CUDA
#include "pliant/cuda.h"
#endif
#include "pliant/view.h"

#define FAILS(function, type, ...)   fails(#function, function(__VA_ARGS__));
#define IGNORED(function, type, ...) function(__VA_ARGS__);
#define NUMBER(function, type, ...)  is_zero(#function, function(__VA_ARGS__) == (type)0);
#define POINTER(function, type, ...) is_zero(#function, function(__VA_ARGS__) == NULL);
#define STRUCT(function, type, zero, ...)                                                          \
    {                                                                                              \
        type given = function(__VA_ARGS__);                                                        \
        is_zero(#function, zero);                                                                  \
    }

static int calls, wrong;

static void fails(const char *function, pliant_result result)
{
    calls++;
    if (result != PLIANT_ERROR_ARGUMENT) {
        print_error("%s: %s instead of PLIANT_ERROR_ARGUMENT\n", function,
                    pliant_result_get_name(result));
        wrong++;
    }
}

static void is_zero(const char *function, bool good)
{
    calls++;
    if (!good) {
        print_error("%s: not 0, false or NULL\n", function);
        wrong++;
    }
}

static void null_is_refused_or_ignored(void **state)
{
    (void)state;
#include "null_calls.inc"
    assert_true(calls > 80);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_is_refused_or_ignored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
