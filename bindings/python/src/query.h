/* What the files of queries share. */
#ifndef PL_QUERY_H
#define PL_QUERY_H

#include "core.h"

/* A question about one or two bodies that is under way. */
typedef struct pl_question {
    pl_call call;
    pliant_query *query;
    pliant_body *a, *b;
} pl_question;

/* Marks query and bodies as used; `many`: prepared bodies may be asked by many threads. After false
   pl_call_abort(). */
bool pl_question_begin(pl_question *question, PyObject *self, PyObject *a, PyObject *b, bool many);
/* The answer as a Python object, or NULL with what went wrong. */
PyObject *pl_question_end(pl_question *question, const pl_struct *type, const void *answer);

bool pl_flag(PyObject *flag);

#endif
