/* Command-line programs: what the commands of `pliant`, and `pliant-bench`, share. */
#ifndef TOOL_CLI_H
#define TOOL_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "pliant/base.h"

/* Exit status. */
typedef enum cli_status {
    CLI_DONE = 0,
    CLI_CONTACTS = 1, /* `pliant check` found contacts that are new; `pliant bench` found figures
                         that changed, or has runs left; `pliant replay` got other answers */
    CLI_USAGE = 2,    /* bad usage or bad input */
    CLI_FAILED = 3    /* anything else */
} cli_status;

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line for `pliant --help` */
    const char *usage;   /* `pliant NAME --help`, up to the options that every command takes;
                            NULL: the command reads all its arguments itself */
    const char *more[2]; /* what follows it at once, for texts are limited; NULL: nothing */
    const char *threads; /* what follows "at most N threads" there */
    const char *details; /* what comes behind these options; NULL: nothing */
    int option_width;    /* columns up to what is said about an option, for all to stand in line */
    /* Runs with the arguments after the command's name. */
    cli_status (*run)(int argument_count, char **arguments);
} cli_command;

extern const cli_command cli_command_demo;
extern const cli_command cli_command_check;
extern const cli_command cli_command_accept;
extern const cli_command cli_command_bench;
extern const cli_command cli_command_scenes;
extern const cli_command cli_command_info;
extern const cli_command cli_command_export;
extern const cli_command cli_command_fit;
extern const cli_command cli_command_replay;

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* The program's name; each defines its own. */
extern const char cli_program[];

/* Around all of a program: a reader of its output that goes away is a write error like any other,
   and the exit status tells of it. */
void cli_begin(void);
int cli_end(cli_status status);

/* Runs a command, or prints its usage or the version if the arguments ask for that. */
cli_status cli_run(const cli_command *command, int argument_count, char **arguments);
cli_status cli_print_version(void);

/* Prints "PROGRAM: ...", a newline at the end, on stderr, escaped for terminals; returns
   `status`. */
cli_status cli_fail(cli_status status, const char *format, ...) CLI_PRINTF(2, 3);

/* One option. Exactly one of flag, text and number is set, or flag and number: the number may then
   be left out. */
typedef struct cli_option {
    const char *name;  /* "--steps" */
    char letter;       /* 'o' for -o; 0: none */
    bool *flag;        /* set to true */
    const char **text; /* set to the value */
    uint32_t *number;  /* set to the value, from `least` to `most` */
    uint32_t least, most;
} cli_option;

#define CLI_MOST_THREADS 256 /* as many workers as a context of the library takes */

/* What every command takes: what it may use of the machine. Answers never depend on it. */
typedef struct cli_limits {
    uint32_t threads; /* --threads: at most so many */
    pliant_isa isa;   /* --isa: at most this instruction set */
} cli_limits;

/*
 * Reads options in any order, as "--name value" or "--name=value": those of the command, and those
 * that every command takes, which set `limits` if they are given. Collects what is not an option in
 * `words`; after "--" everything is a word. Prints one line and returns false on a mistake. The
 * option --options, which scripts/manual asks for, lists the options themselves and ends the
 * program.
 */
bool cli_parse(int argument_count, char **arguments, const cli_option *options,
               uint32_t option_count, cli_limits *limits, const char **words,
               uint32_t word_capacity, uint32_t *word_count);

/* A context within the limits of the instruction set, for a command that has scenes compared by
   `workers` threads; 1: it has none, or threads of its own. */
pliant_result cli_create_context(const cli_limits *limits, uint32_t workers,
                                 pliant_context **context);

#endif
