/* What the tests of `pliant check` share: its inside, filled from a file. */
#ifndef PLIANT_TESTS_CHECK_FIXTURE_H
#define PLIANT_TESTS_CHECK_FIXTURE_H

#include "asset_fixture.h"
#include "tool/check/check.h"

check_settings check_fixture_settings(void);

/* Checks a file; the test fails unless that succeeds. check_free() is due. */
void check_fixture_fill(check *state, const char *path, check_settings settings);

/* The same for a file below the folder of assets; skips the test where there is none. */
void check_fixture_fill_real(check *state, const char *name, check_settings settings);

#endif
