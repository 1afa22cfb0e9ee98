/* Files: whole ones, parts of them, and the numbered files of a sequence. */
#include "asset.h"

#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool system_size(void *user, const char *path, uint64_t *size)
{
    (void)user;
    return pli_system_size(path, size);
}

static bool system_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    (void)user;
    FILE *file = pli_system_open(path);
    if (file == NULL) {
        return false;
    }
    bool good = offset <= INT64_MAX && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
                fread(buffer, 1, (size_t)count, file) == count;
    int reason = errno;
    fclose(file);
    errno = reason;
    return good;
}

pliant_files pli_files_default(void)
{
    return (pliant_files){.size = system_size, .read = system_read};
}

/* A sentence with the system's reason, where there is one. */
static pliant_result fail_read(const char *path)
{
    char reason[80] = "it is not there, or shorter than it was";
    if (errno == PLI_NOT_REGULAR) {
        snprintf(reason, sizeof reason, "it is no regular file");
    } else if (errno != 0 && !pli_system_reason(errno, reason, sizeof reason)) {
        snprintf(reason, sizeof reason, "error %d", errno);
    }
    return pli_asset_fail(PLIANT_ERROR_DATA, "cannot read %s: %s", PLI_SHOW_PATH(path), reason);
}

pliant_result pli_file_size(const pliant_files *files, const char *path, uint64_t *size)
{
    errno = 0;
    return files->size(files->user, path, size) ? PLIANT_OK : fail_read(path);
}

pliant_result pli_file_read_part(const pliant_files *files, const char *path, uint64_t offset,
                                 void *buffer, uint64_t count)
{
    errno = 0;
    return count == 0 || files->read(files->user, path, offset, buffer, count) ? PLIANT_OK
                                                                               : fail_read(path);
}

pliant_result pli_file_read_range(const pliant_files *files, pli_memory *memory, const char *path,
                                  uint64_t offset, uint64_t count, uint8_t **bytes)
{
    if (count >= (uint64_t)INT64_MAX / 128) {
        return pli_asset_fail(PLIANT_ERROR_TOO_LARGE, "%s is too large", PLI_SHOW_PATH(path));
    }
    pli_memory_allow(memory, count);
    uint8_t *read = pli_memory_get(memory, count + 1, 1);
    if (read == NULL) {
        return memory->failure;
    }
    pliant_result result = pli_file_read_part(files, path, offset, read, count);
    if (result != PLIANT_OK) {
        pli_memory_drop(memory, read);
        return result;
    }
    *bytes = read;
    return PLIANT_OK;
}

pliant_result pli_file_read(const pliant_files *files, pli_memory *memory, const char *path,
                            uint64_t most, uint8_t **bytes, size_t *size)
{
    uint64_t length = 0;
    uint8_t *read = NULL;
    pliant_result result = pli_file_size(files, path, &length);
    length = length < most ? length : most;
    result =
        result == PLIANT_OK ? pli_file_read_range(files, memory, path, 0, length, &read) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (pli_is_lfs_pointer(read, (size_t)length)) {
        pli_memory_drop(memory, read);
        return pli_asset_fail(PLIANT_ERROR_DATA, "%s: " PLI_LFS_ADVICE,
                              PLI_SHOW_FILE(pli_base_name(path)));
    }
    *bytes = read;
    *size = (size_t)length;
    return PLIANT_OK;
}

/* Bytes of a mesh file that are read first; as a rule the header of a PLY file is among them. */
#define MESH_START ((uint64_t)1 << 16)

pliant_result pli_mesh_file_read(const pliant_files *files, const char *path, pli_reader *reader)
{
    pli_memory *memory = reader->memory;
    uint64_t limit = memory->limit;
    uint8_t *bytes = NULL;
    pliant_result result = pli_file_read(files, memory, path, MESH_START, &bytes, &reader->size);
    reader->bytes = bytes;
    if (result != PLIANT_OK || reader->size < MESH_START) {
        return result;
    }
    uint64_t most = pli_mesh_most_bytes(reader);
    if (most <= MESH_START) {
        return PLIANT_OK;
    }
    pli_memory_drop(memory, bytes);
    memory->limit = limit;
    result = pli_file_read(files, memory, path, most, &bytes, &reader->size);
    reader->bytes = result == PLIANT_OK ? bytes : NULL;
    return result;
}

/* A pattern taken apart: folder, what stands before and behind the number, and its digits. */
typedef struct pattern_parts {
    size_t folder; /* its length, the last slash included */
    const char *before, *after;
    size_t before_size;
    size_t digits;
} pattern_parts;

static pattern_parts take_apart(const char *pattern)
{
    const char *base = pli_base_name(pattern);
    const char *first = strchr(base, '#');
    size_t digits = strspn(first, "#");
    return (pattern_parts){.folder = (size_t)(base - pattern),
                           .before = base,
                           .after = first + digits,
                           .before_size = (size_t)(first - base),
                           .digits = digits};
}

/* The number in a file's name, if the name fits the pattern. */
static bool match(const pattern_parts *parts, const char *name, uint64_t *number)
{
    if (strncmp(name, parts->before, parts->before_size) != 0) {
        return false;
    }
    const char *digits = name + parts->before_size;
    size_t count = strspn(digits, "0123456789");
    bool exact = count == parts->digits || (count > parts->digits && digits[0] != '0');
    if (!exact || count > 18 || strcmp(digits + count, parts->after) != 0) {
        return false;
    }
    *number = strtoull(digits, NULL, 10);
    return true;
}

typedef struct numbered {
    uint64_t number;
    char *path;
} numbered;

static int compare_numbers(const void *a, const void *b)
{
    uint64_t first = ((const numbered *)a)->number, second = ((const numbered *)b)->number;
    return first < second ? -1 : first > second;
}

static pliant_result add_match(pli_memory *memory, const char *pattern, const pattern_parts *parts,
                               const char *name, numbered **list, size_t *count, size_t *capacity)
{
    uint64_t number = 0;
    if (!match(parts, name, &number)) {
        return PLIANT_OK;
    }
    numbered *grown = pli_memory_grow(memory, *list, capacity, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return memory->failure;
    }
    *list = grown;
    size_t size = strlen(name);
    char *path = pli_memory_get(memory, parts->folder + size + 1, 1);
    if (path == NULL) {
        return memory->failure;
    }
    memcpy(path, pattern, parts->folder);
    memcpy(path + parts->folder, name, size + 1);
    grown[(*count)++] = (numbered){number, path};
    return PLIANT_OK;
}

/* All files of the pattern's folder that fit it. */
static pliant_result list_matches(pli_memory *memory, const char *pattern, numbered **list,
                                  size_t *count)
{
    pattern_parts parts = take_apart(pattern);
    char *folder = pli_memory_text(memory, parts.folder > 0 ? pattern : ".",
                                   parts.folder > 0 ? parts.folder : 1);
    if (folder == NULL) {
        return memory->failure;
    }
    errno = 0;
    pli_folder *names = pli_folder_open(folder);
    if (names == NULL) {
        return fail_read(folder);
    }
    pliant_result result = PLIANT_OK;
    size_t capacity = 0;
    for (const char *name = pli_folder_next(names); name != NULL && result == PLIANT_OK;
         name = pli_folder_next(names)) {
        result = add_match(memory, pattern, &parts, name, list, count, &capacity);
    }
    pli_folder_close(names);
    return result;
}

pliant_result pli_sequence_list(pli_memory *memory, pli_notes *notes, const char *pattern,
                                uint64_t **numbers, char ***paths, uint32_t *count)
{
    if (strchr(pli_base_name(pattern), '#') == NULL) {
        return pli_asset_fail(PLIANT_ERROR_DATA, "%s: '#' may only stand in the name of a file",
                              PLI_SHOW_PATH(pattern));
    }
    numbered *list = NULL;
    size_t found = 0;
    pliant_result result = list_matches(memory, pattern, &list, &found);
    if (result != PLIANT_OK) {
        return result;
    }
    if (found == 0 || found > UINT32_MAX / 2) {
        return pli_asset_fail(PLIANT_ERROR_DATA, "%s: %s", PLI_SHOW_PATH(pattern),
                              found == 0 ? "there is no such file" : "too many files");
    }
    qsort(list, found, sizeof *list, compare_numbers);
    pli_reader named = {.name = pli_base_name(pattern), .notes = notes};
    char **names = pli_memory_get(memory, found, sizeof *names);
    *numbers = names != NULL ? pli_memory_get(memory, found, sizeof **numbers) : NULL;
    if (*numbers == NULL) {
        return memory->failure;
    }
    for (size_t i = 0; i < found; i++) {
        names[i] = list[i].path;
        (*numbers)[i] = list[i].number;
        if (i > 0 && list[i].number != list[i - 1].number + 1) {
            pli_note(&named, "no frames between %llu and %llu",
                     (unsigned long long)list[i - 1].number, (unsigned long long)list[i].number);
        }
    }
    *paths = names;
    *count = (uint32_t)found;
    return PLIANT_OK;
}
