/*
 * From regions of frames to findings: regions of different frames whose sites are within the reach
 * of each other, on both bodies, are one.
 */
#include "accepted.h"
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *check_kind_name(check_kind kind)
{
    static const char *const names[] = {"contact", "containment", "pass", "clearance"};
    return names[kind];
}

const char *check_verdict_name(check_verdict verdict)
{
    static const char *const names[] = {"known", "shallow", "new", "worse"};
    return names[verdict];
}

void check_free_findings(check *state)
{
    for (uint32_t i = 0; i < state->finding_count; i++) {
        free(state->findings[i].place);
    }
    free(state->findings);
    state->findings = NULL;
    state->finding_count = 0;
}

/* ------------------------------------------------------------------ linking */

/* A site that stands for all sites of its kind that fall into the same cell as it. */
typedef struct link_node {
    float at[2][3];
    int32_t cell[2][3];
    uint32_t parent; /* a union-find forest; the lowest is the root */
    uint32_t next;   /* another node in the same large cell of the first body */
    uint32_t finding;
    check_kind kind;
} link_node;

/* Contacts of two parts in one frame. */
typedef struct link_entry {
    const check_frame *frame;
    const check_found *found;
} link_entry;

/* Two parts in one clip. */
typedef struct link {
    check *state;
    const link_entry *entries; /* in the order of the frames */
    size_t entry_count;
    uint32_t clip_index;
    const check_row *row;
    link_node *nodes;
    size_t count, capacity;
    uint32_t *slots; /* of a table of nodes by cell, then of large cells */
    size_t slot_count;
    double reach[2];
} link;

static uint32_t find_root(link_node *nodes, uint32_t node)
{
    while (nodes[node].parent != node) {
        nodes[node].parent = nodes[nodes[node].parent].parent;
        node = nodes[node].parent;
    }
    return node;
}

static void unite(link_node *nodes, uint32_t a, uint32_t b)
{
    a = find_root(nodes, a);
    b = find_root(nodes, b);
    nodes[a > b ? a : b].parent = a > b ? b : a;
}

static uint64_t hash_numbers(const int32_t *numbers, int count, uint64_t hash)
{
    for (int i = 0; i < count; i++) {
        hash = (hash ^ (uint32_t)numbers[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void find_cell(const float *at, double side, int32_t *cell)
{
    for (int k = 0; k < 3; k++) {
        double place = side > 0.0 ? floor((double)at[k] / side) : 0.0;
        cell[k] = (int32_t)fmin(fmax(place, -2e9), 2e9);
    }
}

/* Twice as many slots as before, or the first ones. */
static bool grow_table(link *made)
{
    size_t count = made->slot_count == 0 ? 256 : 2 * made->slot_count;
    uint32_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0xff, count * sizeof *slots);
    free(made->slots);
    made->slots = slots;
    made->slot_count = count;
    for (size_t i = 0; i < made->count; i++) {
        const link_node *node = &made->nodes[i];
        size_t slot = hash_numbers(node->cell[0], 6, node->kind) & (count - 1);
        while (slots[slot] != CHECK_NONE) {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = (uint32_t)i;
    }
    return true;
}

/* The node of a site, made when first met; CHECK_NONE without memory. */
static uint32_t find_node(link *made, const check_site *site, check_kind kind)
{
    link_node node = {.kind = kind, .next = CHECK_NONE, .finding = CHECK_NONE};
    memcpy(node.at, site->at, sizeof node.at);
    find_cell(site->at[0], 0.5 * made->reach[0], node.cell[0]);
    find_cell(site->at[1], 0.5 * made->reach[1], node.cell[1]);
    if (2 * made->count >= made->slot_count && !grow_table(made)) {
        return CHECK_NONE;
    }
    size_t mask = made->slot_count - 1, slot = hash_numbers(node.cell[0], 6, kind) & mask;
    for (; made->slots[slot] != CHECK_NONE; slot = (slot + 1) & mask) {
        const link_node *one = &made->nodes[made->slots[slot]];
        if (one->kind == kind && memcmp(one->cell, node.cell, sizeof node.cell) == 0) {
            return made->slots[slot];
        }
    }
    if (made->count == made->capacity) {
        size_t wanted = made->capacity < 64 ? 64 : 2 * made->capacity;
        link_node *grown = realloc(made->nodes, wanted * sizeof *grown);
        if (grown == NULL) {
            return CHECK_NONE;
        }
        made->nodes = grown;
        made->capacity = wanted;
    }
    node.parent = (uint32_t)made->count;
    made->slots[slot] = node.parent;
    made->nodes[made->count++] = node;
    return node.parent;
}

/* Sites of one region belong together. The node of each region's first site is left in `firsts`. */
static bool link_regions(link *made, const check_found *found, uint32_t *firsts)
{
    for (uint32_t i = 0; i < found->region_count; i++) {
        firsts[i] = CHECK_NONE;
    }
    for (uint32_t i = 0; i < found->site_count; i++) {
        const check_region *region = &found->regions[found->sites[i].region];
        if (region->verdict != CHECK_NEW && region->verdict != CHECK_WORSE) {
            continue;
        }
        uint32_t node = find_node(made, &found->sites[i], region->kind);
        uint32_t *first = &firsts[found->sites[i].region];
        if (node == CHECK_NONE) {
            return false;
        }
        if (*first == CHECK_NONE) {
            *first = node;
        } else {
            unite(made->nodes, *first, node);
        }
    }
    return true;
}

static bool is_close(const link *made, const link_node *x, const link_node *y)
{
    for (int side = 0; side < 2; side++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            double way = (double)x->at[side][k] - (double)y->at[side][k];
            sum += way * way;
        }
        if (sum > made->reach[side] * made->reach[side]) {
            return false;
        }
    }
    return x->kind == y->kind;
}

/* Nodes within the reach of each other belong together: those of neighbouring cells of its size. */
static void link_neighbours(link *made)
{
    size_t mask = made->slot_count - 1;
    memset(made->slots, 0xff, made->slot_count * sizeof *made->slots);
    for (uint32_t i = 0; i < made->count; i++) {
        link_node *node = &made->nodes[i];
        int32_t cell[3], other[3];
        find_cell(node->at[0], made->reach[0], cell);
        for (int n = 0; n < 27; n++) {
            const int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            for (int k = 0; k < 3; k++) {
                other[k] = cell[k] + way[k];
            }
            /* Cells that share a slot are told apart by distances. */
            uint32_t near = made->slots[hash_numbers(other, 3, 0) & mask];
            for (; near != CHECK_NONE; near = made->nodes[near].next) {
                if (is_close(made, node, &made->nodes[near])) {
                    unite(made->nodes, i, near);
                }
            }
        }
        uint32_t *slot = &made->slots[hash_numbers(cell, 3, 0) & mask];
        node->next = *slot;
        *slot = i;
    }
}

/* ------------------------------------------------------------------ findings */

/* The joint that moves a triangle most, else its material. */
static const char *place_of(const check *state, uint32_t part, uint32_t triangle)
{
    const pliant_asset_body *body = pliant_asset_get_body(state->asset, state->parts[part].body);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, body->shape);
    if (mesh->influence_offsets == NULL) {
        uint32_t group = mesh->groups != NULL ? mesh->groups[triangle] : 0;
        return mesh->group_count > 1 && group < mesh->group_count ? mesh->group_names[group] : "";
    }
    uint32_t joint = CHECK_NONE;
    float most = 0.0f;
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = mesh->triangles[3 * (size_t)triangle + (size_t)i];
        for (uint32_t k = mesh->influence_offsets[vertex]; k < mesh->influence_offsets[vertex + 1];
             k++) {
            if (mesh->influence_weights[k] > most) {
                most = mesh->influence_weights[k];
                joint = mesh->influence_joints[k];
            }
        }
    }
    return joint < body->joint_count ? body->joint_names[joint] : "";
}

static char *name_place(const check *state, const check_row *row, const check_region *region)
{
    const char *place = "";
    const uint32_t parts[2] = {row->a, row->b};
    for (int side = 0; side < 2 && *place == '\0'; side++) {
        if (region->triangles[side] != CHECK_NONE) {
            place = place_of(state, parts[side], region->triangles[side]);
        }
    }
    return check_clean_text(place);
}

static check_finding *add_finding(check *state, const link *made, const check_region *region)
{
    check_finding *grown =
        realloc(state->findings, ((size_t)state->finding_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    state->findings = grown;
    check_finding *finding = &grown[state->finding_count];
    *finding = (check_finding){.clip = made->clip_index,
                               .a = made->row->a,
                               .b = made->row->b,
                               .inner = CHECK_NONE,
                               .kind = region->kind,
                               .verdict = region->verdict,
                               .depth = -1.0,
                               .size = check_pair_size(state, made->row->a, made->row->b),
                               .gap = HUGE_VAL,
                               .last = CHECK_NONE};
    finding->place = check_clean_text("");
    if (finding->place == NULL) {
        return NULL;
    }
    state->finding_count++;
    return finding;
}

/* Whether a region is what a finding should show: the deepest, and of what touches nowhere the
   closest. */
static bool is_deeper(const check_finding *finding, const check_region *region)
{
    bool loose = region->kind == CHECK_PASS || region->kind == CHECK_CLEARANCE;
    return finding->depth < 0.0 ||
           (loose ? region->gap < finding->gap : region->depth > finding->depth);
}

/* One region of one frame. */
static bool extend(check *state, const link *made, check_finding *finding, const check_frame *frame,
                   const check_found *found, const check_region *region)
{
    bool again = finding->frame_count > 0 && finding->last == frame->number;
    finding->first = finding->frame_count == 0 ? frame->number : finding->first;
    finding->last = frame->number;
    finding->frame_count += again ? 0 : 1;
    finding->area = fmax(finding->area, region->area);
    finding->length = fmax(finding->length, region->length);
    if (is_deeper(finding, region)) {
        finding->depth = region->depth;
        finding->accepted = region->accepted;
        finding->verdict = region->verdict;
        finding->deepest = frame->number;
        finding->pairs = found->count;
        finding->new_pairs = found->new_count;
        finding->inner = region->kind != CHECK_CONTAINMENT ? CHECK_NONE
                         : found->inner == 0               ? made->row->a
                                                           : made->row->b;
        memcpy(finding->position, region->position, sizeof finding->position);
        free(finding->place);
        finding->place = name_place(state, made->row, region);
    }
    if (found->has_volume && (!finding->has_volume || found->volume > finding->volume)) {
        finding->has_volume = true;
        finding->volume = found->volume;
        finding->volume_error = found->volume_error;
    }
    finding->gap = fmin(finding->gap, region->gap);
    return finding->place != NULL;
}

/* What is not worth a line of its own is one finding for each verdict and kind. */
typedef struct quiet_findings {
    uint32_t index[CHECK_CLEARANCE + 1][CHECK_WORSE + 1];
} quiet_findings;

static bool add_region(link *made, quiet_findings *quiet, uint32_t node, const check_frame *frame,
                       const check_found *found, const check_region *region)
{
    check *state = made->state;
    uint32_t *index = node < made->count ? &made->nodes[find_root(made->nodes, node)].finding
                                         : &quiet->index[region->kind][region->verdict];
    if (*index == CHECK_NONE) {
        if (add_finding(state, made, region) == NULL) {
            return false;
        }
        *index = state->finding_count - 1;
    }
    return extend(state, made, &state->findings[*index], frame, found, region);
}

/* The depth of the whole finding, for who accepts it. */
static void tell_depth(const link *made, uint32_t node, const check_found *found, uint32_t region)
{
    if (node < made->count) {
        uint32_t index = made->nodes[find_root(made->nodes, node)].finding;
        found->regions[region].place_depth = made->state->findings[index].depth;
    }
}

/* Three passes over the frames: one links, one sums up, one tells what came of it. */
static bool link_row(link *made, uint32_t *firsts)
{
    quiet_findings quiet;
    memset(&quiet, 0xff, sizeof quiet);
    for (int pass = 0; pass < 3; pass++) {
        size_t at = 0;
        for (size_t f = 0; f < made->entry_count; f++) {
            const check_frame *frame = made->entries[f].frame;
            const check_found *found = made->entries[f].found;
            uint32_t count = found->region_count;
            if (pass == 0 && !link_regions(made, found, firsts + at)) {
                return false;
            }
            for (uint32_t i = 0; pass == 1 && i < count; i++) {
                if (!add_region(made, &quiet, firsts[at + i], frame, found, &found->regions[i])) {
                    return false;
                }
            }
            for (uint32_t i = 0; pass == 2 && i < count; i++) {
                tell_depth(made, firsts[at + i], found, i);
            }
            at += count;
        }
        if (pass == 0 && made->count > 0) {
            link_neighbours(made);
        }
    }
    return true;
}

static check_result find_row(check *state, const link_entry *entries, size_t entry_count,
                             uint32_t clip, const check_row *row)
{
    link made = {.state = state,
                 .entries = entries,
                 .entry_count = entry_count,
                 .clip_index = clip,
                 .row = row};
    double reach = check_reach(state, row->a, row->b);
    made.reach[0] = reach * state->bodies[state->parts[row->a].body].surface.to_mesh;
    made.reach[1] = reach * state->bodies[state->parts[row->b].body].surface.to_mesh;
    size_t total = 1;
    for (size_t f = 0; f < entry_count; f++) {
        total += entries[f].found->region_count;
    }
    uint32_t *firsts = calloc(total, sizeof *firsts);
    bool done = firsts != NULL && link_row(&made, firsts);
    free(firsts);
    free(made.nodes);
    free(made.slots);
    return done ? CHECK_DONE : CHECK_NO_MEMORY;
}

static int compare_entries(const void *first, const void *second)
{
    const link_entry *x = first, *y = second;
    int parts = check_compare_found(x->found, y->found);
    return parts != 0 ? parts : x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* All that was found in a clip, sorted by parts: as many groups as there are rows. */
static check_result find_rows(check *state, const check_frame *frames, uint32_t clip,
                              const check_row *rows, uint32_t row_count)
{
    const check_clip *of = &state->clips[clip];
    size_t total = 0, count = 0;
    for (uint32_t f = 0; f < of->count; f++) {
        total += frames[of->first + f].found_count;
    }
    link_entry *entries = malloc((total + 1) * sizeof *entries);
    for (uint32_t f = 0; entries != NULL && f < of->count; f++) {
        const check_frame *frame = &frames[of->first + f];
        for (uint32_t i = 0; i < frame->found_count; i++) {
            entries[count++] = (link_entry){frame, &frame->found[i]};
        }
    }
    if (count > 0) {
        qsort(entries, count, sizeof *entries, compare_entries);
    }
    check_result status = entries != NULL ? CHECK_DONE : CHECK_NO_MEMORY;
    size_t at = 0;
    for (uint32_t r = 0; status == CHECK_DONE && r < row_count; r++) {
        size_t first = at;
        while (at < count && entries[at].found->a == rows[r].a &&
               entries[at].found->b == rows[r].b) {
            at++;
        }
        status = find_row(state, entries + first, at - first, clip, &rows[r]);
    }
    free(entries);
    return status;
}

/* Limits are about what is inside; what touches nowhere is never within them. */
static bool fails(const check *state, const check_finding *finding)
{
    const check_settings *settings = &state->settings;
    bool loose = finding->kind == CHECK_PASS || finding->kind == CHECK_CLEARANCE;
    if (finding->verdict == CHECK_KNOWN || finding->verdict == CHECK_SHALLOW) {
        return false;
    }
    if (loose || !(settings->has_max_depth || settings->has_max_area)) {
        return true;
    }
    double most = check_limit_depth(state, settings->max_depth, finding->a, finding->b);
    return (settings->has_max_depth && finding->depth > most) ||
           (settings->has_max_area && finding->area > settings->max_area);
}

static double share_of(const check_finding *finding)
{
    return finding->size > 0.0 ? finding->depth / finding->size : finding->depth;
}

static int compare_positions(const float x[3], const float y[3])
{
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

/* What fails first, then what is new or worse but allowed, then the rest; the deepest first. */
static int compare_findings(const void *first, const void *second)
{
    const check_finding *x = first, *y = second;
    int rank_x = x->fails ? 0 : x->verdict >= CHECK_NEW ? 1 : x->verdict == CHECK_SHALLOW ? 2 : 3;
    int rank_y = y->fails ? 0 : y->verdict >= CHECK_NEW ? 1 : y->verdict == CHECK_SHALLOW ? 2 : 3;
    if (rank_x != rank_y) {
        return rank_x - rank_y;
    }
    if (share_of(x) != share_of(y)) {
        return share_of(x) > share_of(y) ? -1 : 1;
    }
    uint64_t a[2] = {x->clip, y->clip},
             b[2] = {(uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b};
    if (a[0] != a[1]) {
        return a[0] < a[1] ? -1 : 1;
    }
    if (b[0] != b[1]) {
        return b[0] < b[1] ? -1 : 1;
    }
    return x->first != y->first ? x->first < y->first ? -1 : 1
           : x->kind != y->kind ? (int)x->kind - (int)y->kind
                                : compare_positions(x->position, y->position);
}

check_result check_find_findings(check *state)
{
    check_result status = CHECK_DONE;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        check_clip *clip = &state->clips[c];
        if (status == CHECK_DONE) {
            status = find_rows(state, state->frames, c, clip->rows, clip->row_count);
        }
        if (status == CHECK_DONE && clip->pass_count > 0) {
            status = find_rows(state, state->passes, c, clip->pass_rows, clip->pass_count);
        }
    }
    for (uint32_t i = 0; status == CHECK_DONE && i < state->finding_count; i++) {
        check_finding *finding = &state->findings[i];
        finding->depth = fmax(finding->depth, 0.0);
        finding->gap = isfinite(finding->gap) ? finding->gap : 0.0;
        finding->fails = fails(state, finding);
        state->failing_count += finding->fails ? 1 : 0;
    }
    if (status == CHECK_DONE && state->finding_count > 0) {
        qsort(state->findings, state->finding_count, sizeof *state->findings, compare_findings);
    }
    return status;
}
