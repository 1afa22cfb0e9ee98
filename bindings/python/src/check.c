/* What the tool does, by the tool's own libraries: checks of files, and recordings played again.
   Reports are handed over as the text that the tool would write. */
#include "core.h"

#include "tool/check/check.h"
#include "tool/replay/replay.h"

static PyTypeObject *run_type;

#define OPTION_COUNT 24

typedef struct pl_check_run {
    PyObject_HEAD check state;
    PyObject *kept[OPTION_COUNT]; /* bytes, and lists of them, that the settings point to; */
    const char **paths[2];        /* where these begin: of files, of files of clips */
    PyObject *progress;           /* NULL: none was given */
} pl_check_run;

static PyObject *fail(const check *state, check_result result)
{
    return pl_raise_text(result == CHECK_BAD_INPUT   ? PLIANT_ERROR_DATA
                         : result == CHECK_NO_MEMORY ? PLIANT_ERROR_OUT_OF_MEMORY
                                                     : PLIANT_ERROR_STATE,
                         check_error(state, result));
}

static void run_free(PyObject *self)
{
    pl_check_run *run = (pl_check_run *)self;
    PyTypeObject *type = Py_TYPE(self);
    check_free(&run->state);
    for (int i = 0; i < OPTION_COUNT; i++) {
        Py_XDECREF(run->kept[i]);
    }
    PyMem_Free(run->paths[0]);
    PyMem_Free(run->paths[1]);
    Py_XDECREF(run->progress);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    PL_DECREF(type);
}

/* On the thread that began the check. An exception, also of a signal, ends the check and stays this
   thread's. */
static bool tell_progress(void *user, uint32_t done, uint32_t count)
{
    pl_check_run *run = user;
    PyGILState_STATE state = PyGILState_Ensure();
    bool goes_on = PyErr_CheckSignals() == 0;
    if (goes_on && run->progress != NULL) {
        PyObject *returned = PyObject_CallFunction(run->progress, "II", done, count);
        goes_on = returned != NULL;
        Py_XDECREF(returned);
    }
    PyGILState_Release(state);
    return goes_on;
}

/* A keyword of check(): how it is read, its place in the settings, and its range. */
typedef struct option option;
typedef bool (*reader)(PyObject *value, const option *of, pl_check_run *run, PyObject **keep);

struct option {
    const char *name; /* as pl_parse() takes it */
    reader read;
    size_t offset, given; /* given: of a bool that is set with it, or 0 */
    double least, most;
};

static const char *name_of(const option *of)
{
    return of->name + (strchr("*!", *of->name) != NULL);
}

static void *place(const option *of, pl_check_run *run)
{
    return (char *)&run->state.settings + of->offset;
}

static bool read_path(PyObject *value, const char *name, PyObject **keep, const char **text)
{
    PyObject *path = PyOS_FSPath(value);
    *keep = path == NULL            ? NULL
            : PyUnicode_Check(path) ? PyUnicode_EncodeFSDefault(path)
                                    : Py_NewRef(path);
    Py_XDECREF(path);
    *text = *keep == NULL ? NULL : PyBytes_AsString(*keep);
    if (*text == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a text, not %R", name, value);
    }
    return *text != NULL;
}

static bool read_text(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    return read_path(value, name_of(of), keep, place(of, run));
}

/* One path, or several, and their number behind it. */
static bool read_files(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    check_settings *settings = &run->state.settings;
    bool clips = of->offset == offsetof(check_settings, clip_files);
    *keep = pl_list_paths(value, name_of(of));
    Py_ssize_t count = *keep == NULL ? 0 : PyList_Size(*keep);
    const char **files = *keep == NULL ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *files);
    run->paths[clips] = files;
    for (Py_ssize_t i = 0; files != NULL && i < count; i++) {
        PyObject *bytes = NULL;
        if (!read_path(PyList_GetItem(*keep, i), name_of(of), &bytes, &files[i]) ||
            PyList_SetItem(*keep, i, bytes) < 0) {
            return false;
        }
    }
    *(clips ? &settings->clip_files : &settings->files) = files;
    *(clips ? &settings->clip_file_count : &settings->file_count) = (uint32_t)count;
    return files != NULL || (*keep != NULL && PyErr_NoMemory() != NULL);
}

static bool is_text(PyObject *value, const char *text)
{
    return PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, text) == 0;
}

/* "rest", "none", a frame, or the path of a reference. */
static bool read_against(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    check_settings *settings = &run->state.settings;
    if (PyLong_Check(value)) {
        settings->against = CHECK_AGAINST_FRAME;
        return pl_read_u32(value, "against", &settings->against_frame);
    }
    if (is_text(value, "rest") || is_text(value, "none")) {
        settings->against = is_text(value, "rest") ? CHECK_AGAINST_REST : CHECK_AGAINST_NONE;
        return true;
    }
    return read_text(value, of, run, keep);
}

static bool read_split(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    (void)keep;
    for (int i = CHECK_SPLIT_NODE; i <= CHECK_SPLIT_COMPONENT; i++) {
        if (is_text(value, check_split_name((check_split)i))) {
            *(check_split *)place(of, run) = (check_split)i;
            return true;
        }
    }
    PyErr_SetString(PyExc_ValueError, "split is \"node\", \"primitive\" or \"component\"");
    return false;
}

static bool read_number(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    (void)keep;
    double read = 0.0;
    if (!pl_read_double(value, name_of(of), &read)) {
        return false;
    }
    if (!(read >= of->least && read <= of->most)) {
        PyErr_Format(PyExc_ValueError, "%s is %R, outside its range", name_of(of), value);
        return false;
    }
    *(double *)place(of, run) = read;
    return true;
}

/* A depth in units, or as a text with a percent sign. The number is the first member. */
static bool read_limit(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    _Static_assert(offsetof(check_limit, value) == 0, "read_number() writes it");
    check_limit *limit = place(of, run);
    limit->is_percent = PyUnicode_Check(value);
    if (!limit->is_percent) {
        return read_number(value, of, run, keep);
    }
    PyObject *number = NULL, *text = PyObject_CallMethod(value, "removesuffix", "s", "%");
    if (text != NULL && PyUnicode_Compare(text, value) != 0) {
        number = PyFloat_FromString(text);
    }
    Py_XDECREF(text);
    bool read = number != NULL && read_number(number, of, run, keep);
    if (number == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is a number, or a text like \"2%%\", not %R",
                     name_of(of), value);
    }
    Py_XDECREF(number);
    return read;
}

static bool read_count(PyObject *value, const option *of, pl_check_run *run, PyObject **keep)
{
    (void)keep;
    uint32_t *number = place(of, run);
    if (!pl_read_u32(value, name_of(of), number)) {
        return false;
    }
    if (*number < of->least || *number > of->most) {
        PyErr_Format(PyExc_ValueError, "%s must be %u to %u", name_of(of), (unsigned)of->least,
                     (unsigned)of->most);
        return false;
    }
    return true;
}

#define AT(member) offsetof(check_settings, member)

static const option options[OPTION_COUNT] = {
    {"paths", read_files, AT(files), 0, 0, 0},
    {"*clips", read_text, AT(clips), 0, 0, 0},
    {"*ignore", read_text, AT(ignored), 0, 0, 0},
    {"*fps", read_number, AT(rate), 0, 0.001, 10000},
    {"*first", read_count, AT(first), AT(has_first), 0, UINT32_MAX},
    {"*last", read_count, AT(last), AT(has_last), 0, UINT32_MAX},
    {"!self_contact", NULL, 0, 0, 0, 0},
    {"!volume", NULL, 0, AT(volume), 0, 0},
    {"!contours", NULL, 0, AT(contours), 0, 0},
    {"*continuous", read_count, AT(steps), 0, 0, 1000},
    {"*clearance", read_number, AT(clearance), 0, 0, 1e30},
    {"*split", read_split, AT(split), 0, 0, 0},
    {"*against", read_against, AT(reference), 0, 0, 0},
    {"*allow", read_text, AT(allowed), 0, 0, 0},
    {"*clip_files", read_files, AT(clip_files), 0, 0, 0},
    {"!together", NULL, 0, AT(together), 0, 0},
    {"*scene", read_text, AT(scene), 0, 0, 0},
    {"!repair", NULL, 0, AT(repair), 0, 0},
    {"*near", read_limit, AT(near), 0, 0, 1e30},
    {"*min_depth", read_limit, AT(min_depth), 0, 0, 1e30},
    {"*max_depth", read_limit, AT(max_depth), AT(has_max_depth), 0, 1e30},
    {"*max_area", read_number, AT(max_area), AT(has_max_area), 0, 1e30},
    {"*threads", read_count, AT(threads), 0, 1, 256},
    {"*progress", NULL, 0, 0, 0, 0}};

enum { SELF_CONTACT = 6, PROGRESS = 23 };

static bool read_settings(PyObject **found, pl_check_run *run)
{
    check_settings *settings = &run->state.settings;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const option *of = &options[i];
        if (found[i] != NULL && of->given != 0) {
            *(bool *)(void *)((char *)settings + of->given) = true;
        }
        if (found[i] != NULL && of->read != NULL && !of->read(found[i], of, run, &run->kept[i])) {
            return false;
        }
    }
    settings->clearance = (double)(float)settings->clearance; /* as the library compares */
    settings->keep_triangles = settings->keep_lines = true;   /* for any writer */
    settings->self = found[SELF_CONTACT] != NULL ? CHECK_SELF_ON : CHECK_SELF_DEFAULT;
    run->progress = Py_XNewRef(found[PROGRESS]);
    settings->progress = tell_progress;
    settings->progress_user = run;
    return true;
}

static PyObject *run_check(PyObject *module, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    (void)module;
    const char *names[OPTION_COUNT + 1];
    for (int i = 0; i < OPTION_COUNT; i++) {
        names[i] = options[i].name;
    }
    names[OPTION_COUNT] = NULL;
    const pl_args args = {"check", values, count, given};
    PyObject *found[OPTION_COUNT];
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(run_type, Py_tp_alloc);
    pl_check_run *run = (pl_check_run *)allocate(run_type, 0);
    if (run == NULL) {
        return NULL;
    }
    run->state.settings = check_default_settings();
    bool ready = read_settings(found, run);
    check_result result = CHECK_DONE;
    if (ready) {
        PyThreadState *thread = PyEval_SaveThread();
        result = check_fill(&run->state);
        PyEval_RestoreThread(thread);
        if (result != CHECK_DONE && PyErr_Occurred() == NULL) {
            fail(&run->state, result);
        }
    }
    if (!ready || result != CHECK_DONE) {
        Py_CLEAR(run);
    }
    return (PyObject *)run;
}

/* The report as --json, --csv, --html or the terminal has it. */
static PyObject *write_report(PyObject *self, PyObject *format)
{
    check *state = &((pl_check_run *)self)->state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return PyErr_NoMemory();
    }
    bool json = is_text(format, "json"), csv = is_text(format, "csv"),
         page = is_text(format, "page");
    check_result result = CHECK_DONE;
    PyThreadState *thread = PyEval_SaveThread();
    if (csv) {
        check_write_csv(state, stream);
    } else {
        result = json   ? check_write_json(state, stream)
                 : page ? check_write_page(state, stream)
                        : check_write_table(state, stream);
    }
    bool bad = ferror(stream) != 0;
    bad = fclose(stream) != 0 || bad;
    PyEval_RestoreThread(thread);
    PyObject *written = NULL;
    if (result != CHECK_DONE) {
        fail(state, result);
    } else if (bad) {
        PyErr_NoMemory();
    } else {
        written = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    }
    free(text);
    return written;
}

static PyObject *has_failed(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(check_has_failed(&((pl_check_run *)self)->state));
}

/* ------------------------------------------------------------------------------------- replay */

typedef struct replay_listener {
    PyObject *list;
} replay_listener;

static void tell_question(void *user, const replay_question *question)
{
    replay_listener *listener = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *item =
        PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0
            ? NULL
            : Py_BuildValue("{sKsssIssszsdsd}", "number", (unsigned long long)question->number,
                            "name", question->name, "bodies", question->body_count, "verdict",
                            replay_verdict_name(question->verdict), "field", question->field,
                            "recorded_seconds", question->recorded.seconds, "played_seconds",
                            question->played.seconds);
    if (item != NULL && PyList_Append(listener->list, item) < 0) {
        Py_CLEAR(item);
    }
    Py_XDECREF(item);
    PyGILState_Release(state);
}

static PyObject *replay(PyObject *module, PyObject *const *values, Py_ssize_t count,
                        PyObject *given)
{
    (void)module;
    static const char *const names[] = {"recording", "*threads", NULL};
    const pl_args args = {"replay", values, count, given};
    PyObject *found[2];
    replay_settings settings = replay_settings_default();
    Py_buffer view;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        (found[1] != NULL && !pl_read_u32(found[1], "threads", &settings.threads)) ||
        PyObject_GetBuffer(found[0], &view, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    replay_listener listener = {PyList_New(0)};
    replay_summary summary = {0};
    if (listener.list == NULL || settings.threads < 1 || settings.threads > 256) {
        Py_XDECREF(listener.list);
        PyBuffer_Release(&view);
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_ValueError, "threads must be 1 to 256");
        }
        return NULL;
    }
    settings.tell = tell_question;
    settings.user = &listener;
    PyThreadState *thread = PyEval_SaveThread();
    replay_play(view.buf, (uint64_t)view.len, &settings, &summary);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&view);
    if (PyErr_Occurred() != NULL) {
        Py_DECREF(listener.list);
        return NULL;
    }
    if (summary.error[0] != '\0') {
        Py_DECREF(listener.list);
        return pl_raise_text(summary.out_of_memory ? PLIANT_ERROR_OUT_OF_MEMORY : PLIANT_ERROR_DATA,
                             summary.error);
    }
    return listener.list;
}

static PyGetSetDef attributes[] = {
    {"has_failed", has_failed, NULL, "Whether something new touches in more pairs than may.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"write", write_report, METH_O,
     "write($self, format, /)\n--\n\nThe report as pliant check writes it: \"json\", \"csv\", "
     "\"page\" or \"table\"."},
    {NULL, NULL, 0, NULL}};

static PyMethodDef functions[] = {
    PL_METHOD(
        "check", run_check,
        "check(paths, *, clips=None, ignore=None, fps=None, first=None, last=None, "
        "self_contact=False, volume=False, contours=False, continuous=0, clearance=0.0, "
        "split=\"node\", against=None, allow=None, clip_files=None, together=False, scene=None, "
        "repair=False, near=None, min_depth=None, max_depth=None, max_area=None, threads=1, "
        "progress=None)\n--\n\nSee "
        "pliant.check()."),
    PL_METHOD("replay", replay,
              "replay(recording, *, threads=1)\n--\n\nPlays a recording of a scene, as bytes, and "
              "compares the answers: a list with a dictionary for each question."),
    {NULL, NULL, 0, NULL}};

bool pl_add_check(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_doc, "A check of files that was made."},
                                  {Py_tp_dealloc, run_free},
                                  {Py_tp_getset, attributes},
                                  {Py_tp_methods, methods},
                                  {0, NULL}};
    static PyType_Spec spec = {"pliant._core.CheckRun", sizeof(pl_check_run), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return pl_add_type(module, &spec, &run_type) && PyModule_AddFunctions(module, functions) == 0;
}
