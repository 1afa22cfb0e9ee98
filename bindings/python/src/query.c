/* Queries: which triangles touch, rays, boxes, bounds. See query_near.c and query_step.c too. */
#include "core.h"

#include <math.h>

#include "query.h"

PyTypeObject *pl_query_type;

bool pl_flag(PyObject *flag)
{
    return flag != NULL && PyObject_IsTrue(flag) > 0;
}

/* ------------------------------------------------------------------------------ the questions */

bool pl_question_begin(pl_question *question, PyObject *self, PyObject *a, PyObject *b, bool many)
{
    pl_call *call = &question->call;
    pl_call_begin(call, (pl_object *)self);
    if (!pl_is_body(a, b == NULL ? "body" : "a") || (b != NULL && !pl_is_body(b, "b"))) {
        return false;
    }
    question->query = NULL;
    if (!pl_call_use(call, (pl_object *)self, false) || !pl_call_use_body(call, a, many) ||
        (b != NULL && b != a && !pl_call_use_body(call, b, many))) {
        return false;
    }
    question->query = PL_HANDLE(pliant_query, self);
    question->a = PL_HANDLE(pliant_body, a);
    question->b = b == NULL ? NULL : PL_HANDLE(pliant_body, b);
    return true;
}

PyObject *pl_question_end(pl_question *question, const pl_struct *type, const void *answer)
{
    pl_call *call = &question->call;
    PyObject *made = NULL;
    if (pl_call_succeeded(call)) {
        made = type->role == PL_ANSWER ? pl_answer_new(type, answer, NULL)
                                       : pl_make_tuple(type, answer);
    }
    return pl_call_end(call, made);
}

static bool take_contacts(void *user, const pliant_contacts *batch)
{
    pl_call *call = user;
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *given = pl_answer_new(&pl_struct_pliant_contacts, batch, NULL);
    PyObject *returned =
        given == NULL ? NULL : PyObject_CallFunctionObjArgs(call->function, given, NULL);
    Py_XDECREF(given);
    return pl_leave_python(call, returned);
}

static PyObject *collide_bodies(PyObject *self, const pl_args *args, const char *const *names,
                                bool two)
{
    PyObject *found[3];
    pl_scratch scratch = {.count = 0};
    pliant_collide_options options = pliant_collide_options_default();
    pliant_contacts contacts = {0};
    pl_question question;
    PyObject *answer = NULL;
    if (pl_parse(args, names, found, &pl_struct_pliant_collide_options, &options, &scratch)) {
        PyObject *function = found[two ? 2 : 1];
        if (!pl_question_begin(&question, self, found[0], two ? found[1] : NULL, true)) {
            pl_call_abort(&question.call);
        } else {
            if (function != NULL) {
                options.callback = take_contacts;
                options.callback_user = &question.call;
                question.call.function = function;
            }
            PL_RUN(&question.call,
                   two ? pliant_collide(question.query, question.a, question.b, &options, &contacts)
                       : pliant_collide_self(question.query, question.a, &options, &contacts));
            answer = pl_question_end(&question, &pl_struct_pliant_contacts, &contacts);
            pl_answer_keep(answer, found[0], two ? found[1] : NULL);
        }
    }
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *collide(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    static const char *const names[] = {"a", "b", "*callback", NULL};
    const pl_args args = {"collide", values, count, given};
    return collide_bodies(self, &args, names, true);
}

static PyObject *collide_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                              PyObject *given)
{
    static const char *const names[] = {"body", "*callback", NULL};
    const pl_args args = {"collide_self", values, count, given};
    return collide_bodies(self, &args, names, false);
}

/* -------------------------------------------------------------------------------------- rays */

static PyObject *raycast(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    static const char *const names[] = {"body", "origin", "direction", "?t_max", NULL};
    const pl_args args = {"raycast", values, count, given};
    PyObject *found[4];
    pliant_ray ray = {.t_max = INFINITY};
    pliant_ray_hit hit;
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_read_floats(found[1], "origin", ray.origin, 3) ||
        !pl_read_floats(found[2], "direction", ray.direction, 3) ||
        (found[3] != NULL && !pl_read_float(found[3], "t_max", &ray.t_max))) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_raycast(question.query, question.a, &ray, &hit));
    return pl_question_end(&question, &pl_struct_pliant_ray_hit, &hit);
}

static PyObject *raycast_many(PyObject *self, PyObject *const *values, Py_ssize_t count,
                              PyObject *given)
{
    static const char *const names[] = {"body", "rays", "*copy", NULL};
    const pl_args args = {"raycast_many", values, count, given};
    PyObject *found[3];
    pl_array rays;
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_read_rays(found[1], pl_flag(found[2]), &rays)) {
        return NULL;
    }
    void *hits = NULL;
    PyObject *array = pl_new_records(&pl_struct_pliant_ray_hit, rays.count, &hits);
    if (array == NULL || !pl_question_begin(&question, self, found[0], NULL, true)) {
        pl_array_free(&rays);
        if (array == NULL) {
            return NULL;
        }
        Py_DECREF(array);
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_raycast_many(question.query, question.a, rays.data, rays.count, hits));
    pl_array_free(&rays);
    return pl_call_end(&question.call, array);
}

static PyObject *raycast_all(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    static const char *const names[] = {"body", "rays", "*copy", NULL};
    const pl_args args = {"raycast_all", values, count, given};
    PyObject *found[3];
    pl_array rays;
    pliant_ray_hits hits = {0};
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_read_rays(found[1], pl_flag(found[2]), &rays)) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, true)) {
        pl_array_free(&rays);
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_raycast_all(question.query, question.a, rays.data, rays.count, &hits));
    const uint64_t extra[4] = {rays.count + 1};
    PyObject *answer = question.call.result == PLIANT_OK
                           ? pl_answer_new(&pl_struct_pliant_ray_hits, &hits, extra)
                           : NULL;
    pl_array_free(&rays);
    return pl_call_end(&question.call, answer);
}

/* ------------------------------------------------------------------------------------- boxes */

static PyObject *overlap_box(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    static const char *const names[] = {"body", "box", NULL};
    const pl_args args = {"overlap_box", values, count, given};
    PyObject *found[2];
    pliant_box box;
    const uint32_t *triangles = NULL;
    uint64_t triangle_count = 0;
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) || !pl_read_box(found[1], "box", &box)) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_overlap_box(question.query, question.a, &box, &triangles, &triangle_count));
    PyObject *array = NULL;
    if (question.call.result == PLIANT_OK) {
        const Py_ssize_t shape[1] = {(Py_ssize_t)triangle_count};
        void *data = NULL;
        array = pl_new_numbers("u4", shape, 1, &data);
        if (array != NULL && triangle_count > 0) {
            memcpy(data, triangles, triangle_count * sizeof *triangles);
        }
    }
    return pl_call_end(&question.call, array);
}

static bool take_bound(void *user, const pliant_bound *bound)
{
    pl_call *call = user;
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *given = pl_make_tuple(&pl_struct_pliant_bound, bound);
    PyObject *returned =
        given == NULL ? NULL : PyObject_CallFunctionObjArgs(call->function, given, NULL);
    Py_XDECREF(given);
    return pl_leave_python(call, returned);
}

static PyObject *visit_bounds(PyObject *self, PyObject *const *values, Py_ssize_t count,
                              PyObject *given)
{
    static const char *const names[] = {"body", "function", "?refresh", NULL};
    const pl_args args = {"visit_bounds", values, count, given};
    PyObject *found[3];
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, false)) {
        return pl_call_abort(&question.call);
    }
    question.call.function = found[1];
    bool refresh = pl_flag(found[2]);
    PL_RUN(&question.call,
           pliant_visit_bounds(question.query, question.a, refresh, take_bound, &question.call));
    return pl_call_end(&question.call, Py_NewRef(Py_None));
}

static PyObject *draw_body(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {"body", "drawer", NULL};
    const pl_args args = {"draw_body", values, count, given};
    PyObject *found[2];
    pl_scratch scratch = {.count = 0};
    pliant_draw_options options = pliant_draw_options_default();
    pl_question question;
    bool parsed = pl_parse(&args, names, found, &pl_struct_pliant_draw_options, &options, &scratch);
    pl_scratch_free(&scratch);
    if (!parsed) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, false)) {
        return pl_call_abort(&question.call);
    }
    question.call.function = found[1];
    const pliant_drawer drawer = pl_make_drawer(&question.call);
    PL_RUN(&question.call, pliant_draw_body(question.query, question.a, &options, &drawer));
    return pl_call_end(&question.call, Py_NewRef(Py_None));
}

/* ---------------------------------------------------------------------------------- the type */

static PyObject *query_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"?context", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new("Query", args, keywords, names, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    pl_context *context = parsed ? pl_context_of(found[0]) : NULL;
    if (context == NULL) {
        return NULL;
    }
    pl_object *query = pl_object_new(type, context, NULL);
    PL_DECREF(context);
    pliant_query *made = NULL;
    pliant_result result =
        query == NULL ? PLIANT_OK
                      : pliant_query_create(PL_HANDLE(pliant_context, query->context), &made);
    if (result != PLIANT_OK) {
        Py_CLEAR(query);
        pl_raise(result);
    }
    if (query != NULL) {
        query->handle = made;
    }
    return (PyObject *)query;
}

static void query_free(PyObject *self)
{
    pliant_query_destroy(PL_HANDLE(pliant_query, self));
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
    PyObject *stats = pl_make_tuple(&pl_struct_pliant_stats,
                                    pliant_query_get_stats(PL_HANDLE(pliant_query, self)));
    return pl_call_end(&call, stats);
}

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((pl_object *)self)->context);
}

static PyGetSetDef attributes[] = {
    {"stats", get_stats, NULL, "What the latest call cost: a Stats.", NULL},
    {"context", get_context, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static const PyMethodDef own_methods[] = {
    PL_METHOD("collide", collide,
              "collide($self, a, b, *, " OPTIONS_pliant_collide_options
              ")\n--\n\nWhich triangles of two bodies touch, exactly: Contacts.\n\nsegments: also "
              "what each pair has in common. separations: also how to part each pair.\nmode "
              "\"first\": any one pair. callback: is given batches, and may return False to stop."),
    PL_METHOD("collide_self", collide_self,
              "collide_self($self, body, *, " OPTIONS_pliant_collide_options
              ")\n--\n\nWhich triangles of one body touch each other: Contacts."),
    PL_METHOD(
        "raycast", raycast,
        "raycast($self, body, origin, direction, t_max=...)\n--\n\nThe first triangle along a "
        "ray: a RayHit."),
    PL_METHOD("raycast_many", raycast_many,
              "raycast_many($self, body, rays, *, copy=False)\n--\n\nThe first triangle along each "
              "of many rays, (n, 7) float32: origin, direction, t_max; see pliant.make_rays(). An "
              "array with the fields of RayHit."),
    PL_METHOD("raycast_all", raycast_all,
              "raycast_all($self, body, rays, *, copy=False)\n--\n\nEvery triangle along each ray: "
              "RayHits."),
    PL_METHOD("overlap_box", overlap_box,
              "overlap_box($self, body, box)\n--\n\nThe triangles that share a point with a box, "
              "((x, y, z), (x, y, z)), exactly."),
    PL_METHOD(
        "visit_bounds", visit_bounds,
        "visit_bounds($self, body, function, refresh=False)\n--\n\nShows the bounds of a body "
        "to a function, from the root down; it returns False to leave out what lies below."),
    PL_METHOD("draw_body", draw_body,
              "draw_body($self, body, drawer, *, " OPTIONS_pliant_draw_options
              ")\n--\n\nDraws by the methods of an object that are there: draw_point(item, at), "
              "draw_line(item, from, to), draw_triangle(item, corners), draw_box(item, box), "
              "draw_contact(item, at, separation)."),
};

#define OWN_COUNT (sizeof own_methods / sizeof own_methods[0])

static size_t add_methods(PyMethodDef *all, size_t at, const PyMethodDef *more)
{
    for (; more->ml_name != NULL; more++) {
        all[at++] = *more;
    }
    return at;
}

bool pl_add_query(PyObject *module)
{
    static PyMethodDef methods[OWN_COUNT + 32];
    memcpy(methods, own_methods, sizeof own_methods);
    size_t at = add_methods(methods, OWN_COUNT, pl_query_near_methods);
    add_methods(methods, at, pl_query_step_methods);
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         "Query(context=None)\n--\n\nAsks about one or two bodies. One per thread: a second thread "
         "that uses it at the same time gets a BusyError. Answers own their arrays."},
        {Py_tp_new, query_new},
        {Py_tp_dealloc, query_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Query", sizeof(pl_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_query_type);
}
