/* pliant bench: runs the laboratory, a program of its own that is built beside this one. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABORATORY "pliant-bench"

/* The folder this program lies in, with a slash behind it; NULL where that cannot be found out. */
static char *own_folder(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash == NULL) {
        free(path);
        return NULL;
    }
    slash[1] = '\0';
    return path;
}

static cli_status run(int argument_count, char **arguments)
{
    char *folder = own_folder();
    size_t size = (folder != NULL ? strlen(folder) : 0) + sizeof LABORATORY;
    char *program = malloc(size);
    char **passed = calloc((size_t)argument_count + 2, sizeof *passed);
    if (program == NULL || passed == NULL) {
        free(folder);
        free(program);
        free((void *)passed);
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    snprintf(program, size, "%s%s", folder != NULL ? folder : "", LABORATORY);
    passed[0] = program;
    memcpy((void *)(passed + 1), (const void *)arguments,
           (size_t)argument_count * sizeof *passed);
    fflush(stdout);
    execv(program, passed); /* comes back only if it fails */
    int reason = errno;
    free(folder);
    free(program);
    free((void *)passed);
    return reason == ENOENT
               ? cli_fail(CLI_FAILED,
                          "bench needs " LABORATORY ", which is not installed with this program; "
                          "`make bench` in Pliant's sources builds it beside build/bin/pliant")
               : cli_fail(CLI_FAILED, "cannot start " LABORATORY ": %s", strerror(reason));
}

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "run the papers' experiments, rivals beside our methods, where they were built",
    .run = run,
};
