/* Voile: adaptive cloth simulation. Includes all public headers. */
#ifndef VOILE_VOILE_H
#define VOILE_VOILE_H

#include <voile/base.h>
#include <voile/bench.h>
#include <voile/camera.h>
#include <voile/character.h>
#include <voile/check.h>
#include <voile/collide.h>
#include <voile/compare.h>
#include <voile/cook.h>
#include <voile/fabric.h>
#include <voile/live.h>
#include <voile/mesh.h>
#include <voile/render.h>
#include <voile/run.h>
#include <voile/run_reader.h>
#include <voile/scene.h>
#include <voile/sew.h>
#include <voile/sim.h>
#include <voile/snapshot.h>
#include <voile/stats.h>
#include <voile/upsample.h>

#endif
