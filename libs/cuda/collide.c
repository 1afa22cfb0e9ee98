/* The question: kernels are run, counters read; queues that were too small grow and the step is run
   again; what the device left open is decided, and contacts are sorted. */
#include "library.h"

#include <string.h>

enum { MOST_KERNELS = 24 };

/* Kernels of a run, in order. */
typedef struct program {
    pli_cuda_kernel kernel[MOST_KERNELS];
    uint32_t count;
} program;

static void add(program *p, pli_cuda_kernel kernel)
{
    p->kernel[p->count++] = kernel;
}

static void add_if(program *p, bool wanted, pli_cuda_kernel kernel)
{
    if (wanted) {
        add(p, kernel);
    }
}

static pliant_result device_failed(const pliant_cuda_scene *scene)
{
    return pli_cuda_fail(PLIANT_ERROR_STATE, "the device failed: %s", scene->cuda->device->error);
}

pliant_result pli_cuda_begin(pliant_cuda_scene *scene, const pli_cuda_kernel *kernels,
                             uint32_t count, const pli_cuda_step *step)
{
    pli_cuda_device *device = scene->cuda->device;
    return device->run(device, kernels, count, step) ? PLIANT_OK : device_failed(scene);
}

pliant_result pli_cuda_count(pliant_cuda_scene *scene, const pli_cuda_kernel *kernels,
                             uint32_t count, const pli_cuda_step *step, uint64_t *counters)
{
    pli_cuda_device *device = scene->cuda->device;
    uint64_t *report = scene->report.data;
    report[PLI_CUDA_COUNTERS] = 0;
    pliant_result result = pli_cuda_begin(scene, kernels, count, step);
    if (result != PLIANT_OK || !device->wait(device, &report[PLI_CUDA_COUNTERS])) {
        return result != PLIANT_OK ? result : device_failed(scene);
    }
    memcpy(counters, report, PLI_CUDA_COUNTERS * sizeof *counters);
    return PLIANT_OK;
}

/* From states to the boxes of bodies. */
static void add_boxes(program *p, const pliant_cuda_scene *scene)
{
    const pli_cuda_step *step = &scene->step;
    add_if(p, scene->needs_reset, PLI_CUDA_KERNEL_reset);
    add_if(p, step->free_count > 0, PLI_CUDA_KERNEL_refit);
    add_if(p, step->lazy_count > 0, PLI_CUDA_KERNEL_bound);
    add_if(p, step->uses_fans != 0, PLI_CUDA_KERNEL_fans);
    add_if(p, step->body_count > 2, PLI_CUDA_KERNEL_bodies);
}

static void add_sort(program *p)
{
    add(p, PLI_CUDA_KERNEL_begin_buckets);
    add(p, PLI_CUDA_KERNEL_scatter);
    add(p, PLI_CUDA_KERNEL_rank);
}

/* From pairs of bodies to contacts. */
static void add_walk(program *p, const pliant_cuda_scene *scene)
{
    const pli_cuda_step *step = &scene->step;
    add(p, PLI_CUDA_KERNEL_tiles);
    add(p, PLI_CUDA_KERNEL_octets);
    add_if(p, step->lazy_count > 0, PLI_CUDA_KERNEL_evaluate);
    add(p, PLI_CUDA_KERNEL_boxes);
    add(p, PLI_CUDA_KERNEL_filter);
    bool skips = step->neighbours == PLIANT_NEIGHBOURS_SKIP;
    add_if(p, skips ? scene->has_welded_self : scene->has_self, PLI_CUDA_KERNEL_neighbours);
    add(p, PLI_CUDA_KERNEL_exact);
    add_if(p, step->finds_first != 0, PLI_CUDA_KERNEL_list_first);
    if (scene->expects_few) {
        add(p, PLI_CUDA_KERNEL_rank_few);
    } else {
        add_sort(p);
    }
}

/* The whole step. Where there are many bodies they are sorted by where their boxes begin; else it
   is one program. */
static pliant_result run_step(pliant_cuda_scene *scene, uint64_t *counters)
{
    enum { ORDER_DIGITS = 0xf0 }; /* the upper half of a key's triangles */
    program p = {.count = 0};
    const pli_cuda_step *step = &scene->step;
    pliant_result result = PLIANT_OK;
    add_boxes(&p, scene);
    scene->needs_reset = true;
    if (step->body_count >= scene->sweep_from && step->body_count > 2) {
        add(&p, PLI_CUDA_KERNEL_order_keys);
        result = pli_cuda_begin(scene, p.kernel, p.count, step);
        if (result == PLIANT_OK) {
            result = pli_cuda_sort_by_digits(scene, step->body_count, ORDER_DIGITS);
        }
        p.count = 0;
        add(&p, PLI_CUDA_KERNEL_order);
        add(&p, PLI_CUDA_KERNEL_sweep);
    } else {
        add_if(&p, step->body_count > 2, PLI_CUDA_KERNEL_broad);
    }
    add_walk(&p, scene);
    if (result == PLIANT_OK) {
        result = pli_cuda_count(scene, p.kernel, p.count, step, counters);
    }
    scene->needs_reset = result != PLIANT_OK;
    return result;
}

/* ------------------------------------------------------------ what was counted */

static pliant_result check_finite(uint64_t bad)
{
    uint32_t body = (uint32_t)(bad >> 32), vertex = (uint32_t)bad;
    if (bad == PLI_CUDA_NOTHING) {
        return PLIANT_OK;
    }
    if (vertex == 0) {
        return pli_cuda_fail(PLIANT_ERROR_NOT_FINITE,
                             "a number of the state of body %u is not finite", body);
    }
    return pli_cuda_fail(PLIANT_ERROR_NOT_FINITE, "vertex %u of body %u is not finite", vertex - 1,
                         body);
}

/* Whether a queue was too small; then they grow, by what was counted and a quarter. */
static pliant_result grow_queues(pliant_cuda_scene *scene, const uint64_t *counters, bool *grew)
{
    uint64_t wanted[PLI_CUDA_QUEUES];
    *grew = false;
    for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
        wanted[q] = scene->capacity[q];
        if (counters[q] > scene->capacity[q]) {
            wanted[q] = counters[q] + counters[q] / 4;
            *grew = true;
        }
    }
    return *grew ? pli_cuda_reserve(scene, wanted) : PLIANT_OK;
}

static void take_stats(pliant_cuda_scene *scene, const uint64_t *counters)
{
    pliant_cuda_stats *stats = &scene->stats;
    stats->body_pairs = counters[PLI_CUDA_BODIES];
    stats->octet_pairs = counters[PLI_CUDA_OCTETS];
    stats->cluster_pairs = counters[PLI_CUDA_CLUSTERS];
    stats->clusters_evaluated = counters[PLI_CUDA_EVALUATED];
    stats->triangle_tests = counters[PLI_CUDA_TESTED];
    stats->undecided = counters[PLI_CUDA_UNDECIDED];
    stats->left_to_host = counters[PLI_CUDA_OPEN];
}

/* ------------------------------------------------------------ finding */

/* Buckets that are too full for ranks. */
static pliant_result sort_full(pliant_cuda_scene *scene, uint64_t count)
{
    static const pli_cuda_kernel list = PLI_CUDA_KERNEL_list;
    pliant_result result = pli_cuda_sort_by_digits(scene, count, pli_cuda_contact_digits(scene));
    pli_cuda_step step = scene->step;
    step.key_count = count;
    scene->stats.sorts_by_digits = 1;
    return result == PLIANT_OK ? pli_cuda_begin(scene, &list, 1, &step) : result;
}

/* Contacts that were expected to be few, and are not. */
static pliant_result sort_many(pliant_cuda_scene *scene, uint64_t *counters)
{
    bool few = counters[PLI_CUDA_TOUCHING] <= PLI_CUDA_FEW, expected = scene->expects_few;
    scene->expects_few = few;
    if (few || !expected) {
        return PLIANT_OK;
    }
    program p = {.count = 0};
    add_sort(&p);
    return pli_cuda_count(scene, p.kernel, p.count, &scene->step, counters);
}

/* Runs the step until all queues were large enough. */
static pliant_result find_all(pliant_cuda_scene *scene, uint64_t *counters)
{
    bool grew = true;
    pliant_result result = PLIANT_OK;
    while (grew && result == PLIANT_OK) {
        scene->stats.runs++;
        result = run_step(scene, counters);
        if (result == PLIANT_OK) {
            result = check_finite(counters[PLI_CUDA_BAD]);
        }
        if (result == PLIANT_OK) {
            result = grow_queues(scene, counters, &grew);
        }
        if (result != PLIANT_OK || grew) {
            continue;
        }
        take_stats(scene, counters);
        result = sort_many(scene, counters);
        if (result == PLIANT_OK && counters[PLI_CUDA_OPEN] > 0) {
            result = pli_cuda_decide_open(scene, counters);
            if (result == PLIANT_OK) {
                result = grow_queues(scene, counters, &grew);
            }
        }
    }
    if (result == PLIANT_OK && counters[PLI_CUDA_FULLEST] > 0) {
        result = sort_full(scene, counters[PLI_CUDA_TOUCHING]);
    }
    return result;
}

/* ------------------------------------------------------------ the call */

static pliant_result check_options(const pliant_collide_options *options)
{
    pliant_result result = pliant_check_tag(options->tag, pliant_collide_options_default().tag,
                                            "pliant_collide_options");
    if (result != PLIANT_OK) {
        return result;
    }
    const char *refused = options->segments      ? "segments"
                          : options->separations ? "separations"
                          : options->budget_nodes != 0 || options->budget_microseconds != 0
                              ? "a budget"
                          : options->callback != NULL ? "a callback"
                                                      : NULL;
    if (refused != NULL) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "%s cannot be asked of a device yet", refused);
    }
    if ((unsigned)options->mode > PLIANT_COLLIDE_FIRST) {
        return pli_cuda_fail(PLIANT_ERROR_RANGE, "mode is %d; there is no such one",
                             (int)options->mode);
    }
    if ((unsigned)options->neighbours > PLIANT_NEIGHBOURS_SKIP) {
        return pli_cuda_fail(PLIANT_ERROR_RANGE, "neighbours is %d; there is no such rule",
                             (int)options->neighbours);
    }
    return PLIANT_OK;
}

/* Brings the groups asked for to the device. */
static pliant_result set_groups(pliant_cuda_scene *scene, const pliant_collide_options *options)
{
    const pliant_groups *groups[2] = {&options->groups_a, &options->groups_b};
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        size[i] = groups[i]->bits != NULL
                      ? ((size_t)groups[i]->count + 63) / 64 * sizeof *groups[i]->bits
                      : 0;
    }
    pli_cuda_array *table = &scene->table[PLI_CUDA_TABLE_GROUPS];
    pliant_result result = pli_cuda_replace(scene->cuda, table, size[0] + size[1] + 8);
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        uint64_t *to = (uint64_t *)table->data + (i == 0 ? 0 : size[0] / sizeof *to);
        if (size[i] > 0) {
            result = pli_cuda_upload_bytes(scene->cuda, to, groups[i]->bits, size[i]);
        }
        *(i == 0 ? &scene->step.groups_a : &scene->step.groups_b) =
            groups[i]->bits != NULL ? to : NULL;
        *(i == 0 ? &scene->step.groups_a_count : &scene->step.groups_b_count) = groups[i]->count;
    }
    return result;
}

/* Fans of the shapes whose bodies are asked about themselves, and room for names. */
static pliant_result prepare_fans(pliant_cuda_scene *scene, pliant_neighbours rule)
{
    pli_cuda_step *step = &scene->step;
    pliant_result result = PLIANT_OK;
    step->uses_fans = rule == PLIANT_NEIGHBOURS_BEYOND_SHARED && scene->has_free_self;
    if (step->uses_fans == 0) {
        return PLIANT_OK;
    }
    for (uint32_t i = 0; i < scene->members.count && result == PLIANT_OK; i++) {
        const pli_cuda_member *member = &scene->members.data[i];
        if (member->is_free && member->device.self != 0) {
            result = pli_cuda_upload_fans(scene->cuda, &scene->uploads.data[member->shape]);
        }
    }
    if (result == PLIANT_OK) {
        uint64_t vertices = (uint64_t)step->first_units / 3 * PLI_CUDA_UNIT;
        pli_cuda_array *names = &scene->table[PLI_CUDA_TABLE_NAMES];
        result = pli_cuda_replace(scene->cuda, names, pli_cuda_bytes(vertices, sizeof(uint32_t)));
        step->names = names->data;
    }
    return result;
}

static pliant_result prepare(pliant_cuda_scene *scene, const pliant_collide_options *options)
{
    pliant_result result = pli_cuda_lay_out(scene);
    if (result == PLIANT_OK) {
        result = set_groups(scene, options);
    }
    if (result == PLIANT_OK) {
        result = prepare_fans(scene, options->neighbours);
    }
    if (result == PLIANT_OK) {
        size_t size = (PLI_CUDA_COUNTERS + 1) * sizeof(uint64_t);
        result = pli_cuda_replace(scene->cuda, &scene->report, size);
        scene->step.report = scene->report.data;
    }
    scene->step.has_groups =
        scene->has_groups || scene->step.groups_a != NULL || scene->step.groups_b != NULL;
    scene->step.finds_first = options->mode == PLIANT_COLLIDE_FIRST;
    scene->step.neighbours = (uint32_t)options->neighbours;
    scene->step.forces_exact = scene->forces_exact;
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t wanted[PLI_CUDA_QUEUES];
    bool first = scene->capacity[PLI_CUDA_BODIES] == 0;
    if (first) {
        pli_cuda_first_capacity(scene, wanted);
    } else {
        memcpy(wanted, scene->capacity, sizeof wanted);
    }
    /* Without these there would be nowhere to put vertices, or bodies that are sorted. */
    uint64_t units = scene->step.first_units, bodies = scene->members.count;
    wanted[PLI_CUDA_UNITS] = wanted[PLI_CUDA_UNITS] > units ? wanted[PLI_CUDA_UNITS] : units;
    wanted[PLI_CUDA_TOUCHING] =
        wanted[PLI_CUDA_TOUCHING] > bodies ? wanted[PLI_CUDA_TOUCHING] : bodies;
    return pli_cuda_reserve(scene, wanted);
}

pliant_result pliant_cuda_scene_collide(pliant_cuda_scene *scene,
                                        const pliant_collide_options *options,
                                        pliant_cuda_contacts *contacts)
{
    pliant_collide_options defaults = pliant_collide_options_default();
    if (scene == NULL || contacts == NULL) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "pliant_cuda_scene_collide: %s is NULL",
                             scene == NULL ? "scene" : "contacts");
    }
    options = options != NULL ? options : &defaults;
    pliant_result result = check_options(options);
    if (result != PLIANT_OK) {
        return result;
    }
    scene->stats = (pliant_cuda_stats){0};
    scene->has_answer = false;
    uint64_t counters[PLI_CUDA_COUNTERS] = {0};
    if (scene->members.count > 0) {
        result = prepare(scene, options);
        if (result == PLIANT_OK) {
            result = find_all(scene, counters);
        }
        if (result == PLIANT_OK && !scene->cuda->device->end(scene->cuda->device)) {
            result = device_failed(scene);
        }
    }
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t count = counters[PLI_CUDA_TOUCHING];
    scene->stats.contacts = count;
    scene->has_answer = true;
    contacts->on_device =
        count > 0 ? (const pliant_cuda_contact *)(void *)scene->step.sorted : NULL;
    contacts->count = count;
    return PLIANT_OK;
}

pliant_result pliant_cuda_scene_copy_contacts(pliant_cuda_scene *scene,
                                              pliant_cuda_contact *contacts, uint64_t capacity)
{
    if (scene == NULL || (contacts == NULL && capacity > 0)) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "pliant_cuda_scene_copy_contacts: %s is NULL",
                             scene == NULL ? "scene" : "contacts");
    }
    if (!scene->has_answer) {
        return pliant_fail(PLIANT_ERROR_STATE, "the scene has no answer to copy");
    }
    uint64_t count = scene->stats.contacts;
    if (capacity < count) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "%llu contacts, and room for %llu",
                             (unsigned long long)count, (unsigned long long)capacity);
    }
    return count > 0 ? pli_cuda_download_bytes(scene->cuda, contacts, scene->step.sorted,
                                               pli_cuda_bytes(count, sizeof *contacts))
                     : PLIANT_OK;
}

pliant_result pliant_cuda_scene_get_stats(const pliant_cuda_scene *scene, pliant_cuda_stats *stats)
{
    if (scene == NULL || stats == NULL) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "pliant_cuda_scene_get_stats: %s is NULL",
                             scene == NULL ? "scene" : "stats");
    }
    *stats = scene->stats;
    stats->device_bytes = pli_cuda_held_bytes(scene);
    return PLIANT_OK;
}
