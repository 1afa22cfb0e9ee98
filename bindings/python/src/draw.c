/* Drawing: functions of a Python object in place of those of a pliant_drawer. What the object has
   no method for is left out. */
#include "core.h"

static PyObject *floats(const float *numbers, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) {
        PyObject *number = PyFloat_FromDouble((double)numbers[i]);
        if (number == NULL || PyTuple_SetItem(tuple, i, number) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* Calls a method with the item and what it is drawn of; takes both references. */
static void draw(pl_call *call, const char *method, const pliant_draw_item *item, PyObject *first,
                 PyObject *second)
{
    PyObject *made = pl_make_tuple(&pl_struct_pliant_draw_item, item);
    PyObject *returned = NULL;
    if (made != NULL && first != NULL) {
        returned = second == NULL
                       ? PyObject_CallMethod(call->function, method, "OO", made, first)
                       : PyObject_CallMethod(call->function, method, "OOO", made, first, second);
    }
    Py_XDECREF(made);
    Py_XDECREF(first);
    Py_XDECREF(second);
    pl_leave_python(call, returned);
}

static void draw_point(void *user, const pliant_draw_item *item, const float at[3])
{
    if (pl_enter_python(user)) {
        draw(user, "draw_point", item, floats(at, 3), NULL);
    }
}

static void draw_line(void *user, const pliant_draw_item *item, const float from[3],
                      const float to[3])
{
    if (pl_enter_python(user)) {
        draw(user, "draw_line", item, floats(from, 3), floats(to, 3));
    }
}

static void draw_triangle(void *user, const pliant_draw_item *item, const pliant_triangle *triangle)
{
    if (pl_enter_python(user)) {
        PyObject *corners =
            Py_BuildValue("(NNN)", floats(triangle->corner[0], 3), floats(triangle->corner[1], 3),
                          floats(triangle->corner[2], 3));
        draw(user, "draw_triangle", item, corners, NULL);
    }
}

static void draw_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    if (pl_enter_python(user)) {
        draw(user, "draw_box", item, pl_make_tuple(&pl_struct_pliant_box, box), NULL);
    }
}

static void draw_contact(void *user, const pliant_draw_item *item, const float at[3],
                         const pliant_separation *separation)
{
    if (pl_enter_python(user)) {
        draw(user, "draw_contact", item, floats(at, 3),
             pl_make_tuple(&pl_struct_pliant_separation, separation));
    }
}

pliant_drawer pl_make_drawer(pl_call *call)
{
    PyObject *object = call->function;
    pliant_drawer drawer = {.user = call};
    drawer.draw_point = PyObject_HasAttrString(object, "draw_point") ? draw_point : NULL;
    drawer.draw_line = PyObject_HasAttrString(object, "draw_line") ? draw_line : NULL;
    drawer.draw_triangle = PyObject_HasAttrString(object, "draw_triangle") ? draw_triangle : NULL;
    drawer.draw_box = PyObject_HasAttrString(object, "draw_box") ? draw_box : NULL;
    drawer.draw_contact = PyObject_HasAttrString(object, "draw_contact") ? draw_contact : NULL;
    return drawer;
}

/* draw_contacts(a, b, contacts, drawer, **options): what collide() answered. */
static PyObject *draw_contacts(PyObject *module, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    (void)module;
    static const char *const names[] = {"a", "b", "contacts", "drawer", NULL};
    const pl_args args = {"draw_contacts", values, count, given};
    PyObject *found[4];
    pliant_draw_options options = pliant_draw_options_default();
    if (!pl_parse(&args, names, found, &pl_struct_pliant_draw_options, &options, NULL) ||
        !pl_is_body(found[0], "a") || !pl_is_body(found[1], "b")) {
        return NULL;
    }
    const pliant_contacts *contacts = pl_answer_data(found[2], &pl_struct_pliant_contacts);
    if (contacts == NULL) {
        return NULL;
    }
    pl_call call;
    pl_call_begin(&call, (pl_object *)found[0]);
    if (!pl_call_use_body(&call, found[0], true) ||
        (found[1] != found[0] && !pl_call_use_body(&call, found[1], true))) {
        return pl_call_abort(&call);
    }
    call.function = found[3];
    const pliant_drawer drawer = pl_make_drawer(&call);
    PL_RUN(&call,
           pliant_draw_contacts(PL_HANDLE(pliant_body, found[0]), PL_HANDLE(pliant_body, found[1]),
                                contacts, &options, &drawer));
    return pl_call_end(&call, Py_NewRef(Py_None));
}

PyMethodDef pl_draw_functions[] = {
    PL_METHOD("draw_contacts", draw_contacts,
              "draw_contacts(a, b, contacts, drawer, *, " OPTIONS_pliant_draw_options
              ")\n--\n\nDraws what collide() answered, b being a again for collide_self(), by the "
              "methods of an object; see Query.draw_body()."),
    {NULL, NULL, 0, NULL}};
