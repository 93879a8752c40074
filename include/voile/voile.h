/* Voile: adaptive cloth simulation. This header is all of them. */
#ifndef VOILE_VOILE_H
#define VOILE_VOILE_H

#include <voile/base.h>
#include <voile/camera.h>
#include <voile/character.h>
#include <voile/check.h>
#include <voile/collide.h>
#include <voile/compare.h>
#include <voile/fabric.h>
#include <voile/mesh.h>
#include <voile/render.h>
#include <voile/run.h>
#include <voile/scene.h>
#include <voile/sew.h>
#include <voile/sim.h>
#include <voile/stats.h>

#endif
