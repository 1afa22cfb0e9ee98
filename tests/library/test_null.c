/*
 * What NULL means is the same everywhere (pliant/base.h). Every public function is called with NULL
 * for all of its pointers; the calls are written from the headers, so that none is left out.
 */
#include "null_checks.h"

#include "pliant/asset.h"
#include "pliant/backend.h"
#include "pliant/extend.h"
#include "pliant/fit.h"
#include "pliant/pliant.h"
#ifdef PLI_HAVE_GL
#include "pliant/gl.h"
#endif
#include "pliant/view.h"

static void null_is_refused_or_ignored(void **state)
{
    (void)state;
#include "null_calls.inc"
    null_check_end(80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_is_refused_or_ignored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
