/* The command-line tool: what its subcommands share. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "pliant/base.h"

/* Exit status. */
typedef enum cli_status {
    CLI_DONE = 0,
    CLI_CONTACTS = 1, /* kept for commands that search for contacts */
    CLI_USAGE = 2,    /* bad usage or bad input */
    CLI_FAILED = 3    /* anything else */
} cli_status;

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line for `pliant --help` */
    const char *usage;   /* all of `pliant NAME --help` */
    /* Runs with the arguments after the command's name. */
    cli_status (*run)(int argument_count, char **arguments);
} cli_command;

extern const cli_command cli_command_demo;
extern const cli_command cli_command_check;
extern const cli_command cli_command_bench;
extern const cli_command cli_command_scenes;
extern const cli_command cli_command_info;
extern const cli_command cli_command_export;
extern const cli_command cli_command_fit;

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Prints "pliant: ..." and a newline on stderr, and returns `status`. */
cli_status cli_fail(cli_status status, const char *format, ...) CLI_PRINTF(2, 3);

/* One option. Exactly one of flag, text and number is set. */
typedef struct cli_option {
    const char *name;  /* "--steps" */
    char letter;       /* 'o' for -o; 0: none */
    bool *flag;        /* set to true */
    const char **text; /* set to the value */
    uint32_t *number;  /* set to the value, from `least` to `most` */
    uint32_t least, most;
} cli_option;

/*
 * Reads options in any order, as "--name value" or "--name=value", and collects what is not an
 * option in `words`. After "--" everything is a word. Prints one line and returns false on a
 * mistake.
 */
bool cli_parse(int argument_count, char **arguments, const cli_option *options,
               uint32_t option_count, const char **words, uint32_t word_capacity,
               uint32_t *word_count);

/* Reads the value of --isa; NULL stands for the best set. Prints one line and returns false if
   there is no set of that name. */
bool cli_read_isa(const char *name, pliant_isa *isa);

#endif
