/*
 * JUnit XML, which build machines show as tests: a suite for each file, a test for each clip, a
 * failure for each clip in which something fails. There are no times in it, so that the same files
 * give the same bytes.
 */
#include "outcome.h"

#include "tool/text/markup.h"

#include <inttypes.h>
#include <string.h>

static void open_case(FILE *stream, const char *file, const char *name)
{
    fputs("    <testcase classname=\"", stream);
    markup_xml_text(stream, file);
    fputs("\" name=\"", stream);
    markup_xml_text(stream, name);
    fputs("\"", stream);
}

/* Whether a finding is why a clip's test fails. */
static bool is_of_clip(const outcome_finding *finding, uint32_t clip)
{
    return finding->found.fails && finding->found.clip == clip;
}

static uint32_t count_failures(const check_outcome *outcome, uint32_t clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < outcome->finding_count; i++) {
        count += is_of_clip(&outcome->findings[i], clip) ? 1 : 0;
    }
    return count;
}

static void put_clip(FILE *stream, const check_outcome *outcome, uint32_t clip)
{
    char sentence[700];
    uint32_t failures = count_failures(outcome, clip);
    open_case(stream, outcome->path, outcome->clips[clip]);
    if (failures == 0) {
        fputs("/>\n", stream);
        return;
    }
    fputs(">\n", stream);
    bool first = true;
    for (uint32_t i = 0; i < outcome->finding_count; i++) {
        if (!is_of_clip(&outcome->findings[i], clip)) {
            continue;
        }
        check_outcome_sentence(&outcome->findings[i], sentence, sizeof sentence);
        if (first) { /* one failure for a test, as the format's readers expect */
            fprintf(stream, "      <failure type=\"%s\" message=\"",
                    check_kind_name(outcome->findings[i].found.kind));
            markup_xml_text(stream, sentence);
            fputs("\">", stream);
        }
        markup_xml_text(stream, sentence);
        fputs("\n", stream);
        first = false;
    }
    fputs("</failure>\n    </testcase>\n", stream);
}

static uint32_t failing_clips(const check_outcome *outcome)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < outcome->clip_count; i++) {
        count += count_failures(outcome, i) > 0 ? 1 : 0;
    }
    return count;
}

static void put_suite(FILE *stream, const check_outcome *outcome)
{
    bool broken = outcome->result != CHECK_DONE;
    fputs("  <testsuite name=\"", stream);
    markup_xml_text(stream, outcome->path);
    fprintf(stream, "\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%d\">\n",
            broken ? 1 : outcome->clip_count, broken ? 0 : failing_clips(outcome), broken);
    if (broken) {
        open_case(stream, outcome->path, "check");
        fputs(">\n      <error message=\"", stream);
        markup_xml_text(stream, outcome->error);
        fputs("\"/>\n    </testcase>\n", stream);
    }
    for (uint32_t i = 0; !broken && i < outcome->clip_count; i++) {
        put_clip(stream, outcome, i);
    }
    fputs("  </testsuite>\n", stream);
}

void check_write_junit(const check_outcome *outcomes, uint32_t count, FILE *stream)
{
    uint32_t tests = 0, failures = 0, errors = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool broken = outcomes[i].result != CHECK_DONE;
        tests += broken ? 1 : outcomes[i].clip_count;
        failures += broken ? 0 : failing_clips(&outcomes[i]);
        errors += broken ? 1 : 0;
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pliant check\" "
            "tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32 "\">\n",
            tests, failures, errors);
    for (uint32_t i = 0; i < count; i++) {
        put_suite(stream, &outcomes[i]);
    }
    fputs("</testsuites>\n", stream);
}
