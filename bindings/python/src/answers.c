/*
 * Answers: structs of the library with arrays, copied into one object that owns them all. Each
 * struct has a type of its own, whose attributes are the struct's fields; arrays become numpy
 * arrays over the object's memory, which they keep alive.
 */
#include "core.h"

#define HEADER ((sizeof(pl_answer) + 15) / 16 * 16)

PyTypeObject *pl_answer_type, *pl_block_type;
static PyTypeObject *types[256];
static PyObject *dtypes[256];
static PyObject *ndarray, *number_types[5]; /* as in number_names */
static const char *const number_names[5] = {"u2", "u4", "u8", "f4", "bool"};

static char *memory_of(PyObject *self)
{
    return (char *)self + HEADER;
}

/* Where the arrays begin: behind the struct, which has pointers that nobody is to change. */
static size_t arrays_begin(PyObject *self)
{
    const pl_struct *type = ((pl_answer *)self)->type;
    return type == NULL ? 0 : (type->size + 15) / 16 * 16;
}

static bool is_list(const pl_field *field)
{
    return field->kind >= PL_NAMES;
}

static size_t element_size(const pl_field *field)
{
    static const size_t sizes[] = {[PL_NAMES] = sizeof(char *),
                                   [PL_LIST_UINT16] = 2,
                                   [PL_LIST_UINT32] = 4,
                                   [PL_LIST_UINT64] = 8,
                                   [PL_LIST_FLOAT] = 4};
    return field->kind == PL_LIST_STRUCT ? field->type->size : sizes[field->kind] * field->width;
}

static const void *const *lists_of(const pl_field *field, const char *data)
{
    return (const void *const *)(const void *)(data + field->offset);
}

/* Bytes of all arrays, and room to align each. Texts are copied one by one. */
static size_t measure(const pl_struct *type, const char *data, const pl_known *known)
{
    size_t size = 0;
    for (size_t f = 0; f < type->count; f++) {
        const pl_field *field = &type->fields[f];
        if (field->kind == PL_STRUCT && field->type->role == PL_ANSWER) {
            size += measure(field->type, data + field->offset, known);
        }
        if (field->kind == PL_TEXT && lists_of(field, data)[0] != NULL) {
            size += strlen(lists_of(field, data)[0]) + 16;
        }
        for (uint32_t i = 0; is_list(field) && i < field->columns; i++) {
            const void *list = lists_of(field, data)[i];
            if (list == NULL) {
                continue;
            }
            uint64_t count = field->count(data, known, i);
            size += count * element_size(field) + 16;
            for (uint64_t k = 0; field->kind == PL_NAMES && k < count; k++) {
                const char *text = ((const char *const *)list)[k];
                size += text == NULL ? 1 : strlen(text) + 1;
            }
        }
    }
    return size;
}

static char *copy_text(char **at, const char *text)
{
    const char *from = text == NULL ? "" : text;
    size_t size = strlen(from) + 1;
    char *copied = *at;
    memcpy(copied, from, size);
    *at += size;
    return copied;
}

/* Copies arrays to *at on, and has the struct, itself a copy, point to them. */
static void copy_lists(const pl_struct *type, char *data, const pl_known *known, char **at)
{
    for (size_t f = 0; f < type->count; f++) {
        const pl_field *field = &type->fields[f];
        if (field->kind == PL_STRUCT && field->type->role == PL_ANSWER) {
            copy_lists(field->type, data + field->offset, known, at);
        }
        void **lists = (void **)(void *)(data + field->offset);
        if (field->kind == PL_TEXT && lists[0] != NULL) {
            lists[0] = copy_text(at, lists[0]);
        }
        for (uint32_t i = 0; is_list(field) && i < field->columns; i++) {
            if (lists[i] == NULL) {
                continue;
            }
            uint64_t count = field->count(data, known, i);
            *at += (16 - (uintptr_t)*at % 16) % 16;
            char *copied = *at;
            if (count > 0) {
                memcpy(copied, lists[i], count * element_size(field));
            }
            *at += count * element_size(field);
            for (uint64_t k = 0; field->kind == PL_NAMES && k < count; k++) {
                ((char **)(void *)copied)[k] = copy_text(at, ((char **)(void *)copied)[k]);
            }
            lists[i] = copied;
        }
    }
}

PyObject *pl_answer_new(const pl_struct *type, const void *data, const pl_known *known)
{
    static const pl_known nothing;
    known = known == NULL ? &nothing : known;
    size_t size = (type->size + 15) / 16 * 16 + measure(type, data, known);
    pl_answer *answer = PyObject_NewVar(pl_answer, types[type->number], (Py_ssize_t)size);
    if (answer == NULL) {
        return NULL;
    }
    answer->type = type;
    answer->known = *known;
    answer->asked[0] = answer->asked[1] = NULL;
    char *memory = memory_of((PyObject *)answer);
    memcpy(memory, data, type->size);
    char *at = memory + arrays_begin((PyObject *)answer);
    copy_lists(type, memory, known, &at);
    return (PyObject *)answer;
}

const void *pl_answer_data(PyObject *answer, const char *name, const pl_struct *type)
{
    if (!PyObject_TypeCheck(answer, types[type->number])) {
        PyErr_Format(PyExc_TypeError, "%s must be a pliant.%s, not %R", name, type->python_name,
                     answer);
        return NULL;
    }
    return memory_of(answer);
}

void pl_answer_keep(PyObject *answer, PyObject *a, PyObject *b)
{
    if (answer != NULL) {
        ((pl_answer *)answer)->asked[0] = Py_NewRef(a);
        ((pl_answer *)answer)->asked[1] = Py_XNewRef(b);
    }
}

static PyObject *get_asked(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *const *asked = ((pl_answer *)self)->asked;
    return asked[0] == NULL   ? PyTuple_New(0)
           : asked[1] == NULL ? PyTuple_Pack(1, asked[0])
                              : PyTuple_Pack(2, asked[0], asked[1]);
}

static void answer_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((pl_answer *)self)->asked[0]);
    Py_XDECREF(((pl_answer *)self)->asked[1]);
    PyObject_Free(self);
    PL_DECREF(type);
}

/* Arrays of texts are pointers too. */
static bool has_names(const pl_struct *type)
{
    for (size_t i = 0; type != NULL && i < type->count; i++) {
        if (type->fields[i].kind == PL_NAMES) {
            return true;
        }
    }
    return false;
}

static int answer_buffer(PyObject *self, Py_buffer *view, int flags)
{
    size_t begin = arrays_begin(self);
    return PyBuffer_FillInfo(view, self, memory_of(self) + begin, Py_SIZE(self) - (Py_ssize_t)begin,
                             has_names(((pl_answer *)self)->type), flags);
}

/* ------------------------------------------------------------------------------------ arrays */

static PyObject *dtype_of(const pl_field *field)
{
    return field->kind == PL_LIST_STRUCT ? dtypes[field->type->number]
                                         : number_types[field->kind - PL_LIST_UINT16];
}

static PyObject *make_array(PyObject *owner, const void *data, PyObject *dtype, uint64_t count,
                            uint32_t width)
{
    if (dtype == NULL || ndarray == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "arrays need numpy, which `import pliant` imports");
        return NULL;
    }
    Py_ssize_t offset = (const char *)data - memory_of(owner) - (Py_ssize_t)arrays_begin(owner);
    PyObject *shape = PyLong_FromUnsignedLongLong(count);
    if (shape != NULL && width != 1) {
        PyObject *columns = PyLong_FromLong((long)width);
        PyObject *both = columns == NULL ? NULL : PyTuple_Pack(2, shape, columns);
        Py_XDECREF(columns);
        PL_SETREF(shape, both);
    }
    PyObject *at = PyLong_FromSsize_t(count == 0 ? 0 : offset);
    PyObject *array = shape == NULL || at == NULL
                          ? NULL
                          : PyObject_CallFunctionObjArgs(ndarray, shape, dtype, owner, at, NULL);
    Py_XDECREF(shape);
    Py_XDECREF(at);
    return array;
}

static PyObject *get_names(const char *const *names, uint64_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (uint64_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *name = PyUnicode_DecodeUTF8(names[i], (Py_ssize_t)strlen(names[i]), "replace");
        if (name == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, name) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

static PyObject *get_list(pl_answer *answer, const pl_field *field, uint32_t i)
{
    const char *data = memory_of((PyObject *)answer);
    const void *list = lists_of(field, data)[i];
    uint64_t count = field->count(data, &answer->known, i);
    if (field->kind == PL_NAMES) {
        return get_names(list, list == NULL ? 0 : count);
    }
    if (list == NULL && count > 0) {
        Py_RETURN_NONE;
    }
    return make_array((PyObject *)answer, list, dtype_of(field), count, field->width);
}

static PyObject *get_attribute(PyObject *self, void *closure)
{
    const pl_field *field = closure;
    pl_answer *answer = (pl_answer *)self;
    if (!is_list(field)) {
        return pl_get_field(field, memory_of(self));
    }
    if (field->columns == 1) {
        return get_list(answer, field, 0);
    }
    PyObject *first = get_list(answer, field, 0);
    PyObject *second = first == NULL ? NULL : get_list(answer, field, 1);
    PyObject *both = second == NULL ? NULL : PyTuple_Pack(2, first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

/* Where the length of a result is, or NULL. */
static const pl_field *find_length(const pl_struct *type)
{
    for (size_t i = 0; i < type->count; i++) {
        const pl_field *field = &type->fields[i];
        if (strcmp(field->name, "count") == 0 || strcmp(field->name, "contour_count") == 0) {
            return field;
        }
    }
    return NULL;
}

static Py_ssize_t answer_length(PyObject *self)
{
    const pl_field *field = find_length(((pl_answer *)self)->type);
    const char *at = memory_of(self) + field->offset;
    return (Py_ssize_t)(field->kind == PL_UINT64 ? *(const uint64_t *)at : *(const uint32_t *)at);
}

static PyObject *answer_repr(PyObject *self)
{
    const pl_struct *type = ((pl_answer *)self)->type;
    if (find_length(type) == NULL) {
        return PyUnicode_FromFormat("<pliant.%s>", type->python_name);
    }
    return PyUnicode_FromFormat("<pliant.%s: %zd>", type->python_name, answer_length(self));
}

/* ------------------------------------------------------------------------- arrays of our own */

/* Zeroed memory of its own. */
static PyObject *new_block(size_t count, size_t size, void **data)
{
    if (size != 0 && count > (size_t)PY_SSIZE_T_MAX / size) {
        return PyErr_NoMemory();
    }
    pl_answer *block = PyObject_NewVar(pl_answer, pl_block_type, (Py_ssize_t)(count * size));
    if (block != NULL) {
        block->type = NULL;
        block->asked[0] = block->asked[1] = NULL;
        *data = memory_of((PyObject *)block);
        memset(*data, 0, count * size);
    }
    return (PyObject *)block;
}

PyObject *pl_new_records(const pl_struct *type, uint64_t count, void **data)
{
    PyObject *block = new_block(count, type->size, data);
    PyObject *array =
        block == NULL ? NULL : make_array(block, *data, dtypes[type->number], count, 1);
    Py_XDECREF(block);
    return array;
}

PyObject *pl_new_numbers(const char *type, const Py_ssize_t *shape, int dimensions, void **data)
{
    static const size_t sizes[5] = {2, 4, 8, 4, 1};
    int number = 0;
    while (strcmp(number_names[number], type) != 0) {
        number++;
    }
    size_t row = sizes[number]; /* bytes of one element of the first axis: few */
    PyObject *tuple = PyTuple_New(dimensions);
    for (int i = 0; tuple != NULL && i < dimensions; i++) {
        row *= i == 0 ? 1 : (size_t)shape[i];
        PyObject *extent = PyLong_FromSsize_t(shape[i]);
        if (extent == NULL || PyTuple_SetItem(tuple, i, extent) < 0) {
            Py_CLEAR(tuple);
        }
    }
    PyObject *block = tuple == NULL ? NULL : new_block((size_t)shape[0], row, data);
    PyObject *array =
        block == NULL
            ? NULL
            : PyObject_CallFunctionObjArgs(ndarray, tuple, number_types[number], block, NULL);
    Py_XDECREF(block);
    Py_XDECREF(tuple);
    return array;
}

/* numpy.ndarray, and how to make a dtype of pl_make_layout(). */
static PyObject *set_numpy(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *array = NULL, *make_dtype = NULL, *convert = NULL;
    if (!PyArg_ParseTuple(args, "OOO:set_numpy", &array, &make_dtype, &convert)) {
        return NULL;
    }
    PL_SETREF(ndarray, Py_NewRef(array));
    PL_SETREF(pl_convert, Py_NewRef(convert));
    for (int i = 0; i < 5; i++) {
        PL_SETREF(number_types[i], PyObject_CallFunction(make_dtype, "s", number_names[i]));
        if (number_types[i] == NULL) {
            return NULL;
        }
    }
    for (size_t i = 0; i < pl_struct_count; i++) {
        if (pl_structs[i]->role == PL_SETTINGS || pl_structs[i]->count == 0) {
            continue;
        }
        PyObject *layout = pl_make_layout(pl_structs[i]);
        PL_SETREF(dtypes[i],
                  layout == NULL ? NULL : PyObject_CallFunctionObjArgs(make_dtype, layout, NULL));
        Py_XDECREF(layout);
        if (dtypes[i] == NULL) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------- types */

static PyTypeObject *make_type(PyObject *module, const pl_struct *type)
{
    /* These live as long as the interpreter. */
    PyGetSetDef *attributes = PyMem_Calloc(type->count + 1, sizeof *attributes);
    char *name = PyMem_Malloc(strlen(type->python_name) + 32);
    char *doc = PyMem_Malloc(strlen(type->name) + 64);
    if (attributes == NULL || name == NULL || doc == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    sprintf(name, "pliant._core.%s", type->python_name);
    sprintf(doc, "An answer: %s of C, which owns its arrays.", type->name);
    for (size_t i = 0; i < type->count; i++) {
        attributes[i] = (PyGetSetDef){type->fields[i].name, get_attribute, NULL,
                                      type->fields[i].doc, (void *)(uintptr_t)&type->fields[i]};
    }
    PyType_Slot slots[] = {
        {Py_tp_getset, attributes},
        {Py_tp_doc, doc},
        {find_length(type) != NULL ? Py_sq_length : Py_tp_repr,
         find_length(type) != NULL ? (void *)answer_length : (void *)answer_repr},
        {0, NULL}};
    PyType_Spec spec = {name, (int)HEADER, 1,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject *made = PyType_FromModuleAndSpec(module, &spec, (PyObject *)pl_answer_type);
    if (made == NULL || PyModule_AddObjectRef(module, type->python_name, made) < 0) {
        return NULL;
    }
    return (PyTypeObject *)made;
}

bool pl_add_answers(PyObject *module)
{
    static PyGetSetDef attributes[] = {
        {"bodies_asked", get_asked, NULL, "The bodies that the question was about.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_getset, attributes},
        {Py_tp_doc, "What a question was answered with; owns its arrays."},
        {Py_tp_dealloc, answer_free},
        {Py_tp_repr, answer_repr},
        {Py_bf_getbuffer, answer_buffer},
        {0, NULL}};
    static PyType_Spec spec = {
        "pliant._core.Answer", (int)HEADER, 1,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    static PyType_Slot block_slots[] = {
        {Py_tp_dealloc, answer_free}, {Py_bf_getbuffer, answer_buffer}, {0, NULL}};
    static PyType_Spec block_spec = {"pliant._core.Block", (int)HEADER, 1,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     block_slots};
    static PyMethodDef functions[] = {{"set_numpy", set_numpy, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
    if (!pl_add_type(module, &spec, &pl_answer_type) ||
        !pl_add_type(module, &block_spec, &pl_block_type) ||
        PyModule_AddFunctions(module, functions) < 0) {
        return false;
    }
    for (size_t i = 0; i < pl_struct_count; i++) {
        if (pl_structs[i]->role == PL_ANSWER) {
            types[i] = make_type(module, pl_structs[i]);
            if (types[i] == NULL) {
                return false;
            }
        }
    }
    return true;
}
