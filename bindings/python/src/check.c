/* What the tool does, by the tool's own libraries: checks of files, and recordings played again.
   Reports are handed over as the text that the tool would write. */
#include "query.h"

#include "tool/check/check.h"
#include "tool/replay/replay.h"

static PyTypeObject *run_type;

typedef struct pl_check_run {
    PyObject_HEAD check state;
    PyObject *files[2];    /* bytes that the settings point to: of files, of files of clips, */
    const char **paths[2]; /* and where these begin; writers name the files again */
    PyObject *texts[5];
    PyObject *progress; /* NULL: none was given */
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
    for (int i = 0; i < 2; i++) {
        Py_XDECREF(run->files[i]);
        PyMem_Free(run->paths[i]);
    }
    Py_XDECREF(run->progress);
    for (int i = 0; i < 5; i++) {
        Py_XDECREF(run->texts[i]);
    }
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

static bool read_text(PyObject *value, const char *name, PyObject **keep, const char **text)
{
    if (value == NULL) {
        return true;
    }
    PyObject *path = PyOS_FSPath(value);
    *keep = path == NULL            ? NULL
            : PyUnicode_Check(path) ? PyUnicode_EncodeFSDefault(path)
                                    : Py_NewRef(path);
    Py_XDECREF(path);
    *text = *keep == NULL ? NULL : PyBytes_AsString(*keep);
    if (*text == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a text", name);
    }
    return *text != NULL;
}

/* One path, or several, of files (0) or of files of clips (1). */
static bool read_files(PyObject *value, pl_check_run *run, int which)
{
    bool one = PyUnicode_Check(value) || PyBytes_Check(value) ||
               PyObject_HasAttrString(value, "__fspath__");
    PyObject *list = one ? Py_BuildValue("[O]", value) : PySequence_List(value);
    if (list == NULL) {
        return false;
    }
    run->files[which] = list;
    Py_ssize_t count = PyList_Size(list);
    const char **files = PyMem_Calloc((size_t)count + 1, sizeof *files);
    if (files == NULL) {
        PyErr_NoMemory();
        return false;
    }
    run->paths[which] = files;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes = NULL;
        if (!read_text(PyList_GetItem(list, i), "each path", &bytes, &files[i]) ||
            PyList_SetItem(list, i, bytes) < 0) {
            return false;
        }
    }
    check_settings *settings = &run->state.settings;
    *(which == 0 ? &settings->files : &settings->clip_files) = files;
    *(which == 0 ? &settings->file_count : &settings->clip_file_count) = (uint32_t)count;
    return true;
}

/* "rest", "none", a frame, or the path of a reference. */
static bool read_against(PyObject *value, pl_check_run *run)
{
    check_settings *settings = &run->state.settings;
    if (value == NULL) {
        return true;
    }
    if (PyLong_Check(value)) {
        settings->against = CHECK_AGAINST_FRAME;
        return pl_read_u32(value, "against", &settings->against_frame);
    }
    if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "rest") == 0) {
        settings->against = CHECK_AGAINST_REST;
        return true;
    }
    if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "none") == 0) {
        settings->against = CHECK_AGAINST_NONE;
        return true;
    }
    return read_text(value, "against", &run->texts[2], &settings->reference);
}

static bool read_split(PyObject *value, check_settings *settings)
{
    for (int i = CHECK_SPLIT_NODE; value != NULL && i <= CHECK_SPLIT_COMPONENT; i++) {
        if (PyUnicode_Check(value) &&
            PyUnicode_CompareWithASCIIString(value, check_split_name((check_split)i)) == 0) {
            settings->split = (check_split)i;
            return true;
        }
    }
    if (value != NULL) {
        PyErr_SetString(PyExc_ValueError, "split is \"node\", \"primitive\" or \"component\"");
    }
    return value == NULL;
}

static bool read_double(PyObject *value, const char *name, double least, double most,
                        double *number)
{
    if (value == NULL) {
        return true;
    }
    double read = PyFloat_AsDouble(value);
    if (read == -1.0 && PyErr_Occurred() != NULL) {
        return false;
    }
    if (!(read >= least && read <= most)) {
        PyErr_Format(PyExc_ValueError, "%s is outside its range", name);
        return false;
    }
    *number = read;
    return true;
}

/* A depth in units, or as a text with a percent sign. */
static bool read_limit(PyObject *value, const char *name, check_limit *limit)
{
    if (value == NULL || !PyUnicode_Check(value)) {
        limit->is_percent = value == NULL && limit->is_percent;
        return read_double(value, name, 0.0, 1e30, &limit->value);
    }
    PyObject *number = NULL, *text = PyObject_CallMethod(value, "removesuffix", "s", "%");
    if (text != NULL && PyUnicode_Compare(text, value) != 0) {
        number = PyFloat_FromString(text);
    }
    Py_XDECREF(text);
    if (number == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is a number, or a text like \"2%%\", not %R", name,
                     value);
        return false;
    }
    bool read = read_double(number, name, 0.0, 1e30, &limit->value);
    Py_DECREF(number);
    limit->is_percent = true;
    return read;
}

static bool read_count(PyObject *value, const char *name, uint32_t least, uint32_t most,
                       uint32_t *number)
{
    if (value == NULL) {
        return true;
    }
    if (!pl_read_u32(value, name, number)) {
        return false;
    }
    if (*number < least || *number > most) {
        PyErr_Format(PyExc_ValueError, "%s must be %u to %u", name, least, most);
        return false;
    }
    return true;
}

enum {
    PATHS,
    CLIPS,
    IGNORE,
    RATE,
    FIRST,
    LAST,
    SELF,
    VOLUME,
    CONTOURS,
    CONTINUOUS,
    CLEARANCE,
    SPLIT,
    AGAINST,
    ALLOW,
    CLIP_FILES,
    TOGETHER,
    SCENE_NAME,
    REPAIR,
    NEAR,
    MIN_DEPTH,
    MAX_DEPTH,
    MAX_AREA,
    THREADS,
    PROGRESS,
    NAME_COUNT
};

static bool read_settings(PyObject **found, pl_check_run *run)
{
    check_settings *settings = &run->state.settings;
    if (!read_files(found[PATHS], run, 0) ||
        (found[CLIP_FILES] != NULL && !read_files(found[CLIP_FILES], run, 1)) ||
        !read_text(found[SCENE_NAME], "scene", &run->texts[4], &settings->scene) ||
        !read_limit(found[NEAR], "near", &settings->near) ||
        !read_limit(found[MIN_DEPTH], "min_depth", &settings->min_depth) ||
        !read_limit(found[MAX_DEPTH], "max_depth", &settings->max_depth) ||
        !read_double(found[MAX_AREA], "max_area", 0.0, 1e30, &settings->max_area) ||
        !read_text(found[CLIPS], "clips", &run->texts[0], &settings->clips) ||
        !read_text(found[IGNORE], "ignore", &run->texts[1], &settings->ignored) ||
        !read_text(found[ALLOW], "allow", &run->texts[3], &settings->allowed) ||
        !read_double(found[RATE], "fps", 0.001, 10000.0, &settings->rate) ||
        !read_double(found[CLEARANCE], "clearance", 0.0, 1e30, &settings->clearance) ||
        !read_split(found[SPLIT], settings) || !read_against(found[AGAINST], run)) {
        return false;
    }
    settings->clearance = (double)(float)settings->clearance; /* what the library compares with */
    settings->has_first = found[FIRST] != NULL;
    settings->has_last = found[LAST] != NULL;
    settings->self = pl_flag(found[SELF]) ? CHECK_SELF_ON : CHECK_SELF_DEFAULT;
    settings->has_max_depth = found[MAX_DEPTH] != NULL;
    settings->has_max_area = found[MAX_AREA] != NULL;
    settings->together = pl_flag(found[TOGETHER]);
    settings->repair = pl_flag(found[REPAIR]);
    settings->volume = pl_flag(found[VOLUME]);
    settings->contours = pl_flag(found[CONTOURS]);
    settings->keep_triangles = settings->keep_lines = true; /* for any writer */
    run->progress = Py_XNewRef(found[PROGRESS]);
    settings->progress = tell_progress;
    settings->progress_user = run;
    return (found[FIRST] == NULL || pl_read_u32(found[FIRST], "first", &settings->first)) &&
           (found[LAST] == NULL || pl_read_u32(found[LAST], "last", &settings->last)) &&
           read_count(found[CONTINUOUS], "continuous", 0, 1000, &settings->steps) &&
           read_count(found[THREADS], "threads", 1, 256, &settings->threads);
}

static PyObject *run_check(PyObject *module, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    (void)module;
    static const char *const names[] = {
        "paths",      "*clips",        "*ignore",  "*fps",      "*first",
        "*last",      "*self_contact", "*volume",  "*contours", "*continuous",
        "*clearance", "*split",        "*against", "*allow",    "*clip_files",
        "*together",  "*scene",        "*repair",  "*near",     "*min_depth",
        "*max_depth", "*max_area",     "*threads", "*progress", NULL};
    const pl_args args = {"check", values, count, given};
    PyObject *found[NAME_COUNT];
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

typedef enum check_format { AS_JSON, AS_CSV, AS_PAGE, AS_TABLE } check_format;

static PyObject *write_as(PyObject *self, check_format format)
{
    check *state = &((pl_check_run *)self)->state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return PyErr_NoMemory();
    }
    check_result result = CHECK_DONE;
    PyThreadState *thread = PyEval_SaveThread();
    if (format == AS_CSV) {
        check_write_csv(state, stream);
    } else {
        result = format == AS_JSON   ? check_write_json(state, stream)
                 : format == AS_PAGE ? check_write_page(state, stream)
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

static PyObject *json(PyObject *self, PyObject *unused)
{
    (void)unused;
    return write_as(self, AS_JSON);
}

static PyObject *csv(PyObject *self, PyObject *unused)
{
    (void)unused;
    return write_as(self, AS_CSV);
}

static PyObject *page(PyObject *self, PyObject *unused)
{
    (void)unused;
    return write_as(self, AS_PAGE);
}

static PyObject *table(PyObject *self, PyObject *unused)
{
    (void)unused;
    return write_as(self, AS_TABLE);
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
    {"json", json, METH_NOARGS, "json($self, /)\n--\n\nAs pliant check --json writes it."},
    {"csv", csv, METH_NOARGS, "csv($self, /)\n--\n\nAs pliant check --csv writes it."},
    {"page", page, METH_NOARGS, "page($self, /)\n--\n\nAs pliant check --html writes it."},
    {"table", table, METH_NOARGS, "table($self, /)\n--\n\nAs pliant check prints it."},
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
