#include "run/findings.h"

#include "core/plural.h"
#include "sim/sim.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_SIZE = 5120 }; /* a path and a message */

void vo_findings_add(vo_findings *f, bool fatal, const char *format, ...) {
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->fatal += fatal;
    if (f->def->finding) f->def->finding(f->def->user, fatal, text);
}

vo_result vo_findings_conclude(vo_findings *f, vo_result result) {
    bool about_input = result == VO_BAD_DATA || (result == VO_IO_FAILED && !f->writing_ply);
    if (about_input) vo_findings_add(f, true, "%s", f->ctx->message);
    if (result != VO_OK && !about_input) return result;
    if (f->fatal == 0) return VO_OK;
    return vo_fail(f->ctx, VO_BAD_DATA, "%s: %d defect%s", f->def->path, f->fatal,
                   vo_plural(f->fatal));
}

/* ---- parts of messages ---------------------------------------------------------------------- */

typedef struct words {
    char s[160];
} words;

/* "face 3 of cloth 0"; "face 3" if a mesh is checked alone. */
static words face_words(const vo_inspected *w, const char *owner, int number, int face) {
    words t;
    if (w->mesh)
        snprintf(t.s, sizeof t.s, "face %d", face);
    else
        snprintf(t.s, sizeof t.s, "face %d of %s %d", face, owner, number);
    return t;
}

static words position_words(vo_vec3 p) {
    words t;
    snprintf(t.s, sizeof t.s, "(%.6g, %.6g, %.6g) m", p.x, p.y, p.z);
    return t;
}

static void report_pair(vo_findings *f, const vo_inspected *w, const vo_face_pair *pair) {
    vo_findings_add(
        f, w->fatal, "%s: %s and %s intersect at %s", w->name,
        face_words(w, "cloth", pair->cloth, pair->face).s,
        face_words(w, pair->with_obstacle ? "obstacle" : "cloth", pair->other, pair->other_face).s,
        position_words(pair->position).s);
}

/* " (3 of a cloth with itself, 0 of two cloths, 1 with obstacles)"; empty for a single mesh. */
static words kind_words(const vo_inspected *w, const vo_inspection *i) {
    words t = {""};
    if (!w->mesh)
        snprintf(t.s, sizeof t.s,
                 " (%d of a cloth with itself, %d of two cloths, %d with obstacles)", i->self_pairs,
                 i->cloth_pairs, i->obstacle_pairs);
    return t;
}

/* "; " and the remedy in the first message about intersections; nothing in later ones. */
static words advice_words(vo_findings *f, const vo_inspected *w) {
    words t = {""};
    if (!f->advised) snprintf(t.s, sizeof t.s, "; %s", w->advice);
    f->advised = true;
    return t;
}

/* ---- defects of one state -------------------------------------------------------------------- */

/* True for the first frame with a defect, which is reported in full; later ones are counted. */
static bool is_first(bool *found, vo_repeated_defect *r, int frame, int count) {
    if (!*found) return *found = true;
    if (r->frames++ == 0) r->first = frame;
    r->last = frame;
    if (count > r->max_count) r->max_count = count, r->max_frame = frame;
    return false;
}

/* The number of pairs, and for the first frame the pairs themselves. */
static void report_pairs(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    int count = vo_inspection_intersections(i);
    if (count == 0 || !is_first(&f->found_pairs, &f->pairs, w->frame, count)) return;
    vo_findings_add(f, w->fatal, "%s: %s%s intersect%s%s", w->name, i->complete ? "" : "at least ",
                    vo_count_words(count, "pair of faces", "pairs of faces").s, kind_words(w, i).s,
                    advice_words(f, w).s);
    for (int k = 0; k < i->pair_count; k++) report_pair(f, w, &i->pair[k]);
}

static void report_inside(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    bool container = i->deepest_outside_container;
    if (i->inside_nodes == 0 || !is_first(&f->found_inside, &f->inside, w->frame, i->inside_nodes))
        return;
    vo_findings_add(
        f, w->fatal,
        "%s: %s inside obstacles, deepest node %d of cloth %d, %.3g m %s obstacle %d%s at %s%s",
        w->name, vo_count_words(i->inside_nodes, "node is", "nodes are").s, i->deepest_node,
        i->deepest_cloth, i->max_depth, container ? "outside" : "inside", i->deepest_obstacle,
        container ? " (a container, since its faces look inwards; reverse them if it is solid)"
                  : "",
        position_words(i->deepest_position).s, advice_words(f, w).s);
}

static void report_degenerate(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    if (i->inverted_faces &&
        is_first(&f->found_inverted, &f->inverted, w->frame, i->inverted_faces))
        vo_findings_add(f, w->fatal,
                        "%s: %s zero area in the world or inverted in material space, the first is "
                        "%s; check for coincident nodes",
                        w->name, vo_count_words(i->inverted_faces, "face has", "faces have").s,
                        face_words(w, "cloth", i->inverted_cloth, i->inverted_face).s);
    if (i->lost_nodes)
        vo_findings_add(f, w->fatal, "%s: %s not finite or beyond 1e30 m", w->name,
                        vo_count_words(i->lost_nodes, "node position is", "node positions are").s);
}

/* ---- all frames ------------------------------------------------------------------------------ */

static void count_lag(vo_findings *f, int frame, const vo_inspection *i) {
    if (i->lagging_nodes == 0) return;
    f->lagging_frames++;
    if (!(i->max_lag > f->max_lag)) return;
    f->max_lag_frame = frame;
    f->max_lag = i->max_lag;
    f->max_lag_nodes = i->lagging_nodes;
    f->max_lag_obstacle = i->lag_obstacle;
    f->max_lag_node = i->lag_node;
    f->max_lag_position = i->lag_position;
}

static void count_frozen(vo_findings *f, int frame, const vo_inspection *i) {
    if (i->frozen_substeps <= 0) return;
    if (f->frozen_frames++ == 0) f->first_frozen_frame = frame;
    f->frozen_substeps += i->frozen_substeps;
}

static void count_strain(vo_findings *f, int frame, const vo_inspection *i) {
    if (!(i->max_strain > VO_MAX_PLAUSIBLE_STRAIN)) return;
    if (f->strained_frames++ == 0) f->first_strained_frame = frame;
    if (!(i->max_strain > f->max_strain)) return;
    f->max_strain = i->max_strain;
    f->max_strain_frame = frame;
}

static void report_repeated(vo_findings *f, const vo_repeated_defect *r, const char *defect) {
    if (r->frames == 0) return;
    vo_findings_add(f, true,
                    "%s: %s in %d more frame%s, from frame %d to frame %d, most (%d) in frame %d",
                    f->def->path, defect, r->frames, vo_plural(r->frames), r->first, r->last,
                    r->max_count, r->max_frame);
}

static void warn_lag(vo_findings *f) {
    if (f->lagging_frames == 0) return;
    vo_findings_add(f, false,
                    "%s: obstacles lag behind their motions in %s, most in frame %d: %s displaced, "
                    "furthest node %d of obstacle %d, by %.3g m at %s; leave more room for the "
                    "cloth between obstacles",
                    f->def->path, vo_count_words(f->lagging_frames, "frame", "frames").s,
                    f->max_lag_frame, vo_count_words(f->max_lag_nodes, "node is", "nodes are").s,
                    f->max_lag_node, f->max_lag_obstacle, f->max_lag,
                    position_words(f->max_lag_position).s);
}

static void warn_frozen(vo_findings *f) {
    if (f->frozen_frames == 0) return;
    vo_findings_add(f, false,
                    "%s: the cloth was frozen in %lld substep%s without a solution, in %s from "
                    "frame %d on; check whether it has collapsed there, and that sizes, materials "
                    "and forces are in metres, kilograms and seconds",
                    f->def->path, (long long)f->frozen_substeps, vo_plural(f->frozen_substeps),
                    vo_count_words(f->frozen_frames, "frame", "frames").s, f->first_frozen_frame);
}

static void warn_strain(vo_findings *f) {
    if (f->strained_frames == 0) return;
    vo_findings_add(f, false,
                    "%s: cloth is stretched to more than twice its length in %s from frame %d on, "
                    "most in frame %d, to %.3g times; raise %s, slow down bodies and handles, or "
                    "leave the cloth more space",
                    f->def->path, vo_count_words(f->strained_frames, "frame", "frames").s,
                    f->first_strained_frame, f->max_strain_frame, 1 + f->max_strain,
                    f->realtime ? "realtime.rate or realtime.substeps" : "frame_steps");
}

static void warn_capsules(vo_findings *f) {
    if (f->capsule_frames == 0) return;
    vo_findings_add(f, false,
                    "%s: realtime.bodies is \"capsules\": cloth collides with capsules inside the "
                    "surfaces of characters, so it intersects these surfaces (in %s); set "
                    "realtime.bodies to \"meshes\" to avoid that, or ignore intersections with "
                    "characters",
                    f->def->path, vo_count_words(f->capsule_frames, "frame", "frames").s);
}

void vo_findings_after_frames(vo_findings *f) {
    report_repeated(f, &f->pairs, "pairs of faces intersect");
    report_repeated(f, &f->inside, "nodes are inside obstacles");
    report_repeated(f, &f->inverted, "faces are degenerate or inverted");
    warn_lag(f);
    warn_frozen(f);
    warn_strain(f);
    warn_capsules(f);
}

void vo_findings_inspected(vo_findings *f, const vo_inspected *where,
                           const vo_inspection *inspection) {
    if (f->def->inspected) f->def->inspected(f->def->user, where->frame, inspection);
    report_pairs(f, where, inspection);
    report_inside(f, where, inspection);
    report_degenerate(f, where, inspection);
    count_lag(f, where->frame, inspection);
    count_frozen(f, where->frame, inspection);
    count_strain(f, where->frame, inspection);
    f->capsule_frames += where->capsules;
}

/* ---- PLY file -------------------------------------------------------------------------------- */

/* The requested frame, else the first with a defect. */
static bool is_shown(const vo_findings *f, int frame, const vo_inspection *i) {
    if (!f->def->ply || f->wrote_ply) return false;
    return f->def->ply_frame >= 0 ? frame == f->def->ply_frame : !vo_inspection_is_clean(i);
}

vo_result vo_findings_write_ply(vo_findings *f, int frame, vo_inspector *in,
                                const vo_inspection *inspection) {
    if (!is_shown(f, frame, inspection)) return VO_OK;
    f->writing_ply = true;
    VO_TRY(vo_inspector_save_ply(in, f->def->ply));
    f->writing_ply = false;
    f->wrote_ply = true;
    return VO_OK;
}
