/*
 * What is refused without a word from another rank: NULL in every call, and a definition that does
 * not say what it is.
 */
#include "null_checks.h"
#include "tag_checks.h"

#include "pliant/mpi.h"

static void null_is_refused_or_ignored(void **state)
{
    (void)state;
#include "null_calls.inc"
    null_check_end(15);
}

static pliant_result create(const void *def)
{
    pliant_mpi_scene *made = NULL;
    return pliant_mpi_scene_create(test_context, def, &made);
}

static void definitions_without_their_tag_are_refused(void **state)
{
    (void)state;
    const tagged_call call = TAGGED_CALL(pliant_mpi_scene_def, create);
    check_tags_differ(&call, 1);
    check_others_refused(&call, 1);
    check_other_sizes_refused(&call, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_or_ignored),
        cmocka_unit_test(definitions_without_their_tag_are_refused),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
