/* pliant replay: asks what a recorded scene was asked, and compares the answers. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/replay/file.h"
#include "tool/replay/replay.h"
#include "tool/text/characters.h"
#include "tool/text/input.h"
#include "tool/text/json.h"

/* Who prints: a table, or JSON. */
typedef struct replay_printer {
    bool as_json, only_differing;
    bool has_head; /* the head of the table has been printed */
    json_writer json;
} replay_printer;

static void print_row(const replay_question *question)
{
    const pliant_recorded_answer *played = &question->played, *recorded = &question->recorded;
    printf("%8" PRIu64 "  %-19s %7" PRIu32 " %9" PRIu64 " %10" PRIu64 " %10.3f %10.3f  %s\n",
           question->number, question->name, question->body_count, played->counts[0],
           played->counts[1], 1e3 * recorded->seconds, 1e3 * played->seconds,
           replay_verdict_name(question->verdict));
    if (question->verdict == REPLAY_DIFFERS) {
        printf("%8s  first difference: %s; recorded: %s, %" PRIu64 " and %" PRIu64 "%s", "",
               question->field, pliant_result_get_name((pliant_result)recorded->result),
               recorded->counts[0], recorded->counts[1], recorded->sentence[0] != '\0' ? ": " : "");
        text_show(stdout, recorded->sentence);
        printf("; played: %s%s", pliant_result_get_name((pliant_result)played->result),
               played->sentence[0] != '\0' ? ": " : "");
        text_show(stdout, played->sentence);
        putchar('\n');
    }
}

static void put_answer(json_writer *json, const char *key, const pliant_recorded_answer *answer)
{
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, answer->checksum);
    json_open_object(json, key);
    json_put_string(json, "result", pliant_result_get_name((pliant_result)answer->result));
    json_put_string(json, "sentence", answer->sentence);
    json_put_integer(json, "bodies", answer->counts[0]);
    json_put_integer(json, "found", answer->counts[1]);
    json_put_string(json, "checksum", checksum);
    json_number(json, "seconds", answer->seconds);
    json_close_object(json);
}

static void put_question(json_writer *json, const replay_question *question)
{
    json_open_object(json, NULL);
    json_put_integer(json, "number", question->number);
    json_put_string(json, "asked", question->name);
    json_put_integer(json, "bodies", question->body_count);
    json_put_string(json, "verdict", replay_verdict_name(question->verdict));
    json_put_string(json, "field", question->field != NULL ? question->field : "");
    if (question->verdict != REPLAY_UNANSWERED) {
        put_answer(json, "recorded", &question->recorded);
    }
    put_answer(json, "played", &question->played);
    json_close_object(json);
}

static void tell(void *user, const replay_question *question)
{
    replay_printer *printer = user;
    if (printer->only_differing && question->verdict == REPLAY_SAME) {
        return;
    }
    if (printer->as_json) {
        put_question(&printer->json, question);
    } else {
        if (!printer->has_head) {
            printf("%8s  %-19s %7s %9s %10s %10s %10s  %s\n", "question", "asked", "bodies",
                   "pairs", "found", "then ms", "now ms", "answer");
            printer->has_head = true;
        }
        print_row(question);
    }
}

static void begin_printing(replay_printer *printer)
{
    if (printer->as_json) {
        printer->json = json_begin(stdout);
        json_open_object(&printer->json, NULL);
        json_open_array(&printer->json, "questions");
    }
}

static void end_printing(replay_printer *printer, const replay_summary *summary)
{
    if (printer->as_json) {
        json_writer *json = &printer->json;
        json_close_array(json);
        json_put_integer(json, "asked", summary->asked_count);
        json_put_integer(json, "differing", summary->differing_count);
        json_put_integer(json, "first_differing", summary->first_differing);
        json_put_integer(json, "not_compared", summary->not_compared_count);
        json_put_integer(json, "shapes", summary->shape_count);
        json_put_integer(json, "recorded_version", summary->recorded_version);
        json_put_integer(json, "recorded_threads", summary->recorded_threads);
        json_put_string(json, "recorded_isa", pliant_isa_get_name(summary->recorded_isa));
        json_put_string(json, "error", summary->error);
        json_close_object(json);
        json_end(json);
        return;
    }
    if (summary->asked_count == 0 && summary->error[0] != '\0') {
        return; /* the error says all */
    }
    printf("%" PRIu64 " of %" PRIu64 " questions asked: ", summary->asked_count,
           summary->question_count);
    if (summary->differing_count > 0) {
        printf("%" PRIu64 " answers differ, the first to question %" PRIu64 "\n",
               summary->differing_count, summary->first_differing);
    } else {
        printf("the same answers%s\n",
               summary->not_compared_count > 0 ? ", as far as they can be compared" : "");
    }
}

/* Reads a recording up to its end, in parts of which each is as large as all before it. The caller
   frees the bytes, on failure too. */
static cli_status read_parts(FILE *file, const char *path, uint8_t **bytes, uint64_t *size)
{
    uint64_t at = 0;
    for (size_t capacity = (size_t)1 << 20;; capacity *= 2) {
        uint8_t *more = capacity > 0 ? realloc(*bytes, capacity) : NULL;
        if (more == NULL) {
            return cli_fail(CLI_FAILED, "%s: out of memory", path);
        }
        *bytes = more;
        *size += fread(more + *size, 1, capacity - (size_t)*size, file);
        if (ferror(file)) {
            return cli_fail(CLI_USAGE, "cannot read %s", path);
        }
        if (*size < capacity || replay_has_enough(more, *size, &at)) {
            return CLI_DONE;
        }
    }
}

static cli_status read_file(const char *path, uint8_t **bytes, uint64_t *size)
{
    const char *reason = NULL;
    FILE *file = text_open(path, &reason);
    if (file == NULL) {
        return cli_fail(CLI_USAGE, "cannot open %s: %s", path, reason);
    }
    cli_status status = read_parts(file, path, bytes, size);
    fclose(file);
    return status;
}

static cli_status play(const char *path, const uint8_t *bytes, uint64_t size,
                       replay_settings *settings, replay_printer *printer)
{
    replay_summary summary;
    settings->tell = tell;
    settings->user = printer;
    begin_printing(printer);
    replay_play(bytes, size, settings, &summary);
    end_printing(printer, &summary);
    if (summary.error[0] != '\0') {
        fflush(stdout);
        if (summary.question_count > 0) {
            cli_fail(CLI_USAGE, "%s: after question %" PRIu64 ": %s", path, summary.question_count,
                     summary.error);
        } else {
            cli_fail(CLI_USAGE, "%s: %s", path, summary.error);
        }
    }
    return summary.out_of_memory         ? CLI_FAILED
           : summary.differing_count > 0 ? CLI_CONTACTS
           : summary.error[0] != '\0'    ? CLI_USAGE
                                         : CLI_DONE;
}

static cli_status run(int argument_count, char **arguments)
{
    const char *path = NULL;
    uint32_t count = 0, from = 1, to = UINT32_MAX;
    cli_limits limits = {.threads = 1};
    replay_printer printer = {.as_json = false};
    const cli_option options[] = {
        {.name = "--from", .number = &from, .least = 1, .most = UINT32_MAX},
        {.name = "--to", .number = &to, .least = 1, .most = UINT32_MAX},
        {.name = "--differing", .flag = &printer.only_differing},
        {.name = "--json", .flag = &printer.as_json},
    };
    if (!cli_parse(argument_count, arguments, options, sizeof options / sizeof options[0], &limits,
                   &path, 1, &count)) {
        return CLI_USAGE;
    }
    if (count == 0) {
        return cli_fail(CLI_USAGE, "replay needs a file; pliant replay --help tells more");
    }
    uint64_t size = 0;
    uint8_t *bytes = NULL;
    cli_status status = read_file(path, &bytes, &size);
    if (status != CLI_DONE) {
        free(bytes);
        return status;
    }
    replay_settings settings = replay_settings_default();
    settings.threads = limits.threads;
    settings.isa = limits.isa;
    settings.from = from;
    settings.to = to == UINT32_MAX ? UINT64_MAX : to;
    status = play(path, bytes, size, &settings, &printer);
    free(bytes);
    return status;
}

const cli_command cli_command_replay = {
    .name = "replay",
    .summary = "ask what a recorded scene was asked, and compare the answers",
    .usage =
        "usage: pliant replay FILE [OPTIONS]\n\n"
        "Plays a recording of a scene (pliant_scene_record()): the same bodies in the same states "
        "are asked\nthe same questions, and the answers are compared with those of the "
        "recording.\n\n"
        "  --from K     ask from question K on, counted from 1; before it only states are set\n"
        "  --to K       ask up to question K\n"
        "  --differing  print only questions whose answers are not the same\n"
        "  --json       print JSON\n\n"
        "  pairs        pairs of bodies that touch, or bodies, or rays\n"
        "  found        what was found of them: pairs of triangles, triangles, hits\n"
        "  then, now    milliseconds that the answer took\n"
        "  answer       same; differs, with the first field that does; not compared: it depends on "
        "time,\n"
        "               memory or earlier queries; unanswered: the recording ends with this "
        "question\n",
    .threads = "default 1",
    .details = "exit status: 0 the same answers, 1 at least one differs, 2 the file is no "
               "recording, or is\ncut or altered: what comes before is played, 3 anything else\n",
    .option_width = 13,
    .run = run,
};
