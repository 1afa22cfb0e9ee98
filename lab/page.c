#include "page.h"

#include <stdlib.h>

#include "tool/report/buffer.h"
#include "tool/report/file.h"

/* What is said about an experiment, which the JSON of the figures leaves out. */
static void put_words(report_buffer *json, const bench_experiment *experiment, bool is_first)
{
    report_put_text(json, is_first ? "{\"name\":" : ",{\"name\":");
    report_put_string(json, experiment->name);
    report_put_text(json, ",\"description\":");
    report_put_string(json, experiment->description);
    report_put_text(json, ",\"paper\":");
    report_put_string(json, experiment->paper != NULL ? experiment->paper : "");
    report_put_text(json, "}");
}

/* The figures as bench --json has them. */
static bool put_figures(report_buffer *json, const bench_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return false;
    }
    results_write(stream, results);
    bool good = ferror(stream) == 0;
    good = fclose(stream) == 0 && good;
    if (good) {
        report_put_bytes(json, text, size);
    }
    free(text);
    return good;
}

bool bench_write_page(FILE *stream, const bench_experiment *const *experiments, uint32_t count,
                      const bench_results *results)
{
    static const char title[] = "Benchmarks: the papers' figures beside ours";
    report_buffer json = {0}, data = {0};
    report_put_text(&json, "{\"version\":1,\"kind\":\"bench\",\"title\":\"%s\",\"pliant\":\"%s\"",
                    title, PLIANT_VERSION_TEXT);
    report_put_text(&json, ",\"words\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_words(&json, experiments[i], i == 0);
    }
    report_put_text(&json, "],\"bench\":");
    bool good = put_figures(&json, results);
    report_put_text(&json, "}");
    unsigned char length[4];
    for (int i = 0; i < 4; i++) {
        length[i] = (unsigned char)(json.size >> 8 * i);
    }
    report_put_bytes(&data, length, sizeof length);
    report_put_bytes(&data, json.bytes, json.size);
    good = good && !json.failed && !data.failed &&
           report_fill_template(stream, title, data.bytes, data.size, "");
    report_buffer_free(&json);
    report_buffer_free(&data);
    return good;
}
