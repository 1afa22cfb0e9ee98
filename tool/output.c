#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "system.h"

#define MOST_LINKS 40
#define MOST_PATH  4096

/* ------------------------------------------------------------------ interrupts */

/* The unfinished file, which an interrupt removes. */
static char *volatile unfinished;

#if defined(_WIN32)

static void catch_interrupts(void)
{
}

#else

static void remove_unfinished(int number)
{
    if (unfinished != NULL) {
        unlink(unfinished);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Signals that are ignored, or have a handler, keep it. */
static void catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            signal(numbers[i], remove_unfinished);
        }
    }
}

#endif

/* ------------------------------------------------------------------ writing */

bool output_is_standard(const char *path)
{
    return path != NULL && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

static char *join(const char *folder, size_t folder_size, const char *name)
{
    size_t size = folder_size + strlen(name) + 1;
    char *joined = malloc(size);
    if (joined != NULL) {
        snprintf(joined, size, "%.*s%s", (int)folder_size, folder, name);
    }
    return joined;
}

/* Bytes of a path up to its last slash. */
static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
#if defined(_WIN32)
    const char *back = strrchr(path, '\\');
    slash = back != NULL && (slash == NULL || back > slash) ? back : slash;
#endif
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/*
 * The path at the end of symbolic links, which may not exist; the caller frees it. NULL with errno
 * set, or with 0 for a name of an open file of the process (/dev/fd/3), which has no end.
 */
static char *follow(const char *path)
{
    char *at = join(path, strlen(path), "");
#if !defined(_WIN32)
    for (int i = 0; at != NULL; i++) {
        char link[MOST_PATH];
        ssize_t size = readlink(at, link, sizeof link);
        if (size < 0) {
            return at;
        }
        bool is_open = strncmp(at, "/proc/", 6) == 0 || strncmp(at, "/dev/fd/", 8) == 0;
        char *next = NULL;
        if (!is_open && i < MOST_LINKS && (size_t)size < sizeof link) {
            link[size] = '\0';
            next = join(at, link[0] == '/' ? 0 : folder_size(at), link);
        }
        free(at);
        at = next;
        errno = is_open ? 0 : ELOOP;
    }
#endif
    return at;
}

/* Creates the unfinished file in the folder of the target. */
static bool create_part(output_file *file, const struct stat *old)
{
    static uint32_t number;
    int handle = -1;
    catch_interrupts();
    for (int i = 0; i < 100 && handle < 0; i++) {
        char name[64];
        snprintf(name, sizeof name, ".pliant-%ld-%u", (long)getpid(), number++);
        free(file->part);
        file->part = join(file->target, folder_size(file->target), name);
        if (file->part == NULL) {
            return false;
        }
        unfinished = file->part; /* before it exists: an interrupt may come at any time */
        handle = system_create(file->part);
        if (handle < 0) {
            unfinished = NULL;
        }
        if (handle < 0 && errno != EEXIST) {
            return false;
        }
    }
    if (handle < 0) {
        return false;
    }
    if (old != NULL) {
        system_copy_mode(handle, old);
    }
    file->stream = fdopen(handle, "wb");
    if (file->stream == NULL) {
        close(handle);
        remove(file->part);
        unfinished = NULL;
    }
    return file->stream != NULL;
}

static cli_status fail_write(output_file *file, int reason)
{
    cli_fail(CLI_FAILED, "cannot write %s: %s", file->path, strerror(reason));
    unfinished = NULL;
    free(file->target);
    free(file->part);
    *file = (output_file){.path = NULL};
    return CLI_FAILED;
}

cli_status output_open(output_file *file, const char *path)
{
    *file = (output_file){.path = path};
    struct stat old;
    bool exists = stat(path, &old) == 0;
    errno = 0;
    file->target = !exists || S_ISREG(old.st_mode) ? follow(path) : NULL;
    if (file->target == NULL && errno != 0) {
        return fail_write(file, errno);
    }
    if (file->target == NULL) {
        file->stream = fopen(path, "wb");
    } else if (!exists || access(path, W_OK) == 0) { /* a read-only file stays */
        create_part(file, exists ? &old : NULL);
    }
    return file->stream != NULL ? CLI_DONE : fail_write(file, errno);
}

cli_status output_close(output_file *file, cli_status status, bool durable)
{
    bool good = ferror(file->stream) == 0 && fflush(file->stream) == 0;
    int reason = errno;
    if (good && durable && file->part != NULL && !system_sync(file->stream)) {
        good = false;
        reason = errno;
    }
    if (fclose(file->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (file->part != NULL && good && status == CLI_DONE &&
        !system_replace(file->part, file->target)) {
        good = false;
        reason = errno;
    }
    if (file->part != NULL && (!good || status != CLI_DONE)) {
        remove(file->part);
    }
    if (!good && status == CLI_DONE) {
        return fail_write(file, reason);
    }
    unfinished = NULL;
    free(file->target);
    free(file->part);
    *file = (output_file){.path = NULL};
    return status;
}

/* ------------------------------------------------------------------ what must stay */

#if defined(_WIN32)

/* Files have no numbers here: whole paths stand for them. */
static output_identity identify(const char *path)
{
    output_identity identity = {.name = _fullpath(NULL, path, 0)};
    identity.known = identity.name != NULL;
    return identity;
}

static bool is_same_name(const char *a, const char *b)
{
    return _stricmp(a, b) == 0;
}

#else

static output_identity identify(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        return (output_identity){.device = (uint64_t)about.st_dev,
                                 .file = (uint64_t)about.st_ino,
                                 .known = S_ISREG(about.st_mode)};
    }
    output_identity identity = {.known = false};
    char *target = follow(path);
    size_t size = target != NULL ? folder_size(target) : 0;
    char *folder = target != NULL ? join(target, size, size > 0 ? "" : ".") : NULL;
    if (folder != NULL && stat(folder, &about) == 0) {
        identity = (output_identity){.device = (uint64_t)about.st_dev,
                                     .file = (uint64_t)about.st_ino,
                                     .name = join("", 0, target + size)};
        identity.known = identity.name != NULL;
    }
    free(folder);
    free(target);
    return identity;
}

static bool is_same_name(const char *a, const char *b)
{
#if defined(__APPLE__)
    return strcasecmp(a, b) == 0;
#else
    return strcmp(a, b) == 0;
#endif
}

#endif

static bool is_same(const output_identity *a, const output_identity *b)
{
    return a->known && b->known && a->device == b->device && a->file == b->file &&
           (a->name == NULL) == (b->name == NULL) &&
           (a->name == NULL || is_same_name(a->name, b->name));
}

/* The entry that a path names, or the count. */
static uint32_t find_entry(const output_guard *guard, const output_identity *identity)
{
    uint32_t i = 0;
    while (i < guard->count && !is_same(&guard->entries[i].identity, identity)) {
        i++;
    }
    return i;
}

bool output_guard_add(output_guard *guard, const char *option, const char *path)
{
    if (path == NULL || output_is_standard(path) || guard->count == OUTPUT_MOST) {
        return true;
    }
    output_entry entry = {option, path, identify(path)};
    uint32_t same = find_entry(guard, &entry.identity);
    if (same < guard->count) {
        cli_fail(CLI_USAGE, "%s and %s would both write %s", guard->entries[same].option, option,
                 path);
        free(entry.identity.name);
        return false;
    }
    guard->entries[guard->count++] = entry;
    return true;
}

bool output_guard_input(const output_guard *guard, const char *path)
{
    if (path == NULL || guard->count == 0) {
        return true;
    }
    output_identity identity = identify(path);
    uint32_t same = find_entry(guard, &identity);
    free(identity.name);
    if (same < guard->count) {
        cli_fail(CLI_USAGE, "%s %s would overwrite %s, which is read", guard->entries[same].option,
                 guard->entries[same].path, path);
    }
    return same == guard->count;
}

/* Returns true if a file may be read; otherwise the guard notes the output that it is. */
static bool may_read(output_guard *guard, const char *path)
{
    output_identity identity = identify(path);
    uint32_t same = find_entry(guard, &identity);
    free(identity.name);
    if (same < guard->count) {
        atomic_store(&guard->clash, same + 1);
        errno = EBUSY;
    }
    return same == guard->count;
}

static bool guarded_size(void *user, const char *path, uint64_t *size)
{
    output_guard *guard = user;
    return may_read(guard, path) && guard->files.size(guard->files.user, path, size);
}

static bool guarded_read(void *user, const char *path, uint64_t offset, void *buffer,
                         uint64_t count)
{
    output_guard *guard = user;
    return may_read(guard, path) &&
           guard->files.read(guard->files.user, path, offset, buffer, count);
}

pliant_files output_guard_files(output_guard *guard)
{
    guard->files = pliant_asset_def_default().files;
    return guard->count == 0
               ? guard->files
               : (pliant_files){.size = guarded_size, .read = guarded_read, .user = guard};
}

bool output_guard_holds(const output_guard *guard)
{
    uint32_t clash = atomic_load(&guard->clash);
    if (clash > 0) {
        const output_entry *entry = &guard->entries[clash - 1];
        cli_fail(CLI_USAGE, "%s would overwrite %s, which is read", entry->option, entry->path);
    }
    return clash == 0;
}

void output_guard_free(output_guard *guard)
{
    for (uint32_t i = 0; i < guard->count; i++) {
        free(guard->entries[i].identity.name);
    }
    guard->count = 0;
}
