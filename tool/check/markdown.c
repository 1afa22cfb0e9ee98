/* A summary for a merge request, in Markdown: a table of files, then one of what fails. */
#include "outcome.h"

#include "tool/text/characters.h"

#include <inttypes.h>
#include <string.h>

#define MOST_FINDINGS 50 /* more than a person reads; --json has all */

/* Text that is taken as it is, also inside a table. */
static void put_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        if (*text == '\n' || *text == '\r') {
            fputc(' ', stream);
            text++;
            continue;
        }
        if (strchr("\\`*_{}[]<>#!|~&@", *text) != NULL) {
            fputc('\\', stream);
        }
        text += text_put(stream, text);
    }
}

static void put_totals(FILE *stream, const outcome_totals *totals, uint32_t count)
{
    const check_compared *compared = &totals->compared;
    if (totals->failing + totals->broken == 0) {
        fprintf(stream, "**Nothing new touches** in %" PRIu32 " %s", count,
                check_plural(count, "file", "files"));
    } else {
        fprintf(stream, "**%" PRIu32 " of %" PRIu32 " %s**", totals->failing + totals->broken,
                count, count == 1 ? "file fails" : "files fail");
        if (totals->broken > 0) {
            fprintf(stream, ", %" PRIu32 " could not be checked", totals->broken);
        }
    }
    fprintf(stream, ". Compared: %" PRIu32 " %s of bodies, %" PRIu32 " %s, %" PRIu32 " %s.\n",
            compared->body_pairs, check_plural(compared->body_pairs, "pair", "pairs"),
            compared->clips, check_plural(compared->clips, "clip", "clips"), compared->frames,
            check_plural(compared->frames, "frame", "frames"));
}

static void put_files(FILE *stream, const check_outcome *outcomes, uint32_t count)
{
    fputs("\n| | file | |\n|---|---|---|\n", stream);
    for (uint32_t i = 0; i < count; i++) {
        const check_outcome *outcome = &outcomes[i];
        char line[1200];
        const char *mark = outcome->result != CHECK_DONE ? "error"
                           : outcome->fails              ? "found"
                                                         : "ok";
        check_outcome_line(outcome, line, sizeof line);
        fprintf(stream, "| %s | ", mark);
        put_text(stream, outcome->path);
        fputs(" | ", stream);
        put_text(stream, line);
        fputs(" |\n", stream);
    }
}

static void put_finding(FILE *stream, const check_outcome *outcome, const outcome_finding *finding)
{
    const check_finding *found = &finding->found;
    char bodies[400];
    check_outcome_bodies(finding, bodies, sizeof bodies);
    fputs("| ", stream);
    put_text(stream, outcome->path);
    fputs(" | ", stream);
    put_text(stream, finding->clip);
    fputs(" | ", stream);
    put_text(stream, bodies);
    fputs(" | ", stream);
    put_text(stream, finding->place);
    if (found->size > 0.0 && found->depth > 0.0) {
        fprintf(stream, " | %.3g (%.2g %%)", found->depth, 100.0 * found->depth / found->size);
    } else {
        fputs(" | ", stream);
    }
    fprintf(stream, " | %" PRIu32 " | %" PRIu32 "-%" PRIu32 " | %s %s |\n", found->deepest,
            found->first, found->last, check_verdict_name(found->verdict),
            check_kind_name(found->kind));
}

void check_write_markdown(const check_outcome *outcomes, uint32_t count, FILE *stream)
{
    outcome_totals totals = check_outcomes_total(outcomes, count);
    uint32_t shown = 0;
    fputs("### pliant check\n\n", stream);
    put_totals(stream, &totals, count);
    put_files(stream, outcomes, count);
    if (totals.failing_findings > 0) {
        fputs("\n| file | clip | bodies | near | depth | deepest in | frames | |\n"
              "|---|---|---|---|---|---|---|---|\n",
              stream);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t f = 0; f < outcomes[i].finding_count && shown < MOST_FINDINGS; f++) {
            if (outcomes[i].findings[f].found.fails) {
                put_finding(stream, &outcomes[i], &outcomes[i].findings[f]);
                shown++;
            }
        }
    }
    if (shown < totals.failing_findings) {
        fprintf(stream, "\nand %" PRIu32 " more.\n", totals.failing_findings - shown);
    }
}
