#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "pliant/asset.h"

#include "tool/text/characters.h"

static bool is_named(const char *argument, const cli_option *option, const char **value)
{
    size_t length = strlen(option->name);
    if (strncmp(argument, option->name, length) == 0 &&
        (argument[length] == '\0' || argument[length] == '=')) {
        *value = argument[length] == '=' ? argument + length + 1 : NULL;
        return true;
    }
    if (option->letter != 0 && argument[0] == '-' && argument[1] == option->letter) {
        *value = argument[2] != '\0' ? argument + 2 : NULL;
        return true;
    }
    return false;
}

static bool read_number(const cli_option *option, const char *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    bool is_number = value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0;
    if (!is_number || number < option->least || number > option->most) {
        cli_fail(CLI_USAGE, "%s needs a whole number from %u to %u, not '%s'", option->name,
                 option->least, option->most, value);
        return false;
    }
    *option->number = (uint32_t)number;
    return true;
}

/* Stores one option; `next` is the argument behind it, used if the value is not attached. */
static bool store(const cli_option *option, const char *value, const char *next, bool *used_next)
{
    if (option->flag != NULL && option->number != NULL) {
        *option->flag = true;
        *used_next = value == NULL && next != NULL && next[0] >= '0' && next[0] <= '9' &&
                     strspn(next, "0123456789") == strlen(next);
        value = *used_next ? next : value;
        return value == NULL || read_number(option, value);
    }
    if (option->flag != NULL) {
        if (value != NULL) {
            cli_fail(CLI_USAGE, "%s takes no value", option->name);
            return false;
        }
        *option->flag = true;
        return true;
    }
    if (value == NULL) {
        value = next;
        *used_next = true;
    }
    if (value == NULL || value[0] == '\0') {
        cli_fail(CLI_USAGE, "%s needs a value", option->name);
        return false;
    }
    if (option->text != NULL) {
        *option->text = value;
        return true;
    }
    return read_number(option, value);
}

static const cli_option *find_option(const cli_option *options, uint32_t count,
                                     const char *argument, const char **value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_named(argument, &options[i], value)) {
            return &options[i];
        }
    }
    return NULL;
}

static bool read_isa(const char *name, pliant_isa *isa)
{
    for (int i = PLIANT_ISA_PLAIN; i <= PLIANT_ISA_AVX512; i++) {
        if (strcmp(name, pliant_isa_get_name((pliant_isa)i)) == 0) {
            *isa = (pliant_isa)i;
            return true;
        }
    }
    cli_fail(CLI_USAGE, "--isa is plain, baseline, avx2 or avx512, not '%s'", name);
    return false;
}

/* One line per option: its name, its letter or "-", and what it takes: nothing, a number, perhaps a
   number, or text. */
static void list_options(const cli_option *options, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const cli_option *option = &options[i];
        const char *takes = option->text != NULL     ? "text"
                            : option->number == NULL ? "nothing"
                            : option->flag != NULL   ? "optional"
                                                     : "number";
        printf("%s %c %s\n", option->name, option->letter != 0 ? option->letter : '-', takes);
    }
}

bool cli_parse(int argument_count, char **arguments, const cli_option *options,
               uint32_t option_count, cli_limits *limits, const char **words,
               uint32_t word_capacity, uint32_t *word_count)
{
    const char *isa_name = NULL;
    const cli_option shared[] = {
        {.name = "--threads", .number = &limits->threads, .least = 1, .most = CLI_MOST_THREADS},
        {.name = "--isa", .text = &isa_name},
    };
    bool only_words = false;
    *word_count = 0;
    for (int i = 0; i < argument_count; i++) {
        const char *argument = arguments[i];
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
        } else if (!only_words && strcmp(argument, "--options") == 0) {
            list_options(options, option_count);
            list_options(shared, 2);
            exit(cli_end(CLI_DONE));
        } else if (!only_words && argument[0] == '-' && argument[1] != '\0') {
            const char *value = NULL;
            const cli_option *option = find_option(options, option_count, argument, &value);
            option = option != NULL ? option : find_option(shared, 2, argument, &value);
            if (option == NULL) {
                cli_fail(CLI_USAGE, "there is no option '%s' here", argument);
                return false;
            }
            bool used_next = false;
            const char *next = i + 1 < argument_count ? arguments[i + 1] : NULL;
            if (!store(option, value, next, &used_next)) {
                return false;
            }
            i += used_next ? 1 : 0;
        } else if (*word_count == word_capacity) {
            cli_fail(CLI_USAGE, "'%s' is one argument too many", argument);
            return false;
        } else {
            words[(*word_count)++] = argument;
        }
    }
    return isa_name == NULL || read_isa(isa_name, &limits->isa);
}

cli_status cli_fail(cli_status status, const char *format, ...)
{
    char short_text[2000], *text = short_text;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    va_end(arguments);
    size_t size = length > 0 ? (size_t)length + 1 : 1;
    if (size > sizeof short_text && (text = malloc(size)) != NULL) {
        va_start(arguments, format);
        vsnprintf(text, size, format, arguments);
        va_end(arguments);
    }
    fprintf(stderr, "%s: ", cli_program);
    text_show(stderr, text != NULL ? text : short_text);
    fputc('\n', stderr);
    if (text != short_text) {
        free(text);
    }
    return status;
}

void cli_begin(void)
{
#if defined(_WIN32)
    _setmode(_fileno(stdout), _O_BINARY); /* reports are the same bytes everywhere */
#else
    signal(SIGPIPE, SIG_IGN);
#endif
}

int cli_end(cli_status status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != CLI_FAILED) {
        status = cli_fail(CLI_FAILED, "cannot write to standard output");
    }
    return (int)status;
}

cli_status cli_print_version(void)
{
    printf("%s " PLIANT_VERSION_TEXT "\n", cli_program);
    printf("  libpliant        %s\n", pliant_version());
    printf("  libpliant_asset  %s\n", pliant_asset_version());
    return CLI_DONE;
}

/* Whether an option is there, by its name or by its letter. */
static bool asks_for(const char *name, const char *letter, int argument_count, char **arguments)
{
    for (int i = 0; i < argument_count && strcmp(arguments[i], "--") != 0; i++) {
        if (strcmp(arguments[i], name) == 0 || strcmp(arguments[i], letter) == 0) {
            return true;
        }
    }
    return false;
}

static void print_usage(const cli_command *command)
{
    int width = command->option_width;
    fputs(command->usage, stdout);
    for (int i = 0; i < 2; i++) {
        fputs(command->more[i] != NULL ? command->more[i] : "", stdout);
    }
    printf("\nEvery command takes\n");
    printf("  %-*sat most N threads (1 to %d); %s\n", width, "--threads N", CLI_MOST_THREADS,
           command->threads);
    printf("  %-*sat most this instruction set: plain, baseline, avx2 or avx512\n", width,
           "--isa SET");
    printf("  %-*s(default: the best that the machine has); the answer is the same\n", width, "");
    printf("  %-*sprint this and stop\n", width, "--help");
    printf("  %-*sprint the version and stop\n", width, "--version");
    if (command->details != NULL) {
        printf("\n%s", command->details);
    }
}

cli_status cli_run(const cli_command *command, int argument_count, char **arguments)
{
    if (command->usage == NULL) {
        return command->run(argument_count, arguments);
    }
    if (asks_for("--help", "-h", argument_count, arguments)) {
        print_usage(command);
        return CLI_DONE;
    }
    if (asks_for("--version", "--version", argument_count, arguments)) {
        return cli_print_version();
    }
    return command->run(argument_count, arguments);
}

pliant_result cli_create_context(const cli_limits *limits, uint32_t workers,
                                 pliant_context **context)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = limits->isa;
    def.workers = workers;
    return pliant_context_create(&def, context);
}
