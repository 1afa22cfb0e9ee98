#include "gather.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "check.h"

#define MOST_FOLDERS 64 /* within each other */
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

/* Whether something in a folder, or below it, may fit a pattern. */
static bool may_lead(const char *pattern, const char *folder)
{
    while (strncmp(pattern, "**/", 3) != 0) {
        size_t part = strcspn(pattern, "/"), name = strcspn(folder, "/");
        if (pattern[part] == '\0' || !part_fits(pattern, part, folder, name)) {
            return false;
        }
        if (folder[name] == '\0') {
            return true;
        }
        pattern += part + 1;
        folder += name + 1;
    }
    return true;
}

/* ------------------------------------------------------------------ folders */

/* Folders that were visited, or files that are in the list, by device and inode. */
typedef struct inode_set {
    struct inode {
        uint64_t device, number;
    } * slots; /* open addressing; a number of 0 is an empty slot */
    size_t count, capacity;
} inode_set;

static struct inode *find_slot(const inode_set *set, uint64_t device, uint64_t number)
{
    uint64_t hash = (number * 0x9e3779b97f4a7c15u) ^ device;
    size_t slot = (hash ^ hash >> 32) & (set->capacity - 1);
    while (set->slots[slot].number != 0 &&
           (set->slots[slot].number != number || set->slots[slot].device != device)) {
        slot = (slot + 1) & (set->capacity - 1);
    }
    return &set->slots[slot];
}

static bool grow_set(inode_set *set)
{
    inode_set grown = {.count = set->count, .capacity = set->capacity > 0 ? 2 * set->capacity : 64};
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    for (size_t i = 0; grown.slots != NULL && i < set->capacity; i++) {
        if (set->slots[i].number != 0) {
            *find_slot(&grown, set->slots[i].device, set->slots[i].number) = set->slots[i];
        }
    }
    if (grown.slots != NULL) {
        free(set->slots);
        *set = grown;
    }
    return grown.slots != NULL;
}

/* Adds the inode of a file; false if the set has it. Files without inode numbers are all new. */
static bool add_inode(gathered *files, inode_set *set, const struct stat *about)
{
    if (about->st_ino == 0) {
        return true;
    }
    if (2 * set->count >= set->capacity && !grow_set(set)) {
        files->no_memory = true;
        return false;
    }
    struct inode *slot = find_slot(set, (uint64_t)about->st_dev, (uint64_t)about->st_ino);
    if (slot->number != 0) {
        return false;
    }
    *slot = (struct inode){(uint64_t)about->st_dev, (uint64_t)about->st_ino};
    set->count++;
    return true;
}

/* A way through one word's folders. */
typedef struct folder_walk {
    gathered *files;
    const char *pattern; /* NULL: every glTF file */
    inode_set folders, found;
    gathered folder_links, file_links;
} folder_walk;

static void add_failure(gathered *files, const char *path, const char *error)
{
    gathered_failure *grown =
        realloc(files->failures, ((size_t)files->failure_count + 1) * sizeof *grown);
    files->no_memory = files->no_memory || grown == NULL;
    if (grown == NULL) {
        return;
    }
    files->failures = grown;
    gathered_failure *added = &grown[files->failure_count++];
    *added = (gathered_failure){copy_text(path, strlen(path)), copy_text(error, strlen(error))};
    files->no_memory = files->no_memory || added->path == NULL || added->error == NULL;
}

/* Whether a path is a symbolic link; systems without them have no lstat(). */
static bool is_link(const char *path)
{
#if defined(_WIN32)
    (void)path;
    return false;
#else
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
#endif
}

static bool is_wanted(const folder_walk *walk, const char *path)
{
    return walk->pattern != NULL ? gather_fits(walk->pattern, path) : is_gltf(path);
}

static void visit_folder(folder_walk *walk, const char *folder, int depth);

/* One entry of a folder. Links come later, so that paths without links are the ones in the list. */
static void visit_entry(folder_walk *walk, const char *path, int depth)
{
    struct stat about;
    bool wanted = is_wanted(walk, path);
    if (stat(path, &about) != 0) {
        if (wanted) {
            add_path(walk->files, path); /* why it cannot be read is said then */
        } else if (errno != ENOENT) {
            add_failure(walk->files, path, strerror(errno));
        }
    } else if (S_ISDIR(about.st_mode)) {
        if (walk->pattern != NULL && !may_lead(walk->pattern, path)) {
            return;
        }
        if (is_link(path)) {
            add_path(&walk->folder_links, path);
        } else {
            visit_folder(walk, path, depth + 1);
        }
    } else if (wanted && is_link(path)) {
        add_path(&walk->file_links, path);
    } else if (wanted) {
        add_inode(walk->files, &walk->found, &about);
        add_path(walk->files, path);
    }
}

static void visit_entries(folder_walk *walk, DIR *open, const char *folder, int depth)
{
    size_t length = strlen(folder);
    const char *slash = length == 0 || folder[length - 1] == '/' ? "" : "/";
    errno = 0;
    for (struct dirent *entry; !walk->files->no_memory && (entry = readdir(open)) != NULL;) {
        char path[MOST_PATH];
        int used = snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name);
        if (entry->d_name[0] == '.') {
            continue;
        }
        if (used < 0 || (size_t)used >= sizeof path) {
            add_failure(walk->files, folder, "the path of something in it is too long");
            return;
        }
        visit_entry(walk, path, depth);
        errno = 0;
    }
    if (errno != 0) {
        add_failure(walk->files, folder, strerror(errno));
    }
}

static void visit_folder(folder_walk *walk, const char *folder, int depth)
{
    char error[100];
    const char *path = folder[0] != '\0' ? folder : ".";
    struct stat about;
    if (stat(path, &about) == 0 && !add_inode(walk->files, &walk->folders, &about)) {
        return;
    }
    if (depth >= MOST_FOLDERS) {
        snprintf(error, sizeof error, "this folder lies more than %d folders deep", MOST_FOLDERS);
        add_failure(walk->files, path, error);
        return;
    }
    DIR *open = opendir(path);
    if (open == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        return; /* nothing is there */
    }
    if (open == NULL) {
        snprintf(error, sizeof error, "cannot open this folder: %.60s", strerror(errno));
        add_failure(walk->files, path, error);
        return;
    }
    visit_entries(walk, open, folder, depth);
    closedir(open);
}

static int compare_failures(const void *first, const void *second)
{
    const gathered_failure *x = first, *y = second;
    return x->path == NULL || y->path == NULL ? 0 : strcmp(x->path, y->path);
}

/* Levels of a path below the folder where the walk began. */
static int depth_of(const char *path, const char *start)
{
    int depth = 0;
    for (const char *at = path + strlen(start); *at != '\0'; at++) {
        depth += *at == '/' ? 1 : 0;
    }
    return depth;
}

/* Visits a folder and all below it; with a pattern only what fits is taken, else every glTF file.
 */
static void walk(gathered *files, const char *folder, const char *pattern)
{
    folder_walk walk = {.files = files, .pattern = pattern};
    visit_folder(&walk, folder, 0);
    while (walk.folder_links.count > 0 && !files->no_memory) {
        gathered links = walk.folder_links; /* those below them make another list */
        walk.folder_links = (gathered){0};
        gather_end(&links);
        for (uint32_t i = 0; i < links.count; i++) {
            visit_folder(&walk, links.paths[i], depth_of(links.paths[i], folder));
        }
        files->no_memory = files->no_memory || links.no_memory;
        gather_free(&links);
    }
    gather_end(&walk.file_links);
    for (uint32_t i = 0; i < walk.file_links.count; i++) {
        struct stat about;
        const char *path = walk.file_links.paths[i];
        if (stat(path, &about) != 0 || add_inode(files, &walk.found, &about)) {
            add_path(files, path);
        }
    }
    files->no_memory = files->no_memory || walk.file_links.no_memory || walk.folder_links.no_memory;
    gather_free(&walk.file_links);
    gather_free(&walk.folder_links);
    free(walk.folders.slots);
    free(walk.found.slots);
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
        walk(files, folder, pattern);
    }
    free(folder);
}

bool gather_word(gathered *files, const char *word, char *error, size_t capacity)
{
    uint32_t before = files->count + files->failure_count;
    struct stat about;
    if (stat(word, &about) != 0 && is_wild(word)) {
        walk_pattern(files, word);
    } else if (is_folder(word)) {
        walk(files, word, NULL);
    } else {
        add_path(files, word); /* whether it is there is seen when it is read */
    }
    if (files->no_memory) {
        snprintf(error, capacity, "not enough memory");
        return false;
    }
    if (files->count + files->failure_count == before) {
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
    if (files->failure_count > 0) {
        qsort(files->failures, files->failure_count, sizeof *files->failures, compare_failures);
    }
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
    for (uint32_t i = 0; i < files->failure_count; i++) {
        free(files->failures[i].path);
        free(files->failures[i].error);
    }
    free(files->failures);
    free((void *)files->paths);
    *files = (gathered){0};
}
