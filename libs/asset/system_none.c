/* A machine without files, such as a page: what is read comes through pliant_files. */
#include "system.h"

#include <errno.h>
#include <string.h>

bool pli_system_size(const char *path, uint64_t *size)
{
    (void)path;
    (void)size;
    errno = ENOSYS;
    return false;
}

FILE *pli_system_open(const char *path)
{
    (void)path;
    errno = ENOSYS;
    return NULL;
}

pli_folder *pli_folder_open(const char *path)
{
    (void)path;
    errno = ENOSYS;
    return NULL;
}

const char *pli_folder_next(pli_folder *folder)
{
    (void)folder;
    return NULL;
}

void pli_folder_close(pli_folder *folder)
{
    (void)folder;
}

bool pli_system_reason(int error, char *text, size_t size)
{
    static const char none[] = "there are no folders to look into here";
    if (error != ENOSYS || size < sizeof none) {
        return false;
    }
    memcpy(text, none, sizeof none);
    return true;
}
