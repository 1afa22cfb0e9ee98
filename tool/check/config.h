/*
 * Settings that stand beside the files they are for (docs/guide/pipeline.md):
 *
 *     {
 *       "check": {"fps": 24, "ignore": ["Sword*", "Cape+Body"]},
 *       "files": [{"match": "hero-*.glb", "split": "primitive"}, {"match": "old-*", "skip": true}]
 *     }
 *
 * Keys are options of `pliant check` without their dashes, and their values become what would stand
 * on the command line: so each is known, and read, in one place. A key that is no option, or may
 * only stand on the command line, is a mistake.
 */
#ifndef TOOL_CHECK_CONFIG_H
#define TOOL_CHECK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/cli.h"

typedef struct check_config check_config;

/* Reads JSON text. `options` are those that may be set; `folder` is where the file stands, with its
   last slash or "". NULL with a sentence in `error`. */
check_config *check_config_read(const char *text, size_t size, const char *folder,
                                const cli_option *options, uint32_t option_count, char *error,
                                size_t capacity);

/* The same from a file. */
check_config *check_config_open(const char *path, const cli_option *options, uint32_t option_count,
                                char *error, size_t capacity);

void check_config_free(check_config *config);

/* Arguments for a file. They point into the config; `*skip` says that it is to be left out. False
   without memory. free() the list. */
bool check_config_arguments(const check_config *config, const char *path, char ***arguments,
                            int *count, bool *skip);

/* Whether an entry that fits a file skips it. */
bool check_config_skips(const check_config *config, const char *path);

/* The pattern of an entry that fits none of the paths, or NULL. */
const char *check_config_unused(const check_config *config, const char *const *paths,
                                uint32_t count);

#endif
