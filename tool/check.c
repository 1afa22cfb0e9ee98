/* pliant check: which bodies of a file touch, in which frames, and what of that is new. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "system.h"

#define MOST_FILES 1024

/* When the bar that shows how far it is began, and when it was last drawn. */
typedef struct progress_bar {
    double start, shown;
} progress_bar;

#define BAR_WIDTH 30

/* Draws the bar, at most ten times a second. */
static void show_progress(void *user, uint32_t done, uint32_t count)
{
    progress_bar *progress = user;
    double time = system_seconds();
    if (time - progress->shown < 0.1 || time - progress->start < 0.3 || done == 0) {
        return;
    }
    progress->shown = time;
    char bar[BAR_WIDTH + 1];
    uint32_t filled = (uint32_t)((uint64_t)done * BAR_WIDTH / count);
    for (uint32_t i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    double left = (time - progress->start) / done * (count - done);
    fprintf(stderr, "\r[%s] %3.0f %%  frame %" PRIu32 " of %" PRIu32 ", %.0f s left\033[K", bar,
            100.0 * done / count, done, count, left + 0.5);
}

static void hide_progress(const progress_bar *progress)
{
    if (progress->shown > 0.0) {
        fputs("\r\033[K", stderr);
    }
}

/* The values of options that are not read by cli_parse(). */
typedef struct check_words {
    const char *rate, *frames, *clearance, *against, *split, *json, *csv, *html;
} check_words;

static bool read_real(const char *name, const char *text, double least, double most, double *value)
{
    if (text == NULL) {
        return true;
    }
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= least && number <= most)) {
        cli_fail(CLI_USAGE, "%s needs a number from %g to %g, not '%s'", name, least, most, text);
        return false;
    }
    *value = number;
    return true;
}

/* Reads digits up to `end`; an empty text is no number and no mistake. */
static bool read_frame(const char *text, const char *end, bool *is_there, uint32_t *frame)
{
    uint64_t number = 0;
    *is_there = text < end;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9' || number > UINT32_MAX / 10 - 1) {
            return false;
        }
        number = 10 * number + (uint64_t)(*text - '0');
    }
    *frame = (uint32_t)number;
    return true;
}

/* "A:B", "A:", ":B" or "A". */
static bool read_frames(const char *text, check_settings *settings)
{
    if (text == NULL) {
        return true;
    }
    const char *end = text + strlen(text), *colon = strchr(text, ':');
    bool read =
        read_frame(text, colon != NULL ? colon : end, &settings->has_first, &settings->first);
    if (colon == NULL) {
        settings->has_last = settings->has_first;
        settings->last = settings->first;
    } else {
        read = read && read_frame(colon + 1, end, &settings->has_last, &settings->last);
    }
    if (!read || (settings->has_last && settings->has_first && settings->last < settings->first)) {
        cli_fail(CLI_USAGE, "--frames needs a range like 10:20, 10:, :20 or 10, not '%s'", text);
        return false;
    }
    return true;
}

static bool read_against(const char *text, check_settings *settings)
{
    if (text == NULL) {
        return true;
    }
    bool is_number = false;
    if (strcmp(text, "rest") == 0) {
        settings->against = CHECK_AGAINST_REST;
    } else if (strcmp(text, "none") == 0) {
        settings->against = CHECK_AGAINST_NONE;
    } else if (strncmp(text, "frame:", 6) == 0) {
        settings->against = CHECK_AGAINST_FRAME;
        if (!read_frame(text + 6, text + strlen(text), &is_number, &settings->against_frame) ||
            !is_number) {
            cli_fail(CLI_USAGE, "--against frame:N needs a whole number, not '%s'", text + 6);
            return false;
        }
    } else if (strlen(text) > 5 && strcmp(text + strlen(text) - 5, ".json") == 0) {
        settings->against = CHECK_AGAINST_REPORT;
        settings->against_report = text;
    } else {
        cli_fail(CLI_USAGE,
                 "--against is rest, none, frame:N or an earlier report's .json file, "
                 "not '%s'",
                 text);
        return false;
    }
    return true;
}

static bool read_split(const char *text, check_settings *settings)
{
    for (int i = CHECK_SPLIT_NODE; text != NULL && i <= CHECK_SPLIT_COMPONENT; i++) {
        if (strcmp(text, check_split_name((check_split)i)) == 0) {
            settings->split = (check_split)i;
            return true;
        }
    }
    if (text != NULL) {
        cli_fail(CLI_USAGE, "--split is node, primitive or component, not '%s'", text);
    }
    return text == NULL;
}

static bool read_words(const check_words *words, check_settings *settings)
{
    if (!read_real("--fps", words->rate, 0.001, 10000.0, &settings->rate) ||
        !read_real("--clearance", words->clearance, 0.0, 1e30, &settings->clearance)) {
        return false;
    }
    settings->clearance = (double)(float)settings->clearance; /* what the library compares with */
    return read_frames(words->frames, settings) && read_against(words->against, settings) &&
           read_split(words->split, settings);
}

typedef enum check_format { CHECK_JSON, CHECK_CSV, CHECK_HTML } check_format;

static check_result write_to(check *state, FILE *stream, check_format format)
{
    if (format == CHECK_JSON) {
        return check_write_json(state, stream);
    }
    if (format == CHECK_HTML) {
        return check_write_page(state, stream);
    }
    check_write_csv(state, stream);
    return CHECK_DONE;
}

/* Prints what went wrong, if anything did. */
static cli_status say_how(const check *state, check_result result)
{
    if (result == CHECK_DONE) {
        return CLI_DONE;
    }
    return cli_fail(result == CHECK_BAD_INPUT ? CLI_USAGE : CLI_FAILED, "%s",
                    check_error(state, result));
}

/* Writes a file; "-" is standard output, whose errors cli_end() finds. */
static cli_status write_file(check *state, const char *path, check_format format)
{
    if (path == NULL) {
        return CLI_DONE;
    }
    if (strcmp(path, "-") == 0) {
        return say_how(state, write_to(state, stdout, format));
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    cli_status status = say_how(state, write_to(state, file, format));
    bool failed = ferror(file) != 0;
    int reason = errno;
    if (fclose(file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    return status == CLI_DONE && failed
               ? cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(reason))
               : status;
}

static bool is_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static uint32_t count_processors(void)
{
    long count = system_processors();
    return count < 1 ? 1 : count > CLI_MOST_THREADS ? CLI_MOST_THREADS : (uint32_t)count;
}

static cli_status run(int argument_count, char **arguments)
{
    progress_bar progress = {.start = system_seconds()};
    check state = {.settings = check_default_settings()};
    check_settings *settings = &state.settings;
    cli_limits limits = {.threads = count_processors()};
    check_words words = {0};
    bool continuous = false;
    uint32_t steps = 1;
    const cli_option options[] = {
        {.name = "--clip", .text = &settings->clips},
        {.name = "--fps", .text = &words.rate},
        {.name = "--frames", .text = &words.frames},
        {.name = "--self", .flag = &settings->self},
        {.name = "--continuous", .flag = &continuous, .number = &steps, .least = 1, .most = 1000},
        {.name = "--volume", .flag = &settings->volume},
        {.name = "--contours", .flag = &settings->contours},
        {.name = "--clearance", .text = &words.clearance},
        {.name = "--against", .text = &words.against},
        {.name = "--split", .text = &words.split},
        {.name = "--ignore", .text = &settings->ignored},
        {.name = "--max-pairs", .number = &settings->max_pairs, .most = UINT32_MAX},
        {.name = "--json", .text = &words.json},
        {.name = "--csv", .text = &words.csv},
        {.name = "--html", .text = &words.html},
    };
    const char *files[MOST_FILES];
    if (!cli_parse(argument_count, arguments, options, sizeof options / sizeof options[0], &limits,
                   files, MOST_FILES, &settings->file_count) ||
        !read_words(&words, settings)) {
        return CLI_USAGE;
    }
    if (settings->file_count == 0) {
        return cli_fail(CLI_USAGE, "check needs a file; pliant check --help tells more");
    }
    if (is_output(words.json) + is_output(words.csv) + is_output(words.html) > 1) {
        return cli_fail(CLI_USAGE,
                        "only one of --json, --csv and --html can go to standard output");
    }
    settings->files = files;
    settings->steps = continuous ? steps : 0;
    settings->threads = limits.threads;
    settings->isa = limits.isa;
    settings->progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    settings->progress_user = &progress;
    settings->keep_triangles = words.json != NULL || words.html != NULL;
    settings->keep_lines = words.html != NULL;
    check_result filled = check_fill(&state);
    hide_progress(&progress);
    cli_status status = say_how(&state, filled);
    status = status == CLI_DONE ? write_file(&state, words.json, CHECK_JSON) : status;
    status = status == CLI_DONE ? write_file(&state, words.csv, CHECK_CSV) : status;
    status = status == CLI_DONE ? write_file(&state, words.html, CHECK_HTML) : status;
    if (status == CLI_DONE && !is_output(words.json) && !is_output(words.csv) &&
        !is_output(words.html)) {
        status = say_how(&state, check_write_table(&state, stdout));
    }
    if (status == CLI_DONE) {
        status = check_has_failed(&state) ? CLI_CONTACTS : CLI_DONE;
    }
    check_free(&state);
    return status;
}

const cli_command cli_command_check = {
    .name = "check",
    .summary = "find which bodies of a file touch, in which frames, and what of that is new",
    .usage =
        "usage: pliant check FILE... [OPTIONS]\n\n"
        "Plays every clip of an animated file and lists which bodies touch or pass through each\n"
        "other: in which frames, how many pairs of triangles, how deep, and how much of it is "
        "new,\n"
        "that is, not already there in the rest pose.\n\n"
        "  pliant check character.glb                      all clips of a character\n"
        "  pliant check character.glb --clip 'Walk*' --self\n"
        "  pliant check body.obj cloth.####.ply            a numbered sequence against a mesh\n"
        "  pliant check cloth.obj cloth.pc2 body.obj       a vertex cache comes after its mesh\n\n"
        "Files: glTF 2.0 and GLB (skins, morph targets, animations), OBJ, PLY, OFF, numbered\n"
        "sequences of these, PC2 and MDD caches. `pliant info FILE` lists bodies and clips.\n\n"
        "What is looked at\n"
        "  --clip NAMES       only these clips: names or patterns, with commas between\n"
        "  --fps N            frames a second; default 30\n"
        "  --frames A:B       only frames A to B of each clip; frames count from 0\n"
        "  --self             also each body against itself\n"
        "  --split HOW        what a body is: node (as in the file; the default), primitive (one\n"
        "                     for each material) or component (one for each connected piece)\n"
        "  --ignore NAMES     leave out these bodies and materials; A+B leaves out only A against "
        "B\n"
        "  --continuous [N]   also what passes through between two frames: triangles that meet on "
        "the\n"
        "                     way and touch nothing of the other body in either. Vertices go from\n"
        "                     frame to frame in N straight lines (1 to 1000; default 1)\n"
        "  --clearance D      count different bodies as touching when closer than D\n"
        "  --volume           also measure the volume that closed bodies which touch share\n"
        "  --contours         also measure the curves along which bodies cross, and how much of\n"
        "                     each lies inside the other, and how deep: in --json, --csv, "
        "--html\n\n"
        "What counts as new\n"
        "  --against WHAT     rest: not touching in the rest pose (the default if anything moves)\n"
        "                     none: everything is new (the default if nothing moves)\n"
        "                     frame:N: not touching in frame N of the clip\n"
        "                     REPORT.json: not in this report of an earlier check\n"
        "  --max-pairs N      let up to N new pairs of triangles per pair of bodies pass\n\n"
        "What is written\n"
        "  --json FILE        everything, for programs and for --against; - is standard output\n"
        "  --csv FILE         a line for each frame and pair of bodies; - is standard output\n"
        "  --html FILE        a page to look at: the bodies in 3D in every frame, what touches\n",
    .threads = "default: one for each processor",
    .option_width = 19,
    .details =
        "In the table, first, worst and last are frames; new and all are pairs of triangles in "
        "the\n"
        "worst frame; depth is how far, in the file's units, the deepest pair must move apart: "
        "the\n"
        "bodies must move at least so far. Lines marked known have nothing new, lines marked\n"
        "allowed no more than --max-pairs. Of many clips a line shows in how many something is "
        "new,\n"
        "and the worst one; --clip shows one by itself.\n\n"
        "exit status: 0 nothing new touches, 1 something does, 2 bad usage or bad input,\n"
        "3 anything else\n",
    .run = run,
};
