#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

enum { LONGEST_PATH = 4096 };

struct pli_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool first; /* what was found has not been returned yet */
    char name[3 * MAX_PATH + 1];
};

/* A path as the system wants it, with room behind it for `more`. */
static bool widen(const char *path, wchar_t wide[LONGEST_PATH], const wchar_t *more)
{
    int room = LONGEST_PATH - (int)wcslen(more);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, room) == 0) {
        errno = strlen(path) >= (size_t)room ? ENAMETOOLONG : EILSEQ;
        return false;
    }
    wcscat(wide, more);
    return true;
}

bool pli_system_size(const char *path, uint64_t *size)
{
    wchar_t wide[LONGEST_PATH];
    struct _stat64 status;
    if (!widen(path, wide, L"") || _wstat64(wide, &status) != 0) {
        return false;
    }
    if ((status.st_mode & _S_IFMT) != _S_IFREG) {
        errno = (status.st_mode & _S_IFMT) == _S_IFDIR ? EISDIR : PLI_NOT_REGULAR;
        return false;
    }
    *size = (uint64_t)status.st_size;
    return true;
}

FILE *pli_system_open(const char *path)
{
    wchar_t wide[LONGEST_PATH];
    return widen(path, wide, L"") ? _wfopen(wide, L"rb") : NULL;
}

pli_folder *pli_folder_open(const char *path)
{
    wchar_t wide[LONGEST_PATH];
    pli_folder *folder = malloc(sizeof *folder);
    if (folder == NULL || !widen(path, wide, L"/*")) {
        free(folder);
        return NULL;
    }
    folder->first = true;
    folder->search = FindFirstFileW(wide, &folder->found);
    if (folder->search == INVALID_HANDLE_VALUE) {
        free(folder);
        errno = ENOENT;
        return NULL;
    }
    return folder;
}

const char *pli_folder_next(pli_folder *folder)
{
    if (!folder->first && !FindNextFileW(folder->search, &folder->found)) {
        return NULL;
    }
    folder->first = false;
    WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->name, sizeof folder->name,
                        NULL, NULL);
    return folder->name;
}

void pli_folder_close(pli_folder *folder)
{
    FindClose(folder->search);
    free(folder);
}

bool pli_system_reason(int error, char *text, size_t size)
{
    return strerror_s(text, size, error) == 0;
}
