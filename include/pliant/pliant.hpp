/*
 * Pliant for C++17: a thin layer over the C interface, whose comments hold here as well.
 *
 *   - pliant_<noun>_<verb>() is pliant::<noun>::<verb>(), pliant_<verb>(query, ...) is
 *     pliant::query::<verb>(...), and pliant_T_default() is the constructor of pliant::T, which may
 *     be given to C. Structs and enumerations without such a function are those of C.
 *   - Objects own what they made: they can be moved, not copied, and what was moved from is empty.
 *     Calls on an empty object fail, its getters give 0. For each there is a `_ref`, a name of an
 *     object that somebody else owns, which all calls take. Order of destruction is as in C: an
 *     object keeps what it needs.
 *   - A call that fails throws pliant::error. With PLIANT_RETURN_FAILURES defined, or exceptions
 *     switched off, it returns pliant::expected<T> instead, which must be looked at.
 *   - Arrays are spans, those of std in C++20. Sizes that disagree are refused.
 *   - Nothing here allocates. Answers belong to the object that gave them, until its next call.
 *
 * Files are in pliant/asset.hpp, OpenGL is in pliant/gl.hpp.
 */
#ifndef PLIANT_PLIANT_HPP
#define PLIANT_PLIANT_HPP

#include "cpp/base.hpp"
#include "cpp/arrays.hpp"
#include "cpp/callbacks.hpp"
#include "cpp/triangle.hpp"
#include "cpp/body.hpp"
#include "cpp/queries.hpp"
#include "cpp/draw.hpp"
#include "cpp/query.hpp"
#include "cpp/scene.hpp"

#endif
