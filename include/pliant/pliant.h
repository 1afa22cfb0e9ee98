/*
 * Pliant finds which triangles of deforming bodies touch: exactly, and without computing what
 * cannot matter. This header brings in the whole library; each of the others also compiles alone.
 */
#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

#include "base.h"
#include "triangle.h"
#include "moving.h"
#include "shape.h"
#include "attach.h"
#include "body.h"
#include "query.h"
#include "distance.h"
#include "continuous.h"
#include "contour.h"
#include "proxy.h"
#include "scene.h"
#include "scene_query.h"
#include "volume.h"
#include "recording.h"
#include "draw.h"

#endif
