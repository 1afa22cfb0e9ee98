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
                       ? PyObject_CallMethod(call->drawer, method, "OO", made, first)
                       : PyObject_CallMethod(call->drawer, method, "OOO", made, first, second);
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

#define HAS(object, method) (PyObject_HasAttrString(object, #method) ? (method) : NULL)

bool pl_make_drawer(pl_call *call, PyObject *object, const char *name, pliant_drawer *drawer)
{
    call->drawer = object;
    *drawer = (pliant_drawer){.user = call,
                              .draw_point = HAS(object, draw_point),
                              .draw_line = HAS(object, draw_line),
                              .draw_triangle = HAS(object, draw_triangle),
                              .draw_box = HAS(object, draw_box),
                              .draw_contact = HAS(object, draw_contact)};
    if (drawer->draw_point == NULL && drawer->draw_line == NULL && drawer->draw_triangle == NULL &&
        drawer->draw_box == NULL && drawer->draw_contact == NULL) {
        PyErr_Format(PyExc_TypeError, "%s must have a method such as draw_line, not %R", name,
                     object);
        return false;
    }
    return true;
}

/* The arrays of a result may have been written to. */
bool pl_are_ranges_right(const pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        if (pair->first > contacts->count || pair->count > contacts->count - pair->first) {
            pl_raise_text(PLIANT_ERROR_RANGE,
                          "contacts: a pair of bodies has pairs beyond the last");
            return false;
        }
    }
    return true;
}
