/* Writes a reference: what was filed and still occurs, and what a check found beside that. */
#include "reference.h"

#include "tool/text/characters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A site to write. */
typedef struct written_site {
    float at[2][3];
    float depth;
    const char *reason; /* NULL: none */
} written_site;

/* The sites of one pair of parts. */
typedef struct written_pair {
    uint32_t a, b;
    written_site *sites;
    size_t count, capacity;
    bool inside[2];
} written_pair;

static double squared(const float *a, const float *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    }
    return sum;
}

/* ------------------------------------------------------------------ what still occurs */

/* Marks the filed sites that a site of a frame is near to, on either body. */
static void mark_near(const check_accepted *filed, const check_site *site, bool *seen)
{
    bool self = filed->a == filed->b;
    for (uint32_t side = 0; side < 2; side++) {
        const check_near *near = &filed->near[self ? 0 : side];
        uint32_t at = site->triangles[side] - near->first;
        if (site->triangles[side] < near->first || at >= near->count) {
            continue;
        }
        for (uint32_t i = near->start[at]; i < near->start[at + 1]; i++) {
            const check_site *one = &filed->sites[near->sites[i]];
            double limit = (double)one->reach[side] * (double)one->reach[side];
            bool close = squared(one->at[side], site->at[side]) <= limit ||
                         (self && squared(one->at[1 - side], site->at[side]) <= limit);
            seen[near->sites[i]] = seen[near->sites[i]] || close;
        }
    }
}

static void mark_frames(const check *state, const check_frame *frames, const check_accepted *filed,
                        bool *seen, bool inside[2])
{
    for (uint32_t f = 0; frames != NULL && f < state->frame_count; f++) {
        const check_found *found = check_find(&frames[f], filed->a, filed->b);
        for (uint32_t i = 0; found != NULL && i < found->site_count; i++) {
            mark_near(filed, &found->sites[i], seen);
        }
        if (found != NULL && found->inner >= 0) {
            inside[found->inner] = true;
        }
    }
}

/* Which sites of a filed pair, indexed here, some frame comes near to. */
static bool find_seen(const check *state, const check_accepted *from, check_accepted *filed,
                      bool **seen, bool inside[2])
{
    *filed = (check_accepted){.a = from->a, .b = from->b, .site_count = from->site_count};
    *seen = calloc((size_t)from->site_count + 1, sizeof **seen);
    filed->sites = malloc(((size_t)from->site_count + 1) * sizeof *filed->sites);
    if (*seen == NULL || filed->sites == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < from->site_count; i++) {
        filed->sites[i] = from->sites[i];
        filed->sites[i].reason = NULL;
    }
    if (!check_index_sites(state, filed)) {
        return false;
    }
    inside[0] = inside[1] = false;
    mark_frames(state, state->frames, filed, *seen, inside);
    mark_frames(state, state->passes, filed, *seen, inside);
    return true;
}

/* ------------------------------------------------------------------ collecting */

static bool push_site(written_pair *pair, const check_site *site, const char *reason)
{
    if (pair->count == pair->capacity) {
        size_t wanted = pair->capacity < 64 ? 64 : 2 * pair->capacity;
        written_site *grown = realloc(pair->sites, wanted * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        pair->sites = grown;
        pair->capacity = wanted;
    }
    written_site *added = &pair->sites[pair->count++];
    memcpy(added->at, site->at, sizeof added->at);
    added->depth = site->depth;
    added->reason = reason;
    return true;
}

/* The deepest first; then by place, so that the outcome is always the same. */
static int compare_deepest(const void *first, const void *second)
{
    const written_site *x = first, *y = second;
    if (x->depth != y->depth) {
        return x->depth > y->depth ? -1 : 1;
    }
    for (int i = 0; i < 6; i++) {
        if (x->at[i / 3][i % 3] != y->at[i / 3][i % 3]) {
            return x->at[i / 3][i % 3] < y->at[i / 3][i % 3] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_places(const void *first, const void *second)
{
    const written_site *x = first, *y = second;
    for (int i = 0; i < 6; i++) {
        if (x->at[i / 3][i % 3] != y->at[i / 3][i % 3]) {
            return x->at[i / 3][i % 3] < y->at[i / 3][i % 3] ? -1 : 1;
        }
    }
    return compare_deepest(first, second);
}

/* Keeps sites that are farther than most of the reach, on both bodies, from every deeper one that
   is kept. Contact is forgiven near a site on either body, and within a tenth of the reach of one
   that frames show, so nothing is lost. The first `filed` sites are kept as they are. */
static void thin(const check *state, written_pair *pair, size_t filed)
{
    double scale[2] = {state->bodies[state->parts[pair->a].body].surface.to_mesh,
                       state->bodies[state->parts[pair->b].body].surface.to_mesh};
    size_t kept = filed;
    qsort(pair->sites + filed, pair->count - filed, sizeof *pair->sites, compare_deepest);
    for (size_t i = filed; i < pair->count; i++) {
        const written_site *site = &pair->sites[i];
        bool close = false;
        for (size_t k = 0; !close && k < kept; k++) {
            const written_site *one = &pair->sites[k];
            double apart = 0.88 * check_site_reach(state, (double)one->depth, pair->a, pair->b);
            for (int side = 0; side < 2 && one->depth >= site->depth; side++) {
                double limit = apart * scale[side];
                close = close || squared(one->at[side], site->at[side]) <= limit * limit;
            }
        }
        if (!close) {
            pair->sites[kept++] = *site;
        }
    }
    pair->count = kept;
}

static bool collect_new(const check *state, const check_frame *frames, const char *reason,
                        written_pair *pair)
{
    for (uint32_t f = 0; frames != NULL && f < state->frame_count; f++) {
        const check_found *found = check_find(&frames[f], pair->a, pair->b);
        for (uint32_t i = 0; found != NULL && i < found->site_count; i++) {
            const check_region *region = &found->regions[found->sites[i].region];
            bool worse = region->verdict == CHECK_NEW || region->verdict == CHECK_WORSE;
            check_site site = found->sites[i];
            /* A little more, so that two digits of it are no less. */
            site.depth = (float)(1.06 * fmax((double)site.depth, region->place_depth));
            if (worse && !push_site(pair, &site, reason)) {
                return false;
            }
        }
        for (uint32_t i = 0; found != NULL && i < found->region_count; i++) {
            if (found->regions[i].kind == CHECK_CONTAINMENT &&
                found->regions[i].verdict == CHECK_NEW) {
                pair->inside[found->inner == 1] = true;
            }
        }
    }
    return true;
}

static void name_gone(const check *state, const check_accepted *filed, const char *what,
                      uint32_t count, FILE *log)
{
    if (log != NULL && count > 0) {
        fputs("gone: ", log);
        text_show(log, state->parts[filed->a].name);
        fputs(" + ", log);
        text_show(log, state->parts[filed->b].name);
        fprintf(log, ", %" PRIu32 " %s\n", count, what);
    }
}

/* Where only some clips or frames were looked at, nobody knows what is gone. */
static bool looks_at_all(const check_settings *settings)
{
    return settings->clips == NULL && !settings->has_first && !settings->has_last;
}

/* Sites of the file that still occur; the others are counted and named. */
static bool collect_filed(const check *state, written_pair *pair, FILE *log,
                          check_accepting *accepting)
{
    const check_accepted *from = check_find_accepted(&state->filed, pair->a, pair->b);
    check_accepted filed = {0};
    bool *seen = NULL, inside[2];
    uint32_t gone = 0;
    if (from == NULL) {
        return true;
    }
    bool done = find_seen(state, from, &filed, &seen, inside);
    for (uint32_t i = 0; done && i < from->site_count; i++) {
        seen[i] = seen[i] || !looks_at_all(&state->settings);
        gone += seen[i] ? 0 : 1;
        done = !seen[i] || push_site(pair, &from->sites[i], from->sites[i].reason);
    }
    for (int i = 0; done && i < 2; i++) {
        inside[i] = inside[i] || !looks_at_all(&state->settings);
        pair->inside[i] = from->inside[i] && inside[i];
        accepting->kept += pair->inside[i] ? 1 : 0;
        accepting->gone += from->inside[i] && !inside[i] ? 1 : 0;
    }
    name_gone(state, from, check_plural(gone, "place", "places"), gone, log);
    accepting->gone += gone;
    accepting->kept += (uint32_t)pair->count;
    check_free_accepted(&filed);
    free(seen);
    return done;
}

/* ------------------------------------------------------------------ writing */

/* Decimals that say where a point is to a twentieth of the reach. */
static int find_decimals(double reach)
{
    double digits = reach > 0.0 ? ceil(-log10(reach / 20.0)) : 6.0;
    return digits < 0.0 ? 0 : digits > 30.0 ? 30 : (int)digits;
}

/* A number without zeros at its end, and never "-0". */
static void write_number(FILE *stream, double number, int decimals)
{
    char text[80];
    int length = snprintf(text, sizeof text, "%.*f", decimals, number);
    while (decimals > 0 && length > 0 && text[length - 1] == '0') {
        text[--length] = '\0';
    }
    if (length > 0 && text[length - 1] == '.') {
        text[--length] = '\0';
    }
    fputs(strcmp(text, "-0") == 0 ? "0" : text, stream);
}

static void write_place(FILE *stream, const float *at, int decimals)
{
    for (int k = 0; k < 3; k++) {
        fputs(k > 0 ? " " : "", stream);
        write_number(stream, (double)at[k], decimals);
    }
}

static void write_pair(const check *state, const written_pair *pair, const double half[2],
                       FILE *stream)
{
    const char *names[2] = {state->parts[pair->a].name, state->parts[pair->b].name};
    for (int i = 0; i < 2; i++) {
        if (pair->inside[i]) {
            fprintf(stream, "inside\t%s\t%s\n", names[i], names[1 - i]);
        }
    }
    if (pair->count > 0) {
        fprintf(stream, "pair\t%s\t%s\n", names[0], names[1]);
    }
    for (size_t i = 0; i < pair->count; i++) {
        const written_site *site = &pair->sites[i];
        write_place(stream, site->at[0], find_decimals(2.0 * half[0]));
        fputc('\t', stream);
        write_place(stream, site->at[1], find_decimals(2.0 * half[1]));
        fprintf(stream, "\t%.2g", (double)site->depth);
        fprintf(stream, "%s%s\n", site->reason != NULL ? "\t" : "",
                site->reason != NULL ? site->reason : "");
    }
}

static bool accept_pair(const check *state, uint32_t a, uint32_t b, const char *reason,
                        FILE *stream, FILE *log, check_accepting *accepting)
{
    written_pair pair = {.a = a, .b = b};
    double reach = check_reach(state, a, b);
    double half[2] = {0.5 * reach * state->bodies[state->parts[a].body].surface.to_mesh,
                      0.5 * reach * state->bodies[state->parts[b].body].surface.to_mesh};
    bool done = collect_filed(state, &pair, log, accepting);
    size_t filed = pair.count;
    bool had[2] = {pair.inside[0], pair.inside[1]};
    done = done && collect_new(state, state->frames, reason, &pair) &&
           collect_new(state, state->passes, reason, &pair);
    if (done && pair.count > filed) {
        thin(state, &pair, filed);
    }
    accepting->added += (uint32_t)(pair.count - filed);
    accepting->added += (pair.inside[0] && !had[0]) + (pair.inside[1] && !had[1]);
    if (done && pair.count > 0) {
        qsort(pair.sites, pair.count, sizeof *pair.sites, compare_places);
    }
    if (done) {
        write_pair(state, &pair, half, stream);
    }
    free(pair.sites);
    return done;
}

/* Pairs in the order of their names, which does not depend on the file. */
typedef struct named_pair {
    const check *state;
    uint32_t a, b;
} named_pair;

static int compare_named(const void *first, const void *second)
{
    const named_pair *x = first, *y = second;
    const check_part *parts = x->state->parts;
    int names = strcmp(parts[x->a].name, parts[y->a].name);
    names = names != 0 ? names : strcmp(parts[x->b].name, parts[y->b].name);
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return names != 0 ? names : a < b ? -1 : a > b;
}

/* Sorts pairs and leaves each once. */
static size_t sort_named(named_pair *list, size_t count)
{
    size_t kept = 0;
    if (count > 0) {
        qsort(list, count, sizeof *list, compare_named);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_named(&list[kept - 1], &list[i]) != 0) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

check_result check_write_reference(const check *state, const char *reason, FILE *stream, FILE *log,
                                   check_accepting *accepting)
{
    *accepting = (check_accepting){0};
    size_t count = 0;
    named_pair *pairs =
        malloc(((size_t)state->finding_count + state->filed.count + 1) * sizeof *pairs);
    if (pairs == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t i = 0; i < state->filed.count; i++) {
        pairs[count++] = (named_pair){state, state->filed.pairs[i].a, state->filed.pairs[i].b};
    }
    for (uint32_t i = 0; i < state->finding_count; i++) {
        if (state->findings[i].verdict >= CHECK_NEW) {
            pairs[count++] = (named_pair){state, state->findings[i].a, state->findings[i].b};
        }
    }
    count = sort_named(pairs, count);
    char *clean = reason != NULL ? check_clean_text(reason) : NULL;
    bool done = reason == NULL || clean != NULL;
    fputs(CHECK_REFERENCE_HEAD "\n", stream);
    for (size_t i = 0; done && i < count; i++) {
        done = accept_pair(state, pairs[i].a, pairs[i].b, clean, stream, log, accepting);
    }
    fputs(CHECK_REFERENCE_END "\n", stream);
    free(clean);
    free(pairs);
    return done ? CHECK_DONE : CHECK_NO_MEMORY;
}

/* Who accepts also looks between frames, so that a few places of two parts need not be in any. */
check_result check_note_gone(check *state)
{
    const check_settings *settings = &state->settings;
    if (!looks_at_all(settings)) {
        return CHECK_DONE;
    }
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < state->filed.count; i++) {
        written_pair pair = {.a = state->filed.pairs[i].a, .b = state->filed.pairs[i].b};
        check_accepting accepting = {0};
        status = collect_filed(state, &pair, NULL, &accepting) ? CHECK_DONE : CHECK_NO_MEMORY;
        free(pair.sites);
        uint32_t places = state->filed.pairs[i].site_count;
        bool one = state->filed.pairs[i].inside[0] || state->filed.pairs[i].inside[1];
        if (status == CHECK_DONE && (one ? accepting.gone > 0 : 10 * accepting.gone > places)) {
            status = check_note(state,
                                "%s accepts %" PRIu32 " %s of '%s' + '%s' that no longer %s; "
                                "pliant accept leaves %s out",
                                settings->reference, accepting.gone,
                                check_plural(accepting.gone, "place", "places"),
                                state->parts[pair.a].name, state->parts[pair.b].name,
                                check_plural(accepting.gone, "touches", "touch"),
                                check_plural(accepting.gone, "it", "them"));
        }
    }
    return status;
}
