/*
 * pliant-bench-mpi: a crowd over the ranks that mpirun starts, or in one process with several
 * workers. Times a step, setting states and finding contacts, by the clock on the wall of the
 * slowest rank; what goes from rank to rank; memory; and how evenly work is spread. Answers are
 * summed up in a number that does not depend on the ranks, so that runs can be told to agree.
 */
#include "cast.h"
#include "pliant/mpi.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 256, WARM_STEPS = 3 };

static const char usage[] =
    "usage: mpirun -n RANKS pliant-bench-mpi [--kind stars|fish|balls] [--bodies N]\n"
    "                       [--triangles N] [--steps N] [--threads N] [--worst] [--less-loaded]\n"
    "                       [--one-process] [--json FILE]\n\n"
    "  --kind K       what the bodies are: 10 modes (the default), 3 modes, or none\n"
    "  --bodies N     default 10000\n"
    "  --triangles N  of a body; default: 18,000 of a star, the paper's of a fish, 20 of a ball\n"
    "  --steps N      that are timed, after three that are not; default 10\n"
    "  --threads N    workers of each rank; default 1\n"
    "  --worst        begin with all bodies on rank 0\n"
    "  --less-loaded  pairs across ranks go to the rank with less work\n"
    "  --one-process  no ranks: one scene of one process, for comparison\n"
    "  --json FILE    write all figures to FILE, in place of the standard output\n";

typedef struct run {
    mpi_cast cast;
    uint32_t steps, threads;
    bool worst, one_process, less_loaded;
    const char *json;
    int rank, size;
    pliant_context *context;
    pliant_shape *shape;
    pliant_mpi_scene *scene;
    pliant_scene *alone; /* one process */
    pliant_body **bodies;
    pliant_body_id *ids;
    /* Of the bodies of this rank, in the step that comes. */
    mpi_cast_state *states;
    pliant_mpi_state *given;
    pliant_scene_state *given_alone;
    size_t capacity;
    /* Step by step. */
    double seconds[MOST_STEPS], imbalance[MOST_STEPS], time_imbalance[MOST_STEPS];
    double busiest[MOST_STEPS];
    uint32_t step_count;
    uint64_t sum, pairs, body_pairs; /* answers of the last step */
    pliant_mpi_stats total;          /* of all ranks, over the timed steps */
    uint64_t moves;
} run;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "crowd-mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

static void must(pliant_result result)
{
    if (result != PLIANT_OK) {
        give_up(pliant_last_error());
    }
}

/* -------------------------------------------------------------------- making */

static void make_room(run *r, size_t count)
{
    if (count <= r->capacity) {
        return;
    }
    r->capacity = count + count / 4 + 16;
    r->states = realloc(r->states, r->capacity * sizeof *r->states);
    r->given = realloc(r->given, r->capacity * sizeof *r->given);
    r->given_alone = realloc(r->given_alone, r->capacity * sizeof *r->given_alone);
    if (r->states == NULL || r->given == NULL || r->given_alone == NULL) {
        give_up("no memory");
    }
}

static void make_alone(run *r)
{
    uint32_t count = r->cast.bodies;
    r->bodies = calloc(count, sizeof(pliant_body *));
    r->ids = calloc(count, sizeof *r->ids);
    if (r->bodies == NULL || r->ids == NULL) {
        give_up("no memory");
    }
    must(pliant_scene_create(r->context, NULL, &r->alone));
    for (uint32_t i = 0; i < count; i++) {
        must(pliant_body_create(r->shape, NULL, &r->bodies[i]));
        must(pliant_scene_add(r->alone, r->bodies[i], NULL, &r->ids[i]));
    }
}

/* Each rank begins with a part of the grid; of the shape only the first has more than its key. */
static void make_scene(run *r)
{
    pliant_mpi_scene_def def = pliant_mpi_scene_def_default();
    def.communicator = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    def.owner = r->less_loaded ? PLIANT_MPI_OWNER_LESS_LOADED : PLIANT_MPI_OWNER_LOWER_ID;
    must(pliant_mpi_scene_create(r->context, &def, &r->scene));
    uint64_t count = r->cast.bodies, ranks = (uint64_t)r->size, rank = (uint64_t)r->rank;
    uint64_t first = count * rank / ranks, end = count * (rank + 1) / ranks;
    if (r->worst) {
        first = 0;
        end = r->rank == 0 ? count : 0;
    }
    if (first < end) {
        must(pliant_mpi_scene_add_shape(r->scene, 1, r->shape));
    }
    for (uint64_t i = first; i < end; i++) {
        must(pliant_mpi_scene_add(r->scene, i, 1, NULL, NULL));
    }
}

/* ------------------------------------------------------------------- playing */

static pliant_state state_of(const run *r, const mpi_cast_state *state)
{
    return (pliant_state){.coordinates = r->cast.model.mode_count > 0 ? state->coordinates : NULL,
                          .coordinate_count = r->cast.model.mode_count,
                          .transforms = state->transform,
                          .transform_count = 1};
}

static uint32_t pose(run *r, uint32_t step)
{
    uint32_t count = r->cast.bodies;
    const uint64_t *ids = r->scene != NULL ? pliant_mpi_scene_get_ids(r->scene, &count) : NULL;
    make_room(r, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t body = ids != NULL ? (uint32_t)ids[i] : i;
        mpi_cast_pose(&r->cast, body, step, &r->states[i]);
        r->given[i] = (pliant_mpi_state){.id = body, .state = state_of(r, &r->states[i])};
        if (r->alone != NULL) {
            r->given_alone[i] = (pliant_scene_state){.body = r->ids[i], .state = r->given[i].state};
        }
    }
    return count;
}

/* Numbers of all pairs, which add up to the same in any order. */
static uint64_t sum_of(uint64_t a, uint64_t b, const pliant_pair *pairs, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = (a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
        x ^= ((uint64_t)pairs[i].a << 32 | pairs[i].b) * UINT64_C(0xd1342543de82ef95);
        x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        sum += x ^ x >> 32;
    }
    return sum;
}

static double step_alone(run *r, uint32_t count)
{
    pliant_scene_contacts contacts;
    double began = MPI_Wtime();
    must(pliant_scene_set_states(r->alone, r->given_alone, count));
    must(pliant_scene_collide(r->alone, NULL, &contacts));
    double seconds = MPI_Wtime() - began;
    r->sum = 0;
    for (uint32_t i = 0; i < contacts.body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts.bodies[i];
        r->sum += sum_of(pair->a.index, pair->b.index, contacts.pairs + pair->first, pair->count);
    }
    r->pairs = contacts.count;
    r->body_pairs = contacts.body_pair_count;
    return seconds;
}

static double step_together(run *r, uint32_t count)
{
    pliant_mpi_contacts contacts;
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    must(pliant_mpi_scene_set_states(r->scene, r->given, count));
    must(pliant_mpi_scene_collide(r->scene, NULL, &contacts));
    double seconds = MPI_Wtime() - began;
    uint64_t own[3] = {0, contacts.count, contacts.body_pair_count}, all[3];
    for (uint64_t i = 0; i < contacts.body_pair_count; i++) {
        const pliant_mpi_pair *pair = &contacts.bodies[i];
        own[0] += sum_of(pair->a, pair->b, contacts.pairs + pair->first, pair->count);
    }
    MPI_Allreduce(own, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    r->sum = all[0];
    r->pairs = all[1];
    r->body_pairs = all[2];
    double slowest = 0.0;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* How unevenly a number is spread over the ranks: the most over the mean, less 1. */
static double spread_of(const run *r, double own, double *most)
{
    double sum = 0.0;
    MPI_Allreduce(&own, most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum > 0.0 ? *most * r->size / sum - 1.0 : 0.0;
}

static void note_stats(run *r, bool timed)
{
    const pliant_mpi_stats *own = pliant_mpi_scene_get_stats(r->scene);
    double busy = own->seconds_bounds + own->seconds_pairs + own->seconds_ghosts +
                  own->seconds_local + own->seconds_answer,
           most = 0.0;
    r->imbalance[r->step_count] = spread_of(r, (double)own->work, &most);
    r->time_imbalance[r->step_count] = spread_of(r, busy, &r->busiest[r->step_count]);
    if (timed) {
        pliant_mpi_stats *total = &r->total;
        total->ghosts += own->ghosts;
        total->ghosts_sent += own->ghosts_sent;
        total->boxes_sent += own->boxes_sent;
        total->bytes_boxes += own->bytes_boxes;
        total->bytes_states += own->bytes_states;
        total->bytes_other += own->bytes_other;
        total->messages += own->messages;
        total->collectives += own->collectives;
        total->neighbours += own->neighbours;
        total->seconds_bounds += own->seconds_bounds;
        total->seconds_wait += own->seconds_wait;
        total->seconds_pairs += own->seconds_pairs;
        total->seconds_ghosts += own->seconds_ghosts;
        total->seconds_local += own->seconds_local;
        total->seconds_answer += own->seconds_answer;
    }
}

static void play(run *r)
{
    for (uint32_t step = 0; step < r->steps + WARM_STEPS; step++) {
        uint32_t count = pose(r, step);
        bool timed = step >= WARM_STEPS;
        r->seconds[r->step_count] =
            r->scene != NULL ? step_together(r, count) : step_alone(r, count);
        if (r->scene != NULL) {
            pliant_mpi_balance balance;
            note_stats(r, timed);
            must(pliant_mpi_scene_balance(r->scene, 0.08, &balance));
            r->moves += balance.move_count;
        }
        r->step_count++;
    }
}

/* ------------------------------------------------------------------ reporting */

static double resident_mib(const char *what)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, what, strlen(what)) == 0) {
            sscanf(line + strlen(what), ": %llu", &kib);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return (double)kib / 1024.0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_series(FILE *file, const char *name, const double *values, uint32_t count)
{
    fprintf(file, "  \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s%.4g", i > 0 ? ", " : "", values[i]);
    }
    fprintf(file, "],\n");
}

static void print_exchange(FILE *file, const run *r, const uint64_t numbers[9],
                           const double seconds[6])
{
    double rank_steps = (double)r->steps * r->size, ghosts = (double)numbers[0];
    fprintf(file, "  \"ghosts_per_rank_step\": %.1f,\n", ghosts / rank_steps);
    fprintf(file, "  \"bytes_per_ghost\": %.2f,\n",
            ghosts > 0.0 ? (double)numbers[3] / ghosts : 0.0);
    fprintf(file, "  \"boxes_per_rank_step\": %.1f,\n", (double)numbers[1] / rank_steps);
    fprintf(file, "  \"bytes_boxes_per_rank_step\": %.1f,\n", (double)numbers[2] / rank_steps);
    fprintf(file, "  \"bytes_states_per_rank_step\": %.1f,\n", (double)numbers[3] / rank_steps);
    fprintf(file, "  \"messages_per_rank_step\": %.1f,\n", (double)numbers[5] / rank_steps);
    fprintf(file, "  \"collectives_per_step\": %.1f,\n", (double)numbers[6] / rank_steps);
    fprintf(file, "  \"neighbours\": %.1f,\n", (double)numbers[7] / rank_steps);
    static const char *const names[6] = {"bounds", "wait", "pairs", "ghosts", "local", "answer"};
    for (int i = 0; i < 6; i++) {
        fprintf(file, "  \"mean_%s_ms\": %.4f,\n", names[i], 1e3 * seconds[i] / rank_steps);
    }
}

static void report(run *r)
{
    const pliant_mpi_stats *t = &r->total;
    uint64_t numbers[9] = {t->ghosts_sent,  t->boxes_sent,  t->bytes_boxes,
                           t->bytes_states, t->bytes_other, t->messages,
                           t->collectives,  t->neighbours,  r->moves};
    double seconds[6] = {t->seconds_bounds, t->seconds_wait,  t->seconds_pairs,
                         t->seconds_ghosts, t->seconds_local, t->seconds_answer};
    double memory[2] = {resident_mib("VmRSS"), resident_mib("VmHWM")}, most[2], sum[2];
    MPI_Allreduce(MPI_IN_PLACE, numbers, 9, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, seconds, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(memory, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(memory, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (r->rank != 0) {
        return;
    }
    double sorted[MOST_STEPS];
    memcpy(sorted, r->seconds + WARM_STEPS, r->steps * sizeof *sorted);
    qsort(sorted, r->steps, sizeof *sorted, compare_doubles);
    FILE *file = r->json != NULL ? fopen(r->json, "w") : stdout;
    if (file == NULL) {
        give_up("the file for figures cannot be written");
    }
    fprintf(file, "{\n  \"kind\": \"%s\",\n", mpi_cast_names[r->cast.kind]);
    fprintf(file, "  \"bodies\": %u,\n  \"triangles\": %u,\n  \"modes\": %u,\n", r->cast.bodies,
            r->cast.mesh.triangle_count, r->cast.model.mode_count);
    fprintf(file, "  \"steps\": %u,\n", r->steps);
    fprintf(file, "  \"ranks\": %d,\n  \"threads\": %u,\n  \"one_process\": %s,\n", r->size,
            r->threads, r->one_process ? "true" : "false");
    fprintf(file, "  \"worst_start\": %s,\n  \"less_loaded\": %s,\n", r->worst ? "true" : "false",
            r->less_loaded ? "true" : "false");
    fprintf(file, "  \"library\": \"%s\",\n", pliant_version());
    fprintf(file, "  \"mpi\": \"%s\",\n", pliant_mpi_version());
    fprintf(file, "  \"sum\": \"%016llx\",\n", (unsigned long long)r->sum);
    fprintf(file, "  \"body_pairs\": %llu,\n  \"pairs\": %llu,\n",
            (unsigned long long)r->body_pairs, (unsigned long long)r->pairs);
    fprintf(file, "  \"step_ms\": %.4f,\n  \"least_ms\": %.4f,\n", 1e3 * sorted[r->steps / 2],
            1e3 * sorted[0]);
    fprintf(file, "  \"rank_mib_most\": %.1f,\n  \"rank_mib_mean\": %.1f,\n", most[0],
            sum[0] / r->size);
    fprintf(file, "  \"rank_peak_mib_most\": %.1f,\n", most[1]);
    if (!r->one_process) {
        print_exchange(file, r, numbers, seconds);
        fprintf(file, "  \"moves\": %llu,\n", (unsigned long long)numbers[8] / 2);
        print_series(file, "imbalance_by_work", r->imbalance, r->step_count);
        print_series(file, "imbalance_by_time", r->time_imbalance, r->step_count);
        print_series(file, "busiest_rank_s", r->busiest, r->step_count);
    }
    print_series(file, "seconds", r->seconds, r->step_count);
    fprintf(file, "  \"done\": true\n}\n");
    if (file != stdout) {
        fclose(file);
    }
}

/* -------------------------------------------------------------------- options */

static uint32_t number_of(const char *text, uint32_t most)
{
    char *end = NULL;
    unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
    if (text == NULL || *text == '\0' || *end != '\0' || value == 0 || value > most) {
        fputs(usage, stderr);
        exit(2);
    }
    return (uint32_t)value;
}

static void parse(int count, char **words, run *r, mpi_cast_kind *kind, uint32_t numbers[2])
{
    for (int i = 1; i < count && words[i] != NULL; i++) {
        const char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL;
        bool takes = true;
        if (strcmp(word, "--bodies") == 0) {
            numbers[0] = number_of(next, 100000000);
        } else if (strcmp(word, "--triangles") == 0) {
            numbers[1] = number_of(next, 10000000);
        } else if (strcmp(word, "--steps") == 0) {
            r->steps = number_of(next, MOST_STEPS - WARM_STEPS);
        } else if (strcmp(word, "--threads") == 0) {
            r->threads = number_of(next, 256);
        } else if (strcmp(word, "--json") == 0 && next != NULL) {
            r->json = next;
        } else if (strcmp(word, "--kind") == 0 && next != NULL) {
            *kind = MPI_CAST_KINDS;
            for (int k = 0; k < MPI_CAST_KINDS; k++) {
                *kind = strcmp(next, mpi_cast_names[k]) == 0 ? (mpi_cast_kind)k : *kind;
            }
            if (*kind == MPI_CAST_KINDS) {
                number_of(NULL, 0);
            }
        } else {
            takes = false;
            r->worst = r->worst || strcmp(word, "--worst") == 0;
            r->less_loaded = r->less_loaded || strcmp(word, "--less-loaded") == 0;
            r->one_process = r->one_process || strcmp(word, "--one-process") == 0;
            if (strcmp(word, "--help") == 0) {
                fputs(usage, stdout);
                exit(0);
            }
            if (strcmp(word, "--worst") != 0 && strcmp(word, "--less-loaded") != 0 &&
                strcmp(word, "--one-process") != 0) {
                number_of(NULL, 0);
            }
        }
        i += takes;
    }
}

int main(int argument_count, char **arguments)
{
    static run r = {.steps = 10, .threads = 1};
    mpi_cast_kind kind = MPI_CAST_STARS;
    uint32_t numbers[2] = {10000, 0};
    parse(argument_count, arguments, &r, &kind, numbers);
    int level = 0;
    MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.size);
    if (r.one_process && r.size > 1) {
        give_up("--one-process: there is more than one");
    }
    if (!mpi_cast_make(kind, numbers[0], numbers[1], &r.cast)) {
        give_up("the bodies cannot be made: no memory, or no LAPACKE for fish");
    }
    pliant_context_def def = pliant_context_def_default();
    def.workers = r.threads;
    must(pliant_context_create(&def, &r.context));
    /* Where every rank begins with bodies, each makes the shape; else it travels. */
    pliant_shape_def shape = mpi_cast_shape_def(&r.cast);
    must(pliant_shape_create(r.context, &shape, &r.shape));
    if (r.one_process) {
        make_alone(&r);
    } else {
        make_scene(&r);
    }
    play(&r);
    report(&r);
    pliant_mpi_scene_destroy(r.scene);
    pliant_scene_destroy(r.alone);
    for (uint32_t i = 0; r.bodies != NULL && i < r.cast.bodies; i++) {
        pliant_body_destroy(r.bodies[i]);
    }
    pliant_shape_destroy(r.shape);
    pliant_context_destroy(r.context);
    mpi_cast_free(&r.cast);
    free(r.bodies);
    free(r.ids);
    free(r.states);
    free(r.given);
    free(r.given_alone);
    MPI_Finalize();
    return 0;
}
