/* Volumes: how much closed bodies overlap, and which points lie inside. */
#include "query.h"

PyTypeObject *pl_volume_type;

#define VOLUME(self) PL_HANDLE(pliant_volume, self)

typedef enum volume_question { INTERSECT, INTERSECT_SELF, MEASURE_BODY } volume_question;

static PyObject *measure(PyObject *self, const pl_args *args, const char *const *names,
                         volume_question which)
{
    PyObject *found[2];
    pliant_volume_options options = pliant_volume_options_default();
    pliant_volume_measure answer = {0};
    bool two = which == INTERSECT;
    pl_call call;
    if (!pl_parse(args, names, found, &pl_struct_pliant_volume_options, &options, NULL) ||
        !pl_is_body(found[0], two ? "a" : "body") || (two && !pl_is_body(found[1], "b"))) {
        return NULL;
    }
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use(&call, (pl_object *)self, false) ||
        !pl_call_use_body(&call, found[0], false) ||
        (two && found[1] != found[0] && !pl_call_use_body(&call, found[1], false))) {
        return pl_call_abort(&call);
    }
    pliant_body *a = PL_HANDLE(pliant_body, found[0]),
                *b = two ? PL_HANDLE(pliant_body, found[1]) : NULL;
    PL_RUN(&call, which == INTERSECT
                      ? pliant_volume_intersect(VOLUME(self), a, b, &options, &answer)
                  : which == INTERSECT_SELF
                      ? pliant_volume_intersect_self(VOLUME(self), a, &options, &answer)
                      : pliant_volume_measure_body(VOLUME(self), a, &options, &answer));
    return pl_call_end(&call, call.result == PLIANT_OK
                                  ? pl_answer_new(&pl_struct_pliant_volume_measure, &answer, NULL)
                                  : NULL);
}

static PyObject *intersect(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {"a", "b", NULL};
    const pl_args args = {"intersect", values, count, given};
    return measure(self, &args, names, INTERSECT);
}

static const char *const one_name[] = {"body", NULL};

static PyObject *intersect_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                PyObject *given)
{
    const pl_args args = {"intersect_self", values, count, given};
    return measure(self, &args, one_name, INTERSECT_SELF);
}

static PyObject *measure_body(PyObject *self, PyObject *const *values, Py_ssize_t count,
                              PyObject *given)
{
    const pl_args args = {"measure_body", values, count, given};
    return measure(self, &args, one_name, MEASURE_BODY);
}

static PyObject *locate_points(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    static const char *const names[] = {"body", "points", "*copy", NULL};
    const pl_args args = {"locate_points", values, count, given};
    PyObject *found[3];
    pliant_volume_options options = pliant_volume_options_default();
    pliant_volume_sampling sampling = {0};
    pl_array points;
    pl_call call;
    if (!pl_parse(&args, names, found, &pl_struct_pliant_volume_options, &options, NULL) ||
        !pl_is_body(found[0], "body") ||
        !pl_array_read(found[1], "points", &pl_points, pl_flag(found[2]), &points)) {
        return NULL;
    }
    void *data = NULL;
    PyObject *array = pl_new_records(&pl_struct_pliant_volume_point, points.count, &data);
    pl_call_begin(&call, (pl_object *)self);
    if (array == NULL || !pl_call_use(&call, (pl_object *)self, false) ||
        !pl_call_use_body(&call, found[0], false)) {
        Py_XDECREF(array);
        pl_array_free(&points);
        return pl_call_abort(&call);
    }
    PL_RUN(&call,
           pliant_volume_locate_points(VOLUME(self), PL_HANDLE(pliant_body, found[0]), points.data,
                                       points.count, points.stride, &options, data, &sampling));
    pl_array_free(&points);
    PyObject *told = call.result == PLIANT_OK
                         ? pl_make_tuple(&pl_struct_pliant_volume_sampling, &sampling)
                         : NULL;
    PyObject *both = told == NULL ? NULL : PyTuple_Pack(2, array, told);
    Py_XDECREF(told);
    Py_DECREF(array);
    return pl_call_end(&call, both);
}

static bool take_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    pl_call *call = user;
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *first = pl_make_tuple(&pl_struct_pliant_body_id, &a);
    PyObject *second = pl_make_tuple(&pl_struct_pliant_body_id, &b);
    PyObject *returned = first == NULL || second == NULL
                             ? NULL
                             : PyObject_CallFunctionObjArgs(call->function, first, second, NULL);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pl_leave_filter(call, returned);
}

static PyObject *intersect_scene(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    static const char *const names[] = {"scene", "*filter", "*only_self", NULL};
    const pl_args args = {"intersect_scene", values, count, given};
    PyObject *found[3];
    pliant_volume_options options = pliant_volume_options_default();
    pliant_scene_options pairs = pliant_scene_options_default();
    pliant_scene_volumes volumes = {0};
    pl_call call;
    if (!pl_parse(&args, names, found, &pl_struct_pliant_volume_options, &options, NULL)) {
        return NULL;
    }
    if (!PyObject_TypeCheck(found[0], pl_scene_type)) {
        PyErr_SetString(PyExc_TypeError, "scene must be a pliant.Scene");
        return NULL;
    }
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use(&call, (pl_object *)self, false) ||
        !pl_call_use(&call, (pl_object *)found[0], false)) {
        return pl_call_abort(&call);
    }
    pairs.only_self = pl_flag(found[2]);
    if (found[1] != NULL) {
        pairs.filter = take_pair;
        pairs.filter_user = &call;
        call.function = found[1];
    }
    PL_RUN(&call, pliant_volume_intersect_scene(VOLUME(self), PL_HANDLE(pliant_scene, found[0]),
                                                &pairs, &options, &volumes));
    return pl_call_end(&call, pl_call_succeeded(&call)
                                  ? pl_answer_new(&pl_struct_pliant_scene_volumes, &volumes, NULL)
                                  : NULL);
}

static PyObject *volume_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"?context", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new("Volume", args, keywords, names, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    pl_context *context = parsed ? pl_context_of(found[0]) : NULL;
    if (context == NULL) {
        return NULL;
    }
    pl_object *volume = pl_object_new(type, context, NULL);
    PL_DECREF(context);
    pliant_volume *made = NULL;
    pliant_result result =
        volume == NULL
            ? PLIANT_OK
            : pliant_volume_create(PL_HANDLE(pliant_context, volume->context), NULL, &made);
    if (result != PLIANT_OK) {
        Py_CLEAR(volume);
        pl_raise(result);
    }
    if (volume != NULL) {
        volume->handle = made;
    }
    return (PyObject *)volume;
}

static void volume_free(PyObject *self)
{
    pliant_volume_destroy(VOLUME(self));
    pl_object_free((pl_object *)self);
}

static PyObject *get_stats(PyObject *self, void *closure)
{
    (void)closure;
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use(&call, (pl_object *)self, false)) {
        return pl_call_abort(&call);
    }
    PyObject *stats =
        pl_make_tuple(&pl_struct_pliant_volume_stats, pliant_volume_get_stats(VOLUME(self)));
    return pl_call_end(&call, stats);
}

static PyObject *get_memory(PyObject *self, void *closure)
{
    (void)closure;
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use(&call, (pl_object *)self, false)) {
        return pl_call_abort(&call);
    }
    return pl_call_end(&call, PyLong_FromUnsignedLongLong(pliant_volume_get_memory(VOLUME(self))));
}

static PyGetSetDef attributes[] = {
    {"stats", get_stats, NULL, "What the latest call cost: a VolumeStats.", NULL},
    {"memory", get_memory, NULL, "Bytes the object holds.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PL_METHOD("intersect", intersect,
              "intersect($self, a, b, *, " OPTIONS_pliant_volume_options
              ")\n--\n\nThe volume that two closed bodies have in common: a VolumeMeasure."),
    PL_METHOD("intersect_self", intersect_self,
              "intersect_self($self, body, *, " OPTIONS_pliant_volume_options
              ")\n--\n\nThe volume in which a body overlaps itself."),
    PL_METHOD("measure_body", measure_body,
              "measure_body($self, body, *, " OPTIONS_pliant_volume_options
              ")\n--\n\nThe volume of a body."),
    PL_METHOD(
        "locate_points", locate_points,
        "locate_points($self, body, points, *, " OPTIONS_pliant_volume_options
        ", copy=False)\n--\n\nWhich points lie inside a body: an array with the fields winding "
        "and depth, and a VolumeSampling."),
    PL_METHOD("intersect_scene", intersect_scene,
              "intersect_scene($self, scene, *, filter=None, only_self=False, " //
              OPTIONS_pliant_volume_options
              ")\n--\n\nThe common volumes of all pairs of bodies of a scene: SceneVolumes."),
    {NULL, NULL, 0, NULL}};

bool pl_add_volume(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Volume(context=None)\n--\n\nMeasures volumes by layered depth images, with a "
                    "range that the true volume lies in for certain. One per thread."},
        {Py_tp_new, volume_new},
        {Py_tp_dealloc, volume_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Volume", sizeof(pl_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_volume_type);
}
