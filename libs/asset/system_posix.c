#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool pli_system_size(const char *path, uint64_t *size)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    *size = (uint64_t)status.st_size;
    return true;
}

FILE *pli_system_open(const char *path)
{
    return fopen(path, "rb");
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
