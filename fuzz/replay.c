/* A driver for compilers without libFuzzer: runs the target on every file named, or in folders. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* No file takes nearly as long, under sanitizers neither. */
enum { SECONDS = 120 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long files;

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size + 1);
    size_t read = file != NULL && bytes != NULL ? fread(bytes, 1, size, file) : 0;
    if (file == NULL || bytes == NULL || read != size) {
        fprintf(stderr, "cannot read %s\n", path);
        free(bytes);
        if (file != NULL) {
            fclose(file);
        }
        return 1;
    }
    fclose(file);
    alarm(SECONDS); /* ends the program where a call never comes back */
    LLVMFuzzerTestOneInput(bytes, size);
    alarm(0);
    free(bytes);
    files++;
    return 0;
}

static int run_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "cannot find %s\n", path);
        return 1;
    }
    if (!S_ISDIR(status.st_mode)) {
        return run_file(path, (size_t)status.st_size);
    }
    DIR *folder = opendir(path);
    int failed = folder == NULL;
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        char inner[4096];
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length < (int)sizeof inner) {
            failed |= run_path(inner);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return failed;
}

int main(int count, char **arguments)
{
    int failed = 0;
    for (int i = 1; i < count; i++) {
        failed |= run_path(arguments[i]);
    }
    printf("%lu files\n", files);
    return failed;
}
