/* Exceptions: one for each result of the library, with the library's own sentence. */
#include "core.h"

PyObject *pl_error, *pl_busy_error;
static PyObject *by_result[PLIANT_ERROR_STATE + 1];

typedef struct error_class {
    const char *name, *doc;
} error_class;

static const error_class classes[PLIANT_ERROR_STATE + 1] = {
    [PLIANT_ERROR_ARGUMENT] = {"pliant.ArgumentError", "Something is missing or contradicts."},
    [PLIANT_ERROR_RANGE] = {"pliant.RangeError", "An index or a setting is outside its range."},
    [PLIANT_ERROR_NOT_FINITE] = {"pliant.NotFiniteError", "NaN or infinity among the numbers."},
    [PLIANT_ERROR_TOO_LARGE] = {"pliant.TooLargeError", "Counts that pass a documented limit."},
    [PLIANT_ERROR_OUT_OF_MEMORY] = {"pliant.OutOfMemoryError", "There was no memory."},
    [PLIANT_ERROR_DATA] = {"pliant.DataError", "A file or block that is damaged or no such thing."},
    [PLIANT_ERROR_STATE] = {"pliant.StateError", "The object cannot do this at the moment."},
};

/* Beside pliant.Error, what programs that know nothing of Pliant would expect. */
static PyObject *builtin_of(pliant_result result)
{
    switch (result) {
    case PLIANT_ERROR_OUT_OF_MEMORY:
        return PyExc_MemoryError;
    case PLIANT_ERROR_STATE:
        return PyExc_RuntimeError;
    case PLIANT_OK:
    case PLIANT_ERROR_ARGUMENT:
    case PLIANT_ERROR_RANGE:
    case PLIANT_ERROR_NOT_FINITE:
    case PLIANT_ERROR_TOO_LARGE:
    case PLIANT_ERROR_DATA:
        break;
    }
    return PyExc_ValueError;
}

static PyObject *make_class(PyObject *module, const char *name, const char *doc, PyObject *bases)
{
    PyObject *made = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
    if (made != NULL && PyModule_AddObjectRef(module, name + sizeof "pliant." - 1, made) < 0) {
        Py_CLEAR(made);
    }
    return made;
}

bool pl_make_errors(PyObject *module)
{
    pl_error = make_class(module, "pliant.Error", "What every error of Pliant is.", NULL);
    for (int i = PLIANT_ERROR_ARGUMENT; pl_error != NULL && i <= PLIANT_ERROR_STATE; i++) {
        PyObject *bases = PyTuple_Pack(2, pl_error, builtin_of((pliant_result)i));
        by_result[i] =
            bases == NULL ? NULL : make_class(module, classes[i].name, classes[i].doc, bases);
        Py_XDECREF(bases);
        if (by_result[i] == NULL) {
            return false;
        }
    }
    if (pl_error == NULL) {
        return false;
    }
    pl_busy_error = make_class(module, "pliant.BusyError",
                               "Another thread is using the object at the same time.",
                               by_result[PLIANT_ERROR_STATE]);
    return pl_busy_error != NULL;
}

PyObject *pl_raise_text(pliant_result result, const char *sentence)
{
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    if (text != NULL) {
        PyErr_SetObject(by_result[result], text);
        Py_DECREF(text);
    }
    return NULL;
}

PyObject *pl_raise(pliant_result result)
{
    return pl_raise_text(result, pliant_last_error());
}
