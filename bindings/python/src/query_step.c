/* Questions about steps: what meets while bodies move, and how far they may. */
#include "query.h"

static bool take_meetings(void *user, const pliant_meetings *batch)
{
    pl_call *call = user;
    if (!pl_enter_python(call)) {
        return false;
    }
    PyObject *given = pl_answer_new(&pl_struct_pliant_meetings, batch, NULL);
    PyObject *returned =
        given == NULL ? NULL : PyObject_CallFunctionObjArgs(call->function, given, NULL);
    Py_XDECREF(given);
    return pl_leave_python(call, returned);
}

/* Any of the four questions; which one is told by `two` and `free`. */
static PyObject *ask(PyObject *self, const pl_args *args, const char *const *names, bool two,
                     bool only_time)
{
    PyObject *found[3], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_meeting_options options = pliant_meeting_options_default();
    pliant_meetings meetings = {0};
    pliant_free_time time = {0};
    pl_question question;
    if (pl_parse(args, names, found, &pl_struct_pliant_meeting_options, &options, &scratch)) {
        PyObject *function = only_time ? NULL : found[two ? 2 : 1];
        if (!pl_question_begin(&question, self, found[0], two ? found[1] : NULL, false)) {
            pl_call_abort(&question.call);
        } else {
            if (function != NULL) {
                options.callback = take_meetings;
                options.callback_user = &question.call;
                question.call.function = function;
            }
            pliant_query *query = question.query;
            pliant_body *a = question.a, *b = question.b;
            PL_RUN(&question.call,
                   only_time ? two ? pliant_find_free_time(query, a, b, &options, &time)
                                   : pliant_find_free_time_self(query, a, &options, &time)
                   : two ? pliant_find_meetings(query, a, b, &options, &meetings)
                             : pliant_find_meetings_self(query, a, &options, &meetings));
            answer = only_time ? pl_question_end(&question, &pl_struct_pliant_free_time, &time)
                               : pl_question_end(&question, &pl_struct_pliant_meetings, &meetings);
        }
    }
    pl_scratch_free(&scratch);
    return answer;
}

static const char *const two_names[] = {"a", "b", "*callback", NULL},
                         *const one_names[] = {"body", "*callback", NULL},
                         *const two_bodies[] = {"a", "b", NULL}, *const one_body[] = {"body", NULL};

static PyObject *find_meetings(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    const pl_args args = {"find_meetings", values, count, given};
    return ask(self, &args, two_names, true, false);
}

static PyObject *find_meetings_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                    PyObject *given)
{
    const pl_args args = {"find_meetings_self", values, count, given};
    return ask(self, &args, one_names, false, false);
}

static PyObject *find_free_time(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                PyObject *given)
{
    const pl_args args = {"find_free_time", values, count, given};
    return ask(self, &args, two_bodies, true, true);
}

static PyObject *find_free_time_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                     PyObject *given)
{
    const pl_args args = {"find_free_time_self", values, count, given};
    return ask(self, &args, one_body, false, true);
}

/* --------------------------------------------------------------------------------- advancing */

/* The bodies of a sequence, all marked as used. */
static pliant_body **use_bodies(pl_call *call, PyObject *list, Py_ssize_t count,
                                pl_scratch *scratch)
{
    pliant_body **bodies = pl_scratch_allocate(scratch, (size_t)count * sizeof(pliant_body *));
    for (Py_ssize_t i = 0; bodies != NULL && i < count; i++) {
        PyObject *body = PyList_GetItem(list, i);
        if (!pl_is_body(body, "each of bodies") || !pl_call_use_body(call, body, false)) {
            return NULL;
        }
        bodies[i] = PL_HANDLE(pliant_body, body);
    }
    return bodies;
}

static bool read_group_list(PyObject *value, Py_ssize_t count, pl_scratch *scratch,
                            const pliant_groups **groups)
{
    PyObject *list = PySequence_List(value);
    pliant_groups *sets =
        list == NULL ? NULL : pl_scratch_allocate(scratch, (size_t)count * sizeof *sets);
    bool read = sets != NULL;
    if (read && PyList_Size(list) != count) {
        PyErr_SetString(PyExc_ValueError, "groups must have a set, or None, for each body");
        read = false;
    }
    for (Py_ssize_t i = 0; read && i < count; i++) {
        read = pl_read_groups(PyList_GetItem(list, i), "groups", &sets[i], scratch);
    }
    Py_XDECREF(list);
    *groups = sets;
    return read;
}

static PyObject *advance_list(PyObject *self, PyObject *list, PyObject *groups,
                              pliant_advance_options *options, pl_scratch *scratch)
{
    Py_ssize_t count = PyList_Size(list);
    if (groups != NULL && !read_group_list(groups, count, scratch, &options->groups)) {
        return NULL;
    }
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    pliant_body **bodies = NULL;
    if (!pl_call_use(&call, (pl_object *)self, false) ||
        (bodies = use_bodies(&call, list, count, scratch)) == NULL) {
        return pl_call_abort(&call);
    }
    pliant_advance advance = {0};
    PL_RUN(&call, pliant_advance_bodies(PL_HANDLE(pliant_query, self), bodies, (uint32_t)count,
                                        options, &advance));
    for (Py_ssize_t i = 0; i < count; i++) {
        pl_body_changed((pl_body *)PyList_GetItem(list, i));
    }
    return pl_call_end(&call, call.result == PLIANT_OK
                                  ? pl_make_tuple(&pl_struct_pliant_advance, &advance)
                                  : NULL);
}

static PyObject *advance_bodies(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                PyObject *given)
{
    static const char *const names[] = {"bodies", "*groups", NULL};
    const pl_args args = {"advance_bodies", values, count, given};
    PyObject *found[2], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_advance_options options = pliant_advance_options_default();
    if (pl_parse(&args, names, found, &pl_struct_pliant_advance_options, &options, &scratch)) {
        PyObject *list = PySequence_List(found[0]);
        answer = list == NULL ? NULL : advance_list(self, list, found[1], &options, &scratch);
        Py_XDECREF(list);
    }
    pl_scratch_free(&scratch);
    return answer;
}

PyMethodDef pl_query_step_methods[] = {
    PL_METHOD("find_meetings", find_meetings,
              "find_meetings($self, a, b, *, " OPTIONS_pliant_meeting_options
              ")\n--\n\nWhich triangles of two bodies meet in the step, and when, exactly: "
              "Meetings."),
    PL_METHOD("find_meetings_self", find_meetings_self,
              "find_meetings_self($self, body, *, " OPTIONS_pliant_meeting_options
              ")\n--\n\nThe same within one body."),
    PL_METHOD("find_free_time", find_free_time,
              "find_free_time($self, a, b, *, " PLAIN_pliant_meeting_options
              ")\n--\n\nUntil when nothing of two bodies meets: a FreeTime."),
    PL_METHOD("find_free_time_self", find_free_time_self,
              "find_free_time_self($self, body, *, " PLAIN_pliant_meeting_options
              ")\n--\n\nThe same within one body."),
    PL_METHOD("advance_bodies", advance_bodies,
              "advance_bodies($self, bodies, *, " OPTIONS_pliant_advance_options
              ")\n--\n\nAdvances bodies along their steps as far as nothing meets: an Advance."),
    {NULL, NULL, 0, NULL}};
