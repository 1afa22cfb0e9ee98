#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gather.h"
#include "tool/text/input.h"

/* Arguments that one object becomes, and the files that they are for. */
typedef struct config_entry {
    char *match; /* NULL: all */
    bool skip;
    char **arguments;
    uint32_t count;
} config_entry;

struct check_config {
    char *folder;
    config_entry *entries;
    uint32_t count;
};

void check_config_free(check_config *config)
{
    for (uint32_t i = 0; config != NULL && i < config->count; i++) {
        config_entry *entry = &config->entries[i];
        for (uint32_t k = 0; k < entry->count; k++) {
            free(entry->arguments[k]);
        }
        free((void *)entry->arguments);
        free(entry->match);
    }
    if (config != NULL) {
        free(config->entries);
        free(config->folder);
        free(config);
    }
}

/* A path as patterns see it: from the folder of the config on, where it lies there. */
static const char *inside(const check_config *config, const char *path)
{
    size_t size = strlen(config->folder);
    return size > 0 && strncmp(path, config->folder, size) == 0 ? path + size : path;
}

/* A pattern without a slash is about names, wherever the files are. */
static bool entry_fits(const check_config *config, const config_entry *entry, const char *path)
{
    if (entry->match == NULL) {
        return true;
    }
    const char *slash = strrchr(path, '/');
    return gather_fits(entry->match, inside(config, path)) ||
           (strchr(entry->match, '/') == NULL && slash != NULL &&
            gather_fits(entry->match, slash + 1));
}

bool check_config_arguments(const check_config *config, const char *path, char ***arguments,
                            int *count, bool *skip)
{
    size_t total = 0, at = 0;
    *skip = check_config_skips(config, path);
    for (uint32_t i = 0; i < config->count; i++) {
        total += config->entries[i].count;
    }
    char **list = (char **)malloc((total + 1) * sizeof *list);
    for (uint32_t i = 0; list != NULL && i < config->count; i++) {
        const config_entry *entry = &config->entries[i];
        if (entry_fits(config, entry, path)) {
            for (uint32_t k = 0; k < entry->count; k++) {
                list[at++] = entry->arguments[k];
            }
        }
    }
    *arguments = list;
    *count = (int)at;
    return list != NULL;
}

bool check_config_skips(const check_config *config, const char *path)
{
    bool skips = false;
    for (uint32_t i = 0; i < config->count; i++) {
        skips = skips || (config->entries[i].skip && entry_fits(config, &config->entries[i], path));
    }
    return skips;
}

const char *check_config_unused(const check_config *config, const char *const *paths,
                                uint32_t count)
{
    for (uint32_t i = 0; i < config->count; i++) {
        bool used = false;
        for (uint32_t k = 0; !used && k < count; k++) {
            used = entry_fits(config, &config->entries[i], paths[k]);
        }
        if (!used) {
            return config->entries[i].match;
        }
    }
    return NULL;
}

#ifndef CHECK_HAVE_JANSSON

check_config *check_config_read(const char *text, size_t size, const char *folder,
                                const cli_option *options, uint32_t option_count, char *error,
                                size_t capacity)
{
    (void)text, (void)size, (void)folder, (void)options, (void)option_count;
    snprintf(error, capacity, "--config: pliant was built without jansson (libjansson-dev)");
    return NULL;
}

#else

#include <jansson.h>

#define MOST_ENTRIES 10000

/* What is being read, and where a sentence about it goes. */
typedef struct config_reader {
    check_config *config;
    const cli_option *options;
    uint32_t option_count;
    char *error;
    size_t capacity;
} config_reader;

CHECK_PRINTF(2, 3)
static bool fail(const config_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error, reader->capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool fail_memory(const config_reader *reader)
{
    return fail(reader, "not enough memory");
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static const cli_option *find_option(const config_reader *reader, const char *key)
{
    for (uint32_t i = 0; i < reader->option_count; i++) {
        if (strcmp(reader->options[i].name + 2, key) == 0) {
            return &reader->options[i];
        }
    }
    return NULL;
}

/* Adds "--KEY" or "--KEY=VALUE". */
static bool add_argument(const config_reader *reader, config_entry *entry, const char *key,
                         const char *value)
{
    size_t size = strlen(key) + (value != NULL ? strlen(value) : 0) + 4;
    char **grown = (char **)realloc((void *)entry->arguments, (entry->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return fail_memory(reader);
    }
    entry->arguments = grown;
    char *argument = malloc(size);
    if (argument == NULL) {
        return fail_memory(reader);
    }
    snprintf(argument, size, value != NULL ? "--%s=%s" : "--%s%s", key, value != NULL ? value : "");
    entry->arguments[entry->count++] = argument;
    return true;
}

/* A list becomes one text with commas between, so that no item may have one. */
static bool add_list(const config_reader *reader, config_entry *entry, const char *key,
                     const json_t *list)
{
    size_t size = 1, count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item == NULL || item[0] == '\0' || strchr(item, ',') != NULL) {
            return fail(reader, "\"%.40s\": item %zu is not a text without commas", key, i);
        }
        size += strlen(item) + 1;
    }
    if (count == 0) {
        return fail(reader, "\"%.40s\" is an empty list", key);
    }
    char *joined = malloc(size);
    if (joined == NULL) {
        return fail_memory(reader);
    }
    joined[0] = '\0';
    for (size_t i = 0, at = 0; i < count; i++) {
        at += (size_t)snprintf(joined + at, size - at, "%s%s", i > 0 ? "," : "",
                               json_string_value(json_array_get(list, i)));
    }
    bool good = add_argument(reader, entry, key, joined);
    free(joined);
    return good;
}

/* The value of one key. What kind it must be follows from the option. */
static bool add_value(const config_reader *reader, config_entry *entry, const cli_option *option,
                      const json_t *value)
{
    const char *key = option->name + 2;
    char number[40];
    if (option->flag != NULL && json_is_boolean(value)) {
        return !json_is_true(value) || add_argument(reader, entry, key, NULL);
    }
    if (option->text != NULL && json_is_array(value)) {
        return add_list(reader, entry, key, value);
    }
    if (option->text != NULL && json_is_string(value) && json_string_value(value)[0] != '\0') {
        return add_argument(reader, entry, key, json_string_value(value));
    }
    if (json_is_number(value) && (option->text != NULL || option->number != NULL)) {
        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        } else {
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        }
        return add_argument(reader, entry, key, number);
    }
    return fail(reader, "\"%.40s\" must be %s", key,
                option->text != NULL     ? "a text, a number or a list of texts"
                : option->number == NULL ? "true or false"
                : option->flag != NULL   ? "true, false or a whole number"
                                         : "a whole number");
}

static bool read_entry(const config_reader *reader, const json_t *object, bool of_files)
{
    check_config *config = reader->config;
    config_entry *entry = &config->entries[config->count++];
    json_t *members = (json_t *)object; /* jansson's iterators take no const */
    for (void *at = json_object_iter(members); at != NULL;
         at = json_object_iter_next(members, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *value = json_object_iter_value(at);
        const cli_option *option = find_option(reader, key);
        if (of_files && strcmp(key, "match") == 0) {
            entry->match = json_is_string(value) ? copy_text(json_string_value(value)) : NULL;
            if (entry->match == NULL) {
                return fail(reader, "\"match\" must be a text");
            }
        } else if (of_files && strcmp(key, "skip") == 0) {
            if (!json_is_boolean(value)) {
                return fail(reader, "\"skip\" must be true or false");
            }
            entry->skip = json_is_true(value);
        } else if (option == NULL) {
            return fail(reader, "there is no key \"%.60s\" here", key);
        } else if (!add_value(reader, entry, option, value)) {
            return false;
        }
    }
    return !of_files || entry->match != NULL ||
           fail(reader, "an entry of \"files\" has no \"match\"");
}

static bool read_root(const config_reader *reader, const json_t *root)
{
    const json_t *all = json_object_get(root, "check"), *files = json_object_get(root, "files");
    size_t count = json_array_size(files);
    json_t *members = (json_t *)root;
    if (!json_is_object(root)) {
        return fail(reader, "it is not an object");
    }
    for (void *at = json_object_iter(members); at != NULL;
         at = json_object_iter_next(members, at)) {
        const char *key = json_object_iter_key(at);
        if (strcmp(key, "check") != 0 && strcmp(key, "files") != 0) {
            return fail(reader, "there is no key \"%.60s\" here; there are \"check\" and \"files\"",
                        key);
        }
    }
    if ((all != NULL && !json_is_object(all)) || (files != NULL && !json_is_array(files)) ||
        count > MOST_ENTRIES) {
        return fail(reader, "\"check\" must be an object, and \"files\" a list of at most %d",
                    MOST_ENTRIES);
    }
    reader->config->entries = calloc(count + 1, sizeof *reader->config->entries);
    if (reader->config->entries == NULL) {
        return fail_memory(reader);
    }
    bool good = all == NULL || read_entry(reader, all, false);
    for (size_t i = 0; good && i < count; i++) {
        const json_t *entry = json_array_get(files, i);
        good = json_is_object(entry) ? read_entry(reader, entry, true)
                                     : fail(reader, "files[%zu] is not an object", i);
    }
    return good;
}

check_config *check_config_read(const char *text, size_t size, const char *folder,
                                const cli_option *options, uint32_t option_count, char *error,
                                size_t capacity)
{
    config_reader reader = {.config = calloc(1, sizeof *reader.config),
                            .options = options,
                            .option_count = option_count,
                            .error = error,
                            .capacity = capacity};
    json_error_t mistake;
    json_t *root = NULL;
    if (reader.config == NULL || (reader.config->folder = copy_text(folder)) == NULL) {
        fail_memory(&reader);
    } else if ((root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &mistake)) == NULL) {
        fail(&reader, "line %d: %.120s", mistake.line, mistake.text);
    } else if (read_root(&reader, root)) {
        json_decref(root);
        return reader.config;
    }
    json_decref(root);
    check_config_free(reader.config);
    return NULL;
}

#endif

#define MOST_SIZE (1 << 20)

check_config *check_config_open(const char *path, const cli_option *options, uint32_t option_count,
                                char *error, size_t capacity)
{
    char why[300];
    const char *reason = "not enough memory";
    const char *slash = strrchr(path, '/');
    size_t size = 0, folder_size = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *text = malloc(MOST_SIZE + 1), *folder = calloc(folder_size + 1, 1);
    FILE *file = text != NULL && folder != NULL ? text_open(path, &reason) : NULL;
    check_config *config = NULL;
    if (file == NULL) {
        snprintf(why, sizeof why, "it cannot be read: %s", reason);
    }
    if (file != NULL) {
        memcpy(folder, path, folder_size);
        size = fread(text, 1, MOST_SIZE + 1, file);
        if (ferror(file) != 0) {
            snprintf(why, sizeof why, "it cannot be read");
        } else if (size <= MOST_SIZE) {
            config = check_config_read(text, size, folder, options, option_count, why, sizeof why);
        } else {
            snprintf(why, sizeof why, "it is larger than 1 MiB");
        }
        fclose(file);
    }
    if (config == NULL) {
        snprintf(error, capacity, "%s: %s", path, why);
    }
    free(text);
    free(folder);
    return config;
}
