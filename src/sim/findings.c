#include "sim/findings.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_SIZE = 5120 }; /* a path and a sentence */

void vo_found(vo_findings *f, bool fatal, const char *format, ...) {
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->fatal += fatal;
    if (f->def->finding) f->def->finding(f->def->user, fatal, text);
}

vo_result vo_findings_conclude(vo_findings *f, vo_result result) {
    bool about_input = result == VO_BAD_DATA || (result == VO_IO_FAILED && !f->picturing);
    if (about_input) vo_found(f, true, "%s", f->ctx->message);
    if (result != VO_OK && !about_input) return result;
    if (f->fatal == 0) return VO_OK;
    return vo_fail(f->ctx, VO_BAD_DATA, "%s: %d %s", f->def->path, f->fatal,
                   f->fatal == 1 ? "defect" : "defects");
}

/* ---- sentences ------------------------------------------------------------------------------ */

typedef struct words {
    char s[160];
} words;

/* "face 3 of cloth 0", or "face 3" of a mesh. */
static words face_words(const vo_inspected *w, const char *owner, int number, int face) {
    words t;
    if (w->mesh)
        snprintf(t.s, sizeof t.s, "face %d", face);
    else
        snprintf(t.s, sizeof t.s, "face %d of %s %d", face, owner, number);
    return t;
}

static words place_words(vo_vec3 p) {
    words t;
    snprintf(t.s, sizeof t.s, "(%.6g, %.6g, %.6g) m", p.x, p.y, p.z);
    return t;
}

static words count_words(int count, const char *one, const char *many) {
    words t;
    snprintf(t.s, sizeof t.s, "%d %s", count, count == 1 ? one : many);
    return t;
}

static void name_pair(vo_findings *f, const vo_inspected *w, const vo_face_pair *pair) {
    vo_found(
        f, w->fatal, "%s: %s and %s intersect at %s", w->name,
        face_words(w, "cloth", pair->cloth, pair->face).s,
        face_words(w, pair->with_obstacle ? "obstacle" : "cloth", pair->other, pair->other_face).s,
        place_words(pair->place).s);
}

/* " (3 of a cloth with itself, 0 of two cloths, 1 with obstacles)"; nothing for a mesh. */
static words kind_words(const vo_inspected *w, const vo_inspection *i) {
    words t = {""};
    if (!w->mesh)
        snprintf(t.s, sizeof t.s,
                 " (%d of a cloth with itself, %d of two cloths, %d with obstacles)", i->self_pairs,
                 i->cloth_pairs, i->obstacle_pairs);
    return t;
}

/* What to do, the first time: "; move them apart". */
static words advice_words(vo_findings *f, const vo_inspected *w) {
    words t = {""};
    if (!f->advised) snprintf(t.s, sizeof t.s, "; %s", w->advice);
    f->advised = true;
    return t;
}

/* The number, and once in a check the first pairs. */
static void tell_pairs(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    int count = vo_inspection_intersections(i);
    if (count == 0) return;
    vo_found(f, w->fatal, "%s: %s%s intersect%s%s", w->name, i->complete ? "" : "at least ",
             count_words(count, "pair of faces", "pairs of faces").s, kind_words(w, i).s,
             advice_words(f, w).s);
    if (f->named) return;
    f->named = true;
    for (int k = 0; k < i->pair_count; k++) name_pair(f, w, &i->pair[k]);
}

static void tell_insides(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    if (i->inside_nodes == 0) return;
    vo_found(f, w->fatal,
             "%s: %s inside obstacles, deepest node %d of cloth %d, %.3g m inside obstacle %d at "
             "%s%s",
             w->name, count_words(i->inside_nodes, "node is", "nodes are").s, i->deepest_node,
             i->deepest_cloth, i->max_depth, i->deepest_obstacle, place_words(i->deepest_place).s,
             advice_words(f, w).s);
}

static void tell_degenerate(vo_findings *f, const vo_inspected *w, const vo_inspection *i) {
    if (i->inverted_faces)
        vo_found(f, w->fatal,
                 "%s: %s no area in the world or turned over in material space, the first %s; look "
                 "for nodes in one place",
                 w->name, count_words(i->inverted_faces, "face has", "faces have").s,
                 face_words(w, "cloth", i->inverted_cloth, i->inverted_face).s);
    if (i->lost_nodes)
        vo_found(f, w->fatal, "%s: %s at no finite place", w->name,
                 count_words(i->lost_nodes, "node is", "nodes are").s);
}

static void note_yielding(vo_findings *f, int frame, const vo_inspection *i) {
    if (i->yielded_nodes == 0) return;
    f->yielded_frames++;
    if (!(i->max_behind > f->worst_behind)) return;
    f->worst_frame = frame;
    f->worst_behind = i->max_behind;
    f->worst_nodes = i->yielded_nodes;
    f->worst_obstacle = i->behind_obstacle;
    f->worst_node = i->behind_node;
    f->worst_place = i->behind_place;
}

static void note_held(vo_findings *f, int frame, const vo_inspection *i) {
    if (i->held_steps <= 0) return;
    if (f->held_frames++ == 0) f->first_held = frame;
    f->held_steps += i->held_steps;
}

static void tell_yielding(vo_findings *f) {
    if (f->yielded_frames == 0) return;
    vo_found(f, false,
             "%s: obstacles have yielded in %s, most in frame %d: %s behind their motions there, "
             "furthest node %d of obstacle %d, by %.3g m at %s; leave the cloth between obstacles "
             "more room",
             f->def->path, count_words(f->yielded_frames, "frame", "frames").s, f->worst_frame,
             count_words(f->worst_nodes, "node is", "nodes are").s, f->worst_node,
             f->worst_obstacle, f->worst_behind, place_words(f->worst_place).s);
}

static void tell_held(vo_findings *f) {
    if (f->held_frames == 0) return;
    vo_found(f, false,
             "%s: the cloth was held still in %lld substep%s without a solution, in %s from frame "
             "%d on; has it collapsed there, or are its size and place, its materials and the "
             "forces on it not those of cloth in metres, kilograms and seconds?",
             f->def->path, (long long)f->held_steps, f->held_steps == 1 ? "" : "s",
             count_words(f->held_frames, "frame", "frames").s, f->first_held);
}

void vo_findings_after_frames(vo_findings *f) {
    tell_yielding(f);
    tell_held(f);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The frame asked for, else the first that is not clean. */
static bool is_to_be_pictured(const vo_findings *f, int frame, const vo_inspection *i) {
    if (!f->def->ply || f->pictured) return false;
    return f->def->ply_frame >= 0 ? frame == f->def->ply_frame : !vo_inspection_is_clean(i);
}

void vo_findings_inspected(vo_findings *f, const vo_inspected *where,
                           const vo_inspection *inspection) {
    if (f->def->inspected) f->def->inspected(f->def->user, where->frame, inspection);
    tell_pairs(f, where, inspection);
    tell_insides(f, where, inspection);
    tell_degenerate(f, where, inspection);
    note_yielding(f, where->frame, inspection);
    note_held(f, where->frame, inspection);
}

vo_result vo_findings_picture(vo_findings *f, int frame, vo_inspector *in,
                              const vo_inspection *inspection) {
    if (!is_to_be_pictured(f, frame, inspection)) return VO_OK;
    f->picturing = true;
    VO_TRY(vo_inspector_picture(in, f->def->ply));
    f->picturing = false;
    f->pictured = true;
    return VO_OK;
}
