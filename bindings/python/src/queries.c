/* Types of objects whose methods the tables describe: queries, contours and volumes. */
#include "core.h"

PyTypeObject *pl_query_type, *pl_contours_type, *pl_volume_type;

typedef struct query_kind {
    PyTypeObject **type;
    const char *name, *doc; /* the name with its module */
    pl_create create;
    void (*destroy)(void *object);
    PyMethodDef *methods;
    PyGetSetDef *attributes;
} query_kind;

static const query_kind kinds[] = {
    {&pl_query_type, "pliant._core.Query",
     "Query(context=None)\n--\n\nQueries about one or two bodies. One per thread: a second "
     "thread that uses it at the same time gets a BusyError. Results own their arrays.",
     pl_create_pliant_query, pl_destroy_pliant_query, pl_methods_pliant_query,
     pl_attributes_pliant_query},
    {&pl_contours_type, "pliant._core.Contours",
     "Contours(context=None)\n--\n\nFinds the curves along which surfaces cross. One per thread.",
     pl_create_pliant_contours, pl_destroy_pliant_contours, pl_methods_pliant_contours,
     pl_attributes_pliant_contours},
    {&pl_volume_type, "pliant._core.Volume",
     "Volume(context=None)\n--\n\nMeasures volumes by layered depth images, with a range that the "
     "true volume lies in for certain. One per thread.",
     pl_create_pliant_volume, pl_destroy_pliant_volume, pl_methods_pliant_volume,
     pl_attributes_pliant_volume}};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

/* The kind that a type, or a class of the caller's, is of. */
static const query_kind *kind_of(PyTypeObject *type)
{
    size_t i = 0;
    while (i + 1 < KIND_COUNT && !PyType_IsSubtype(type, *kinds[i].type)) {
        i++;
    }
    return &kinds[i];
}

static PyObject *new_object(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const query_kind *kind = kind_of(type);
    return pl_new_in_context(type, args, keywords, strrchr(kind->name, '.') + 1, NULL, NULL,
                             kind->create);
}

static void free_object(PyObject *self)
{
    kind_of(Py_TYPE(self))->destroy(((pl_object *)self)->handle);
    pl_object_free((pl_object *)self);
}

bool pl_add_queries(PyObject *module)
{
    static PyGetSetDef attributes[] = {{"context", pl_get_context, NULL, "Its context.", NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)kinds[i].doc},
                               {Py_tp_new, new_object},
                               {Py_tp_dealloc, free_object},
                               {Py_tp_getset, attributes},
                               {0, NULL}};
        PyType_Spec spec = {kinds[i].name, sizeof(pl_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        if (!pl_add_type(module, &spec, kinds[i].type) ||
            !pl_add_members(*kinds[i].type, kinds[i].methods, kinds[i].attributes)) {
            return false;
        }
    }
    return true;
}
