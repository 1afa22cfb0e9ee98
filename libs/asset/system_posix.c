#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_regular(const struct stat *status)
{
    if (S_ISREG(status->st_mode)) {
        return true;
    }
    errno = S_ISDIR(status->st_mode) ? EISDIR : PLI_NOT_REGULAR;
    return false;
}

bool pli_system_size(const char *path, uint64_t *size)
{
    struct stat status;
    if (stat(path, &status) != 0 || !is_regular(&status)) {
        return false;
    }
    *size = (uint64_t)status.st_size;
    return true;
}

/* The path may name another file by now; opening a pipe must not wait. */
FILE *pli_system_open(const char *path)
{
    struct stat status;
    int number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (number < 0) {
        return NULL;
    }
    FILE *file = fstat(number, &status) == 0 && is_regular(&status) ? fdopen(number, "rb") : NULL;
    if (file == NULL) {
        int reason = errno;
        close(number);
        errno = reason;
    }
    return file;
}

pli_folder *pli_folder_open(const char *path)
{
    return (pli_folder *)opendir(path);
}

const char *pli_folder_next(pli_folder *folder)
{
    struct dirent *entry = readdir((DIR *)folder);
    return entry != NULL ? entry->d_name : NULL;
}

void pli_folder_close(pli_folder *folder)
{
    closedir((DIR *)folder);
}

bool pli_system_reason(int error, char *text, size_t size)
{
    return strerror_r(error, text, size) == 0;
}
