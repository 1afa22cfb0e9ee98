/* The options of `pliant check`, from the command line and from --config. */
#include "check_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "system.h"

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

/* A length: "0.5" in units of the file, "2%" of the smaller body. */
static bool read_limit(const char *name, const char *text, check_limit *limit)
{
    if (text == NULL) {
        return true;
    }
    char *end = NULL;
    double number = strtod(text, &end);
    bool is_percent = end != text && *end == '%';
    if (end == text || end[is_percent] != '\0' || !(number >= 0.0 && number <= 1e30)) {
        cli_fail(CLI_USAGE, "%s needs a length like 0.02, or 2%% of the smaller body, not '%s'",
                 name, text);
        return false;
    }
    *limit = (check_limit){number, is_percent};
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
    } else {
        settings->against = CHECK_AGAINST_DEFAULT;
        settings->reference = text;
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

static bool read_progress(check_request *request)
{
    static const char *const names[] = {"none", "bar", "plain"};
    request->progress = isatty(STDERR_FILENO) ? CHECK_PROGRESS_BAR : CHECK_PROGRESS_NONE;
    for (int i = 0; request->progress_name != NULL && i < 3; i++) {
        if (strcmp(request->progress_name, names[i]) == 0) {
            request->progress = (check_progress)i;
            return true;
        }
    }
    if (request->progress_name != NULL) {
        cli_fail(CLI_USAGE, "--progress is bar, plain or none, not '%s'", request->progress_name);
    }
    return request->progress_name == NULL;
}

static bool read_words(check_request *request)
{
    check_settings *settings = &request->settings;
    if (!read_real("--fps", request->rate, 0.001, 10000.0, &settings->rate) ||
        !read_real("--clearance", request->clearance, 0.0, 1e30, &settings->clearance) ||
        !read_limit("--near", request->near, &settings->near) ||
        !read_limit("--min-depth", request->min_depth, &settings->min_depth) ||
        !read_limit("--max-depth", request->max_depth, &settings->max_depth) ||
        !read_real("--max-area", request->max_area, 0.0, 1e30, &settings->max_area)) {
        return false;
    }
    settings->has_max_depth = request->max_depth != NULL;
    settings->has_max_area = request->max_area != NULL;
    settings->self = request->self ? CHECK_SELF_ON : CHECK_SELF_DEFAULT;
    settings->clearance = (double)(float)settings->clearance; /* what the library compares with */
    settings->steps = request->continuous ? request->steps : 0;
    return read_frames(request->frames, settings) && read_against(request->against, settings) &&
           read_split(request->split, settings) && read_progress(request);
}

static uint32_t count_processors(void)
{
    long count = system_processors();
    return count < 1 ? 1 : count > CLI_MOST_THREADS ? CLI_MOST_THREADS : (uint32_t)count;
}

const char check_options_help[] =
    "What is looked at\n"
    "  --clip NAMES       only these clips: names or patterns, with commas between\n"
    "  --clips FILES      also the clips of these files, bound by the names of joints; a glTF\n"
    "                     file without triangles is taken as one\n"
    "  --together         play the clips of each file as one: exporters cut them by node\n"
    "  --fps N            frames a second; default: as the file's keys are, else 30\n"
    "  --frames A:B       only frames A to B of each clip; frames count from 0\n"
    "  --self             also each body against itself; a single body always is\n"
    "  --split HOW        what a body is: node (as in the file; the default), primitive (one\n"
    "                     for each material) or component (one for each connected piece)\n"
    "  --ignore NAMES     leave out these bodies and materials; A+B leaves out only A against "
    "B\n"
    "  --continuous [N]   also what passes through between two frames: triangles that meet on "
    "the\n"
    "                     way and touch nothing of the other body in either. Vertices go from\n"
    "                     frame to frame in N straight lines (1 to 1000; default 1)\n"
    "  --allow WHAT       let pass what else is an error: still (nothing moves), unused (names "
    "that\n"
    "                     fit nothing), missing (frames of a sequence), nothing (to compare)\n"
    "  --clearance D      count different bodies as touching when closer than D\n"
    "  --volume           also measure the volume that closed bodies which touch share\n"
    "  --contours         also measure the curves along which bodies cross, and how much of\n"
    "                     each lies inside the other, and how deep: in --json, --csv, "
    "--html\n\n"
    "What counts as new\n"
    "  --against WHAT     rest: not touching in the rest pose (the default if anything moves)\n"
    "                     none: everything is new (the default if nothing moves)\n"
    "                     frame:N: not touching in frame N of the clip\n"
    "                     FILE: not in the rest pose and not in this reference, which `pliant\n"
    "                     accept` writes; with --each * stands for each file's name\n"
    "  --near D           new is what is farther than this from what touches there, measured\n"
    "                     along both surfaces at rest: units, or per cent of the smaller body\n"
    "                     (default 2%)\n"
    "  --min-depth D      findings up to this depth never fail. A known contact is worse if it\n"
    "                     is deeper by more than this and more than twice as deep as accepted\n"
    "                     (default 0.25%)\n"
    "  --max-depth D      findings up to this depth do not fail\n"
    "  --max-area A       nor do findings up to this area, in square units\n\n"
    "What is read\n"
    "  --scene NAME       of glTF files with several scenes, this one, by name or number\n"
    "  --repair           go on with weights that cannot be used (not finite, negative, of no\n"
    "                     joint) as 0\n\n";

#define MOST_OPTIONS 40

/* All options of the command; the first `*config_count` of them may also stand in a config, the
   others are about one run. */
static uint32_t list_options(check_request *request, bool accepts, cli_option options[MOST_OPTIONS],
                             uint32_t *config_count)
{
    check_settings *settings = &request->settings;
    const cli_option of_files[] = {
        {.name = "--clip", .text = &settings->clips},
        {.name = "--clips", .text = &request->clip_list},
        {.name = "--together", .flag = &settings->together},
        {.name = "--allow", .text = &settings->allowed},
        {.name = "--fps", .text = &request->rate},
        {.name = "--frames", .text = &request->frames},
        {.name = "--self", .flag = &request->self},
        {.name = "--continuous",
         .flag = &request->continuous,
         .number = &request->steps,
         .least = 1,
         .most = 1000},
        {.name = "--volume", .flag = &settings->volume},
        {.name = "--contours", .flag = &settings->contours},
        {.name = "--clearance", .text = &request->clearance},
        {.name = "--against", .text = &request->against},
        {.name = "--split", .text = &request->split},
        {.name = "--ignore", .text = &settings->ignored},
        {.name = "--near", .text = &request->near},
        {.name = "--min-depth", .text = &request->min_depth},
        {.name = "--max-depth", .text = &request->max_depth},
        {.name = "--max-area", .text = &request->max_area},
        {.name = "--scene", .text = &settings->scene},
        {.name = "--repair", .flag = &settings->repair},
    };
    const cli_option of_run[] = {
        {.name = "--each", .flag = &request->each},
        {.name = "--jobs", .number = &request->jobs, .least = 1, .most = CLI_MOST_THREADS},
        {.name = "--config", .text = &request->config},
        {.name = "--json", .text = &request->json},
        {.name = "--csv", .text = &request->csv},
        {.name = "--html", .text = &request->html},
        {.name = "--junit", .text = &request->junit},
        {.name = "--markdown", .text = &request->markdown},
        {.name = "--annotations", .flag = &request->annotations},
        {.name = "--progress", .text = &request->progress_name},
    };
    const cli_option of_accept[] = {
        {.name = "--output", .letter = 'o', .text = &request->output},
        {.name = "--reason", .text = &request->reason},
    };
    *config_count = sizeof of_files / sizeof of_files[0];
    memcpy(options, of_files, sizeof of_files);
    if (accepts) {
        memcpy(options + *config_count, of_accept, sizeof of_accept);
        return *config_count + sizeof of_accept / sizeof of_accept[0];
    }
    memcpy(options + *config_count, of_run, sizeof of_run);
    return *config_count + sizeof of_run / sizeof of_run[0];
}

static int count_outputs(const check_request *request)
{
    const char *const paths[] = {request->json, request->csv, request->html, request->junit,
                                 request->markdown};
    int count = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        count += output_is_standard(paths[i]) ? 1 : 0;
    }
    return count;
}

bool check_request_uses_output(const check_request *request)
{
    return count_outputs(request) > 0;
}

/* Files between commas. */
static bool read_clip_files(check_request *request)
{
    check_settings *settings = &request->settings;
    char *at = request->clip_names;
    settings->clip_files = request->clip_files;
    if (request->clip_list == NULL) {
        return true;
    }
    size_t length = strlen(request->clip_list);
    if (length >= sizeof request->clip_names) {
        cli_fail(CLI_USAGE, "--clips: the list of files is too long");
        return false;
    }
    memcpy(request->clip_names, request->clip_list, length + 1);
    while (at != NULL) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        if (*at == '\0' || settings->clip_file_count == CHECK_MOST_CLIP_FILES) {
            cli_fail(CLI_USAGE, "--clips needs up to %d files with commas between, not '%s'",
                     CHECK_MOST_CLIP_FILES, request->clip_list);
            return false;
        }
        request->clip_files[settings->clip_file_count++] = at;
        at = comma;
    }
    return true;
}

static bool parse(check_request *request, bool accepts, int argument_count, char **arguments)
{
    *request = (check_request){.settings = check_default_settings(),
                               .limits = {.threads = count_processors()},
                               .steps = 1};
    check_settings *settings = &request->settings;
    cli_option options[MOST_OPTIONS];
    uint32_t config_count = 0, count = list_options(request, accepts, options, &config_count);
    if (!cli_parse(argument_count, arguments, options, count, &request->limits, request->files,
                   CHECK_MOST_FILES, &settings->file_count) ||
        !read_words(request) || !read_clip_files(request)) {
        return false;
    }
    if (settings->file_count == 0) {
        const char *name = accepts ? "accept" : "check";
        cli_fail(CLI_USAGE, "%s needs a file; pliant %s --help tells more", name, name);
        return false;
    }
    if (count_outputs(request) > 1) {
        cli_fail(CLI_USAGE, "only one of --json, --csv, --html, --junit and --markdown can go to "
                            "standard output");
        return false;
    }
    settings->files = request->files;
    settings->threads = request->limits.threads;
    settings->isa = request->limits.isa;
    settings->keep_triangles = request->json != NULL || request->html != NULL;
    return true;
}

bool check_request_parse(check_request *request, int argument_count, char **arguments)
{
    return parse(request, false, argument_count, arguments);
}

bool check_request_parse_accept(check_request *request, int argument_count, char **arguments)
{
    return parse(request, true, argument_count, arguments);
}

bool check_request_config(const check_request *request, check_config **config)
{
    *config = NULL;
    if (request->config == NULL) {
        return true;
    }
    check_request scratch = {.steps = 0}; /* which options there are, not what they are */
    cli_option options[MOST_OPTIONS];
    uint32_t count = 0;
    char error[700];
    list_options(&scratch, false, options, &count);
    *config = check_config_open(request->config, options, count, error, sizeof error);
    if (*config == NULL) {
        cli_fail(CLI_USAGE, "%s", error);
    }
    return *config != NULL;
}

bool check_request_parse_for(check_request *request, const check_config *config, const char *path,
                             int argument_count, char **arguments, bool *skip)
{
    char **own = NULL;
    int own_count = 0;
    *skip = false;
    if (config == NULL) {
        return check_request_parse(request, argument_count, arguments);
    }
    if (!check_config_arguments(config, path, &own, &own_count, skip)) {
        cli_fail(CLI_FAILED, "not enough memory");
        return false;
    }
    size_t count = (size_t)own_count + (size_t)argument_count;
    char **all = (char **)malloc((count + 1) * sizeof *all);
    bool good = all != NULL;
    if (good) {
        memcpy((void *)all, (void *)own, (size_t)own_count * sizeof *all);
        memcpy((void *)(all + own_count), (void *)arguments, (size_t)argument_count * sizeof *all);
        good = check_request_parse(request, (int)count, all);
    } else {
        cli_fail(CLI_FAILED, "not enough memory");
    }
    free((void *)all);
    free((void *)own);
    return good;
}

bool check_request_guard(check_request *request, output_guard *guard)
{
    request->guard = guard;
    return output_guard_add(guard, "--json", request->json) &&
           output_guard_add(guard, "--csv", request->csv) &&
           output_guard_add(guard, "--html", request->html) &&
           output_guard_add(guard, "--junit", request->junit) &&
           output_guard_add(guard, "--markdown", request->markdown) &&
           output_guard_add(guard, "-o", request->output) &&
           output_guard_input(guard, request->config);
}

/* `pliant accept` brings its own reference up to date. */
bool check_request_guard_inputs(const check_request *request, const output_guard *guard)
{
    const check_settings *settings = &request->settings;
    bool differ = request->output != NULL || output_guard_input(guard, settings->reference);
    for (uint32_t i = 0; differ && i < settings->file_count; i++) {
        differ = output_guard_input(guard, settings->files[i]);
    }
    for (uint32_t i = 0; differ && i < settings->clip_file_count; i++) {
        differ = output_guard_input(guard, settings->clip_files[i]);
    }
    return differ;
}
