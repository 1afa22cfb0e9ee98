/* Structs and enums of the library as Python values, and back, by the tables of the build. */
#include "core.h"

#include <math.h>

/* Classes of pliant._types by the number of the struct or enum, once they were needed: making them
   all takes longer than the rest of the import. */
static PyObject *tuple_classes[256];
static PyObject *enum_classes[128];

static PyObject *find_class(PyObject **place, const char *name)
{
    if (*place == NULL) {
        PyObject *module = PyImport_ImportModule("pliant._types");
        *place = module == NULL ? NULL : PyObject_GetAttrString(module, name);
        Py_XDECREF(module);
    }
    return *place;
}

#define BLOCK_HEADER 16

void *pl_scratch_allocate(pl_scratch *scratch, size_t size)
{
    char *block =
        size > (size_t)PY_SSIZE_T_MAX - BLOCK_HEADER ? NULL : PyMem_Malloc(size + BLOCK_HEADER);
    if (block == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(block, &scratch->latest, sizeof scratch->latest);
    scratch->latest = block;
    scratch->count++;
    return block + BLOCK_HEADER;
}

void pl_scratch_free(pl_scratch *scratch)
{
    for (; scratch->count > 0; scratch->count--) {
        void *block = scratch->latest;
        memcpy(&scratch->latest, block, sizeof scratch->latest);
        PyMem_Free(block);
    }
}

/* ------------------------------------------------------------------------------- from Python */

static bool bad_value(const char *name, const char *wanted, PyObject *value)
{
    if (PyErr_Occurred() == NULL || PyErr_ExceptionMatches(PyExc_TypeError) ||
        PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %R", name, wanted, value);
    }
    return false;
}

bool pl_read_u64(PyObject *value, const char *name, uint64_t *number)
{
    PyObject *index = PyNumber_Index(value);
    unsigned long long read = index == NULL ? 0 : PyLong_AsUnsignedLongLong(index);
    Py_XDECREF(index);
    if (PyErr_Occurred() != NULL) {
        return bad_value(name, "a whole number, 0 or more", value);
    }
    *number = read;
    return true;
}

bool pl_read_u32(PyObject *value, const char *name, uint32_t *number)
{
    uint64_t read = 0;
    if (!pl_read_u64(value, name, &read)) {
        return false;
    }
    if (read > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s is %llu, which is more than 32 bits hold", name,
                     (unsigned long long)read);
        return false;
    }
    *number = (uint32_t)read;
    return true;
}

bool pl_read_double(PyObject *value, const char *name, double *number)
{
    *number = PyFloat_AsDouble(value);
    return (*number != -1.0 || PyErr_Occurred() == NULL) || bad_value(name, "a number", value);
}

bool pl_read_float(PyObject *value, const char *name, float *number)
{
    double read = 0.0;
    if (!pl_read_double(value, name, &read)) {
        return false;
    }
    *number = (float)read;
    if (isinf(*number) && !isinf(read)) {
        PyErr_Format(PyExc_ValueError, "%s is %R, which is more than float32 holds", name, value);
        return false;
    }
    return true;
}

/* True and False, of numpy too, and the numbers 0 and 1. */
bool pl_read_bool(PyObject *value, const char *name, bool *truth)
{
    PyObject *item = PyLong_Check(value) || !PyObject_HasAttrString(value, "dtype")
                         ? Py_NewRef(value)
                         : PyObject_CallMethod(value, "item", NULL);
    long number = item != NULL && PyLong_Check(item) ? PyLong_AsLong(item) : -1;
    Py_XDECREF(item);
    *truth = number == 1;
    if (number == 0 || number == 1) {
        return true;
    }
    if (PyErr_Occurred() != NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear(); /* an array of several, for example; an interrupt stays */
    }
    return bad_value(name, "True or False", value);
}

bool pl_read_enum(const pl_enum *of, const char *name, PyObject *value, int *number)
{
    if (PyUnicode_Check(value)) {
        for (size_t i = 0; i < of->count; i++) {
            if (PyUnicode_CompareWithASCIIString(value, of->constants[i].name) == 0) {
                *number = of->constants[i].value;
                return true;
            }
        }
        char known[400] = "";
        size_t at = 0;
        for (size_t i = 0; i < of->count && at < sizeof known - 80; i++) {
            at += (size_t)snprintf(known + at, sizeof known - at, "%s\"%s\"", i == 0 ? "" : ", ",
                                   of->constants[i].name);
        }
        PyErr_Format(PyExc_ValueError, "%s is \"%U\"; there are %s", name, value, known);
        return false;
    }
    long read = PyLong_AsLong(value);
    if (read == -1 && PyErr_Occurred() != NULL) {
        return bad_value(name, "one of its enum, or the name of one", value);
    }
    if (read < 0 || read > INT_MAX) {
        PyErr_Format(PyExc_ValueError, "%s is %ld, which is none of %s", name, read,
                     of->python_name);
        return false;
    }
    *number = (int)read;
    return true;
}

#define GROUP_WORDS 1024 /* of 64 bits: groups are numbers of 16 bits */

bool pl_read_groups(PyObject *value, const char *name, pliant_groups *groups, pl_scratch *scratch)
{
    if (value == Py_None) {
        *groups = (pliant_groups){0};
        return true;
    }
    PyObject *iterator = PyObject_GetIter(value);
    uint64_t *bits =
        iterator == NULL ? NULL : pl_scratch_allocate(scratch, GROUP_WORDS * sizeof(uint64_t));
    if (bits == NULL) {
        Py_XDECREF(iterator);
        return iterator == NULL ? bad_value(name, "an iterable of groups", value) : false;
    }
    memset(bits, 0, GROUP_WORDS * sizeof(uint64_t));
    PyObject *item = NULL;
    bool read = true;
    while (read && (item = PyIter_Next(iterator)) != NULL) {
        uint32_t group = 0;
        read = pl_read_u32(item, name, &group);
        if (read && group >= 64 * GROUP_WORDS) {
            PyErr_Format(PyExc_ValueError, "%s has group %u; groups are below 65536", name, group);
            read = false;
        }
        if (read) {
            bits[group / 64] |= (uint64_t)1 << group % 64;
        }
        Py_DECREF(item);
    }
    Py_DECREF(iterator);
    *groups = (pliant_groups){.bits = bits, .count = 64 * GROUP_WORDS};
    return read && PyErr_Occurred() == NULL;
}

/* Numbers of sequences within sequences, as they come. */
static bool read_nested(PyObject *value, const char *name, float *numbers, size_t count, size_t *at,
                        int depth)
{
    if (PyFloat_Check(value) || PyLong_Check(value) || !PySequence_Check(value) || depth == 4) {
        if (*at >= count) {
            return false;
        }
        return pl_read_float(value, name, &numbers[(*at)++]);
    }
    Py_ssize_t size = PySequence_Size(value);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        bool read = item != NULL && read_nested(item, name, numbers, count, at, depth + 1);
        Py_XDECREF(item);
        if (!read) {
            return false;
        }
    }
    return size >= 0;
}

static bool wrong_count(const char *name, size_t count)
{
    if (PyErr_Occurred() == NULL) {
        PyErr_Format(PyExc_ValueError, "%s must be %zu numbers", name, count);
    }
    return false;
}

/* An array of another type than float32 is refused, as everywhere: only numbers that are written
   out, which have no type of that kind, are rounded. */
static bool read_array_floats(PyObject *value, const char *name, float *numbers, size_t count)
{
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return false;
    }
    const char *format = view.format == NULL ? "B" : view.format;
    format += *format == '@' || *format == '=' || *format == '<';
    bool read = false;
    if (strcmp(format, "f") != 0 || view.itemsize != sizeof(float)) {
        PyErr_Format(PyExc_TypeError,
                     "%s is an array, but not of float32: write %s.astype("
                     "numpy.float32)",
                     name, name);
    } else if ((size_t)view.len != count * sizeof(float)) {
        wrong_count(name, count);
    } else {
        memcpy(numbers, view.buf, (size_t)view.len);
        read = true;
    }
    PyBuffer_Release(&view);
    return read;
}

bool pl_read_floats(PyObject *value, const char *name, float *numbers, size_t count)
{
    if (pl_refuse_masked(value, name)) {
        return false;
    }
    if (PyObject_CheckBuffer(value)) {
        return read_array_floats(value, name, numbers, count);
    }
    size_t at = 0;
    return (read_nested(value, name, numbers, count, &at, 0) && at == count) ||
           wrong_count(name, count);
}

/* One number may be infinite. */
static bool check_numbers(const char *name, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(numbers[i]) || (count > 1 && isinf(numbers[i]))) {
            char sentence[96];
            snprintf(sentence, sizeof sentence, "%.48s: number %zu is %g", name, i,
                     (double)numbers[i]);
            pl_raise_text(PLIANT_ERROR_NOT_FINITE, sentence);
            return false;
        }
    }
    return true;
}

bool pl_read_finite(PyObject *value, const char *name, float *numbers, size_t count)
{
    return pl_read_floats(value, name, numbers, count) && check_numbers(name, numbers, count);
}

bool pl_read_box(PyObject *value, const char *name, pliant_box *box)
{
    float numbers[6];
    if (!pl_read_floats(value, name, numbers, 6)) {
        return false;
    }
    memcpy(box->lower, numbers, sizeof box->lower);
    memcpy(box->upper, numbers + 3, sizeof box->upper);
    return true;
}

static bool set_number(const pl_field *field, void *at, PyObject *value)
{
    switch (field->kind) {
    case PL_BOOL:
        return pl_read_bool(value, field->name, at);
    case PL_UINT32:
        return pl_read_u32(value, field->name, at);
    case PL_UINT64:
        return pl_read_u64(value, field->name, at);
    case PL_DOUBLE:
        return pl_read_double(value, field->name, at);
    case PL_ENUM:
        return pl_read_enum(field->constants, field->name, value, at);
    default:
        PyErr_Format(PyExc_TypeError, "%s cannot be set", field->name);
        return false;
    }
}

/* A text that lives as long as the scratch memory. */
static bool set_text(const pl_field *field, void *at, PyObject *value, pl_scratch *scratch)
{
    Py_ssize_t size = 0;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : NULL;
    if (text == NULL || strlen(text) != (size_t)size) {
        return bad_value(field->name, "a text, without zeros", value);
    }
    char *copy = pl_scratch_allocate(scratch, (size_t)size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text, (size_t)size + 1);
    memcpy(at, &copy, sizeof copy);
    return true;
}

bool pl_set_field(const pl_field *field, void *settings, PyObject *value, pl_scratch *scratch)
{
    void *at = (char *)settings + field->offset;
    size_t numbers = (size_t)field->rows * field->columns;
    if (field->kind == PL_GROUPS) {
        return pl_read_groups(value, field->name, at, scratch);
    }
    if (field->kind == PL_STRUCT && field->type == &pl_struct_pliant_box) {
        return pl_read_box(value, field->name, at);
    }
    if (field->kind == PL_FLOAT && numbers > 1) {
        return (field->strict ? pl_read_finite : pl_read_floats)(value, field->name, at, numbers);
    }
    if (field->kind == PL_FLOAT) {
        return pl_read_float(value, field->name, at) &&
               (!field->strict || check_numbers(field->name, at, 1));
    }
    return field->kind == PL_TEXT && scratch != NULL ? set_text(field, at, value, scratch)
                                                     : set_number(field, at, value);
}

/* --------------------------------------------------------------------------------- to Python */

PyObject *pl_make_enum(const pl_enum *of, int value)
{
    for (size_t i = 0; i < pl_enum_count; i++) {
        if (pl_enums[i] == of) {
            PyObject *made_of = find_class(&enum_classes[i], of->python_name);
            PyObject *made = made_of == NULL ? NULL : PyObject_CallFunction(made_of, "i", value);
            if (made != NULL) {
                return made;
            }
            PyErr_Clear(); /* bits that were combined */
        }
    }
    return PyLong_FromLong(value);
}

static PyObject *get_groups(const pliant_groups *groups)
{
    if (groups->bits == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New(0);
    for (uint32_t g = 0; list != NULL && g < groups->count; g++) {
        if ((groups->bits[g / 64] >> g % 64 & 1) != 0) {
            PyObject *number = PyLong_FromUnsignedLong(g);
            if (number == NULL || PyList_Append(list, number) < 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(number);
        }
    }
    PyObject *tuple = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

/* Numbers as numpy names them; the digit is the size in bytes. */
static const char *const formats[PL_STRUCT] = {
    [PL_BOOL] = "?1",   [PL_INT32] = "i4", [PL_UINT16] = "u2", [PL_UINT32] = "u4",
    [PL_UINT64] = "u8", [PL_FLOAT] = "f4", [PL_DOUBLE] = "f8", [PL_ENUM] = "u4"};

static size_t kind_size(const pl_field *field)
{
    return field->kind == PL_STRUCT ? field->type->size : (size_t)(formats[field->kind][1] - '0');
}

static PyObject *get_value(const pl_field *field, const void *at)
{
    switch (field->kind) {
    case PL_BOOL:
        return PyBool_FromLong(*(const bool *)at);
    case PL_INT32:
        return PyLong_FromLong(*(const int32_t *)at);
    case PL_UINT16:
        return PyLong_FromLong(*(const uint16_t *)at);
    case PL_UINT32:
        return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case PL_UINT64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case PL_FLOAT:
        return PyFloat_FromDouble((double)*(const float *)at);
    case PL_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case PL_ENUM:
        return pl_make_enum(field->constants, *(const int *)at);
    case PL_STRUCT:
        return pl_get_struct(field->type, at, NULL);
    case PL_GROUPS:
        return get_groups((const pliant_groups *)at);
    case PL_TEXT: {
        const char *text = *(const char *const *)at;
        return text == NULL ? Py_NewRef(Py_None)
                            : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    }
    default:
        PyErr_Format(PyExc_TypeError, "%s has no value", field->name);
        return NULL;
    }
}

/* The values of a field, `rows` tuples of `columns`; one value where there is one. */
static PyObject *get_values(const pl_field *field, const char *at, uint32_t rows)
{
    uint32_t count = rows > 1 ? rows : field->columns;
    if (count == 1) {
        return get_value(field, at);
    }
    size_t step = kind_size(field) * (rows > 1 ? field->columns : 1);
    PyObject *tuple = PyTuple_New(count);
    for (uint32_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *value =
            rows > 1 ? get_values(field, at + i * step, 1) : get_value(field, at + i * step);
        if (value == NULL || PyTuple_SetItem(tuple, i, value) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

PyObject *pl_get_field(const pl_field *field, const void *data)
{
    return get_values(field, (const char *)data + field->offset, field->rows);
}

PyObject *pl_get_struct(const pl_struct *type, const void *data, const pl_known *known)
{
    return type->role == PL_ANSWER ? pl_answer_new(type, data, known) : pl_make_tuple(type, data);
}

PyObject *pl_make_tuple(const pl_struct *type, const void *data)
{
    PyObject *values = PyTuple_New((Py_ssize_t)type->count);
    for (size_t i = 0; values != NULL && i < type->count; i++) {
        PyObject *value = pl_get_field(&type->fields[i], data);
        if (value == NULL || PyTuple_SetItem(values, (Py_ssize_t)i, value) < 0) {
            Py_CLEAR(values);
        }
    }
    PyObject *made_of =
        values == NULL ? NULL : find_class(&tuple_classes[type->number], type->python_name);
    PyObject *made = made_of == NULL ? NULL : PyObject_CallObject(made_of, values);
    Py_XDECREF(values);
    return made;
}

/* ------------------------------------------------------------------------------------ layouts */

static PyObject *field_format(const pl_field *field)
{
    PyObject *base = field->kind == PL_STRUCT ? pl_make_layout(field->type)
                     : field->kind == PL_BOOL ? PyUnicode_FromString("?")
                                              : PyUnicode_FromString(formats[field->kind]);
    if (base == NULL || (field->rows == 1 && field->columns == 1)) {
        return base;
    }
    return field->rows == 1 ? Py_BuildValue("(N(i))", base, (int)field->columns)
                            : Py_BuildValue("(N(ii))", base, (int)field->rows, (int)field->columns);
}

/* Names, formats (nested layouts are dictionaries again) and offsets; pointers are left out. */
PyObject *pl_make_layout(const pl_struct *type)
{
    PyObject *fields = PyList_New(0);
    for (size_t i = 0; fields != NULL && i < type->count; i++) {
        const pl_field *field = &type->fields[i];
        if (field->kind > PL_STRUCT) {
            continue;
        }
        PyObject *format = field_format(field);
        PyObject *item =
            format == NULL ? NULL
                           : Py_BuildValue("(sNn)", field->name, format, (Py_ssize_t)field->offset);
        if (item == NULL || PyList_Append(fields, item) < 0) {
            Py_CLEAR(fields);
        }
        Py_XDECREF(item);
    }
    return fields == NULL
               ? NULL
               : Py_BuildValue("{sNsn}", "fields", fields, "itemsize", (Py_ssize_t)type->size);
}

#include "tables.inc"
