/* Rays, points and boxes in a scene. */
#include "scene.h"

#include <math.h>

static bool filter(void *user, pliant_body_id body)
{
    pl_call *call = user;
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *id = pl_make_tuple(&pl_struct_pliant_body_id, &body);
    PyObject *returned = id == NULL ? NULL : PyObject_CallFunctionObjArgs(call->function, id, NULL);
    Py_XDECREF(id);
    return pl_leave_filter(call, returned);
}

/* A question under way: names are what is asked about, "*filter", "*copy", then others. */
typedef struct selection {
    pl_call call;
    pliant_scene_select select;
    pl_array array;
    PyObject *found[6];
} selection;

static bool begin(selection *asked, PyObject *self, const pl_args *args, const char *const *names)
{
    asked->select = pliant_scene_select_default();
    asked->array = (pl_array){0};
    pl_call_begin(&asked->call, (pl_object *)self);
    if (!pl_parse(args, names, asked->found, &pl_struct_pliant_scene_select, &asked->select,
                  NULL) ||
        !pl_call_use(&asked->call, (pl_object *)self, false)) {
        return false;
    }
    if (asked->found[1] != NULL) {
        asked->call.function = asked->found[1];
        asked->select.filter = filter;
        asked->select.filter_user = &asked->call;
    }
    return true;
}

static PyObject *end(selection *asked, PyObject *answer)
{
    pl_array_free(&asked->array);
    return pl_call_end(&asked->call, answer);
}

static PyObject *abort_selection(selection *asked)
{
    pl_array_free(&asked->array);
    return pl_call_abort(&asked->call);
}

static const char *const ray_names[] = {"rays", "*filter", "*copy", NULL};

static PyObject *raycast(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    const pl_args args = {"raycast", values, count, given};
    selection asked;
    void *hits = NULL;
    PyObject *array = NULL;
    if (!begin(&asked, self, &args, ray_names) ||
        !pl_read_rays(asked.found[0], pl_flag(asked.found[2]), &asked.array) ||
        (array = pl_new_records(&pl_struct_pliant_scene_ray_hit, asked.array.count, &hits)) ==
            NULL) {
        return abort_selection(&asked);
    }
    PL_RUN(&asked.call, pliant_scene_raycast(SCENE(self), asked.array.data, asked.array.count,
                                             &asked.select, hits));
    return end(&asked, array);
}

static PyObject *raycast_any(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    const pl_args args = {"raycast_any", values, count, given};
    selection asked;
    void *blocked = NULL;
    if (!begin(&asked, self, &args, ray_names) ||
        !pl_read_rays(asked.found[0], pl_flag(asked.found[2]), &asked.array)) {
        return abort_selection(&asked);
    }
    const Py_ssize_t shape[1] = {(Py_ssize_t)asked.array.count};
    PyObject *array = pl_new_numbers("bool", shape, 1, &blocked);
    if (array == NULL) {
        return abort_selection(&asked);
    }
    PL_RUN(&asked.call, pliant_scene_raycast_any(SCENE(self), asked.array.data, asked.array.count,
                                                 &asked.select, blocked));
    return end(&asked, array);
}

static PyObject *raycast_all(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    const pl_args args = {"raycast_all", values, count, given};
    selection asked;
    pliant_scene_ray_hits hits = {0};
    if (!begin(&asked, self, &args, ray_names) ||
        !pl_read_rays(asked.found[0], pl_flag(asked.found[2]), &asked.array)) {
        return abort_selection(&asked);
    }
    PL_RUN(&asked.call, pliant_scene_raycast_all(SCENE(self), asked.array.data, asked.array.count,
                                                 &asked.select, &hits));
    const uint64_t extra[4] = {asked.array.count + 1};
    return end(&asked, pl_call_succeeded(&asked.call)
                           ? pl_answer_new(&pl_struct_pliant_scene_ray_hits, &hits, extra)
                           : NULL);
}

static bool begin_points(selection *asked, PyObject *self, const pl_args *args,
                         const char *const *names)
{
    return begin(asked, self, args, names) &&
           pl_array_read(asked->found[0], "points", &pl_points, pl_flag(asked->found[2]),
                         &asked->array);
}

static PyObject *find_closest_points(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                     PyObject *given)
{
    static const char *const names[] = {"points", "*filter", "*copy", "*max_distance", NULL};
    const pl_args args = {"find_closest_points", values, count, given};
    selection asked;
    float most = INFINITY;
    void *data = NULL;
    PyObject *array = NULL;
    if (!begin_points(&asked, self, &args, names) ||
        (asked.found[3] != NULL && !pl_read_float(asked.found[3], "max_distance", &most)) ||
        (array = pl_new_records(&pl_struct_pliant_scene_closest, asked.array.count, &data)) ==
            NULL) {
        return abort_selection(&asked);
    }
    PL_RUN(&asked.call,
           pliant_scene_find_closest_points(SCENE(self), asked.array.data, asked.array.count,
                                            asked.array.stride, most, &asked.select, data));
    return end(&asked, array);
}

static PyObject *measure_distances(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                   PyObject *given)
{
    static const char *const names[] = {"points",        "*filter", "*copy",
                                        "*max_distance", "*side",   NULL};
    const pl_args args = {"measure_distances", values, count, given};
    selection asked;
    pliant_distance_options options = pliant_distance_options_default();
    int side = PLIANT_SIDE_AUTO;
    void *data = NULL;
    PyObject *array = NULL;
    if (!begin_points(&asked, self, &args, names) ||
        (asked.found[3] != NULL &&
         !pl_read_float(asked.found[3], "max_distance", &options.max_distance)) ||
        (asked.found[4] != NULL &&
         !pl_read_enum(&pl_enum_pliant_side_rule, "side", asked.found[4], &side)) ||
        (array = pl_new_records(&pl_struct_pliant_scene_signed_distance, asked.array.count,
                                &data)) == NULL) {
        return abort_selection(&asked);
    }
    options.side = (pliant_side_rule)side;
    PL_RUN(&asked.call,
           pliant_scene_measure_distances(SCENE(self), asked.array.data, asked.array.count,
                                          asked.array.stride, &options, &asked.select, data));
    return end(&asked, array);
}

static PyObject *overlap_box(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    static const char *const names[] = {"box", "*filter", NULL};
    const pl_args args = {"overlap_box", values, count, given};
    selection asked;
    pliant_box box;
    pliant_scene_triangles triangles = {0};
    if (!begin(&asked, self, &args, names) || !pl_read_box(asked.found[0], "box", &box)) {
        return abort_selection(&asked);
    }
    PL_RUN(&asked.call, pliant_scene_overlap_box(SCENE(self), &box, &asked.select, &triangles));
    return end(&asked, pl_call_succeeded(&asked.call)
                           ? pl_answer_new(&pl_struct_pliant_scene_triangles, &triangles, NULL)
                           : NULL);
}

static PyObject *get_boxes(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {"?bodies", NULL};
    const pl_args args = {"get_boxes", values, count, given};
    PyObject *found[1], *list = NULL, *array = NULL;
    pl_scratch scratch = {.count = 0};
    void *boxes = NULL;
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_call_use(&call, (pl_object *)self, false)) {
        return pl_call_abort(&call);
    }
    list = found[0] != NULL ? PySequence_List(found[0]) : PyObject_GetAttrString(self, "bodies");
    Py_ssize_t wanted = list != NULL ? PyList_Size(list) : 0;
    pliant_body_id *ids =
        list == NULL ? NULL
                     : pl_scratch_allocate(&scratch, ((size_t)wanted + 1) * sizeof(pliant_body_id));
    bool read = ids != NULL;
    for (Py_ssize_t i = 0; read && i < wanted; i++) {
        read = pl_read_id((pl_scene *)self, PyList_GetItem(list, i), &ids[i]);
    }
    const Py_ssize_t shape[3] = {wanted, 2, 3};
    array = read ? pl_new_numbers("f4", shape, 3, &boxes) : NULL;
    if (array != NULL) {
        PL_RUN(&call, pliant_scene_get_boxes(SCENE(self), ids, (uint32_t)wanted, boxes));
        array = pl_call_end(&call, array);
    } else {
        pl_call_abort(&call);
    }
    Py_XDECREF(list);
    pl_scratch_free(&scratch);
    return array;
}

PyMethodDef pl_scene_select_methods[] = {
    PL_METHOD(
        "raycast", raycast,
        "raycast($self, rays, *, " OPTIONS_pliant_scene_select
        ", copy=False)\n--\n\nThe first triangle along each ray, (n, 7) float32: an array with "
        "the fields body and hit."),
    PL_METHOD("raycast_any", raycast_any,
              "raycast_any($self, rays, *, " OPTIONS_pliant_scene_select
              ", copy=False)\n--\n\nWhether each ray meets any body: an array of bool."),
    PL_METHOD("raycast_all", raycast_all,
              "raycast_all($self, rays, *, " OPTIONS_pliant_scene_select
              ", copy=False)\n--\n\nEvery triangle along each ray: SceneRayHits."),
    PL_METHOD(
        "find_closest_points", find_closest_points,
        "find_closest_points($self, points, *, max_distance=..., " OPTIONS_pliant_scene_select
        ", copy=False)\n--\n\nThe points of all surfaces closest to given ones: an array with "
        "the fields body and closest."),
    PL_METHOD(
        "measure_distances", measure_distances,
        "measure_distances($self, points, *, max_distance=..., side=\"auto\", "
        "" OPTIONS_pliant_scene_select
        ", copy=False)\n--\n\nThe signed distances of points to all bodies: an array with the "
        "fields body and distance."),
    PL_METHOD("get_boxes", get_boxes,
              "get_boxes($self, bodies=None)\n--\n\nThe boxes of some bodies, or of all, as the "
              "broad phase has them: (n, 2, 3), lower and upper corners."),
    PL_METHOD("overlap_box", overlap_box,
              "overlap_box($self, box, *, " OPTIONS_pliant_scene_select
              ")\n--\n\nThe triangles of all bodies that share a point with a box: "
              "SceneTriangles."),
    {NULL, NULL, 0, NULL}};
