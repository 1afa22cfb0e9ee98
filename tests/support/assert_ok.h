/* cmocka, and the assertion that most tests make. */
#ifndef PLIANT_TESTS_ASSERT_OK_H
#define PLIANT_TESTS_ASSERT_OK_H

#include "skipping.h"

#include "pliant/pliant.h"

/* Fails the test, naming the library's sentence, unless a result is PLIANT_OK. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        pliant_result result_ = (call);                                                            \
        if (result_ != PLIANT_OK) {                                                                \
            fail_msg("%s: %s: %s", #call, pliant_result_get_name(result_), pliant_last_error());   \
        }                                                                                          \
    } while (0)

#endif
