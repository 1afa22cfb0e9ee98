/* Types of objects whose methods the tables describe: queries, contours and volumes. */
#include "core.h"

PyTypeObject *pl_query_type, *pl_contours_type, *pl_volume_type;

static pliant_result create_query(pliant_context *context, const void *settings, void **made)
{
    (void)settings;
    pliant_query *query = NULL;
    pliant_result result = pliant_query_create(context, &query);
    *made = query;
    return result;
}

static PyObject *query_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return pl_new_in_context(type, args, keywords, "Query", NULL, NULL, create_query);
}

static void query_free(PyObject *self)
{
    pliant_query_destroy(PL_HANDLE(pliant_query, self));
    pl_object_free((pl_object *)self);
}

static pliant_result create_contours(pliant_context *context, const void *settings, void **made)
{
    (void)settings;
    pliant_contours *contours = NULL;
    pliant_result result = pliant_contours_create(context, &contours);
    *made = contours;
    return result;
}

static PyObject *contours_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return pl_new_in_context(type, args, keywords, "Contours", NULL, NULL, create_contours);
}

static void contours_free(PyObject *self)
{
    pliant_contours_destroy(PL_HANDLE(pliant_contours, self));
    pl_object_free((pl_object *)self);
}

static pliant_result create_volume(pliant_context *context, const void *settings, void **made)
{
    (void)settings;
    pliant_volume *volume = NULL;
    pliant_result result = pliant_volume_create(context, NULL, &volume);
    *made = volume;
    return result;
}

static PyObject *volume_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return pl_new_in_context(type, args, keywords, "Volume", NULL, NULL, create_volume);
}

static void volume_free(PyObject *self)
{
    pliant_volume_destroy(PL_HANDLE(pliant_volume, self));
    pl_object_free((pl_object *)self);
}

static PyGetSetDef attributes[] = {{"context", pl_get_context, NULL, "Its context.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

typedef struct query_kind {
    PyTypeObject **type;
    const char *name, *doc;
    void *create, *destroy;
    PyMethodDef *methods;
    PyGetSetDef *attributes;
} query_kind;

bool pl_add_queries(PyObject *module)
{
    const query_kind kinds[] = {
        {&pl_query_type, "pliant._core.Query",
         "Query(context=None)\n--\n\nQueries about one or two bodies. One per thread: a second "
         "thread that uses it at the same time gets a BusyError. Results own their arrays.",
         query_new, query_free, pl_methods_pliant_query, pl_attributes_pliant_query},
        {&pl_contours_type, "pliant._core.Contours",
         "Contours(context=None)\n--\n\nFinds the curves along which surfaces cross. One per "
         "thread.",
         contours_new, contours_free, pl_methods_pliant_contours, pl_attributes_pliant_contours},
        {&pl_volume_type, "pliant._core.Volume",
         "Volume(context=None)\n--\n\nMeasures volumes by layered depth images, with a range that "
         "the true volume lies in for certain. One per thread.",
         volume_new, volume_free, pl_methods_pliant_volume, pl_attributes_pliant_volume}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)kinds[i].doc},
                               {Py_tp_new, kinds[i].create},
                               {Py_tp_dealloc, kinds[i].destroy},
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
