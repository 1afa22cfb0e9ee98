/* What the files of scenes share. */
#ifndef PL_SCENE_H
#define PL_SCENE_H

#include "query.h"

#define SCENE(self) PL_HANDLE(pliant_scene, self)

bool pl_scene_begin(pl_call *call, PyObject *self);
extern PyMethodDef pl_scene_question_methods[], pl_scene_select_methods[];

/* body.c */
bool pl_read_state(PyObject *body, PyObject *const *found, bool copy, pl_array *arrays,
                   pliant_state *state, float *world);
void pl_body_adopt(pl_body *body, const pliant_state *state, pl_array *positions);

#endif
