/* Torn bodies: triangles that are removed and vertices that are split, and the shape that a body
   has of its own from then on. */
#include "core.h"

#define BODY(self) PL_HANDLE(pliant_body, self)

static const pl_wanted corners_wanted = {"u4 i4", 2, true};

typedef enum part { REMOVED, SPLIT, CORNERS, WELDED, PART_COUNT } part;

static const char *const names[] = {"*removed", "*split", "*corners", "*welded", "!copy", NULL};

/* One list of what is torn; left out, it is empty. */
static bool read_part(PyObject *value, part which, bool copy, pl_array *array, uint32_t *count)
{
    const pl_wanted *wanted = which == CORNERS ? &corners_wanted : &pl_list_u32;
    *count = 0;
    if (value == NULL) {
        return true;
    }
    if (!pl_array_read(value, names[which] + 1, wanted, copy, array) ||
        !pl_count32(array, names[which] + 1, count)) {
        return false;
    }
    return true;
}

static bool read_tear(PyObject *const *found, bool copy, pl_array *arrays, pliant_tear *tear)
{
    uint32_t counts[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++) {
        if (!read_part(found[i], (part)i, copy, &arrays[i], &counts[i])) {
            return false;
        }
    }
    if (found[WELDED] != NULL && counts[WELDED] != counts[SPLIT]) {
        PyErr_SetString(PyExc_ValueError, "welded must have an entry for each one of split");
        return false;
    }
    *tear = (pliant_tear){.removed = arrays[REMOVED].data,
                          .removed_count = counts[REMOVED],
                          .split = arrays[SPLIT].data,
                          .split_count = counts[SPLIT],
                          .corners = arrays[CORNERS].data,
                          .corner_count = counts[CORNERS],
                          .welded = arrays[WELDED].data};
    return true;
}

PyObject *pl_body_tear(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    const pl_args args = {"tear", values, count, given};
    pl_body *body = (pl_body *)self;
    PyObject *found[PART_COUNT + 1], *answer = NULL;
    pl_array arrays[PART_COUNT] = {{0}};
    pliant_tear tear;
    pl_call call;
    if (pl_parse(&args, names, found, NULL, NULL, NULL) &&
        read_tear(found, found[PART_COUNT] != NULL, arrays, &tear)) {
        pl_call_begin(&call, (pl_object *)self);
        if (pl_call_use(&call, (pl_object *)self, false)) {
            Py_CLEAR(body->torn); /* unless others hold on to it, no copy is needed for them */
            PL_RUN(&call, pliant_body_tear(BODY(self), &tear));
            if (call.result == PLIANT_OK) {
                pl_body_changed(body); /* positions were copied, a step was given up */
                Py_CLEAR(body->positions);
                Py_CLEAR(body->start);
            }
            answer = pl_call_end(&call, Py_NewRef(Py_None));
        } else {
            pl_call_abort(&call);
        }
    }
    for (int i = 0; i < PART_COUNT; i++) {
        pl_array_free(&arrays[i]);
    }
    return answer;
}

PyObject *pl_body_get_shape(PyObject *self, void *closure)
{
    (void)closure;
    pl_body *body = (pl_body *)self;
    PyObject *made_of = body->base.parent;
    if (BODY(self) == NULL ||
        pliant_body_get_shape(BODY(self)) == PL_HANDLE(const pliant_shape, made_of)) {
        return Py_NewRef(made_of);
    }
    if (body->torn == NULL) { /* a body in the same shape, which keeps it as it is now */
        pliant_body *keeper = NULL;
        pl_call call;
        pl_call_begin(&call, (pl_object *)self);
        if (!pl_call_use(&call, (pl_object *)self, false)) {
            return pl_call_abort(&call);
        }
        call.result = pliant_body_create(pliant_body_get_shape(BODY(self)), NULL, &keeper);
        PyObject *shape = call.result == PLIANT_OK
                              ? pl_shape_of_body(Py_TYPE(made_of), body->base.context, keeper)
                              : NULL;
        body->torn = pl_call_end(&call, shape);
    }
    return Py_XNewRef(body->torn);
}
