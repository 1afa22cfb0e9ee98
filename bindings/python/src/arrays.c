/*
 * Arrays of the caller's, which are borrowed where they lie: by the buffer protocol, __dlpack__ or
 * __array_interface__. An array of another type is refused with a sentence that says what to write.
 * If the caller has allowed it, numpy converts the array: rounding is not silent.
 */
#include "core.h"

const pl_wanted pl_points = {"f4", 3, false, 0}, pl_list_u32 = {"u4 i4", 0, true, 0};

#define DL_CPU    1
#define MOST_AXES 8

/* What keeps the memory of an array alive. */
typedef struct pl_hold {
    PyObject_HEAD Py_buffer view;
    bool has_view;
} pl_hold;

PyTypeObject *pl_hold_type;
PyObject *pl_convert;

static void hold_free(PyObject *self)
{
    pl_hold *hold = (pl_hold *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (hold->has_view) {
        PyBuffer_Release(&hold->view);
    }
    PyObject_Free(self);
    PL_DECREF(type);
}

/* What an array is made of, whoever told. */
typedef struct layout {
    char *data;
    char kind; /* f, i, u, b (bool) or another letter of the format */
    uint32_t size;
    bool swapped;
    int axes;
    int64_t shape[MOST_AXES], strides[MOST_AXES]; /* in bytes */
} layout;

/* The kind of one letter of a struct format. */
static char kind_of(char letter)
{
    if (strchr("efdg", letter) != NULL) {
        return 'f';
    }
    if (strchr("bhilqn", letter) != NULL) {
        return 'i';
    }
    if (strchr("BHILQN", letter) != NULL) {
        return 'u';
    }
    return letter == '?' ? 'b' : 'o';
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

static void read_format(const char *format, layout *of)
{
    const char *text = format == NULL ? "B" : format;
    char order = '@';
    if (*text != '\0' && strchr("@=<>!", *text) != NULL) {
        order = *text++;
    }
    bool is_big = order == '>' || order == '!';
    of->swapped = order != '@' && order != '=' && is_big == is_little_endian();
    of->kind = text[0] != '\0' && text[1] == '\0' ? kind_of(text[0]) : 'o';
}

static bool read_buffer(PyObject *object, const char *name, pl_hold *hold, layout *of)
{
    if (PyObject_GetBuffer(object, &hold->view, PyBUF_RECORDS_RO) < 0) {
        return false;
    }
    hold->has_view = true;
    const Py_buffer *view = &hold->view;
    if (view->ndim < 0 || view->ndim > MOST_AXES) {
        PyErr_Format(PyExc_TypeError, "%s has %d axes", name, view->ndim);
        return false;
    }
    read_format(view->format, of);
    of->data = view->buf;
    of->size = (uint32_t)view->itemsize;
    of->axes = view->ndim;
    for (int i = 0; i < view->ndim; i++) {
        of->shape[i] = view->shape[i];
        of->strides[i] = view->strides[i];
    }
    return true;
}

static bool is_on_this_machine(PyObject *object, const char *name)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    long kind = -1;
    if (device != NULL && PyTuple_Check(device) && PyTuple_Size(device) == 2) {
        PyObject *number = PyNumber_Long(PyTuple_GetItem(device, 0)); /* it may be an enum */
        kind = number == NULL ? -1 : PyLong_AsLong(number);
        Py_XDECREF(number);
    }
    Py_XDECREF(device);
    if (PyErr_Occurred() != NULL) {
        return false;
    }
    if (kind != DL_CPU) {
        PyErr_Format(
            PyExc_TypeError,
            "%s lies on another device (DLPack's number %ld): copy it to the memory of the "
            "processor first, with %s.cpu() for example",
            name, kind, name);
        return false;
    }
    return true;
}

/* numpy makes an array where the object's numbers lie. */
static bool read_by_numpy(PyObject *object, const char *name, const char *function, pl_hold *hold,
                          layout *of)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy == NULL ? NULL : PyObject_CallMethod(numpy, function, "O", object);
    bool read = array != NULL && read_buffer(array, name, hold, of);
    Py_XDECREF(array);
    Py_XDECREF(numpy);
    return read;
}

/* ------------------------------------------------------------------------------------- checks */

/* Which of the types wanted it has; -1: none. */
static int find_type(const layout *of, const char *types)
{
    int number = 0;
    for (const char *t = types; !of->swapped && *t != '\0'; number++) {
        if (of->kind == t[0] && of->size == (uint32_t)(t[1] - '0')) {
            return number;
        }
        t += 2;
        t += *t == ' ';
    }
    return -1;
}

static const char *numpy_name(const char *types)
{
    return types[0] == 'f' ? "float32" : types[1] == '4' ? "uint32" : "uint16";
}

static bool refuse_type(const char *name, const layout *of, const pl_wanted *wanted)
{
    const char *kind = of->kind == 'f'   ? "float"
                       : of->kind == 'i' ? "int"
                       : of->kind == 'u' ? "uint"
                                         : NULL;
    char has[40] = "numbers of another type";
    if (kind != NULL) {
        snprintf(has, sizeof has, "%s%u%s", kind, 8 * of->size,
                 of->swapped ? " of the other byte order" : "");
    }
    PyErr_Format(PyExc_TypeError,
                 "%s has %s: write %s.astype(numpy.%s), or pass copy=True to have it converted",
                 name, has, name, numpy_name(wanted->types));
    return false;
}

static bool refuse_strides(const char *name, const char *why)
{
    PyErr_Format(PyExc_TypeError, "%s %s: write %s.copy(), or pass copy=True to have it copied",
                 name, why, name);
    return false;
}

static bool refuse_shape(const char *name, const layout *of, uint32_t columns)
{
    char shape[160] = "";
    size_t at = 0;
    for (int i = 0; i < of->axes && at < sizeof shape - 24; i++) {
        at += (size_t)snprintf(shape + at, sizeof shape - at, i == 0 ? "%lld" : ", %lld",
                               (long long)of->shape[i]);
    }
    if (columns == 0) {
        PyErr_Format(PyExc_ValueError, "%s has shape (%s), not (n,)", name, shape);
    } else {
        PyErr_Format(PyExc_ValueError, "%s has shape (%s), not (n, %u)", name, shape, columns);
    }
    return false;
}

/* Whether everything behind the first axis is `columns` numbers. */
static bool has_columns(const layout *of, uint32_t columns, uint32_t inner)
{
    if (columns == 0) {
        return of->axes == 1;
    }
    uint64_t numbers = 1;
    for (int i = 1; i < of->axes; i++) {
        if (of->shape[i] < 1 || of->shape[i] > columns) {
            return false;
        }
        numbers *= (uint64_t)of->shape[i];
    }
    return of->axes >= 2 && of->axes <= 3 && numbers == columns &&
           (of->axes < 3 || inner == 0 || of->shape[2] == inner);
}

/* Whether the numbers of a row lie side by side. */
static bool is_packed_inside(const layout *of)
{
    int64_t step = of->size;
    for (int i = of->axes; i-- > 1;) {
        if (of->shape[i] != 1 && of->strides[i] != step) {
            return false;
        }
        step *= of->shape[i];
    }
    return true;
}

static bool check_layout(const char *name, const layout *of, const pl_wanted *wanted,
                         pl_array *array, bool *may_copy)
{
    *may_copy = false;
    if (!has_columns(of, wanted->columns, wanted->inner)) {
        return refuse_shape(name, of, wanted->columns);
    }
    *may_copy = true;
    int type = find_type(of, wanted->types);
    if (type < 0) {
        return refuse_type(name, of, wanted);
    }
    uint32_t columns = wanted->columns == 0 ? 1 : wanted->columns;
    int64_t rows = of->shape[0], stride = of->strides[0], packed = (int64_t)columns * of->size;
    if (rows <= 1) {
        stride = packed;
    }
    if (rows > 0 && !is_packed_inside(of)) {
        return refuse_strides(name, "has gaps between the numbers of a row");
    }
    if (stride == 0) {
        return refuse_strides(name, "repeats one row (its stride is 0)");
    }
    if (stride < 0) {
        return refuse_strides(name, "runs backwards");
    }
    if ((wanted->columns == 0 || wanted->packed) && stride != packed) {
        return refuse_strides(name, "has gaps between its rows");
    }
    if (rows > 0 && ((uintptr_t)of->data % of->size != 0 || stride % of->size != 0)) {
        return refuse_strides(name, "is not aligned to its numbers");
    }
    static const uint32_t nothing; /* an empty array is not the same as none */
    array->data = rows == 0 ? (const void *)&nothing : of->data;
    array->count = (uint64_t)rows;
    array->stride = (size_t)stride;
    array->type = type;
    return true;
}

static bool read_any(PyObject *object, const char *name, pl_hold *hold, layout *of)
{
    if (PyObject_CheckBuffer(object)) {
        return read_buffer(object, name, hold, of);
    }
    if (PyObject_HasAttrString(object, "__dlpack__")) {
        return is_on_this_machine(object, name) &&
               read_by_numpy(object, name, "from_dlpack", hold, of);
    }
    return PyObject_HasAttrString(object, "__array_interface__") &&
           read_by_numpy(object, name, "asarray", hold, of);
}

/* Buffers and copies have no mask, so that masked numbers would be used. */
bool pl_refuse_masked(PyObject *object, const char *name)
{
    if (!PyObject_HasAttrString(object, "mask") || !PyObject_HasAttrString(object, "filled")) {
        return false;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s is a masked array: write %s.filled(value), or %s.data if no number is masked",
                 name, name, name);
    return true;
}

/* Indices with a sign, each as the caller gave it. */
static bool refuse_negative(const char *name, const layout *of, const pl_array *array)
{
    uint64_t columns = 1;
    for (int i = 1; i < of->axes; i++) {
        columns *= (uint64_t)of->shape[i];
    }
    for (uint64_t row = 0; of->kind == 'i' && row < array->count; row++) {
        const char *numbers = (const char *)array->data + row * array->stride;
        for (uint64_t k = 0; k < columns; k++) {
            int32_t number = 0;
            memcpy(&number, numbers + k * sizeof number, sizeof number);
            if (number < 0) {
                char text[96];
                snprintf(text, sizeof text, "%.32s has %d in row %llu: indices are 0 or more", name,
                         (int)number, (unsigned long long)row);
                pl_raise_text(PLIANT_ERROR_RANGE, text);
                return true;
            }
        }
    }
    return false;
}

/* Whether it was read, and if not, whether a copy could be. */
static bool try_read(PyObject *object, const char *name, const pl_wanted *wanted, pl_array *array,
                     bool *may_copy)
{
    pl_hold *hold = PyObject_New(pl_hold, pl_hold_type);
    if (hold == NULL) {
        return false;
    }
    hold->has_view = false;
    layout of = {0};
    *may_copy = false;
    if (!pl_refuse_masked(object, name) && read_any(object, name, hold, &of) &&
        check_layout(name, &of, wanted, array, may_copy)) {
        *may_copy = false;
        if (!refuse_negative(name, &of, array)) {
            array->hold = (PyObject *)hold;
            return true;
        }
    }
    if (PyErr_Occurred() == NULL) { /* no array at all */
        *may_copy = true;
        PyErr_Format(PyExc_TypeError,
                     "%s is no array: write numpy.array(%s, numpy.%s), or pass copy=True", name,
                     name, numpy_name(wanted->types));
    }
    PL_DECREF(hold);
    return false;
}

bool pl_array_read(PyObject *object, const char *name, const pl_wanted *wanted, bool copy,
                   pl_array *array)
{
    bool may_copy = false;
    if (try_read(object, name, wanted, array, &may_copy)) {
        return true;
    }
    if (!copy || !may_copy || pl_convert == NULL) {
        return false;
    }
    PyErr_Clear();
    PyObject *copied =
        PyObject_CallFunction(pl_convert, "Oss", object, name, numpy_name(wanted->types));
    if (copied == NULL) {
        return false;
    }
    bool read = try_read(copied, name, wanted, array, &may_copy);
    Py_DECREF(copied);
    return read;
}

void pl_array_free(pl_array *array)
{
    Py_CLEAR(array->hold);
}

bool pl_count32(const pl_array *array, const char *name, uint32_t *count)
{
    if (array->count > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s has %llu rows, which is more than there may be", name,
                     (unsigned long long)array->count);
        return false;
    }
    *count = (uint32_t)array->count;
    return true;
}

bool pl_add_arrays(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, hold_free}, {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Hold", sizeof(pl_hold), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return pl_add_type(module, &spec, &pl_hold_type);
}
