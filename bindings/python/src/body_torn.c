/* Torn bodies: triangles that are removed and vertices that are split, and the shape that a body
   has of its own from then on. */
#include "core.h"

#define BODY(self) PL_HANDLE(pliant_body, self)

enum { REMOVED, SPLIT, CORNERS, WELDED, PART_COUNT, SIZE_COUNT = PART_COUNT + 1 };

static const char *const names[] = {"*removed", "*split", "*corners", "*welded", "!copy", NULL};

#define AT(member) offsetof(pliant_tear, member)

/* Sizes have the numbers of the parts and 1. */
static const pl_part parts[PART_COUNT] = {
    {"removed", "u4 i4", 1, 0, 0, 0, REMOVED, AT(removed), 0, AT(removed_count)},
    {"split", "u4 i4", 2, 0, 0, 0, SPLIT, AT(split), 0, AT(split_count)},
    {"corners", "u4 i4", 3, 0, 0, 2, CORNERS, AT(corners), 0, AT(corner_count)},
    {"welded", "u4 i4", 2, 0, 0, 0, SPLIT, AT(welded), 0, 0}};

PyObject *pl_body_tear(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    const pl_args args = {"tear", values, count, given};
    pl_body *body = (pl_body *)self;
    PyObject *found[PART_COUNT + 1], *answer = NULL;
    pl_array arrays[PART_COUNT] = {{0}};
    pliant_tear tear = {0};
    uint64_t sizes[SIZE_COUNT];
    memset(sizes, 0xff, sizeof sizes);
    pl_call call;
    if (pl_parse(&args, names, found, NULL, NULL, NULL) &&
        pl_read_parts(parts, PART_COUNT, found, found[PART_COUNT] != NULL, sizes, arrays, &tear)) {
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
