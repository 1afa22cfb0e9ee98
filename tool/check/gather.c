#include "gather.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "check.h"

#define MOST_FOLDERS 64 /* within each other: links may lead in circles */
#define MOST_PATH    4096

static bool is_wild(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

static char *copy_text(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

static void add_path(gathered *files, const char *path)
{
    if (files->count == files->capacity) {
        uint32_t capacity = files->capacity > 0 ? 2 * files->capacity : 64;
        char **grown = (char **)realloc((void *)files->paths, capacity * sizeof *grown);
        if (grown == NULL) {
            files->no_memory = true;
            return;
        }
        files->paths = grown;
        files->capacity = capacity;
    }
    char *copy = copy_text(path, strlen(path));
    files->no_memory = files->no_memory || copy == NULL;
    if (copy != NULL) {
        files->paths[files->count++] = copy;
    }
}

/* Whether `size` bytes of a name fit a part of a pattern that has no slash. */
static bool part_fits(const char *pattern, size_t pattern_size, const char *name, size_t size)
{
    char *a = copy_text(pattern, pattern_size), *b = copy_text(name, size);
    bool fits = a != NULL && b != NULL && check_name_fits(a, b);
    free(a);
    free(b);
    return fits;
}

/* A ** takes as few folders as it can; where that leads nowhere, the last one takes one more. */
bool gather_fits(const char *pattern, const char *path)
{
    const char *star = NULL, *taken = NULL;
    for (;;) {
        if (strncmp(pattern, "**/", 3) == 0) {
            star = pattern += 3;
            taken = path;
            continue;
        }
        size_t part = strcspn(pattern, "/"), name = strcspn(path, "/");
        if (part_fits(pattern, part, path, name) && (pattern[part] == '/') == (path[name] == '/')) {
            if (pattern[part] == '\0') {
                return true;
            }
            pattern += part + 1;
            path += name + 1;
            continue;
        }
        size_t skipped = star != NULL ? strcspn(taken, "/") : 0;
        if (star == NULL || taken[skipped] == '\0') {
            return false;
        }
        path = taken += skipped + 1;
        pattern = star;
    }
}

static bool is_gltf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".glb") == 0 || strcasecmp(dot, ".gltf") == 0);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Goes through a folder; with a pattern only what fits is taken, else every glTF file. */
static void walk(gathered *files, const char *folder, const char *pattern, int depth)
{
    DIR *open = depth < MOST_FOLDERS ? opendir(folder[0] != '\0' ? folder : ".") : NULL;
    if (open == NULL) {
        return;
    }
    size_t length = strlen(folder);
    const char *slash = length == 0 || folder[length - 1] == '/' ? "" : "/";
    for (struct dirent *entry; (entry = readdir(open)) != NULL && !files->no_memory;) {
        char path[MOST_PATH];
        int used = snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name);
        if (entry->d_name[0] == '.' || used < 0 || (size_t)used >= sizeof path) {
            continue;
        }
        if (is_folder(path)) {
            walk(files, path, pattern, depth + 1);
        } else if (pattern != NULL ? gather_fits(pattern, path) : is_gltf(path)) {
            add_path(files, path);
        }
    }
    closedir(open);
}

/* The part of a pattern before the first folder with a wildcard is where one looks. */
static void walk_pattern(gathered *files, const char *pattern)
{
    size_t size = 0;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (strchr("*?[", *at) != NULL) {
            break;
        }
        size = *at == '/' ? (size_t)(at - pattern) + 1 : size;
    }
    char *folder = copy_text(pattern, size);
    files->no_memory = files->no_memory || folder == NULL;
    if (folder != NULL) {
        walk(files, folder, pattern, 0);
    }
    free(folder);
}

bool gather_word(gathered *files, const char *word, char *error, size_t capacity)
{
    uint32_t before = files->count;
    struct stat about;
    if (stat(word, &about) != 0 && is_wild(word)) {
        walk_pattern(files, word);
    } else if (is_folder(word)) {
        walk(files, word, NULL, 0);
    } else {
        add_path(files, word); /* whether it is there is seen when it is read */
    }
    if (files->no_memory) {
        snprintf(error, capacity, "not enough memory");
        return false;
    }
    if (files->count == before) {
        snprintf(error, capacity,
                 is_folder(word) ? "%s: there is no glTF or GLB file in it"
                                 : "%s: no file fits this pattern",
                 word);
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void gather_end(gathered *files)
{
    if (files->count == 0) {
        return;
    }
    qsort((void *)files->paths, files->count, sizeof *files->paths, compare);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < files->count; i++) {
        if (strcmp(files->paths[i], files->paths[kept - 1]) == 0) {
            free(files->paths[i]);
        } else {
            files->paths[kept++] = files->paths[i];
        }
    }
    files->count = kept;
}

void gather_free(gathered *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free((void *)files->paths);
    *files = (gathered){0};
}
