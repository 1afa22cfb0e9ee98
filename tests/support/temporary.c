#include "temporary.h"

#include "assert_ok.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#include <direct.h>
#include <windows.h>

/* Names are UTF-8 here, and of 16 bits there. */
static void widen(const char *path, wchar_t wide[TEMPORARY_FILE])
{
    assert_true(MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, TEMPORARY_FILE) > 0);
}

static bool make_folder(const char *path)
{
    wchar_t wide[TEMPORARY_FILE];
    widen(path, wide);
    return _wmkdir(wide) == 0;
}

FILE *temporary_open(const char *path)
{
    wchar_t wide[TEMPORARY_FILE];
    widen(path, wide);
    FILE *file = _wfopen(wide, L"w+b");
    assert_non_null(file);
    return file;
}

void temporary_remove(const char *folder)
{
    wchar_t pattern[TEMPORARY_FILE], path[2 * TEMPORARY_FILE];
    widen(folder, pattern);
    wcscat(pattern, L"/*");
    WIN32_FIND_DATAW found;
    HANDLE search = FindFirstFileW(pattern, &found);
    assert_true(search != INVALID_HANDLE_VALUE);
    size_t length = wcslen(pattern) - 1; /* the slash included */
    do {
        if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0) {
            memcpy(path, pattern, length * sizeof *path);
            wcscpy(path + length, found.cFileName);
            assert_int_equal(_wremove(path), 0);
        }
    } while (FindNextFileW(search, &found));
    FindClose(search);
    pattern[length - 1] = L'\0';
    assert_int_equal(_wrmdir(pattern), 0);
}
#else
static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0;
}

FILE *temporary_open(const char *path)
{
    FILE *file = fopen(path, "w+b");
    assert_non_null(file);
    return file;
}

void temporary_remove(const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[TEMPORARY_FILE];
            temporary_path(path, folder, entry->d_name);
            assert_int_equal(remove(path), 0);
        }
    }
    closedir(directory);
    assert_int_equal(rmdir(folder), 0);
}
#endif

void temporary_folder(char folder[TEMPORARY_FOLDER])
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    const char *place = NULL;
    for (int i = 0; i < 3 && place == NULL; i++) {
        place = getenv(names[i]);
    }
    place = place != NULL ? place : "/tmp";
    for (int number = 0; number < 1000; number++) {
        int length = snprintf(folder, TEMPORARY_FOLDER, "%s/pliant test \xc3\xbc %d-%d", place,
                              (int)getpid(), number);
        assert_in_range(length, 1, TEMPORARY_FOLDER - 1);
        if (make_folder(folder)) {
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    fail_msg("cannot make a folder in %s: %s", place, strerror(errno));
}

void temporary_path(char path[TEMPORARY_FILE], const char *folder, const char *name)
{
    assert_in_range(snprintf(path, TEMPORARY_FILE, "%s/%s", folder, name), 1, TEMPORARY_FILE - 1);
}

void temporary_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = temporary_open(path);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
