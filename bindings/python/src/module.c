/* The module and its types. */
#include "core.h"

bool pl_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    PyObject *made = PyType_FromModuleAndSpec(module, spec, NULL);
    if (made == NULL) {
        return false;
    }
    *type = (PyTypeObject *)made;
    const char *dot = strrchr(spec->name, '.');
    return PyModule_AddObjectRef(module, dot + 1, made) == 0;
}

bool pl_add_members(PyTypeObject *type, PyMethodDef *methods, PyGetSetDef *attributes)
{
    bool added = true;
    for (; added && methods->ml_name != NULL; methods++) {
        PyObject *made = PyDescr_NewMethod(type, methods);
        added =
            made != NULL && PyObject_SetAttrString((PyObject *)type, methods->ml_name, made) == 0;
        Py_XDECREF(made);
    }
    for (; added && attributes->name != NULL; attributes++) {
        PyObject *made = PyDescr_NewGetSet(type, attributes);
        added =
            made != NULL && PyObject_SetAttrString((PyObject *)type, attributes->name, made) == 0;
        Py_XDECREF(made);
    }
    return added;
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(pliant_version());
}

static PyObject *asset_version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(pliant_asset_version());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS,
     "version()\n--\n\nThe library's version and the instruction sets that it has kernels for."},
    {"asset_version", asset_version, METH_NOARGS,
     "asset_version()\n--\n\nThe version of what reads files, and with which packages."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "pliant._core",
                                        "Pliant's objects; see pliant.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    if (PyModule_AddStringConstant(module, "VERSION", PLIANT_VERSION_TEXT) < 0 ||
        !pl_make_errors(module) || !pl_add_arrays(module) || !pl_add_answers(module) ||
        !pl_add_context(module) || !pl_add_shape(module) || !pl_add_body(module) ||
        !pl_add_queries(module) || !pl_add_scene(module) || !pl_add_asset(module) ||
        !pl_add_plain(module) || !pl_add_check(module) ||
        PyModule_AddFunctions(module, pl_methods_functions) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
