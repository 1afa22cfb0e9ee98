/* Fuzzing of configs of pliant check: reads the bytes as one, and asks what it says about files. */
#include <stdlib.h>

#include "tool/check/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool flag, optional;
    static uint32_t number, optional_number;
    static const char *text;
    static const cli_option options[] = {
        {.name = "--self", .flag = &flag},
        {.name = "--ignore", .text = &text},
        {.name = "--number", .number = &number, .most = 9},
        {.name = "--continuous", .flag = &optional, .number = &optional_number, .most = 9},
    };
    static const char *const paths[] = {"a/b/c.glb", "known/hero-1.glb", "x", "a/a/a/a/a/a/a/a/b"};
    char error[200];
    check_config *config =
        check_config_read((const char *)data, size, "known/", options, 4, error, sizeof error);
    for (int i = 0; config != NULL && i < 4; i++) {
        char **arguments = NULL;
        int count = 0;
        bool skip = false;
        check_config_arguments(config, paths[i], &arguments, &count, &skip);
        free((void *)arguments);
    }
    if (config != NULL) {
        check_config_unused(config, paths, 4);
    }
    check_config_free(config);
    return 0;
}
