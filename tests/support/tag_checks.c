#include "tag_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives a call a struct of nothing but its first word: sanitizers notice if more is read. */
static void assert_refused(const tagged_call *call, uint32_t tag, const char *part)
{
    uint32_t *given = malloc(sizeof *given);
    assert_non_null(given);
    *given = tag;
    pliant_result result = call->call(given);
    free(given);
    const char *sentence = pliant_last_error();
    if (result != PLIANT_ERROR_ARGUMENT || strstr(sentence, call->type) == NULL ||
        strstr(sentence, part) == NULL) {
        fail_msg("%s with tag 0x%08x: %s, \"%s\" without \"%s\"", call->type, (unsigned)tag,
                 pliant_result_get_name(result), sentence, part);
    }
}

void check_tags_differ(const tagged_call *calls, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(calls[i].tag & 0xffff, calls[i].size);
        for (int k = 0; k < i; k++) {
            assert_int_equal(calls[i].tag >> 16 == calls[k].tag >> 16,
                             strcmp(calls[i].type, calls[k].type) == 0);
        }
    }
}

void check_others_refused(const tagged_call *calls, int count)
{
    for (int i = 0; i < count; i++) {
        assert_refused(&calls[i], 0, "its first word is 0x00000000");
        assert_refused(&calls[i], calls[i].size, "_default()");
        assert_refused(&calls[i], calls[i].tag ^ 0x80000000u, "start from");
        for (int k = 0; k < count; k++) {
            if (strcmp(calls[i].type, calls[k].type) != 0) {
                assert_refused(&calls[i], calls[k].tag, "start from");
            }
        }
    }
}

void check_other_sizes_refused(const tagged_call *calls, int count)
{
    for (int i = 0; i < count; i++) {
        const uint32_t sizes[] = {0, 4, calls[i].size - 4, calls[i].size + 8, 0xffff};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char part[64];
            snprintf(part, sizeof part, "has %u bytes, that of this library %u", (unsigned)sizes[k],
                     (unsigned)calls[i].size);
            assert_refused(&calls[i], (calls[i].tag & 0xffff0000u) | sizes[k], part);
        }
    }
}
