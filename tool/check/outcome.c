#include "outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool copy(char **to, const char *from)
{
    *to = check_clean_text(from != NULL ? from : "");
    return *to != NULL;
}

static const char *clip_name(const check *state, uint32_t clip)
{
    return clip < state->clip_count ? state->clips[clip].name : "";
}

/* The time of a frame that was looked at, by its number. */
static double time_of(const check *state, uint32_t clip, uint32_t number)
{
    for (uint32_t i = 0; clip < state->clip_count && i < state->clips[clip].count; i++) {
        const check_frame *frame = &state->frames[state->clips[clip].first + i];
        if (frame->number == number) {
            return frame->time;
        }
    }
    return 0.0;
}

static bool take_finding(const check *state, const check_finding *from, outcome_finding *to)
{
    to->found = *from;
    to->found.place = NULL;
    to->time = time_of(state, from->clip, from->deepest);
    return copy(&to->clip, clip_name(state, from->clip)) &&
           copy(&to->a, state->parts[from->a].name) && copy(&to->b, state->parts[from->b].name) &&
           copy(&to->place, from->place);
}

static bool take_findings(check_outcome *outcome, const check *state)
{
    outcome->findings = calloc((size_t)state->finding_count + 1, sizeof *outcome->findings);
    if (outcome->findings == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < state->finding_count; i++) {
        outcome->finding_count++;
        outcome->failing_count += state->findings[i].fails ? 1 : 0;
        if (!take_finding(state, &state->findings[i], &outcome->findings[i])) {
            return false;
        }
    }
    return true;
}

static bool take_texts(check_outcome *outcome, const check *state)
{
    outcome->clips = calloc((size_t)state->clip_count + 1, sizeof *outcome->clips);
    outcome->notes = calloc((size_t)state->note_count + 1, sizeof *outcome->notes);
    bool good = outcome->clips != NULL && outcome->notes != NULL;
    for (uint32_t i = 0; good && i < state->clip_count; i++) {
        good = copy(&outcome->clips[i], state->clips[i].name);
        outcome->clip_count++;
    }
    for (uint32_t i = 0; good && i < state->note_count; i++) {
        good = copy(&outcome->notes[i], state->notes[i]);
        outcome->note_count++;
    }
    return good;
}

bool check_outcome_take(check_outcome *outcome, const check *state, const char *path,
                        check_result result)
{
    *outcome = (check_outcome){.result = result};
    bool good = copy(&outcome->path, path) && take_texts(outcome, state);
    if (good && result != CHECK_DONE) {
        return copy(&outcome->error, check_error(state, result));
    }
    outcome->fails = check_has_failed(state);
    outcome->compared = state->compared;
    return good && take_findings(outcome, state);
}

void check_outcome_free(check_outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->finding_count; i++) {
        outcome_finding *finding = &outcome->findings[i];
        free(finding->clip);
        free(finding->a);
        free(finding->b);
        free(finding->place);
    }
    for (uint32_t i = 0; i < outcome->clip_count; i++) {
        free(outcome->clips[i]);
    }
    for (uint32_t i = 0; i < outcome->note_count; i++) {
        free(outcome->notes[i]);
    }
    free(outcome->findings);
    free((void *)outcome->clips);
    free((void *)outcome->notes);
    free(outcome->path);
    free(outcome->error);
    *outcome = (check_outcome){0};
}

int check_outcome_status(const check_outcome *outcome)
{
    return outcome->result == CHECK_DONE        ? outcome->fails
           : outcome->result == CHECK_BAD_INPUT ? 2
                                                : 3;
}

int check_outcomes_status(const check_outcome *outcomes, uint32_t count)
{
    int worst = 0;
    for (uint32_t i = 0; i < count; i++) {
        int status = check_outcome_status(&outcomes[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

outcome_totals check_outcomes_total(const check_outcome *outcomes, uint32_t count)
{
    outcome_totals totals = {0};
    for (uint32_t i = 0; i < count; i++) {
        const check_outcome *outcome = &outcomes[i];
        const check_compared *compared = &outcome->compared;
        totals.broken += outcome->result != CHECK_DONE ? 1 : 0;
        totals.failing += outcome->result == CHECK_DONE && outcome->fails ? 1 : 0;
        totals.good += outcome->result == CHECK_DONE && !outcome->fails ? 1 : 0;
        totals.failing_findings += outcome->failing_count;
        totals.compared.bodies += compared->bodies;
        totals.compared.body_pairs += compared->body_pairs;
        totals.compared.clips += compared->clips;
        totals.compared.frames += compared->frames;
    }
    return totals;
}

/* "a + b", "a with itself", or "b inside a". */
static void name_bodies(const check_finding *found, const char *a, const char *b, char *text,
                        size_t capacity)
{
    bool turned = found->kind == CHECK_CONTAINMENT && found->inner == found->b;
    if (found->a == found->b) {
        snprintf(text, capacity, "%s with itself", a);
    } else {
        snprintf(text, capacity, "%s %s %s", turned ? b : a,
                 found->kind == CHECK_CONTAINMENT ? "inside" : "+", turned ? a : b);
    }
}

void check_outcome_bodies(const outcome_finding *finding, char *text, size_t capacity)
{
    name_bodies(&finding->found, finding->a, finding->b, text, capacity);
}

void check_finding_bodies(const check *state, const check_finding *finding, char *text,
                          size_t capacity)
{
    name_bodies(finding, state->parts[finding->a].name, state->parts[finding->b].name, text,
                capacity);
}

/* How bad it is: a depth with its share of the body, or a distance. */
static int put_measure(const check_finding *found, char *text, size_t capacity)
{
    if (found->kind == CHECK_CLEARANCE) {
        return snprintf(text, capacity, ", %.3g apart", found->gap);
    }
    if (found->kind == CHECK_PASS || !(found->depth > 0.0)) {
        return 0;
    }
    int used = snprintf(text, capacity, ", %.3g deep", found->depth);
    if (found->size > 0.0) {
        used += snprintf(text + used, capacity - (size_t)used, " (%.2g %% of its size)",
                         100.0 * found->depth / found->size);
    }
    return used;
}

void check_outcome_sentence(const outcome_finding *finding, char *text, size_t capacity)
{
    const check_finding *found = &finding->found;
    static const char *const what[] = {"touch", "one inside the other", "pass through",
                                       "too close"};
    char bodies[300], measure[100] = "", place[150] = "";
    check_outcome_bodies(finding, bodies, sizeof bodies);
    put_measure(found, measure, sizeof measure);
    if (finding->place[0] != '\0') {
        snprintf(place, sizeof place, " near %.100s", finding->place);
    }
    int used = snprintf(text, capacity, "%s: %s%s%s, ", bodies, what[found->kind], place, measure);
    if (used < 0 || (size_t)used >= capacity) {
        return;
    }
    if (found->first == found->last) {
        snprintf(text + used, capacity - (size_t)used, "in frame %" PRIu32 "; %s", found->first,
                 check_verdict_name(found->verdict));
    } else {
        snprintf(text + used, capacity - (size_t)used,
                 "in frames %" PRIu32 " to %" PRIu32 ", deepest in %" PRIu32 "; %s", found->first,
                 found->last, found->deepest, check_verdict_name(found->verdict));
    }
}

void check_outcome_line(const check_outcome *outcome, char *text, size_t capacity)
{
    if (outcome->result != CHECK_DONE) {
        snprintf(text, capacity, "%s", outcome->error);
        return;
    }
    const check_compared *compared = &outcome->compared;
    uint32_t known = outcome->finding_count - outcome->failing_count;
    if (outcome->failing_count > 0) {
        char sentence[600];
        const outcome_finding *first = &outcome->findings[0];
        check_outcome_sentence(first, sentence, sizeof sentence);
        snprintf(text, capacity, "%" PRIu32 " %s; %s, %s", outcome->failing_count,
                 check_plural(outcome->failing_count, "finding", "findings"), first->clip,
                 sentence);
        return;
    }
    int used = snprintf(text, capacity, "%" PRIu32 " %s, %" PRIu32 " %s, %" PRIu32 " %s",
                        compared->bodies, check_plural(compared->bodies, "body", "bodies"),
                        compared->clips, check_plural(compared->clips, "clip", "clips"),
                        compared->frames, check_plural(compared->frames, "frame", "frames"));
    if (known > 0 && used > 0 && (size_t)used < capacity) {
        snprintf(text + used, capacity - (size_t)used, "; %" PRIu32 " known", known);
    }
}
