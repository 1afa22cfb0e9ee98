/* Fuzzing of references of pliant check: compares three small bodies, two of which touch, with what
   the bytes accept, and writes the reference anew. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool/check/check.h"
#include "tool/check/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/pliant-fuzz-XXXXXX", mesh[64], reference[64];

static void remove_files(void)
{
    unlink(mesh);
    unlink(reference);
    rmdir(folder);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        abort();
    }
}

static void open_files(void)
{
    static const char bodies[] =
        "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        "o b\nv .1 .1 .1\nv 2 .1 .1\nv .1 2 .1\nv .1 .1 2\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n"
        "o c\nv 5 5 5\nv 6 5 5\nv 5 6 5\nf 9 10 11\n";
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "cannot make %s\n", folder);
        abort();
    }
    snprintf(mesh, sizeof mesh, "%s/bodies.obj", folder);
    snprintf(reference, sizeof reference, "%s/reference", folder);
    write_file(mesh, bodies, sizeof bodies - 1);
    atexit(remove_files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (mesh[0] == '\0') {
        open_files();
    }
    write_file(reference, data, size);
    const char *files[] = {mesh};
    check state = {.settings = check_default_settings()};
    state.settings.files = files;
    state.settings.file_count = 1;
    state.settings.reference = reference;
    state.settings.keep_sites = true;
    if (check_fill(&state) == CHECK_DONE) {
        FILE *nowhere = fopen("/dev/null", "w");
        check_accepting accepting;
        if (nowhere != NULL) {
            check_write_reference(&state, "fuzzed", nowhere, nowhere, &accepting);
            fclose(nowhere);
        }
    }
    check_free(&state);
    return 0;
}
