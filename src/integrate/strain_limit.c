#include "integrate/strain_limit.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { LIMIT_GRAIN = 256, MAX_COLOURS = 63 };

static bool has_limits(const vo_material *m) {
    return isfinite(m->stretch_min) || isfinite(m->stretch_max);
}

/* ---- colouring ------------------------------------------------------------------------------ */

/* Lowest colour that none of the face's nodes has yet; the last one where all are taken. */
static int free_colour(const uint64_t *used, const int row[3]) {
    uint64_t taken = used[row[0]] | used[row[1]] | used[row[2]];
    int colour = 0;
    while (colour < MAX_COLOURS && (taken >> colour & 1)) colour++;
    return colour;
}

/* Nodes with more faces than there are colours leave some faces in a last, serial colour. */
static void colour_faces(vo_limiter *l, const vo_limit_face *face, int *colour, uint64_t *used) {
    for (int f = 0; f < l->face_count; f++) {
        colour[f] = free_colour(used, face[f].row);
        for (int i = 0; i < 3; i++) used[face[f].row[i]] |= (uint64_t)1 << colour[f];
        l->colour_count = vo_max_int(l->colour_count, colour[f] + 1);
    }
}

/* Counting sort by colour; within a colour the faces keep their order. */
static void sort_by_colour(vo_limiter *l, const vo_limit_face *face, const int *colour) {
    int *start = l->colour_start;
    for (int f = 0; f < l->face_count; f++) start[colour[f] + 1]++;
    for (int c = 0; c < l->colour_count; c++) start[c + 1] += start[c];
    int next[MAX_COLOURS + 1];
    memcpy(next, start, sizeof next);
    for (int f = 0; f < l->face_count; f++) l->face[next[colour[f]]++] = face[f];
}

/* ---- making --------------------------------------------------------------------------------- */

static vo_limit_face limit_face(const vo_system_cloth *cloth, const vo_system *system, int f) {
    const vo_mesh *mesh = cloth->mesh;
    const vo_material *m = &cloth->material[mesh->face_label[f]];
    vo_limit_face face = {.inverse = m2_inverse(vo_mesh_face_dm(mesh, f)),
                          .stretch_min = m->stretch_min,
                          .stretch_max = m->stretch_max};
    for (int i = 0; i < 3; i++) {
        face.row[i] = system->row_of[cloth->first_node + vo_mesh_face_node(mesh, f, i)];
        face.u[i] = mesh->vert_u[mesh->face_vert[f][i]];
    }
    return face;
}

/* Counts the limited faces; fills `face` where it is not NULL. */
static int collect_faces(int cloth_count, const vo_system_cloth *cloth, const vo_system *system,
                         vo_limit_face *face) {
    int count = 0;
    for (int c = 0; c < cloth_count; c++)
        for (int f = 0; f < cloth[c].mesh->face_count; f++) {
            if (!has_limits(&cloth[c].material[cloth[c].mesh->face_label[f]])) continue;
            if (face) face[count] = limit_face(&cloth[c], system, f);
            count++;
        }
    return count;
}

static vo_result allocate(vo_limiter *l) {
    l->face = vo_new_array(l->ctx, vo_limit_face, l->face_count);
    l->colour_start = vo_alloc_zero(l->ctx, (MAX_COLOURS + 2) * sizeof(int));
    l->violation_capacity = vo_chunk_count(l->face_count, LIMIT_GRAIN);
    l->violation = vo_new_array(l->ctx, double, l->violation_capacity);
    l->before = vo_new_array(l->ctx, vo_vec4, l->row_count);
    bool ok = l->face && l->colour_start && l->violation && l->before;
    return ok ? VO_OK : vo_fail_memory(l->ctx, "strain limiting");
}

vo_result vo_limiter_create(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                            const vo_system *system, vo_limiter *out) {
    *out = (vo_limiter){.ctx = ctx};
    out->face_count = collect_faces(cloth_count, cloth, system, NULL);
    if (out->face_count == 0) return VO_OK;
    out->row_count = system->row_count;
    vo_result result = allocate(out);
    vo_limit_face *face = vo_new_array(ctx, vo_limit_face, out->face_count);
    int *colour = vo_new_array(ctx, int, out->face_count);
    uint64_t *used = vo_alloc_zero(ctx, (size_t)system->row_count * sizeof *used);
    if (result == VO_OK && face && colour && used) {
        collect_faces(cloth_count, cloth, system, face);
        colour_faces(out, face, colour, used);
        sort_by_colour(out, face, colour);
    } else {
        result = vo_fail_memory(ctx, "strain limiting");
    }
    vo_free_array(ctx, used, system->row_count);
    vo_free_array(ctx, colour, out->face_count);
    vo_free_array(ctx, face, out->face_count);
    if (result != VO_OK) vo_limiter_free(out);
    return result;
}

void vo_limiter_free(vo_limiter *l) {
    if (!l->ctx) return;
    vo_free_array(l->ctx, l->face, l->face_count);
    vo_free(l->ctx, l->colour_start, (MAX_COLOURS + 2) * sizeof(int));
    vo_free_array(l->ctx, l->violation, l->violation_capacity);
    vo_free_array(l->ctx, l->before, l->row_count);
    *l = (vo_limiter){0};
}

/* ---- limiting ------------------------------------------------------------------------------- */

typedef struct limit_pass {
    vo_limiter *limiter;
    const double *mass;
    const unsigned char *fixed;
    vo_vec4 *x;
    double tolerance;
    int first; /* of the colour's faces */
} limit_pass;

static vo_vec3 map(vo_mat32 f, vo_vec2 u) { return v3_add(v3_scale(u.x, f.u), v3_scale(u.y, f.v)); }

/* U diag(stretch) V^T */
static vo_mat32 compose(const vo_svd32 *s, const double stretch[2]) {
    vo_vec3 a = v3_scale(stretch[0], s->left[0]), b = v3_scale(stretch[1], s->left[1]);
    return (vo_mat32){v3_add(v3_scale(s->right[0].x, a), v3_scale(s->right[1].x, b)),
                      v3_add(v3_scale(s->right[0].y, a), v3_scale(s->right[1].y, b))};
}

/* Gives the face the deformation `f` about its centre of mass; fixed corners count as infinitely
 * heavy and stay. */
static void reshape(const limit_pass *pass, const vo_limit_face *face, vo_mat32 f) {
    bool any_fixed = false;
    for (int i = 0; i < 3; i++) any_fixed |= pass->fixed[face->row[i]] != 0;
    vo_vec3 offset = v3_zero();
    double total = 0;
    for (int i = 0; i < 3; i++) {
        int row = face->row[i];
        double weight = any_fixed ? pass->fixed[row] != 0 : pass->mass[row];
        vo_vec3 x = v3(pass->x[row].x, pass->x[row].y, pass->x[row].z);
        offset = v3_add_scaled(offset, weight, v3_sub(x, map(f, face->u[i])));
        total += weight;
    }
    offset = v3_scale(1 / total, offset);
    for (int i = 0; i < 3; i++) {
        if (pass->fixed[face->row[i]]) continue;
        vo_vec3 x = v3_add(offset, map(f, face->u[i]));
        pass->x[face->row[i]] = (vo_vec4){x.x, x.y, x.z, 0};
    }
}

/* Returns by how much the face's stretches were beyond their limits. */
static double limit_one(const limit_pass *pass, const vo_limit_face *face) {
    vo_vec3 x[3];
    for (int i = 0; i < 3; i++) {
        const vo_vec4 *p = &pass->x[face->row[i]];
        x[i] = v3(p->x, p->y, p->z);
    }
    vo_mat32 f = m32_mul_m2(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), face->inverse);
    vo_svd32 s = vo_mat32_svd(f);
    double stretch[2], violation = 0;
    for (int i = 0; i < 2; i++) {
        stretch[i] = vo_clamp(s.stretch[i], face->stretch_min, face->stretch_max);
        violation = vo_max(violation, fabs(stretch[i] - s.stretch[i]));
    }
    if (violation > pass->tolerance) reshape(pass, face, compose(&s, stretch));
    return violation;
}

static void limit_range(void *arg, int begin, int end, int chunk) {
    const limit_pass *pass = arg;
    double violation = 0;
    for (int i = begin; i < end; i++)
        violation = vo_max(violation, limit_one(pass, &pass->limiter->face[pass->first + i]));
    pass->limiter->violation[chunk] = violation;
}

static double limit_colour(limit_pass *pass, int colour) {
    vo_limiter *l = pass->limiter;
    pass->first = l->colour_start[colour];
    int count = l->colour_start[colour + 1] - pass->first;
    int grain = colour == MAX_COLOURS ? count : LIMIT_GRAIN;
    if (count == 0) return 0;
    vo_parallel_for(l->ctx, count, grain, limit_range, pass);
    double violation = 0;
    for (int i = 0; i < vo_chunk_count(count, grain); i++)
        violation = vo_max(violation, l->violation[i]);
    return violation;
}

static vo_limit_report make_passes(limit_pass *pass, const vo_limit_def *def) {
    vo_limit_report report = {0};
    while (!report.met && report.passes < def->max_passes) {
        report.passes++;
        report.violation = 0;
        for (int c = 0; c < pass->limiter->colour_count; c++)
            report.violation = vo_max(report.violation, limit_colour(pass, c));
        report.met = report.violation <= def->tolerance;
    }
    return report;
}

vo_limit_report vo_limiter_apply(vo_limiter *l, const vo_limit_def *def, const double *mass,
                                 const unsigned char *fixed, double dt, vo_vec4 *x, vo_vec4 *v) {
    limit_pass pass = {
        .limiter = l, .mass = mass, .fixed = fixed, .x = x, .tolerance = def->tolerance};
    memcpy(l->before, x, (size_t)l->row_count * sizeof *x);
    vo_limit_report report = make_passes(&pass, def);
    for (int i = 0; i < l->row_count; i++) {
        v[i].x += (x[i].x - l->before[i].x) / dt;
        v[i].y += (x[i].y - l->before[i].y) / dt;
        v[i].z += (x[i].z - l->before[i].z) / dt;
    }
    return report;
}
