/* Arguments of functions: by position, by name, and settings of the library by their names. */
#include "core.h"

static const char *bare(const char *name)
{
    return name + (*name == '?' || *name == '*' || *name == '!');
}

static bool is_required(const char *name)
{
    return bare(name) == name;
}

static bool unknown(const pl_args *args, PyObject *name, const char *const *names,
                    const pl_struct *type)
{
    char known[900] = "";
    size_t at = 0;
    for (size_t i = 0; names[i] != NULL && at < sizeof known - 64; i++) {
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at == 0 ? "" : ", ",
                               bare(names[i]));
    }
    for (size_t i = 0; type != NULL && i < type->count && at < sizeof known - 64; i++) {
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at == 0 ? "" : ", ",
                               type->fields[i].name);
    }
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'; there are: %s", args->function, name,
                 known);
    return false;
}

static bool take_named(const pl_args *args, PyObject *name, PyObject *value,
                       const char *const *names, PyObject **found, const pl_struct *type,
                       void *settings, pl_scratch *scratch)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(name, bare(names[i])) == 0) {
            if (found[i] != NULL) {
                PyErr_Format(PyExc_TypeError, "%s() was given '%U' twice", args->function, name);
                return false;
            }
            found[i] = value;
            return true;
        }
    }
    for (size_t i = 0; type != NULL && i < type->count; i++) {
        if (PyUnicode_CompareWithASCIIString(name, type->fields[i].name) == 0) {
            return value == Py_None || pl_set_field(&type->fields[i], settings, value, scratch);
        }
    }
    return unknown(args, name, names, type);
}

static bool check_found(const pl_args *args, const char *const *names, PyObject **found)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (found[i] == NULL && is_required(names[i])) {
            PyErr_Format(PyExc_TypeError, "%s() needs '%s'", args->function, names[i]);
            return false;
        }
        if (found[i] == Py_None && !is_required(names[i])) {
            found[i] = NULL;
        }
        bool truth = false;
        if (found[i] != NULL && *names[i] == '!') {
            if (!pl_read_bool(found[i], bare(names[i]), &truth)) {
                return false;
            }
            found[i] = truth ? Py_True : NULL;
        }
    }
    return true;
}

static bool take_positional(const pl_args *args, const char *const *names, PyObject **found)
{
    Py_ssize_t at = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        found[i] = NULL;
        if (at < args->count && *names[i] != '*' && *names[i] != '!') {
            found[i] = args->values[at++];
        }
    }
    if (at < args->count) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments by their places, not %zd",
                     args->function, at, args->count);
        return false;
    }
    return true;
}

bool pl_parse(const pl_args *args, const char *const *names, PyObject **found,
              const pl_struct *type, void *settings, pl_scratch *scratch)
{
    if (!take_positional(args, names, found)) {
        return false;
    }
    Py_ssize_t named = args->names == NULL ? 0 : PyTuple_Size(args->names);
    for (Py_ssize_t i = 0; i < named; i++) {
        if (!take_named(args, PyTuple_GetItem(args->names, i), args->values[args->count + i], names,
                        found, type, settings, scratch)) {
            return false;
        }
    }
    return check_found(args, names, found);
}

bool pl_parse_new(const char *function, PyObject *tuple, PyObject *dictionary,
                  const char *const *names, PyObject **found, const pl_struct *type, void *settings,
                  pl_scratch *scratch)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    PyObject **values = pl_scratch_allocate(scratch, (size_t)count * sizeof(PyObject *));
    if (values == NULL) {
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        values[i] = PyTuple_GetItem(tuple, i);
    }
    const pl_args args = {function, values, count, NULL};
    if (!take_positional(&args, names, found)) {
        return false;
    }
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (dictionary != NULL && PyDict_Next(dictionary, &at, &name, &value)) {
        if (!take_named(&args, name, value, names, found, type, settings, scratch)) {
            return false;
        }
    }
    return check_found(&args, names, found);
}
