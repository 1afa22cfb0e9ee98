#include "check_fixture.h"

#include <stdio.h>

check_settings check_fixture_settings(void)
{
    check_settings settings = check_default_settings();
    settings.rate = 30.0;
    settings.threads = 2;
    return settings;
}

void check_fixture_fill(check *state, const char *path, check_settings settings)
{
    const char *const files[] = {path};
    *state = (check){.settings = settings};
    state->settings.files = files;
    state->settings.file_count = 1;
    check_result result = check_fill(state);
    state->settings.file_count = 0; /* the list ends here */
    if (result != CHECK_DONE) {
        fail_msg("%s: %s", path, check_error(state, result));
    }
}

void check_fixture_fill_real(check *state, const char *name, check_settings settings)
{
    const char *folder = assets_folder();
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_fixture_fill(state, path, settings);
}
