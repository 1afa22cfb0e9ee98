/* The outcomes of many files as one JSON object; docs/check-json.md describes it. */
#include "outcome.h"

#include "tool/text/json.h"

static void put_compared(json_writer *json, const check_compared *compared)
{
    json_open_object(json, "compared");
    json_put_integer(json, "bodies", compared->bodies);
    json_put_integer(json, "body_pairs", compared->body_pairs);
    json_put_integer(json, "clips", compared->clips);
    json_put_integer(json, "frames", compared->frames);
    json_close_object(json);
}

static void put_finding(json_writer *json, const outcome_finding *finding)
{
    const check_finding *found = &finding->found;
    double position[3] = {(double)found->position[0], (double)found->position[1],
                          (double)found->position[2]};
    json_open_object(json, NULL);
    json_put_string(json, "clip", finding->clip);
    json_put_string(json, "a", finding->a);
    json_put_string(json, "b", finding->b);
    json_put_string(json, "kind", check_kind_name(found->kind));
    json_put_string(json, "verdict", check_verdict_name(found->verdict));
    json_put_integer(json, "fails", found->fails ? 1 : 0);
    if (found->kind == CHECK_CONTAINMENT) {
        json_put_string(json, "inside", found->inner == found->b ? finding->b : finding->a);
    }
    if (found->kind == CHECK_CONTACT || found->kind == CHECK_CONTAINMENT) {
        json_number(json, "depth", found->depth);
        json_number(json, "depth_percent",
                    found->size > 0.0 ? 100.0 * found->depth / found->size : 0.0);
        json_number(json, "accepted_depth", found->accepted);
        json_number(json, "area", found->area);
        json_number(json, "length", found->length);
    }
    if (found->kind == CHECK_CLEARANCE) {
        json_number(json, "gap", found->gap);
    }
    json_put_integer(json, "frames", found->frame_count);
    json_put_integer(json, "first", found->first);
    json_put_integer(json, "deepest", found->deepest);
    json_put_integer(json, "last", found->last);
    json_put_integer(json, "pairs", found->pairs);
    json_put_integer(json, "new_pairs", found->new_pairs);
    json_put_string(json, "place", finding->place);
    json_numbers(json, "position", position, 3);
    json_close_object(json);
}

static void put_outcome(json_writer *json, const check_outcome *outcome)
{
    json_open_object(json, NULL);
    json_put_string(json, "file", outcome->path);
    json_put_integer(json, "status", (uint64_t)check_outcome_status(outcome));
    if (outcome->result != CHECK_DONE) {
        json_put_string(json, "error", outcome->error);
    } else {
        put_compared(json, &outcome->compared);
    }
    json_open_array(json, "notes");
    for (uint32_t i = 0; i < outcome->note_count; i++) {
        json_put_string(json, NULL, outcome->notes[i]);
    }
    json_close_array(json);
    json_open_array(json, "findings");
    for (uint32_t i = 0; i < outcome->finding_count; i++) {
        put_finding(json, &outcome->findings[i]);
    }
    json_close_array(json);
    json_close_object(json);
}

void check_write_failure_json(const check_outcome *outcome, FILE *stream)
{
    json_writer json = json_begin(stream);
    json_open_object(&json, NULL);
    json_put_integer(&json, "schema", CHECK_SCHEMA);
    json_put_string(&json, "tool", "pliant check");
    json_put_string(&json, "version", PLIANT_VERSION_TEXT);
    json_open_array(&json, "files");
    json_put_string(&json, NULL, outcome->path);
    json_close_array(&json);
    json_put_integer(&json, "status", (uint64_t)check_outcome_status(outcome));
    json_put_string(&json, "error", outcome->error);
    json_open_array(&json, "notes");
    for (uint32_t i = 0; i < outcome->note_count; i++) {
        json_put_string(&json, NULL, outcome->notes[i]);
    }
    json_close_array(&json);
    json_open_array(&json, "findings");
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
}

void check_write_outcomes_json(const check_outcome *outcomes, uint32_t count, FILE *stream)
{
    outcome_totals totals = check_outcomes_total(outcomes, count);
    json_writer json = json_begin(stream);
    json_open_object(&json, NULL);
    json_put_integer(&json, "schema", CHECK_SCHEMA);
    json_put_string(&json, "tool", "pliant check --each");
    json_put_string(&json, "version", PLIANT_VERSION_TEXT);
    json_put_integer(&json, "status", (uint64_t)check_outcomes_status(outcomes, count));
    json_open_object(&json, "totals");
    json_put_integer(&json, "files", count);
    json_put_integer(&json, "ok", totals.good);
    json_put_integer(&json, "found", totals.failing);
    json_put_integer(&json, "errors", totals.broken);
    json_put_integer(&json, "findings", totals.failing_findings);
    json_close_object(&json);
    put_compared(&json, &totals.compared);
    json_open_array(&json, "results");
    for (uint32_t i = 0; i < count; i++) {
        put_outcome(&json, &outcomes[i]);
    }
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
}
