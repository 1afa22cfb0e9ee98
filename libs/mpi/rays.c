/*
 * Rays: each goes to the ranks whose boxes it may meet, and comes back with what it met there
 * first; who sent it takes the first of these, by the exact order of hits.
 */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_mpi_select)
{
    pliant_mpi_select select = {
        .category = 1, .mask = UINT64_MAX, .tag = PLI_MPI_TAG(pliant_mpi_select)};
    return select;
}

/* What a rank says of a ray: with the triangle, by which hits of different ranks are compared. */
typedef struct ray_answer {
    uint64_t body;
    pliant_ray_hit hit;
    pliant_triangle triangle;
} ray_answer;

typedef struct ray_question {
    pliant_mpi_scene *scene;
    const pliant_ray *rays;
    uint64_t count;
    const pliant_mpi_select *select;
    bool any;
} ray_question;

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* -------------------------------------------------------------------- sending */

/* Whether a ray may meet a box: parameters are computed with a margin that covers their rounding.
 */
static bool may_meet(const pliant_ray *ray, const pliant_box *box)
{
    double low = 0.0, high = (double)ray->t_max;
    for (int k = 0; k < 3; k++) {
        double origin = (double)ray->origin[k], direction = (double)ray->direction[k];
        double lower = (double)box->lower[k], upper = (double)box->upper[k];
        if (direction == 0.0) {
            if (!(lower <= origin && origin <= upper)) {
                return false;
            }
            continue;
        }
        double enters = ((direction > 0.0 ? lower : upper) - origin) / direction;
        double leaves = ((direction > 0.0 ? upper : lower) - origin) / direction;
        low = fmax(low, enters - 1e-12 * fabs(enters));
        high = fmin(high, leaves + 1e-12 * fabs(leaves));
    }
    return low <= high;
}

static bool is_ray(const pliant_ray *ray)
{
    bool finite = true;
    for (int k = 0; k < 3; k++) {
        finite = finite && isfinite(ray->origin[k]) && isfinite(ray->direction[k]);
    }
    return finite && ray->t_max >= 0.0f;
}

static pli_mpi_outcome check_rays(const ray_question *question, const void *answers)
{
    pliant_mpi_scene *scene = question->scene;
    pliant_result result = PLIANT_OK;
    if (question->select != NULL) {
        result = pliant_check_tag(question->select->tag, PLI_MPI_TAG(pliant_mpi_select),
                                  "pliant_mpi_select");
    }
    if (result == PLIANT_OK && question->count > 0 && (question->rays == NULL || answers == NULL)) {
        pliant_fail(PLIANT_ERROR_ARGUMENT, question->rays == NULL
                                               ? "rays is NULL"
                                               : "there is nowhere to put the answers");
        result = PLIANT_ERROR_ARGUMENT;
    }
    for (uint64_t i = 0; i < question->count && result == PLIANT_OK; i++) {
        if (!is_ray(&question->rays[i])) {
            char sentence[128];
            snprintf(sentence, sizeof sentence,
                     "ray %llu: it must be finite, but for t_max, which must not be below 0",
                     (unsigned long long)i);
            result = pliant_fail(PLIANT_ERROR_NOT_FINITE, sentence);
        }
    }
    return result == PLIANT_OK ? PLI_MPI_FINE : pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
}

/* Rays for each rank, in scene->out, and beside them, in scene->moves, their numbers. */
static pli_mpi_outcome write_rays(const ray_question *question)
{
    pliant_mpi_scene *scene = question->scene;
    scene->out.count = scene->moves.count = 0;
    for (int r = 0; r < scene->size; r++) {
        size_t before = scene->out.count;
        for (uint64_t i = 0; i < question->count; i++) {
            if (may_meet(&question->rays[i], &scene->heads[r].box)) {
                pliant_ray *ray = pli_mpi_extend(scene->context, &scene->out, sizeof *ray);
                uint64_t *number = pli_mpi_extend(scene->context, &scene->moves, sizeof *number);
                if (ray == NULL || number == NULL) {
                    return out_of_memory(scene);
                }
                *ray = question->rays[i];
                *number = i;
            }
        }
        scene->out_sizes[r] = scene->out.count - before;
    }
    return PLI_MPI_FINE;
}

/* ------------------------------------------------------------------ answering */

static bool is_own(void *user, pliant_body_id body)
{
    const pliant_mpi_scene *scene = user;
    return pli_mpi_slot_at(scene, body.index)->from < 0;
}

/* Whether a body of this rank can be told from a ghost by no select at all. */
static bool has_outsiders(const pliant_mpi_scene *scene)
{
    for (uint32_t i = 0; i < scene->kinds.count; i++) {
        const pli_mpi_kind *kind = pli_mpi_kind_at(&scene->kinds, i);
        if (kind->category == 0 || kind->mask == 0) {
            return true;
        }
    }
    return false;
}

/* The bodies to ask: those of this rank. Every body is asked by a select that all agree with; where
   some agree with none, ghosts go instead. */
static const pliant_scene_select *select_own(const ray_question *question,
                                             pliant_scene_select *select)
{
    pliant_mpi_scene *scene = question->scene;
    *select = pliant_scene_select_default();
    select->category = question->select != NULL ? question->select->category : UINT64_MAX;
    select->mask = question->select != NULL ? question->select->mask : UINT64_MAX;
    if (question->select == NULL && has_outsiders(scene)) {
        pli_mpi_drop_ghosts(scene, UINT32_MAX);
    }
    if (scene->ghost_count > 0) {
        select->filter = is_own;
        select->filter_user = scene;
        return select;
    }
    return question->select != NULL ? select : NULL;
}

/* A triangle of a body, as it stands. */
static pliant_result read_triangle(const pliant_body *body, uint32_t triangle, pliant_triangle *to)
{
    uint32_t vertices[3];
    pliant_result result =
        pliant_shape_get_triangle(pliant_body_get_shape(body), triangle, vertices);
    return result == PLIANT_OK ? pliant_body_evaluate(body, vertices, 3, to->corner[0]) : result;
}

static pliant_result describe(const pliant_mpi_scene *scene, const pliant_scene_ray_hit *hit,
                              ray_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->body = PLI_MPI_NOBODY;
    answer->hit = hit->hit;
    if (hit->body.generation == 0) {
        return PLIANT_OK;
    }
    const pli_mpi_slot *one = pli_mpi_slot_at(scene, hit->body.index);
    answer->body = one->id;
    return read_triangle(one->body, hit->hit.triangle, &answer->triangle);
}

/* Whether an answer is nearer along a ray, or as near and of a lower id. */
static bool comes_first(const pliant_ray *ray, const ray_answer *a, const ray_answer *b)
{
    if (a->body == PLI_MPI_NOBODY || b->body == PLI_MPI_NOBODY) {
        return a->body != PLI_MPI_NOBODY;
    }
    if (a->hit.t != b->hit.t) {
        return a->hit.t < b->hit.t;
    }
    int order =
        pliant_triangle_compare_hits(&a->triangle, &b->triangle, ray->origin, ray->direction);
    if (order != 0) {
        return order < 0;
    }
    return a->body != b->body ? a->body < b->body : a->hit.triangle < b->hit.triangle;
}

/* The rank's scene takes the lowest index of bodies that are hit at the same parameter. Where
   indices do not go by ids, all hits up to that parameter are looked at. */
static pliant_result settle_ties(const ray_question *question, const pliant_scene_select *select,
                                 pliant_ray *rays, uint64_t count, ray_answer *answers)
{
    pliant_mpi_scene *scene = question->scene;
    for (uint64_t i = 0; i < count; i++) {
        if (answers[i].body != PLI_MPI_NOBODY) {
            float end = (float)answers[i].hit.t;
            end = (double)end < answers[i].hit.t ? nextafterf(end, INFINITY) : end;
            rays[i].t_max = fminf(rays[i].t_max, end);
        }
    }
    pliant_scene_ray_hits hits;
    pliant_result result = pliant_scene_raycast_all(scene->local, rays, count, select, &hits);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        for (uint64_t k = hits.starts[i]; k < hits.starts[i + 1] && result == PLIANT_OK; k++) {
            ray_answer answer;
            result = describe(scene, &hits.hits[k], &answer);
            if (result == PLIANT_OK && comes_first(&rays[i], &answer, &answers[i])) {
                answers[i] = answer;
            }
        }
    }
    return result;
}

static pliant_result cast_any(const ray_question *question, const pliant_scene_select *select,
                              const pliant_ray *rays, uint64_t count)
{
    pliant_mpi_scene *scene = question->scene;
    bool *blocked =
        pli_mpi_resize(scene->context, &scene->out, pli_mpi_bytes_of(count, sizeof *blocked));
    return blocked != NULL ? pliant_scene_raycast_any(scene->local, rays, count, select, blocked)
                           : PLIANT_ERROR_OUT_OF_MEMORY;
}

static pliant_result cast_first(const ray_question *question, const pliant_scene_select *select,
                                pliant_ray *rays, uint64_t count)
{
    pliant_mpi_scene *scene = question->scene;
    ray_answer *answers =
        pli_mpi_resize(scene->context, &scene->out, pli_mpi_bytes_of(count, sizeof *answers));
    pliant_scene_ray_hit *hits =
        pli_mpi_resize(scene->context, &scene->hits, pli_mpi_bytes_of(count, sizeof *hits));
    if (answers == NULL || hits == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_scene_raycast(scene->local, rays, count, select, hits);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = describe(scene, &hits[i], &answers[i]);
    }
    return result == PLIANT_OK && !scene->slots_sorted
               ? settle_ties(question, select, rays, count, answers)
               : result;
}

/* Answers to all rays that came, in their order, in scene->out. */
static pli_mpi_outcome answer_rays(const ray_question *question)
{
    pliant_mpi_scene *scene = question->scene;
    pliant_ray *rays = (pliant_ray *)(void *)scene->in.data;
    uint64_t count = scene->in.count / sizeof *rays;
    pliant_scene_select own;
    const pliant_scene_select *select = select_own(question, &own);
    pliant_result result = question->any ? cast_any(question, select, rays, count)
                                         : cast_first(question, select, rays, count);
    size_t size = question->any ? sizeof(bool) : sizeof(ray_answer);
    for (int r = 0; r < scene->size; r++) {
        scene->out_sizes[r] = scene->in_sizes[r] / sizeof *rays * size;
    }
    return result == PLIANT_OK ? PLI_MPI_FINE : pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
}

/* ---------------------------------------------------------------- taking back */

static void take_any(const ray_question *question, bool *blocked)
{
    pliant_mpi_scene *scene = question->scene;
    const uint64_t *numbers = (const uint64_t *)(void *)scene->moves.data;
    const bool *answers = (const bool *)(void *)scene->in.data;
    memset(blocked, 0, (size_t)question->count * sizeof *blocked);
    for (size_t i = 0; i < scene->in.count / sizeof *answers; i++) {
        blocked[numbers[i]] = blocked[numbers[i]] || answers[i];
    }
}

static void take_first(const ray_question *question, ray_answer *best, pliant_mpi_ray_hit *hits)
{
    pliant_mpi_scene *scene = question->scene;
    const uint64_t *numbers = (const uint64_t *)(void *)scene->moves.data;
    const ray_answer *answers = (const ray_answer *)(void *)scene->in.data;
    for (uint64_t i = 0; i < question->count; i++) {
        best[i] = (ray_answer){.body = PLI_MPI_NOBODY,
                               .hit = {.t = (double)INFINITY, .triangle = PLIANT_NO_TRIANGLE}};
    }
    for (size_t i = 0; i < scene->in.count / sizeof *answers; i++) {
        ray_answer *so_far = &best[numbers[i]];
        if (comes_first(&question->rays[numbers[i]], &answers[i], so_far)) {
            *so_far = answers[i];
        }
    }
    for (uint64_t i = 0; i < question->count; i++) {
        hits[i] = (pliant_mpi_ray_hit){best[i].body, best[i].hit};
    }
}

/* Everything but the answer, which is then in scene->in, in the order of scene->moves. */
static pliant_result ask_rays(const ray_question *question, const void *answers)
{
    pliant_mpi_scene *scene = question->scene;
    pli_mpi_outcome outcome = check_rays(question, answers);
    uint32_t flags = scene->flags;
    uint64_t digest = 0;
    if (outcome.result == PLIANT_OK && question->select != NULL) {
        const uint64_t parts[3] = {1, question->select->category, question->select->mask};
        digest = pli_mpi_hash(0, parts, sizeof parts);
    }
    pliant_result result = pli_mpi_begin(
        scene, question->any ? PLI_MPI_RAYCAST_ANY : PLI_MPI_RAYCAST, digest, outcome, &flags);
    scene->answered = 0;
    if (result == PLIANT_OK) {
        result = pli_mpi_check_new(scene, flags);
    }
    if (result == PLIANT_OK) {
        result = pli_mpi_share_boxes(scene);
    }
    if (result == PLIANT_OK) {
        result = pli_mpi_deal(scene, write_rays(question), &scene->out, &scene->in);
    }
    if (result == PLIANT_OK) {
        double began = MPI_Wtime();
        outcome = answer_rays(question);
        scene->stats.seconds_local = MPI_Wtime() - began;
        scene->stats.local = *pliant_scene_get_stats(scene->local);
        result = pli_mpi_deal(scene, outcome, &scene->out, &scene->in);
    }
    return result;
}

pliant_result pliant_mpi_scene_raycast(pliant_mpi_scene *scene, const pliant_ray *rays,
                                       uint64_t count, const pliant_mpi_select *select,
                                       pliant_mpi_ray_hit *hits)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_raycast: scene is NULL");
    }
    const ray_question question = {scene, rays, count, select, false};
    pliant_result result = ask_rays(&question, hits);
    if (result != PLIANT_OK) {
        return result;
    }
    ray_answer *best =
        pli_mpi_resize(scene->context, &scene->out, pli_mpi_bytes_of(count, sizeof *best));
    result = pli_mpi_agree(scene, best != NULL ? PLI_MPI_FINE : out_of_memory(scene), NULL);
    if (result == PLIANT_OK) {
        take_first(&question, best, hits);
    }
    return result;
}

pliant_result pliant_mpi_scene_raycast_any(pliant_mpi_scene *scene, const pliant_ray *rays,
                                           uint64_t count, const pliant_mpi_select *select,
                                           bool *blocked)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_raycast_any: scene is NULL");
    }
    const ray_question question = {scene, rays, count, select, true};
    pliant_result result = ask_rays(&question, blocked);
    if (result == PLIANT_OK && count > 0) {
        take_any(&question, blocked);
    }
    return result;
}
