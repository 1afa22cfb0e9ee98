/* pliant bench: runs the laboratory, a program of its own that is built beside this one. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABORATORY "pliant-bench"

#if defined(_WIN32)
static cli_status run(int argument_count, char **arguments)
{
    (void)argument_count;
    (void)arguments;
    return cli_fail(CLI_FAILED,
                    "bench is not part of this program: the laboratory that it starts, " LABORATORY
                    ", is not built for Windows");
}
#else

/* The laboratory's path, beside this program, wherever that lies; false where that is not known. */
static bool find_laboratory(char *path, size_t capacity)
{
    ssize_t length = readlink("/proc/self/exe", path, capacity);
    if (length <= 0 || (size_t)length >= capacity) {
        return false;
    }
    path[length] = '\0';
    char *name = strrchr(path, '/') + 1; /* the path is absolute */
    if (sizeof LABORATORY > capacity - (size_t)(name - path)) {
        return false;
    }
    memcpy(name, LABORATORY, sizeof LABORATORY);
    return true;
}

static cli_status run(int argument_count, char **arguments)
{
    char program[4096];
    if (!find_laboratory(program, sizeof program)) {
        return cli_fail(CLI_FAILED, "cannot find out where this program lies, to start " LABORATORY
                                    " beside it");
    }
    char **passed = (char **)calloc((size_t)argument_count + 2, sizeof *passed);
    if (passed == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    passed[0] = program;
    for (int i = 0; i < argument_count; i++) {
        passed[i + 1] = arguments[i];
    }
    execv(program, passed); /* comes back only if it fails */
    int reason = errno;
    free((void *)passed);
    return reason == ENOENT
               ? cli_fail(CLI_FAILED,
                          "bench needs " LABORATORY ", which is not installed with this program; "
                          "`make bench` in Pliant's sources builds it beside build/bin/pliant")
               : cli_fail(CLI_FAILED, "cannot start " LABORATORY ": %s", strerror(reason));
}
#endif

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "run the papers' experiments, rivals beside our methods, where they were built",
    .run = run,
};
