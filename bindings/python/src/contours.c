/* Contours: the curves along which surfaces cross, and the regions that they cut. */
#include "query.h"

PyTypeObject *pl_contours_type;

/* How long the lists of an answer are that the struct does not say. */
static void count_parts(const pliant_body *a, const pliant_body *b, uint64_t extra[4])
{
    const pliant_shape *first = pliant_body_get_shape(a);
    extra[0] = pliant_shape_get_vertex_count(first);
    extra[2] = pliant_shape_get_triangle_count(first);
    extra[1] = extra[3] = 0;
    if (b != NULL) {
        extra[1] = pliant_shape_get_vertex_count(pliant_body_get_shape(b));
        extra[3] = pliant_shape_get_triangle_count(pliant_body_get_shape(b));
    }
}

static PyObject *find(PyObject *self, const pl_args *args, const char *const *names, bool two)
{
    static const pl_wanted pairs_wanted = {"u4 i4", 2};
    PyObject *found[4], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_contour_options options = pliant_contour_options_default();
    pl_array pairs = {0};
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    bool ready =
        pl_parse(args, names, found, &pl_struct_pliant_contour_options, &options, &scratch);
    PyObject *given = ready ? found[two ? 2 : 1] : NULL;
    if (given != NULL) {
        ready = pl_array_read(given, "pairs", &pairs_wanted, pl_flag(found[two ? 3 : 2]), &pairs);
        if (ready && pairs.stride != sizeof(pliant_pair)) {
            PyErr_SetString(PyExc_TypeError, "pairs must have no gaps between its rows");
            ready = false;
        }
        static const pliant_pair none; /* an empty list is not the same as no list */
        options.pairs = pairs.count == 0 ? &none : pairs.data;
        options.pair_count = pairs.count;
    }
    ready = ready && pl_is_body(found[0], two ? "a" : "body") &&
            (!two || pl_is_body(found[1], "b")) && pl_call_use(&call, (pl_object *)self, false) &&
            pl_call_use_body(&call, found[0], false) &&
            (!two || found[1] == found[0] || pl_call_use_body(&call, found[1], false));
    if (!ready) {
        pl_call_abort(&call);
    } else {
        pliant_contours *contours = PL_HANDLE(pliant_contours, self);
        pliant_body *a = PL_HANDLE(pliant_body, found[0]),
                    *b = two ? PL_HANDLE(pliant_body, found[1]) : NULL;
        pliant_contour_set set = {0};
        PL_RUN(&call, two ? pliant_contours_find(contours, a, b, &options, &set)
                          : pliant_contours_find_self(contours, a, &options, &set));
        uint64_t extra[4];
        count_parts(a, b, extra);
        answer = pl_call_end(&call, call.result == PLIANT_OK
                                        ? pl_answer_new(&pl_struct_pliant_contour_set, &set, extra)
                                        : NULL);
    }
    pl_array_free(&pairs);
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *find_two(PyObject *self, PyObject *const *values, Py_ssize_t count,
                          PyObject *given)
{
    static const char *const names[] = {"a", "b", "*pairs", "*copy", NULL};
    const pl_args args = {"find", values, count, given};
    return find(self, &args, names, true);
}

static PyObject *find_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {"body", "*pairs", "*copy", NULL};
    const pl_args args = {"find_self", values, count, given};
    return find(self, &args, names, false);
}

static PyObject *contours_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"?context", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new("Contours", args, keywords, names, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    pl_context *context = parsed ? pl_context_of(found[0]) : NULL;
    if (context == NULL) {
        return NULL;
    }
    pl_object *contours = pl_object_new(type, context, NULL);
    PL_DECREF(context);
    pliant_contours *made = NULL;
    pliant_result result =
        contours == NULL
            ? PLIANT_OK
            : pliant_contours_create(PL_HANDLE(pliant_context, contours->context), &made);
    if (result != PLIANT_OK) {
        Py_CLEAR(contours);
        pl_raise(result);
    }
    if (contours != NULL) {
        contours->handle = made;
    }
    return (PyObject *)contours;
}

static void contours_free(PyObject *self)
{
    pliant_contours_destroy(PL_HANDLE(pliant_contours, self));
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
    PyObject *stats = pl_make_tuple(&pl_struct_pliant_contour_stats,
                                    pliant_contours_get_stats(PL_HANDLE(pliant_contours, self)));
    return pl_call_end(&call, stats);
}

static PyGetSetDef attributes[] = {
    {"stats", get_stats, NULL, "What the latest call cost: a ContourStats.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PL_METHOD(
        "find", find_two,
        "find($self, a, b, *, " OPTIONS_pliant_contour_options
        ", copy=False)\n--\n\nThe contours of two bodies, and the regions that they cut these "
        "into: a ContourSet."),
    PL_METHOD("find_self", find_self,
              "find_self($self, body, *, " OPTIONS_pliant_contour_options
              ", copy=False)\n--\n\nThe contours of one body with itself: a ContourSet."),
    {NULL, NULL, 0, NULL}};

bool pl_add_contours(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         "Contours(context=None)\n--\n\nFinds the curves along which surfaces cross. One "
         "per thread."},
        {Py_tp_new, contours_new},
        {Py_tp_dealloc, contours_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Contours", sizeof(pl_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_contours_type);
}
