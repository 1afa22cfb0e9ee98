/* Arrays that belong together: their sizes agree, and some need others. */
#include "core.h"

/* The second number of the shape of a table. */
static uint64_t find_columns(PyObject *table)
{
    PyObject *shape = PyObject_GetAttrString(table, "shape");
    bool is_table = shape != NULL && PyTuple_Check(shape) && PyTuple_Size(shape) >= 2;
    uint64_t columns = is_table ? PyLong_AsUnsignedLongLong(PyTuple_GetItem(shape, 1)) : 0;
    Py_XDECREF(shape);
    PyErr_Clear();
    return columns;
}

static bool read_part(const pl_part *part, PyObject *value, bool copy, uint64_t *sizes,
                      pl_array *array)
{
    uint64_t columns = part->last, *rows = &sizes[part->rows];
    if (part->middle != 0) {
        uint64_t *middle = &sizes[part->middle];
        *middle = *middle == PL_UNKNOWN ? find_columns(value) : *middle;
        columns = *middle > UINT32_MAX / part->last ? 0 : *middle * part->last;
        if (columns == 0) {
            PyErr_Format(PyExc_ValueError, "%s must be a table of numbers", part->name);
            return false;
        }
    }
    const pl_wanted wanted = {part->types, (uint32_t)columns, part->stride == 0,
                              part->last == 12 ? 4 : part->last};
    if (!pl_array_read(value, part->name, &wanted, copy, array)) {
        return false;
    }
    uint64_t first = part->plus, count = array->count;
    uint64_t expected = *rows == PL_UNKNOWN ? count : *rows + first;
    if (count != expected || count < first || count > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s has %llu rows, not %llu", part->name,
                     (unsigned long long)count,
                     (unsigned long long)(count < first ? first : expected));
        return false;
    }
    *rows = count - first;
    return true;
}

bool pl_read_parts(const pl_part *parts, int count, PyObject *const *found, bool copy,
                   uint64_t *sizes, pl_array *arrays, void *filled)
{
    for (int i = 0; i < count; i++) {
        const pl_part *part = &parts[i];
        if (found[i] == NULL) {
            continue;
        }
        if (found[part->partner] == NULL) {
            PyErr_Format(PyExc_ValueError, "%s needs %s too", part->name,
                         parts[part->partner].name);
            return false;
        }
        if (!read_part(part, found[i], copy, sizes, &arrays[i])) {
            return false;
        }
        memcpy((char *)filled + part->data, &arrays[i].data, sizeof(void *));
        if (part->count != 0) {
            const uint32_t size = (uint32_t)sizes[part->rows];
            memcpy((char *)filled + part->count, &size, sizeof size);
        }
        if (part->stride != 0) {
            memcpy((char *)filled + part->stride, &arrays[i].stride, sizeof(size_t));
        }
    }
    return true;
}
