/*
 * Findings as workflow commands of GitHub Actions, lines that its log turns into annotations of a
 * change: one for each finding that fails and each file that could not be checked.
 */
#include "outcome.h"

#include "tool/text/characters.h"

#include <inttypes.h>

#define MOST_OF_A_FILE 10 /* as many as the forge shows of one step */

/* Properties end at a comma or a colon, a message at the line; both are written as %XX. */
static void put_escaped(FILE *stream, const char *text, bool property)
{
    while (*text != '\0') {
        bool special = *text == '%' || *text == '\r' || *text == '\n' ||
                       (property && (*text == ':' || *text == ','));
        if (special) {
            fprintf(stream, "%%%02X", (unsigned)(unsigned char)*text++);
        } else {
            text += text_put(stream, text);
        }
    }
}

static void put_line(FILE *stream, const char *file, const char *title, const char *message)
{
    fputs("::error file=", stream);
    put_escaped(stream, file, true);
    fputs(",title=", stream);
    put_escaped(stream, title, true);
    fputs("::", stream);
    put_escaped(stream, message, false);
    fputs("\n", stream);
}

void check_write_annotations(const check_outcome *outcomes, uint32_t count, FILE *stream)
{
    for (uint32_t i = 0; i < count; i++) {
        const check_outcome *outcome = &outcomes[i];
        if (outcome->result != CHECK_DONE) {
            put_line(stream, outcome->path, "cannot be checked", outcome->error);
        }
        uint32_t told = 0;
        char title[400], message[700];
        for (uint32_t f = 0; f < outcome->finding_count && told < MOST_OF_A_FILE; f++) {
            const outcome_finding *finding = &outcome->findings[f];
            if (finding->found.fails) {
                snprintf(title, sizeof title, "%s in clip %s", check_kind_name(finding->found.kind),
                         finding->clip);
                check_outcome_sentence(finding, message, sizeof message);
                put_line(stream, outcome->path, title, message);
                told++;
            }
        }
        if (told < outcome->failing_count) {
            snprintf(message, sizeof message, "and %" PRIu32 " more findings",
                     outcome->failing_count - told);
            put_line(stream, outcome->path, "more", message);
        }
    }
}
