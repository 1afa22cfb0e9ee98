/*
 * A scene over several processes: balls on a line, each of which breathes, are spread over the
 * ranks of an MPI program. All ranks ask together; rank 0 prints what all of them found.
 *
 *     mpirun -n 4 mpi
 */
#include <math.h>
#include <mpi.h>
#include <pliant/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 12, BALL = 1 /* the key of the shape */ };

static const float corners[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                    {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                     {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};

/* Ends the program with the library's sentence if a call failed; where it was collective, all ranks
   come here with the same one. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* An octahedron with one mode: it grows along its corners. */
static pliant_shape *make_ball(pliant_context *context)
{
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *ball = NULL;
    def.positions = corners[0], def.vertex_count = 6;
    def.triangles = faces[0], def.triangle_count = 8;
    def.modes = corners[0], def.mode_count = 1;
    def.joint_count = 1; /* and a transform to place it by */
    check(pliant_shape_create(context, &def, &ball));
    return ball;
}

/* Where a ball is, and how large: a function of its id and the step, so that any rank can say it.
 */
static void pose(uint64_t id, int step, float *coordinate, float transform[12])
{
    *coordinate = 0.3f * (float)((id + (uint64_t)step) % 3);
    for (int i = 0; i < 12; i++) {
        transform[i] = i == 3 ? 2.5f * (float)id : (float)(i % 5 == 0);
    }
}

int main(int argument_count, char **arguments)
{
    int rank = 0, size = 1;
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pliant_context *context = NULL;
    check(pliant_context_create(NULL, &context));

    pliant_mpi_scene_def def = pliant_mpi_scene_def_default();
    def.communicator = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    pliant_mpi_scene *scene = NULL;
    check(pliant_mpi_scene_create(context, &def, &scene));

    /* The worst start: rank 0 has them all, and it alone knows the shape. */
    pliant_shape *ball = NULL;
    if (rank == 0) {
        ball = make_ball(context);
        check(pliant_mpi_scene_add_shape(scene, BALL, ball));
        for (uint64_t id = 0; id < BODIES; id++) {
            check(pliant_mpi_scene_add(scene, id, BALL, NULL, NULL));
        }
    }

    for (int step = 0; step < 3; step++) {
        /* Each rank sets the states of those that it has at the moment. */
        uint32_t count = 0;
        const uint64_t *ids = pliant_mpi_scene_get_ids(scene, &count);
        pliant_mpi_state states[BODIES];
        float coordinates[BODIES], transforms[BODIES][12];
        for (uint32_t i = 0; i < count; i++) {
            pose(ids[i], step, &coordinates[i], transforms[i]);
            states[i] = (pliant_mpi_state){.id = ids[i],
                                           .state = {.coordinates = &coordinates[i],
                                                     .coordinate_count = 1,
                                                     .transforms = transforms[i],
                                                     .transform_count = 1}};
        }
        check(pliant_mpi_scene_set_states(scene, states, count));

        pliant_mpi_options options = pliant_mpi_options_default();
        options.events = true;
        pliant_mpi_contacts own, all; /* what this rank found; rank 0: all of it */
        check(pliant_mpi_scene_collide(scene, &options, &own));
        check(pliant_mpi_scene_gather_contacts(scene, &all));
        for (uint64_t p = 0; p < all.body_pair_count; p++) {
            printf("step %d: balls %llu and %llu, %llu pairs of triangles\n", step,
                   (unsigned long long)all.bodies[p].a, (unsigned long long)all.bodies[p].b,
                   (unsigned long long)all.bodies[p].count);
        }

        /* Bodies go to other ranks where that evens out the work. */
        pliant_mpi_balance balance;
        check(pliant_mpi_scene_balance(scene, 0.2, &balance));
    }

    uint32_t count = 0;
    pliant_mpi_scene_get_ids(scene, &count);
    printf("# rank %d of %d has %u bodies\n", rank, size, count);

    /* Every rank may ask about rays of its own; here only the first does. */
    pliant_ray ray = {.origin = {5, 0, 10}, .direction = {0, 0, -1}, .t_max = INFINITY};
    pliant_mpi_ray_hit hit;
    check(pliant_mpi_scene_raycast(scene, &ray, rank == 0 ? 1 : 0, NULL, &hit));
    if (rank == 0) {
        printf("from above, at x = 5: ball %llu after %.1f\n", (unsigned long long)hit.body,
               hit.hit.t);
    }

    pliant_mpi_scene_destroy(scene); /* by all ranks, before MPI ends */
    pliant_shape_destroy(ball);
    pliant_context_destroy(context);
    MPI_Finalize();
    return 0;
}
