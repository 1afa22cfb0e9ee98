/* Questions about what is near: distances, closest points, features, proxies. */
#include "query.h"

#include <math.h>

typedef pliant_result (*find_within)(pliant_query *, pliant_body *, pliant_body *, float,
                                     const pliant_within_options *, pliant_proximities *);

static PyObject *within(PyObject *self, const pl_args *args, const char *const *names, bool two)
{
    PyObject *found[3], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_within_options options = pliant_within_options_default();
    pliant_proximities near = {0};
    float distance = 0.0f;
    pl_question question;
    if (pl_parse(args, names, found, &pl_struct_pliant_within_options, &options, &scratch) &&
        pl_read_float(found[two ? 2 : 1], "distance", &distance)) {
        if (!pl_question_begin(&question, self, found[0], two ? found[1] : NULL, true)) {
            pl_call_abort(&question.call);
        } else {
            PL_RUN(&question.call, two ? pliant_find_within(question.query, question.a, question.b,
                                                            distance, &options, &near)
                                       : pliant_find_within_self(question.query, question.a,
                                                                 distance, &options, &near));
            answer = pl_question_end(&question, &pl_struct_pliant_proximities, &near);
        }
    }
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *find_within_two(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    static const char *const names[] = {"a", "b", "distance", NULL};
    const pl_args args = {"find_within", values, count, given};
    return within(self, &args, names, true);
}

static PyObject *find_within_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                  PyObject *given)
{
    static const char *const names[] = {"body", "distance", NULL};
    const pl_args args = {"find_within_self", values, count, given};
    return within(self, &args, names, false);
}

static PyObject *features(PyObject *self, const pl_args *args, const char *const *names, bool two)
{
    PyObject *found[3], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_feature_options options = pliant_feature_options_default();
    pliant_features near = {0};
    float distance = 0.0f;
    pl_question question;
    if (pl_parse(args, names, found, &pl_struct_pliant_feature_options, &options, &scratch) &&
        pl_read_float(found[two ? 2 : 1], "distance", &distance)) {
        if (!pl_question_begin(&question, self, found[0], two ? found[1] : NULL, true)) {
            pl_call_abort(&question.call);
        } else {
            PL_RUN(&question.call, two ? pliant_find_features(question.query, question.a,
                                                              question.b, distance, &options, &near)
                                       : pliant_find_features_self(question.query, question.a,
                                                                   distance, &options, &near));
            answer = pl_question_end(&question, &pl_struct_pliant_features, &near);
        }
    }
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *find_features(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    static const char *const names[] = {"a", "b", "distance", NULL};
    const pl_args args = {"find_features", values, count, given};
    return features(self, &args, names, true);
}

static PyObject *find_features_self(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                    PyObject *given)
{
    static const char *const names[] = {"body", "distance", NULL};
    const pl_args args = {"find_features_self", values, count, given};
    return features(self, &args, names, false);
}

static PyObject *collide_proxies(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    static const char *const names[] = {"a", "b", NULL};
    const pl_args args = {"collide_proxies", values, count, given};
    PyObject *found[2];
    pliant_proxy_options options = pliant_proxy_options_default();
    pliant_proxy_contacts contacts = {0};
    pl_question question;
    if (!pl_parse(&args, names, found, &pl_struct_pliant_proxy_options, &options, NULL)) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], found[1], true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_collide_proxies(question.query, question.a, question.b, &options, &contacts));
    return pl_question_end(&question, &pl_struct_pliant_proxy_contacts, &contacts);
}

static PyObject *find_closest_point(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                    PyObject *given)
{
    static const char *const names[] = {"body", "point", "?max_distance", NULL};
    const pl_args args = {"find_closest_point", values, count, given};
    PyObject *found[3];
    float point[3], most = INFINITY;
    pliant_closest closest;
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_read_floats(found[1], "point", point, 3) ||
        (found[2] != NULL && !pl_read_float(found[2], "max_distance", &most))) {
        return NULL;
    }
    if (!pl_question_begin(&question, self, found[0], NULL, true)) {
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call,
           pliant_find_closest_point(question.query, question.a, point, most, &closest));
    return pl_question_end(&question, &pl_struct_pliant_closest, &closest);
}

static PyObject *find_closest_points(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                     PyObject *given)
{
    static const char *const names[] = {"body", "points", "?max_distance", "*copy", NULL};
    const pl_args args = {"find_closest_points", values, count, given};
    PyObject *found[4];
    float most = INFINITY;
    pl_array points;
    pl_question question;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        (found[2] != NULL && !pl_read_float(found[2], "max_distance", &most)) ||
        !pl_array_read(found[1], "points", &pl_points, pl_flag(found[3]), &points)) {
        return NULL;
    }
    void *data = NULL;
    PyObject *array = pl_new_records(&pl_struct_pliant_closest, points.count, &data);
    pl_call_begin(&question.call, (pl_object *)self);
    if (array == NULL || !pl_question_begin(&question, self, found[0], NULL, true)) {
        Py_XDECREF(array);
        pl_array_free(&points);
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_find_closest_points(question.query, question.a, points.data,
                                                      points.count, points.stride, most, data));
    pl_array_free(&points);
    return pl_call_end(&question.call, array);
}

static PyObject *measure_distances(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                   PyObject *given)
{
    static const char *const names[] = {"body", "points", "*copy", NULL};
    const pl_args args = {"measure_distances", values, count, given};
    PyObject *found[3];
    pliant_distance_options options = pliant_distance_options_default();
    pl_array points;
    pl_question question;
    if (!pl_parse(&args, names, found, &pl_struct_pliant_distance_options, &options, NULL) ||
        !pl_array_read(found[1], "points", &pl_points, pl_flag(found[2]), &points)) {
        return NULL;
    }
    void *data = NULL;
    PyObject *array = pl_new_records(&pl_struct_pliant_signed_distance, points.count, &data);
    pl_call_begin(&question.call, (pl_object *)self);
    if (array == NULL || !pl_question_begin(&question, self, found[0], NULL, true)) {
        Py_XDECREF(array);
        pl_array_free(&points);
        return pl_call_abort(&question.call);
    }
    PL_RUN(&question.call, pliant_measure_distances(question.query, question.a, points.data,
                                                    points.count, points.stride, &options, data));
    pl_array_free(&points);
    return pl_call_end(&question.call, array);
}

PyMethodDef pl_query_near_methods[] = {
    PL_METHOD("find_within", find_within_two,
              "find_within($self, a, b, distance, *, " OPTIONS_pliant_within_options
              ")\n--\n\nWhich triangles of two bodies are within a distance: Proximities."),
    PL_METHOD("find_within_self", find_within_self,
              "find_within_self($self, body, distance, *, " OPTIONS_pliant_within_options
              ")\n--\n\nThe same within one body, for triangles that share no vertex."),
    PL_METHOD("find_features", find_features,
              "find_features($self, a, b, distance, *, " OPTIONS_pliant_feature_options
              ")\n--\n\nWhich vertices and faces and which edges are within a distance: Features."),
    PL_METHOD("find_features_self", find_features_self,
              "find_features_self($self, body, distance, *, " OPTIONS_pliant_feature_options
              ")\n--\n\nThe same within one body."),
    PL_METHOD("collide_proxies", collide_proxies,
              "collide_proxies($self, a, b, *, " OPTIONS_pliant_proxy_options
              ")\n--\n\nWhich proxies of two bodies meet: ProxyContacts."),
    PL_METHOD("find_closest_point", find_closest_point,
              "find_closest_point($self, body, point, max_distance=...)\n--\n\nThe point of a body "
              "closest to a given one: a Closest."),
    PL_METHOD(
        "find_closest_points", find_closest_points,
        "find_closest_points($self, body, points, max_distance=..., *, copy=False)\n--\n\nThe "
        "same for many points, (n, 3) float32: an array with the fields of Closest."),
    PL_METHOD("measure_distances", measure_distances,
              "measure_distances($self, body, points, *, " OPTIONS_pliant_distance_options
              ", copy=False)\n--\n\nThe signed distances of points, (n, 3) float32: an array with "
              "the fields of SignedDistance."),
    {NULL, NULL, 0, NULL}};
