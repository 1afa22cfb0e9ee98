/* Questions about all pairs of bodies of a scene. */
#include "scene.h"

static PyObject *call_with_ids(PyObject *function, pliant_body_id a, pliant_body_id b,
                               PyObject *last)
{
    PyObject *first = pl_make_tuple(&pl_struct_pliant_body_id, &a);
    PyObject *second = pl_make_tuple(&pl_struct_pliant_body_id, &b);
    PyObject *returned = first == NULL || second == NULL
                             ? NULL
                             : PyObject_CallFunctionObjArgs(function, first, second, last, NULL);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return returned;
}

static bool filter(void *user, pliant_body_id a, pliant_body_id b)
{
    pl_call *call = user;
    return pl_enter_python(call) &&
           pl_leave_filter(call, call_with_ids(call->function, a, b, NULL));
}

static bool take(pl_call *call, const pliant_scene_pair *bodies, const pl_struct *type,
                 const void *found)
{
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *given = pl_answer_new(type, found, NULL);
    PyObject *returned =
        given == NULL ? NULL : call_with_ids(call->other, bodies->a, bodies->b, given);
    Py_XDECREF(given);
    return pl_leave_python(call, returned);
}

static bool take_contacts(void *user, const pliant_scene_pair *bodies,
                          const pliant_contacts *contacts)
{
    return take(user, bodies, &pl_struct_pliant_contacts, contacts);
}

static bool take_meetings(void *user, const pliant_scene_pair *bodies,
                          const pliant_meetings *meetings)
{
    return take(user, bodies, &pl_struct_pliant_meetings, meetings);
}

/* A question of any kind: what it is asked with, and room for its answer. */
typedef struct pair_question {
    pl_call call;
    pliant_scene_options options;
    pl_scratch scratch;
    float distance;
} pair_question;

/* Arguments begin with the distance, where there is one, and end with the functions. */
static bool begin(pair_question *question, PyObject *self, const pl_args *args, bool has_distance)
{
    static const char *const names[] = {"*filter", "*callback", "*meetings_callback", NULL},
                             *const with_distance[] = {"distance", "*filter", "*callback",
                                                       "*meetings_callback", NULL};
    PyObject *found[4];
    question->options = pliant_scene_options_default();
    question->scratch = (pl_scratch){.count = 0};
    question->distance = 0.0f;
    pl_call_begin(&question->call, (pl_object *)self);
    if (!pl_parse(args, has_distance ? with_distance : names, found,
                  &pl_struct_pliant_scene_options, &question->options, &question->scratch) ||
        (has_distance && !pl_read_float(found[0], "distance", &question->distance)) ||
        !pl_call_use(&question->call, (pl_object *)self, false)) {
        pl_scratch_free(&question->scratch);
        return false;
    }
    PyObject **functions = found + (has_distance ? 1 : 0);
    question->call.function = functions[0];
    if (functions[0] != NULL) {
        question->options.filter = filter;
        question->options.filter_user = &question->call;
    }
    question->call.other = functions[1] != NULL ? functions[1] : functions[2];
    if (functions[1] != NULL) {
        question->options.callback = take_contacts;
    }
    if (functions[2] != NULL) {
        question->options.meetings_callback = take_meetings;
    }
    question->options.callback_user = &question->call;
    return true;
}

static PyObject *end(pair_question *question, const pl_struct *type, const void *answer)
{
    pl_scratch_free(&question->scratch);
    PyObject *made = NULL;
    if (pl_call_succeeded(&question->call)) {
        made = type->role == PL_ANSWER ? pl_answer_new(type, answer, NULL)
                                       : pl_make_tuple(type, answer);
    }
    return pl_call_end(&question->call, made);
}

static PyObject *collide(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    const pl_args args = {"collide", values, count, given};
    pair_question question;
    pliant_scene_contacts contacts = {0};
    if (!begin(&question, self, &args, false)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_scene_collide(SCENE(self), &question.options, &contacts));
    return end(&question, &pl_struct_pliant_scene_contacts, &contacts);
}

static PyObject *collide_proxies(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    const pl_args args = {"collide_proxies", values, count, given};
    pair_question question;
    pliant_scene_proxy_contacts contacts = {0};
    if (!begin(&question, self, &args, false)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_scene_collide_proxies(SCENE(self), &question.options, &contacts));
    return end(&question, &pl_struct_pliant_scene_proxy_contacts, &contacts);
}

static PyObject *find_within(PyObject *self, PyObject *const *values, Py_ssize_t count,
                             PyObject *given)
{
    const pl_args args = {"find_within", values, count, given};
    pair_question question;
    pliant_scene_proximities near = {0};
    if (!begin(&question, self, &args, true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_scene_find_within(SCENE(self), question.distance, &question.options, &near));
    return end(&question, &pl_struct_pliant_scene_proximities, &near);
}

static PyObject *find_features(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    const pl_args args = {"find_features", values, count, given};
    pair_question question;
    pliant_scene_features near = {0};
    if (!begin(&question, self, &args, true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_scene_find_features(SCENE(self), question.distance, &question.options, &near));
    return end(&question, &pl_struct_pliant_scene_features, &near);
}

static PyObject *find_meetings(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    const pl_args args = {"find_meetings", values, count, given};
    pair_question question;
    pliant_scene_meetings meetings = {0};
    if (!begin(&question, self, &args, false)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_scene_find_meetings(SCENE(self), &question.options, &meetings));
    return end(&question, &pl_struct_pliant_scene_meetings, &meetings);
}

static PyObject *find_free_time(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                PyObject *given)
{
    const pl_args args = {"find_free_time", values, count, given};
    pair_question question;
    pliant_scene_free_time time = {0};
    if (!begin(&question, self, &args, false)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_scene_find_free_time(SCENE(self), &question.options, &time));
    return end(&question, &pl_struct_pliant_scene_free_time, &time);
}

static PyObject *advance_bodies(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                PyObject *given)
{
    const pl_args args = {"advance_bodies", values, count, given};
    pl_scene *scene = (pl_scene *)self;
    pair_question question;
    pliant_scene_advance advance = {0};
    if (!begin(&question, self, &args, false)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_scene_advance_bodies(SCENE(self), &question.options, &advance));
    for (uint32_t i = 0; i < scene->capacity; i++) {
        if (scene->members[i] != NULL) {
            pl_body_changed(scene->members[i]);
        }
    }
    return end(&question, &pl_struct_pliant_scene_advance, &advance);
}

PyMethodDef pl_scene_question_methods[] = {
    PL_METHOD("collide", collide,
              "collide($self, *, " OPTIONS_pliant_scene_options
              ")\n--\n\nWhich triangles of which bodies touch: SceneContacts.\n\nfilter(a, b) is "
              "asked whether to compare two bodies; callback(a, b, contacts) is given what touches "
              "in place of the answer, and may return False to stop."),
    PL_METHOD("collide_proxies", collide_proxies,
              "collide_proxies($self, *, " OPTIONS_pliant_scene_options
              ")\n--\n\nContacts of proxies: SceneProxyContacts."),
    PL_METHOD("find_within", find_within,
              "find_within($self, distance, *, " NEAR_pliant_scene_options
              ")\n--\n\nWhich triangles are within a distance: SceneProximities."),
    PL_METHOD(
        "find_features", find_features,
        "find_features($self, distance, *, " NEAR_pliant_scene_options
        ")\n--\n\nWhich vertices and faces, and edges, are within a distance: SceneFeatures."),
    PL_METHOD("find_meetings", find_meetings,
              "find_meetings($self, *, " OPTIONS_pliant_scene_options
              ")\n--\n\nWhich triangles meet in the step: SceneMeetings."),
    PL_METHOD("find_free_time", find_free_time,
              "find_free_time($self, *, " OPTIONS_pliant_scene_options
              ")\n--\n\nUntil when nothing meets: a SceneFreeTime."),
    PL_METHOD("advance_bodies", advance_bodies,
              "advance_bodies($self, *, " OPTIONS_pliant_scene_options
              ")\n--\n\nAdvances all bodies as far as nothing meets: a SceneAdvance."),
    {NULL, NULL, 0, NULL}};
