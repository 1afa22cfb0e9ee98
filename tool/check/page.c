/* The page of a check: the bodies of the file in every frame, and what was found there. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/report/batch.h"

/* Numbers of the page's bodies, by those of the asset; CHECK_NONE: not shown. */
typedef struct page_bodies {
    uint32_t *numbers;
} page_bodies;

/* The name behind the last slash. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* How many pairs of bodies touch in some clip, or pass through between frames, and how many in a
   new way; false: no memory. */
static bool count_pairs(const check *state, bool passes, uint32_t *touching, uint32_t *fresh)
{
    size_t parts = state->part_count;
    unsigned char *seen = calloc(parts * parts + 1, 1);
    *touching = *fresh = 0;
    for (uint32_t clip = 0; seen != NULL && clip < state->clip_count; clip++) {
        const check_clip *from = &state->clips[clip];
        for (uint32_t i = 0; i < (passes ? from->pass_count : from->row_count); i++) {
            const check_row *row = passes ? &from->pass_rows[i] : &from->rows[i];
            unsigned char *mark = &seen[row->a * parts + row->b];
            unsigned char now = row->fresh.frame_count > 0 ? 2 : 1;
            *touching += *mark == 0 ? 1 : 0;
            *fresh += now == 2 && *mark < 2 ? 1 : 0;
            *mark = now > *mark ? now : *mark;
        }
    }
    bool counted = seen != NULL;
    free(seen);
    return counted;
}

static bool describe(const check *state, char *text, size_t capacity)
{
    char against[64];
    uint32_t failing = 0;
    for (uint32_t i = 0; i < state->finding_count; i++) {
        failing += state->findings[i].fails ? 1 : 0;
    }
    if (state->finding_count > 0) {
        snprintf(text, capacity, "%" PRIu32 " %s, %" PRIu32 " more %s known or shallow", failing,
                 check_plural(failing, "finding fails", "findings fail"),
                 state->finding_count - failing,
                 check_plural(state->finding_count - failing, "is", "are"));
        return true;
    }
    uint32_t touching = 0, fresh = 0, passing = 0, fresh_passing = 0;
    if (!count_pairs(state, false, &touching, &fresh) ||
        !count_pairs(state, true, &passing, &fresh_passing)) {
        return false;
    }
    check_against_text(state, against, sizeof against);
    const char *reference = strcmp(against, "rest") == 0 ? "the rest pose" : against;
    int length = 0;
    if (touching == 0) {
        length = snprintf(text, capacity, "nothing touches in any frame");
    } else if (strcmp(against, "none") == 0) {
        length = snprintf(text, capacity, "%" PRIu32 " %s in some frame", touching,
                          touching == 1 ? "pair of bodies touches" : "pairs of bodies touch");
    } else {
        length = snprintf(
            text, capacity, "%" PRIu32 " %s in some frame, %" PRIu32 " of them where %s does not",
            touching, touching == 1 ? "pair of bodies touches" : "pairs of bodies touch", fresh,
            reference);
    }
    if (passing > 0) {
        snprintf(text + length, capacity - (size_t)length,
                 "; %" PRIu32 " %s through between two frames, %" PRIu32 " in a new way", passing,
                 check_plural(passing, "pair of bodies passes", "pairs of bodies pass"),
                 fresh_passing);
    }
    return true;
}

static bool is_gltf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".glb") == 0 || strcasecmp(dot, ".gltf") == 0);
}

/*
 * Which axis is up. In glTF it is y. Other formats do not say: there it is the longer of y and z in
 * the box of all bodies at rest, for things that people look at stand more often than they lie.
 */
static char find_up(const check *state)
{
    float lower[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, upper[3];
    for (int k = 0; k < 3; k++) {
        upper[k] = -HUGE_VALF;
    }
    for (uint32_t i = 0; i < state->settings.file_count; i++) {
        if (is_gltf(state->settings.files[i])) {
            return 'y';
        }
    }
    for (uint32_t i = 0; i < state->body_count; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(state->asset, i);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, body->shape);
        for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++) {
            lower[k % 3] = fminf(lower[k % 3], mesh->positions[k]);
            upper[k % 3] = fmaxf(upper[k % 3], mesh->positions[k]);
        }
    }
    return upper[2] - lower[2] > upper[1] - lower[1] ? 'z' : 'y';
}

static void add_bodies(const check *state, report *page, page_bodies *bodies)
{
    for (uint32_t body = 0; body < state->body_count; body++) {
        const pliant_asset_body *from = pliant_asset_get_body(state->asset, body);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, from->shape);
        bodies->numbers[body] = CHECK_NONE;
        if (state->bodies[body].shape == NULL || mesh->triangle_count == 0) {
            continue;
        }
        report_mesh shown = {.positions = mesh->positions,
                             .triangles = mesh->triangles,
                             .modes = mesh->modes,
                             .influence_offsets = mesh->influence_offsets,
                             .influence_joints = mesh->influence_joints,
                             .influence_weights = mesh->influence_weights,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .mode_count = mesh->mode_count,
                             .joint_count = mesh->joint_count};
        bodies->numbers[body] = report_add_body(page, from->name, report_add_mesh(page, &shown),
                                                pliant_shape_is_closed(state->bodies[body].shape));
        if (state->bodies[body].parts != NULL) {
            report_set_parts(page, bodies->numbers[body], state->bodies[body].parts);
        }
    }
    for (uint32_t part = 0; part < state->part_count; part++) {
        uint32_t body = bodies->numbers[state->parts[part].body];
        report_add_part(page, state->parts[part].name, body != CHECK_NONE ? body : 0);
    }
}

static void add_states(const check *state, report *page, const page_bodies *bodies,
                       const pliant_asset_pose *pose)
{
    for (uint32_t body = 0; body < state->body_count; body++) {
        if (bodies->numbers[body] == CHECK_NONE) {
            continue;
        }
        pliant_asset_state at = pliant_asset_pose_get_state(pose, body);
        if (at.positions != NULL) {
            report_set_positions(page, bodies->numbers[body], at.positions);
        } else {
            report_set_state(page, bodies->numbers[body], at.coordinates, at.transforms);
        }
    }
}

/* The frame with a number in a clip, counted over all clips. */
static uint32_t find_frame(const check *state, uint32_t clip, uint32_t number)
{
    const check_clip *from = &state->clips[clip];
    for (uint32_t i = 0; i < from->count; i++) {
        if (state->frames[from->first + i].number == number) {
            return from->first + i;
        }
    }
    return from->first;
}

static void add_contours(report *page, const check_frame *frame)
{
    for (uint32_t i = 0; i < frame->found_count; i++) {
        const check_found *found = &frame->found[i];
        const check_contours *c = &found->contours;
        report_contours contours = {.a = found->a,
                                    .b = found->b,
                                    .lines = c->lines,
                                    .line_count = c->line_count,
                                    .inside = {c->inside[0], c->inside[1]},
                                    .inside_count = {c->inside_count[0], c->inside_count[1]}};
        if (found->has_contours && c->lines != NULL) {
            report_add_contours(page, &contours);
        }
    }
}

/*
 * Contours are drawn where people look: in all frames of a short check, else in the deepest frame
 * of each finding, the first ones first. These frames are looked at once more, for all of them at
 * once would fill the memory, and the page.
 */
enum { ALL_FRAMES = 200, LOOKED_AT = 100 };

static bool *choose_frames(const check *state)
{
    bool *chosen = calloc((size_t)state->frame_count + 1, sizeof *chosen);
    for (uint32_t i = 0; chosen != NULL && i < state->frame_count; i++) {
        chosen[i] = state->frame_count <= ALL_FRAMES;
    }
    for (uint32_t i = 0; chosen != NULL && i < state->finding_count && i < LOOKED_AT; i++) {
        const check_finding *finding = &state->findings[i];
        chosen[find_frame(state, finding->clip, finding->deepest)] = true;
    }
    return chosen;
}

static pliant_result add_contours_of(check_worker *worker, report *page, const check_frame *frame)
{
    check_frame again = {.clip = frame->clip, .number = frame->number, .time = frame->time};
    pliant_result result = check_worker_look(worker, &again, NULL, false);
    if (result == PLIANT_OK) {
        add_contours(page, &again);
    }
    check_free_frame(&again);
    return result;
}

static void add_found(report *page, const check_frame *frame)
{
    for (uint32_t i = 0; i < frame->found_count; i++) {
        const check_found *found = &frame->found[i];
        report_contacts contacts = {.a = found->a,
                                    .b = found->b,
                                    .count = found->count,
                                    .new_count = found->new_count,
                                    .depth = found->depth,
                                    .pairs = found->pairs,
                                    .is_new = found->is_new};
        report_add_contacts(page, &contacts);
    }
}

/* The state of step `step` of all from a frame to the next: one of these two, or a new one. */
static pliant_result add_state_between(const check *state, report *page, const page_bodies *bodies,
                                       pliant_asset_pose *pose, uint32_t frame, uint32_t step,
                                       uint32_t *number)
{
    const check_frame *from = &state->frames[frame];
    uint32_t steps = state->settings.steps;
    *number = step == 0 ? frame : frame + 1;
    if (step == 0 || step == steps) {
        return PLIANT_OK;
    }
    double time = from->time + (from[1].time - from->time) * step / steps;
    pliant_result result = pliant_asset_pose_sample(pose, state->clips[from->clip].index, time);
    if (result == PLIANT_OK) {
        *number = report_begin_state(page);
        add_states(state, page, bodies, pose);
    }
    return result;
}

/* What passes through behind a frame, each with the straight way that it happens on. */
static pliant_result add_passes(const check *state, report *page, const page_bodies *bodies,
                                pliant_asset_pose *pose, uint32_t frame)
{
    const check_frame *pass = &state->passes[frame];
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < pass->found_count && result == PLIANT_OK; i++) {
        const check_found *found = &pass->found[i];
        uint32_t steps = state->settings.steps;
        uint32_t step = (uint32_t)(found->gap * steps);
        step = step < steps ? step : steps - 1;
        report_pass added = {.contacts = {.a = found->a,
                                          .b = found->b,
                                          .count = found->count,
                                          .new_count = found->new_count,
                                          .pairs = found->pairs,
                                          .is_new = found->is_new},
                             .frame = frame,
                             .share = found->gap,
                             .at = found->gap * steps - step};
        result = add_state_between(state, page, bodies, pose, frame, step, &added.from);
        if (result == PLIANT_OK) {
            result = add_state_between(state, page, bodies, pose, frame, step + 1, &added.to);
        }
        report_add_pass(page, &added);
    }
    return result;
}

static check_result add_frames(check *state, report *page, const page_bodies *bodies)
{
    pliant_asset_pose *pose = NULL;
    pliant_result result = pliant_asset_pose_create(state->asset, &pose);
    bool *chosen = choose_frames(state);
    const check_settings asked = state->settings;
    state->settings.contours = state->settings.keep_lines = true;
    check_worker *worker = result == PLIANT_OK ? check_worker_create(state, false, &result) : NULL;
    if (chosen == NULL) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < state->frame_count && result == PLIANT_OK; i++) {
        const check_frame *frame = &state->frames[i];
        result = pliant_asset_pose_sample(pose, state->clips[frame->clip].index, frame->time);
        if (result == PLIANT_OK) {
            report_begin_frame(page, frame->clip, frame->number, frame->time);
            add_states(state, page, bodies, pose);
            add_found(page, frame);
        }
        if (result == PLIANT_OK && chosen[i] && frame->found_count > 0) {
            result = add_contours_of(worker, page, frame);
        }
    }
    check_worker_destroy(worker);
    free(chosen);
    state->settings = asked;
    for (uint32_t i = 0; state->passes != NULL && i < state->frame_count && result == PLIANT_OK;
         i++) {
        result = add_passes(state, page, bodies, pose, i);
    }
    pliant_asset_pose_destroy(pose);
    return result == PLIANT_OK ? CHECK_DONE : check_fail_library(state, result);
}

static void add_findings(const check *state, report *page)
{
    for (uint32_t i = 0; i < state->finding_count; i++) {
        const check_finding *found = &state->findings[i];
        char what[400];
        check_finding_bodies(state, found, what, sizeof what);
        report_finding added = {
            .clip = found->clip,
            .a = found->a,
            .b = found->b,
            .what = what,
            .kind = check_kind_name(found->kind),
            .verdict = check_verdict_name(found->verdict),
            .place = found->place,
            .fails = found->fails,
            .depth = found->depth,
            .percent = found->size > 0.0 ? 100.0 * found->depth / found->size : 0.0,
            .area = found->area,
            .length = found->length,
            .gap = found->gap,
            .frame_count = found->frame_count,
            .first = found->first,
            .deepest = found->deepest,
            .last = found->last,
            .frame = find_frame(state, found->clip, found->deepest),
            .position = {found->position[0], found->position[1], found->position[2]}};
        report_add_finding(page, &added);
    }
}

static check_result fill(check *state, report *page)
{
    page_bodies bodies = {calloc((size_t)state->body_count + 1, sizeof *bodies.numbers)};
    if (bodies.numbers == NULL) {
        return CHECK_NO_MEMORY;
    }
    add_bodies(state, page, &bodies);
    for (uint32_t i = 0; i < state->clip_count; i++) {
        report_add_clip(page, state->clips[i].name);
    }
    for (uint32_t i = 0; i < state->note_count; i++) {
        report_add_note(page, state->notes[i]);
    }
    if (state->frame_count > ALL_FRAMES) {
        report_add_note(page, "contours are drawn in the deepest frames of the first findings");
    }
    report_set_up(page, find_up(state));
    check_result status = add_frames(state, page, &bodies);
    add_findings(state, page);
    free(bodies.numbers);
    return status;
}

/* Writes a page to a stream, or only its data to a block. */
static check_result make_page(check *state, FILE *stream, report_block *block)
{
    const check_settings *settings = &state->settings;
    char title[300], text[300];
    if (settings->title != NULL) {
        snprintf(title, sizeof title, "%s", settings->title);
    } else {
        snprintf(title, sizeof title, "%s%s", short_name(settings->files[0]),
                 settings->file_count > 1 ? " and others" : "");
    }
    report *page = describe(state, text, sizeof text) ? report_create("check", title, text) : NULL;
    if (page == NULL) {
        return CHECK_NO_MEMORY;
    }
    if (settings->extra != NULL) {
        report_set_extra(page, settings->extra);
    }
    check_result status = fill(state, page);
    if (status == CHECK_DONE &&
        !(block != NULL ? report_pack(page, block) : report_write(page, stream))) {
        status = CHECK_NO_MEMORY;
    }
    report_destroy(page);
    return status;
}

check_result check_write_page(check *state, FILE *stream)
{
    return make_page(state, stream, NULL);
}

check_result check_pack_page(check *state, report_block *block)
{
    return make_page(state, NULL, block);
}
