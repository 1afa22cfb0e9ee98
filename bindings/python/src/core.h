/*
 * _core, the part of the Python binding that is written in C, on the limited interface of Python
 * 3.11: one file works with every later version. This header has what its files share.
 *
 * Structs of the library become Python values by tables, which interface/generate writes from the
 * headers and interface/queries.toml: options from keywords, named tuples, and results, which own
 * copies of their arrays. The calls described there are methods, which one dispatcher runs (ask.c).
 */
#ifndef PL_CORE_H
#define PL_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/asset.h"
#include "pliant/attach.h"
#include "pliant/backend.h"
#include "pliant/contour.h"
#include "pliant/distance.h"
#include "pliant/draw.h"
#include "pliant/extend.h"
#include "pliant/fit.h"
#include "pliant/pliant.h"
#include "pliant/recording.h"
#include "pliant/scene_query.h"

/* Puts a new reference in the place of one that is given up, which the limited interface has no
   macro for. */
#define PL_SETREF(place, value)                                                                    \
    do {                                                                                           \
        PyObject *pl_old = (PyObject *)(place);                                                    \
        (place) = (value);                                                                         \
        Py_XDECREF(pl_old);                                                                        \
    } while (0)

/* Gives up a reference to an object of ours, or NULL. */
#define PL_DECREF(object) Py_XDECREF((PyObject *)(object))

/* ---------------------------------------------------------------- tables of structs and enums */

typedef enum pl_kind {
    PL_BOOL,
    PL_INT32,
    PL_UINT16,
    PL_UINT32,
    PL_UINT64,
    PL_FLOAT,
    PL_DOUBLE,
    PL_ENUM,
    PL_STRUCT,
    PL_GROUPS, /* a set of groups, from an iterable of numbers */
    PL_TEXT,
    PL_NAMES, /* an array of texts, and arrays of the kinds above: */
    PL_LIST_UINT16,
    PL_LIST_UINT32,
    PL_LIST_UINT64,
    PL_LIST_FLOAT,
    PL_LIST_STRUCT,
    PL_BODY, /* parameters of methods: a pliant_body *, */
    PL_BODIES,
    PL_SCENE,
    PL_ARRAY,
    PL_FUNCTION,   /* a pl_back */
    PL_GROUP_SETS, /* one pliant_groups per body of PL_BODIES */
    PL_FOUND,      /* a pointer to a result of an earlier call */
    PL_DRAWER,
    PL_EACH /* an output: one struct, or one bool, per row of an array */
} pl_kind;

typedef struct pl_constant {
    const char *name; /* in small letters, without the prefix of the enum */
    int value;
} pl_constant;

typedef struct pl_enum {
    const char *python_name;
    const pl_constant *constants;
    size_t count;
} pl_enum;

typedef struct pl_struct pl_struct;

/* Numbers that a call knows and its result does not: rows of its array, sizes of its bodies. */
typedef struct pl_known {
    uint64_t rows, vertices[2], triangles[2];
} pl_known;

typedef struct pl_field {
    const char *name, *doc;
    size_t offset;
    pl_kind kind;
    uint32_t rows, columns; /* of an array within the struct; 1 and 1: a single value. PL_ARRAY:
                               rows are the bits of its length, or 0: as many as vertices */
    uint32_t width;         /* numbers per element of a list, or per row of an array */
    const pl_struct *type;
    const pl_enum *constants;
    uint64_t (*count)(const void *data, const pl_known *known, uint32_t i); /* of list i */
    const char *formats; /* PL_ARRAY: allowed types */
    bool strict;         /* PL_ARRAY: rows must lie side by side; PL_FLOAT: no NaN, arrays finite */
} pl_field;

typedef enum pl_role { PL_SETTINGS, PL_TUPLE, PL_ANSWER } pl_role;

struct pl_struct {
    const char *name, *python_name;
    pl_role role;
    size_t size;
    const pl_field *fields;
    size_t count, number;
};

extern const pl_struct *const pl_structs[];
extern const size_t pl_struct_count;
extern const pl_enum *const pl_enums[];
extern const size_t pl_enum_count;
#include "tables.h"

/* Memory that lives until the end of a call: sets of groups, lists of pointers. */
typedef struct pl_scratch {
    size_t count;
    void *latest; /* each block begins with a pointer to the one before */
} pl_scratch;

void *pl_scratch_allocate(pl_scratch *scratch, size_t size); /* NULL with an exception */
void pl_scratch_free(pl_scratch *scratch);

/* Values of C from Python ones; false with an exception that names what is wrong. */
bool pl_set_field(const pl_field *field, void *settings, PyObject *value, pl_scratch *scratch);
bool pl_read_enum(const pl_enum *of, const char *name, PyObject *value, int *number);
bool pl_read_groups(PyObject *value, const char *name, pliant_groups *groups, pl_scratch *scratch);
bool pl_read_u32(PyObject *value, const char *name, uint32_t *number);
bool pl_read_u64(PyObject *value, const char *name, uint64_t *number);
bool pl_read_float(PyObject *value, const char *name, float *number);
bool pl_read_double(PyObject *value, const char *name, double *number);
bool pl_read_bool(PyObject *value, const char *name, bool *truth);
/* `count` numbers from an array of float32 or from sequences of numbers, nested or not. */
bool pl_read_floats(PyObject *value, const char *name, float *numbers, size_t count);
/* The same, and none is infinite or NaN: for arithmetic that does not look. */
bool pl_read_finite(PyObject *value, const char *name, float *numbers, size_t count);
bool pl_read_box(PyObject *value, const char *name, pliant_box *box);

/* Python values of fields, of structs (named tuples and results) and of enums. */
PyObject *pl_get_field(const pl_field *field, const void *data);
PyObject *pl_get_struct(const pl_struct *type, const void *data, const pl_known *known);
PyObject *pl_make_tuple(const pl_struct *type, const void *data);
PyObject *pl_make_enum(const pl_enum *of, int value);
/* {"fields": [(name, format, offset), ...], "itemsize": ...}, for numpy.dtype(). */
PyObject *pl_make_layout(const pl_struct *type);

/* --------------------------------------------------------------------------------- arguments */

/* What a function was called with. */
typedef struct pl_args {
    const char *function;
    PyObject *const *values; /* by position, then by name */
    Py_ssize_t count;        /* by position */
    PyObject *names;         /* a tuple, or NULL */
} pl_args;

/*
 * Sorts arguments; `names` ends with NULL. A caller may leave out "?name", and "*name", which is
 * given by its name only. "!name" is a truth value given by its name, NULL if it is false. Other
 * names are fields of `settings`, unless `type` is NULL. `found` has room for all names. It is NULL
 * for an argument that was left out, or that is None and may be left out.
 */
bool pl_parse(const pl_args *args, const char *const *names, PyObject **found,
              const pl_struct *type, void *settings, pl_scratch *scratch);
/* The same for constructors, which are given a tuple and a dictionary. */
bool pl_parse_new(const char *function, PyObject *tuple, PyObject *dictionary,
                  const char *const *names, PyObject **found, const pl_struct *type, void *settings,
                  pl_scratch *scratch);

/* ------------------------------------------------------------------------------------ arrays */

/* An array of the caller's that may be read as long as `hold` lives. */
typedef struct pl_array {
    const void *data;
    uint64_t count; /* rows */
    size_t stride;  /* bytes from row to row; never 0 */
    int type;       /* which of the types that were allowed */
    PyObject *hold;
} pl_array;

/* What is wanted: types such as "f4", "u4 i4 u2", numbers per row (0: no rows, a plain list). */
typedef struct pl_wanted {
    const char *types;
    uint32_t columns;
    bool packed;    /* rows must lie side by side */
    uint32_t inner; /* the last of three axes; 0: any */
} pl_wanted;

extern const pl_wanted pl_points, pl_list_u32;

/*
 * Borrows an array: buffer protocol, __dlpack__ or __array_interface__. With `copy` what cannot be
 * borrowed is converted by numpy. False with an exception that says what to write.
 */
bool pl_array_read(PyObject *object, const char *name, const pl_wanted *wanted, bool copy,
                   pl_array *array);
void pl_array_free(pl_array *array);
bool pl_refuse_masked(PyObject *object, const char *name); /* true with an exception: it is one */

/* One of the arrays of a struct. Sizes have numbers above 0; the first array that has one sets it.
 */
#define PL_UNKNOWN UINT64_MAX

typedef struct pl_part {
    const char *name, *types;
    uint8_t rows, plus;  /* it has that many rows more than size number `rows` */
    uint8_t middle;      /* rows are that size times `last` numbers; 0: `last` numbers */
    uint32_t last;       /* 0: a plain list */
    int partner;         /* part that is needed too, or itself */
    size_t data, stride; /* offsets of its pointer and stride; 0: rows lie side by side */
    size_t count;        /* and of the uint32_t that the size is written to, or 0 */
} pl_part;

bool pl_read_parts(const pl_part *parts, int count, PyObject *const *found, bool copy,
                   uint64_t *sizes, pl_array *arrays, void *filled);
bool pl_count32(const pl_array *array, const char *name, uint32_t *count);

/* ------------------------------------------------------------- objects, and who is using them */

typedef struct pl_context pl_context;

/* Objects that never change may be read by any thread. */
typedef enum pl_object_kind {
    PL_OTHER,
    PL_CONSTANT,
    PL_BODY_OBJECT,
    PL_SCENE_OBJECT
} pl_object_kind;

typedef struct pl_object {
    PyObject_HEAD pl_object_kind kind;
    void *handle; /* of the library; NULL: it was destroyed */
    pl_context *context;
    PyObject *parent; /* lives at least as long: the shape of a body, the asset of a pose */
    PyObject *user;   /* of the caller's, or NULL */
    unsigned long owner;
    uint32_t depth;   /* calls of the owner's that are under way */
    uint32_t readers; /* calls that only read, of any thread */
} pl_object;

typedef struct pl_scene pl_scene;

typedef struct pl_body {
    pl_object base;
    PyObject *positions, *start; /* holds of borrowed arrays: of the state, of the step's start */
    PyObject *torn;              /* the shape of its own, since it was torn, if it was asked for */
    pl_scene *scene;             /* that it is in; not counted as a reference */
    bool prepared;
} pl_body;

struct pl_scene {
    pl_object base;
    pl_body **members; /* by index */
    uint32_t capacity;
    uint32_t body_uses;       /* calls about single bodies of it that are under way, */
    unsigned long body_owner; /* all by this thread; 0: by several */
    PyObject *write;          /* of its recording */
};

typedef struct pl_use {
    pl_object *object;
    bool shared;
} pl_use;

/* A call of the library that is under way. */
typedef struct pl_call {
    pl_context *context;
    pl_use *uses; /* `few`, or memory of its own */
    pl_use few[4];
    uint32_t count, capacity;
    PyThreadState *thread;
    pliant_result result;
    PyObject *drawer; /* of the caller's */
} pl_call;

void pl_call_begin(pl_call *call, pl_object *self);
/* Marks an object as used by this thread; false with an exception where another one uses it, or it
   was destroyed. `shared`: for reading only. */
bool pl_call_use(pl_call *call, pl_object *object, bool shared);
/* A body in a question; prepared ones may be asked by many threads where the question allows it. */
bool pl_call_use_body(pl_call *call, PyObject *body, bool many);
/* Nothing was called. Returns NULL. */
PyObject *pl_call_abort(pl_call *call);
/* Ends it: raises what the library or a function of the caller's reported, and drops `answer` then.
 */
PyObject *pl_call_end(pl_call *call, PyObject *answer);
/* Returns true if neither has reported anything. */
bool pl_call_succeeded(const pl_call *call);

/* Runs an expression of type pliant_result without the interpreter's lock. */
#define PL_RUN(call, expression)                                                                   \
    ((call)->thread = PyEval_SaveThread(), (call)->result = (expression),                          \
     PyEval_RestoreThread((call)->thread))

/* Around functions of the caller's that the library calls on the thread of the call. An exception
   stays this thread's until the call ends, and no function runs until then. */
bool pl_enter_python(pl_call *call);                     /* false: one has failed before */
bool pl_leave_python(pl_call *call, PyObject *returned); /* whether to go on: None or true */

PyObject *pl_object_destroyed(pl_object *object);
#define PL_HANDLE(type, object) ((type *)((pl_object *)(object))->handle)

/* Makes the object of Python around one of the library. */
pl_object *pl_object_new(PyTypeObject *type, pl_context *context, PyObject *parent);
void pl_object_free(pl_object *object);
/* The default context is made when it is first needed. */
pl_context *pl_context_of(PyObject *given); /* a new reference */
void pl_context_flush(pl_context *context); /* tells the logger what was said meanwhile */

/* ----------------------------------------------------------------------------------- methods */

/* Values in the struct of a call. */
typedef struct pl_bodies {
    pliant_body **list;
    uint32_t count;
    PyObject *hold; /* a list of them */
} pl_bodies;

typedef struct pl_back {
    pl_call *call;
    PyObject *function; /* NULL: none */
} pl_back;

/* A struct that a function of the caller's is given. */
typedef struct pl_value {
    const pl_struct *type;
    const void *data;
} pl_value;

#define PL_MOST_PARAMETERS 32
#define PL_MOST_BYTES      1024 /* of the struct of a call */

#define PL_NO_ARRAY        SIZE_MAX
#define PL_NOTHING         ((pliant_result)-1) /* a function that found nothing: None */
#define PL_NO_SUCH         ((pliant_result)-2) /* a number that is too large: IndexError */

/* A call of the library. Its struct has a member for each parameter and output. */
typedef struct pl_method {
    const char *name;
    const char *const *names; /* of parameters, as pl_parse() takes them */
    const pl_field *parameters;
    size_t count, size;
    const pl_field *outputs;
    size_t output_count;
    void (*begin)(void *values); /* sets defaults; may be NULL */
    pliant_result (*run)(void *object, void *values);
    size_t array; /* offset of the pl_array that outputs are counted by, or PL_NO_ARRAY */
    bool shares;  /* threads may call it at the same time about prepared bodies */
    bool changes; /* the bodies get another state */
    bool quick;   /* runs with the interpreter's lock */
    void (*after)(PyObject *self, bool done); /* or NULL */
} pl_method;

PyObject *pl_ask(const pl_method *method, PyObject *self, PyObject *const *values, Py_ssize_t count,
                 PyObject *names);
PyObject *pl_ask_attribute(PyObject *self, void *method);
/* Calls a function of the caller's; a filter that returns None says no. */
bool pl_call_back(void *user, bool filters, const pl_value *values, size_t count);

/* ----------------------------------------------------------------------------------- answers */

/* A struct with arrays, all copied into one object. */
typedef struct pl_answer {
    PyObject_VAR_HEAD const pl_struct *type;
    pl_known known;
    PyObject *asked[2]; /* the bodies that it is about, or NULL */
} pl_answer;

PyObject *pl_answer_new(const pl_struct *type, const void *data, const pl_known *known);
void pl_answer_keep(PyObject *answer, PyObject *a, PyObject *b); /* the bodies it is about */
/* NULL with an exception: it is not of this type. */
const void *pl_answer_data(PyObject *answer, const char *name, const pl_struct *type);

/* A numpy array over memory of a new object: write to *data. Of a struct, or of numbers. */
PyObject *pl_new_records(const pl_struct *type, uint64_t count, void **data);
PyObject *pl_new_numbers(const char *type, const Py_ssize_t *shape, int dimensions, void **data);

/* ------------------------------------------------------------------------------------ errors */

extern PyObject *pl_error, *pl_busy_error;
bool pl_make_errors(PyObject *module);
PyObject *pl_raise(pliant_result result); /* with the library's sentence; NULL */
PyObject *pl_raise_text(pliant_result result, const char *sentence);

/* ---------------------------------------------------------------------------- types, by file */

extern PyTypeObject *pl_context_type, *pl_shape_type, *pl_body_type, *pl_query_type,
    *pl_contours_type, *pl_scene_type, *pl_volume_type, *pl_asset_type, *pl_pose_type,
    *pl_answer_type, *pl_hold_type, *pl_block_type;
bool pl_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type);
/* Adds the methods and attributes of the tables. */
bool pl_add_members(PyTypeObject *type, PyMethodDef *methods, PyGetSetDef *attributes);
bool pl_add_answers(PyObject *module);
bool pl_add_arrays(PyObject *module);
bool pl_add_context(PyObject *module);
bool pl_add_shape(PyObject *module);
bool pl_add_body(PyObject *module);
bool pl_add_queries(PyObject *module);
bool pl_add_scene(PyObject *module);
bool pl_add_asset(PyObject *module);
bool pl_add_check(PyObject *module);
bool pl_add_plain(PyObject *module);

/* Converts arrays by numpy; the Python part hands it in. */
extern PyObject *pl_convert;

/* A method with keywords. */
#define PL_METHOD(name, function, doc)                                                             \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, doc            \
    }

/* Shared by files of queries and scenes. */
void pl_body_changed(pl_body *body);
bool pl_is_body(PyObject *object, const char *name);
PyObject *pl_body_tear(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given);
PyObject *pl_body_get_shape(PyObject *self, void *closure);
bool pl_read_id(pl_scene *scene, PyObject *value, pliant_body_id *id);
bool pl_make_drawer(pl_call *call, PyObject *object, const char *name, pliant_drawer *drawer);
bool pl_are_ranges_right(const pliant_scene_contacts *contacts);
/* A constructor of (context=None, settings): `create` takes the context and the settings. */
typedef pliant_result (*pl_create)(pliant_context *context, const void *settings, void **made);
PyObject *pl_new_in_context(PyTypeObject *type, PyObject *tuple, PyObject *dictionary,
                            const char *name, const pl_struct *settings, void *values,
                            pl_create create);
PyObject *pl_get_context(PyObject *self, void *closure);
PyObject *pl_get_user(PyObject *self, void *closure);
int pl_set_user(PyObject *self, PyObject *value, void *closure);
bool pl_has_vertices(pl_object *body, uint64_t rows); /* false with an exception: other positions */
extern PyMethodDef pl_output_functions[];
/* body.c */
bool pl_read_state(PyObject *body, PyObject *const *found, bool copy, pl_array *arrays,
                   pliant_state *state, float *world);
void pl_body_adopt(pl_body *body, const pliant_state *state, pl_array *positions);
PyObject *pl_shape_of_def(PyObject *type, pl_context *context, const pliant_shape_def *def);
/* The shape of a body, which it takes and keeps as long as it lives. */
PyObject *pl_shape_of_body(PyTypeObject *type, pl_context *context, pliant_body *keeper);
PyObject *pl_list_paths(PyObject *value, const char *name); /* one path, or several: a list */

#endif
