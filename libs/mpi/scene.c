/* Scenes over MPI: making them, with a look at whether all ranks are of one kind, and ending them.
 */
#include "scene.h"

#include <stdio.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_mpi_scene_def)
{
    pliant_mpi_scene_def def = {.tag = PLI_MPI_TAG(pliant_mpi_scene_def),
                                .communicator = -1,
                                .owner = PLIANT_MPI_OWNER_LOWER_ID,
                                .broad = PLIANT_BROAD_AUTO};
    return def;
}

/* ------------------------------------------------------------------ one's own */

/* One block for what there is of every rank. */
static bool make_room_for_ranks(pliant_mpi_scene *scene)
{
    size_t ranks = (size_t)scene->size;
    size_t peers = ranks * sizeof *scene->peers, heads = ranks * sizeof *scene->heads;
    size_t sizes = ranks * sizeof *scene->out_sizes, requests = 2 * ranks * sizeof(MPI_Request);
    scene->peers_size = peers + heads + 2 * sizes + requests;
    char *block = pliant_context_allocate(scene->context, scene->peers_size);
    if (block == NULL) {
        return false;
    }
    memset(block, 0, scene->peers_size);
    scene->peers = (pli_mpi_peer *)(void *)block;
    scene->heads = (pli_mpi_head *)(void *)(block + peers);
    scene->out_sizes = (uint64_t *)(void *)(block + peers + heads);
    scene->in_sizes = (uint64_t *)(void *)(block + peers + heads + sizes);
    scene->requests = (MPI_Request *)(void *)(block + peers + heads + 2 * sizes);
    return pli_mpi_resize(scene->context, &scene->neighbours, ranks * sizeof(pli_mpi_neighbour)) !=
           NULL;
}

static pliant_result fill(pliant_mpi_scene *scene)
{
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = scene->broad;
    pliant_result result = pliant_scene_create(scene->context, &def, &scene->local);
    if (result == PLIANT_OK) {
        result = pliant_query_create(scene->context, &scene->query);
    }
    if (result == PLIANT_OK && !make_room_for_ranks(scene)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

static void free_scene(pliant_mpi_scene *scene)
{
    pliant_context *context = scene->context;
    for (uint32_t i = 0; i < scene->slots.count / sizeof(pli_mpi_slot); i++) {
        pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
        if (one->body != NULL) {
            pliant_scene_remove(scene->local, one->local);
            pliant_body_destroy(one->body);
        }
    }
    for (uint32_t i = 0; i < scene->shapes.count / sizeof(pli_mpi_shape); i++) {
        pliant_body_destroy(pli_mpi_shape_at(scene, i)->keeper);
        pliant_shape_destroy(pli_mpi_shape_at(scene, i)->received);
    }
    pliant_query_destroy(scene->query);
    pliant_scene_destroy(scene->local);
    for (int r = 0; scene->peers != NULL && r < scene->size; r++) {
        pli_mpi_free_kinds(context, &scene->peers[r].kinds);
    }
    pliant_context_release(context, scene->peers, scene->peers_size);
    pli_mpi_free_kinds(context, &scene->kinds);
    pli_mpi_release(context, &scene->slot_of.entries);
    pli_mpi_release(context, &scene->shape_of.entries);
    pli_mpi_release(context, &scene->kind_of.entries);
    for (int i = 0; i < PLI_MPI_BUFFERS; i++) {
        pli_mpi_release(context, &scene->buffers[i]);
    }
    pliant_context_release(context, scene, sizeof *scene);
    pliant_context_leave(context);
}

/* ---------------------------------------------------------- all of one kind */

/* What must be the same everywhere, byte by byte; and how a rank fares. */
typedef struct passport {
    char magic[8];
    uint32_t byte_order, version;
    uint32_t sizes[4]; /* of what is sent as it lies in memory */
    uint32_t owner;
} passport;

typedef struct arrival_note {
    passport own;
    uint32_t result; /* last, since it may differ */
} arrival_note;

static const char *difference(const passport *a, const passport *b)
{
    if (memcmp(a->magic, b->magic, sizeof a->magic) != 0 || a->byte_order != b->byte_order) {
        return "another byte order, or no version of Pliant that is known";
    }
    if (a->version != b->version || memcmp(a->sizes, b->sizes, sizeof a->sizes) != 0) {
        return "another version of Pliant";
    }
    return "another `owner`";
}

/* All ranks see the notes of all, so that they come to the same end. */
static pliant_result compare_notes(MPI_Comm comm, const pliant_mpi_scene_def *def,
                                   pliant_result result)
{
    int size = 0, rank = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    arrival_note own = {.own = {.magic = "pliantmp",
                                .byte_order = 0x01020304,
                                .version = PLIANT_VERSION,
                                .sizes = {sizeof(pli_mpi_box), sizeof(pli_mpi_head),
                                          sizeof(pliant_ray_hit), sizeof(pliant_proximity)},
                                .owner = (uint32_t)def->owner},
                        .result = (uint32_t)result};
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s", result != PLIANT_OK ? pliant_last_error() : "");
    /* Rank 0's is compared with one after the other: no memory is needed for all of them. */
    pliant_result verdict = PLIANT_OK;
    for (int r = 0; r < size && verdict == PLIANT_OK; r++) {
        arrival_note first = own, other = own;
        MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm);
        MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm);
        if (other.result != PLIANT_OK) {
            MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, r, comm);
            verdict = pliant_fail((pliant_result)other.result, sentence);
        } else if (memcmp(&first.own, &other.own, sizeof first.own) != 0) {
            snprintf(sentence, sizeof sentence, "rank %d has %s than rank 0", r,
                     difference(&first.own, &other.own));
            verdict = pliant_fail(PLIANT_ERROR_ARGUMENT, sentence);
        }
    }
    return verdict;
}

/* ---------------------------------------------------------------------- calls */

static pliant_result check_arguments(const pliant_context *context, const pliant_mpi_scene_def *def,
                                     pliant_mpi_scene **scene)
{
    if (context == NULL || scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, context == NULL
                                                      ? "pliant_mpi_scene_create: context is NULL"
                                                      : "pliant_mpi_scene_create: scene is NULL");
    }
    if ((unsigned)def->owner > PLIANT_MPI_OWNER_LESS_LOADED) {
        return pliant_fail(PLIANT_ERROR_RANGE, "owner: there is no such one");
    }
    return PLIANT_OK;
}

/* What needs no other rank to be found wrong, and cannot be told to any. */
static pliant_result check_comm(const pliant_mpi_scene_def *def, MPI_Comm *comm)
{
    int ready = 0;
    pliant_result result =
        pliant_check_tag(def->tag, PLI_MPI_TAG(pliant_mpi_scene_def), "pliant_mpi_scene_def");
    if (result != PLIANT_OK) {
        return result;
    }
    MPI_Initialized(&ready);
    if (!ready) {
        return pliant_fail(PLIANT_ERROR_STATE, "MPI has not been initialised");
    }
    *comm = def->communicator != -1 ? MPI_Comm_f2c((MPI_Fint)def->communicator) : MPI_COMM_NULL;
    return *comm != MPI_COMM_NULL
               ? PLIANT_OK
               : pliant_fail(PLIANT_ERROR_ARGUMENT, "communicator: it was not set");
}

pliant_result pliant_mpi_scene_create(pliant_context *context, const pliant_mpi_scene_def *def,
                                      pliant_mpi_scene **scene)
{
    const pliant_mpi_scene_def defaults = pliant_mpi_scene_def_default();
    MPI_Comm given = MPI_COMM_NULL, comm = MPI_COMM_NULL;
    def = def != NULL ? def : &defaults;
    pliant_result result = check_comm(def, &given);
    if (result != PLIANT_OK) {
        return context == NULL || scene == NULL ? check_arguments(context, def, scene) : result;
    }
    MPI_Comm_dup(given, &comm);
    pliant_mpi_scene *made = NULL;
    result = check_arguments(context, def, scene);
    result = result == PLIANT_OK ? pliant_context_join(context) : result;
    if (result == PLIANT_OK) {
        made = pliant_context_allocate(context, sizeof *made);
        if (made == NULL) {
            result = PLIANT_ERROR_OUT_OF_MEMORY;
            pliant_context_leave(context);
        }
    }
    if (made != NULL) {
        *made = (pliant_mpi_scene){.context = context,
                                   .comm = comm,
                                   .owner = def->owner,
                                   .broad = def->broad,
                                   .slots_sorted = true};
        MPI_Comm_size(comm, &made->size);
        MPI_Comm_rank(comm, &made->rank);
        result = fill(made);
    }
    result = compare_notes(comm, def, result);
    if (result != PLIANT_OK) {
        char sentence[256];
        snprintf(sentence, sizeof sentence, "%s", pliant_last_error());
        if (made != NULL) {
            free_scene(made);
        }
        MPI_Comm_free(&comm);
        return pliant_fail(result, sentence);
    }
    *scene = made;
    return PLIANT_OK;
}

void pliant_mpi_scene_destroy(pliant_mpi_scene *scene)
{
    if (scene != NULL) {
        if (!scene->ended) { /* ranks that are in another call are told, and do not wait for ever */
            pli_mpi_begin(scene, PLI_MPI_DESTROY, 0, PLI_MPI_FINE, NULL);
        }
        MPI_Comm comm = scene->comm;
        free_scene(scene);
        MPI_Comm_free(&comm);
    }
}

const pliant_mpi_stats *pliant_mpi_scene_get_stats(const pliant_mpi_scene *scene)
{
    return scene != NULL ? &scene->stats : NULL;
}

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *pliant_mpi_version(void)
{
#if defined(OMPI_MAJOR_VERSION)
    return PLIANT_VERSION_TEXT " (Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(
        OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION) ")";
#elif defined(MPICH_VERSION)
    return PLIANT_VERSION_TEXT " (MPICH " MPICH_VERSION ")";
#else
    return PLIANT_VERSION_TEXT " (MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION) ")";
#endif
}
