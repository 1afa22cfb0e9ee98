#include "check_fixture.h"

#include <stdio.h>

/* Instead of the tool's: remembers the line. */
static char last_message[1000];

cli_status cli_fail(cli_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_message, sizeof last_message, format, arguments);
    va_end(arguments);
    return status;
}

check_settings check_fixture_settings(void)
{
    return (check_settings){.rate = 30.0, .limits = {.threads = 2}};
}

void check_fixture_fill(check *state, const char *path, check_settings settings)
{
    const char *const files[] = {path};
    *state = (check){.settings = settings};
    state->settings.files = files;
    state->settings.file_count = 1;
    cli_status status = check_fill(state);
    state->settings.file_count = 0; /* the list ends here */
    if (status != CLI_DONE) {
        fail_msg("%s: %s", path, last_message);
    }
}

void check_fixture_fill_real(check *state, const char *name, check_settings settings)
{
    const char *folder = assets_folder();
    if (folder == NULL) {
        skip();
    }
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_fixture_fill(state, path, settings);
}
