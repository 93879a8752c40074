/* Arrays of a query: vertices with predicted displacements, faces, boxes.
 *
 * Boxes are relative to the mean predicted displacement of the group, so that common motion, such
 * as a fall, does not enlarge them. */
#include "math/simd.h"

#include "rt/self/self_private.h"

#include <float.h>
#include <string.h>

/* --- Vertices --------------------------------------------------------------------------------- */

static bool is_used(const vo_rt_front *f, int slot) {
    return (f->flags[slot] & VO_RT_VERTEX_USED) != 0;
}

/* Speed along the acceleration, m/s, above which a vertex falls: slower ones are supported. */
static const float FALLING_SPEED = 0.3f;

/* Part of the prediction by the acceleration of all free vertices. */
static vo_rt_vec3 predict_fall(const vo_rt_self_member *m, vo_rt_vec3 d) {
    float length = f3_length(m->fall);
    bool falls = f3_dot(d, m->fall) > FALLING_SPEED * m->duration * length;
    return falls ? f3_add(d, m->fall) : d;
}

/* Displacement until the end of the segment; prescribed vertices move to their targets. */
static vo_rt_vec3 predict(const vo_rt_self_member *m, int slot) {
    const vo_rt_front *f = &m->mesh->front;
    vo_rt_vec3 x = f4_xyz(f->position[slot]), v = f4_xyz(f->velocity[slot]);
    vo_rt_vec3 start = m->has_begun ? f4_xyz(f->previous[slot]) : x;
    vo_rt_vec3 d = predict_fall(m, f3_scale(m->scale, m->has_start ? f3_sub(x, v) : v));
    d = f3_add(d, f3_sub(x, start));
    if (f->position[slot].w <= 0) d = f3_scale(m->portion, f3_sub(f4_xyz(f->target[slot]), start));
    return f3_is_finite(d) ? d : f3(0, 0, 0);
}

static void gather_vertices(vo_rt_self_set *set, const vo_rt_self_member *m, bool moves) {
    const vo_rt_front *f = &m->mesh->front;
    for (int i = 0; i < f->vertex_end; i++) {
        int v = m->first + i;
        bool has_drift = moves && m->moves && is_used(f, i);
        const vo_rt_vec4 *x = m->has_begun && m->moves ? f->previous : f->position;
        set->x[v] = f4_make(f4_xyz(x[i]), m->moves ? f->position[i].w : 0);
        set->drift[v] = f4_make(has_drift ? predict(m, i) : f3(0, 0, 0), 0);
        set->radius[v] = set->max_radius;
        set->near[v] = FLT_MAX;
        set->flags[v] =
            (uint8_t)((set->flags[v] & VO_RT_SELF_BORDER) | (m->moves ? 0 : VO_RT_SELF_FIXED));
    }
}

/* Radii of the ends of all springs. */
static void gather_radii(vo_rt_self_set *set, const vo_rt_self_member *m) {
    const vo_rt_front *f = &m->mesh->front;
    float *radius = set->radius + m->first;
    for (int g = 0; g < f->spring_group_count; g++)
        for (int k = 0; k < VO_RT_LANES; k++) {
            const vo_rt_spring_group *s = &f->springs[g];
            float r = VO_RT_SELF_RADIUS * s->rest[k];
            if (s->a[k] == 0) continue;
            radius[s->a[k]] = f_min(radius[s->a[k]], r);
            radius[s->b[k]] = f_min(radius[s->b[k]], r);
        }
}

static bool all_move(const vo_rt_self_set *set) {
    for (int k = 0; k < set->member_count; k++)
        if (!set->member[k].moves) return false;
    return true;
}

/* Mean displacement of the group; zero beside members that do not move. */
static void measure_shift(vo_rt_self_set *set) {
    double sum[3] = {0, 0, 0};
    int count = 0;
    float size = 0;
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        for (int i = 1; i < m->mesh->front.vertex_end; i++) {
            if (!is_used(&m->mesh->front, i)) continue;
            vo_rt_vec3 d = f4_xyz(set->drift[m->first + i]), x = f4_xyz(set->x[m->first + i]);
            sum[0] += (double)d.x, sum[1] += (double)d.y, sum[2] += (double)d.z;
            size = f_max(size, f_max(fabsf(x.x), f_max(fabsf(x.y), fabsf(x.z))));
            count++;
        }
    }
    double scale = count > 0 && !set->is_static && all_move(set) ? 1.0 / count : 0;
    set->shift = f3((float)(sum[0] * scale), (float)(sum[1] * scale), (float)(sum[2] * scale));
    set->gap = VO_RT_SELF_GAP + VO_RT_SELF_GAP_SCALE * size;
}

/* Largest coordinate by which a point is inside a box; negative: outside. */
static float depth_in(vo_rt_vec3 x, vo_rt_vec3 min, vo_rt_vec3 max) {
    vo_rt_vec3 a = f3_min(f3_sub(x, min), f3_sub(max, x));
    return f_min(a.x, f_min(a.y, a.z));
}

/* True if the common motion keeps all members inside their boxes. */
static bool can_shift(const vo_rt_self_set *set) {
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        for (int i = 1; i < m->mesh->front.vertex_end; i++) {
            vo_rt_vec3 end = f3_add(f4_xyz(set->x[m->first + i]), set->shift);
            if (is_used(&m->mesh->front, i) &&
                depth_in(end, m->min, m->max) < 2 * set->radius[m->first + i])
                return false;
        }
    }
    return true;
}

/* Keeps anchors and radii of a member inside its box. */
static void limit_member(vo_rt_self_set *set, const vo_rt_self_member *m) {
    for (int i = 0; i < m->mesh->front.vertex_end; i++) {
        int v = m->first + i;
        vo_rt_vec3 x = f4_xyz(set->x[v]), end = f3_add(x, f4_xyz(set->drift[v]));
        if (depth_in(end, m->min, m->max) < 2 * set->radius[v])
            set->drift[v] = f4_make(set->shift, 0);
        float depth = depth_in(x, m->min, m->max);
        if (depth < 2 * set->radius[v]) set->radius[v] = f_max(0.5f * depth, 0);
    }
}

/* Displacements relative to the shift. */
static void subtract_shift(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 d = f3_sub(f4_xyz(set->drift[v]), set->shift);
        set->drift[v] = f4_make(set->is_static ? f3(0, 0, 0) : d, 0);
    }
}

/* --- Faces ------------------------------------------------------------------------------------ */

/* An edge belongs to the face on its first side, or on its second one at the boundary. */
static bool owns_edge(vo_rt_self_set *set, const vo_rt_self_member *m, int triangle, int k) {
    const vo_rt_edge *e = &m->mesh->edge[m->mesh->triangle[triangle].edge[k]];
    if (e->face[0] < 0 || e->face[1] < 0)
        for (int end = 0; end < 2; end++)
            set->flags[m->first + e->vertex[end]] |= VO_RT_SELF_BORDER;
    return e->face[0] == triangle || e->face[0] < 0;
}

enum { OWNED = VO_RT_SELF_RESTRAINED }; /* until the filter: the vertex has an owner */

static void gather_face(vo_rt_self_set *set, int member, int triangle) {
    const vo_rt_self_member *m = &set->member[member];
    int face = set->cloth_face_count++;
    vo_rt_self_face *out = &set->face[face];
    const int32_t *corner = m->mesh->triangle[triangle].vertex;
    uint8_t owned = 0;
    for (int k = 0; k < 3; k++) {
        int v = m->first + corner[k];
        out->vertex[k] = set->lanes.vertex[k][face] = v;
        if (!(set->flags[v] & OWNED)) owned |= (uint8_t)(1 << k);
        set->flags[v] |= OWNED;
        if (owns_edge(set, m, triangle, k)) owned |= (uint8_t)(8 << k);
    }
    out->member = (int16_t)member;
    out->owned = owned;
    out->is_moved = 0;
}

/* Leaves below a triangle, in the order of the hierarchy: neighbours in the list are neighbours in
 * space. */
static void gather_leaves(vo_rt_self_set *set, int member, int triangle) {
    const vo_rt_triangle *t = &set->member[member].mesh->triangle[triangle];
    if (t->configuration == 0) {
        gather_face(set, member, triangle);
        return;
    }
    for (int k = 0; k < 4; k++)
        if (t->child[k] >= 0) gather_leaves(set, member, t->child[k]);
}

static void gather_faces(vo_rt_self_set *set) {
    set->cloth_face_count = set->cell_count = 0;
    for (int k = 0; k < set->member_count; k++)
        for (int i = 0; i < set->member[k].mesh->asset->triangle_count; i++) {
            set->cell[set->cell_count].begin = set->cloth_face_count;
            gather_leaves(set, k, i);
            set->cell[set->cell_count++].end = set->cloth_face_count;
        }
    set->cloth_cluster_count =
        (set->cloth_face_count + VO_RT_SELF_CLUSTER - 1) / VO_RT_SELF_CLUSTER;
    for (int v = 0; v < set->cloth_vertex_count; v++) set->flags[v] &= (uint8_t)~OWNED;
}

/* Faces of each vertex, by a counting sort. */
static void gather_stars(vo_rt_self_set *set) {
    int32_t *begin = set->star_begin;
    int vertices = set->cloth_vertex_count, faces = set->cloth_face_count;
    memset(begin, 0, ((size_t)vertices + 1) * sizeof *begin);
    for (int i = 0; i < faces; i++)
        for (int k = 0; k < 3; k++) begin[set->face[i].vertex[k]]++;
    for (int v = 0, sum = 0; v <= vertices; v++) begin[v] = sum += begin[v];
    for (int i = faces - 1; i >= 0; i--)
        for (int k = 0; k < 3; k++) set->star_face[--begin[set->face[i].vertex[k]]] = i;
}

/* Passes of smoothing over the predictions: small differences between neighbours are vibration. */
enum { SMOOTHING = 4 };

/* Replaces each prediction by the mean over the faces of its vertex; prescribed vertices and those
 * of members that do not move keep theirs. */
static void smooth_once(vo_rt_self_set *set) {
    vo_rt_vec4 *sum = set->move; /* not used yet */
    memset(sum, 0, (size_t)set->cloth_vertex_count * sizeof *sum);
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        vo_f4 d = f4_load(&set->drift[v[0]]) + f4_load(&set->drift[v[1]]);
        d += f4_load(&set->drift[v[2]]);
        for (int k = 0; k < 3; k++) f4_store(&sum[v[k]], f4_load(&sum[v[k]]) + d);
    }
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        int count = 3 * (set->star_begin[v + 1] - set->star_begin[v]);
        if (count > 0 && set->x[v].w > 0)
            set->drift[v] = f4_make(f3_scale(1 / (float)count, f4_xyz(sum[v])), 0);
    }
}

/* Keeps predictions outside the planes of contacts with bodies. */
static void project_member(vo_rt_self_set *set, const vo_rt_self_member *m) {
    for (int i = 0; i < m->contact_count; i++) {
        const vo_rt_contact *c = &m->contact[i];
        if (c->other) continue; /* of an edge: the plane does not belong to its ends */
        int v = m->first + c->vertex;
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->drift[v]));
        vo_rt_vec3 end = f3_add(f4_xyz(set->x[v]), path);
        vo_rt_vec3 plane = f3_add_scaled(c->point, m->contact_time, c->velocity);
        float depth = f3_dot(c->normal, f3_sub(plane, end));
        if (depth > 0 && m->moves && set->x[v].w > 0)
            set->drift[v] = f4_make(f3_add_scaled(f4_xyz(set->drift[v]), depth, c->normal), 0);
    }
}

/* Box of the predicted path, thickened by R. */
static void refit_vertex(vo_rt_self_set *set, int v) {
    vo_rt_vec3 x = f4_xyz(set->x[v]), d = f4_xyz(set->drift[v]), zero = f3(0, 0, 0);
    float r = set->radius[v] * (set->is_static ? 1 : 1 + VO_RT_SELF_SLACK);
    vo_rt_vec3 thick = f3(r, r, r);
    set->low[v] = f4_make(f3_sub(f3_add(x, f3_min(d, zero)), thick), r + f3_length(d));
    set->high[v] = f4_make(f3_add(f3_add(x, f3_max(d, zero)), thick), r);
    set->max_range = f_max(set->max_range, r);
}

static void refit_vertices(vo_rt_self_set *set, bool moved_only) {
    if (!moved_only) set->max_range = 0;
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if (!moved_only || (set->flags[v] & VO_RT_SELF_MOVED)) refit_vertex(set, v);
}

static vo_f4 f4_min(vo_f4 a, vo_f4 b) { return -f4_max(-a, -b); }

void vo_rt_self_unite_boxes(vo_rt_vec4 out[2], const vo_rt_vec4 a[2], const vo_rt_vec4 b[2]) {
    vo_f4 low = f4_min(f4_load(&a[0]), f4_load(&b[0]));
    vo_f4 high = f4_max(f4_load(&a[1]), f4_load(&b[1]));
    float reach = f_max(a[0].w, b[0].w);
    f4_store(&out[0], low);
    f4_store(&out[1], high);
    out[0].w = reach;
}

void vo_rt_self_refit_face(vo_rt_self_set *set, int face) {
    const vo_rt_self_face *f = &set->face[face];
    vo_rt_vec4 v[3][2], *box = &set->face_box[2 * face];
    float *const *lane = set->lanes.bound;
    for (int k = 0; k < 3; k++) {
        v[k][0] = set->low[f->vertex[k]];
        v[k][1] = set->high[f->vertex[k]];
    }
    vo_rt_self_unite_boxes(box, v[0], v[1]);
    vo_rt_self_unite_boxes(box, box, v[2]);
    lane[0][face] = box[0].x, lane[1][face] = box[0].y, lane[2][face] = box[0].z;
    lane[3][face] = box[1].x, lane[4][face] = box[1].y, lane[5][face] = box[1].z;
    for (int k = 0; k < 3; k++) {
        vo_rt_vec3 x = f4_xyz(set->x[f->vertex[k]]), d = f4_xyz(set->drift[f->vertex[k]]);
        float *const *start = set->lanes.start + 3 * k, *const *end = set->lanes.end + 3 * k;
        start[0][face] = x.x, start[1][face] = x.y, start[2][face] = x.z;
        end[0][face] = x.x + d.x, end[1][face] = x.y + d.y, end[2][face] = x.z + d.z;
    }
}

/* Box of a cluster, with a bit per face that is moved. */
static void refit_cluster(vo_rt_self_set *set, int cluster, bool moved_only) {
    int begin = cluster * VO_RT_SELF_CLUSTER, end = vo_rt_self_cluster_end(set, cluster);
    vo_rt_vec4 *box = &set->cluster_box[2 * cluster];
    unsigned moved = 0;
    for (int i = begin; i < end; i++) moved |= (unsigned)set->face[i].is_moved << (i - begin);
    for (int i = begin; i < end && (moved || !moved_only); i++) {
        if (!moved_only || set->face[i].is_moved) vo_rt_self_refit_face(set, i);
        vo_rt_self_unite_boxes(box, i == begin ? &set->face_box[2 * i] : box,
                               &set->face_box[2 * i]);
    }
    box[1].w = (float)moved;
}

/* Boxes of faces and clusters (stage 1). */
void vo_rt_self_refit(vo_rt_self_set *set, bool moved_only) {
    refit_vertices(set, moved_only);
    for (int i = 0; i < set->cloth_cluster_count; i++) refit_cluster(set, i, moved_only);
    vo_rt_self_refit_obstacles(set, moved_only);
}

/* Number that changes with the topology of the members. */
static uint64_t hash_topology(const vo_rt_self_set *set) {
    uint64_t hash = 1;
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_mesh *mesh = set->member[k].mesh;
        uint64_t part[3] = {(uint64_t)(uintptr_t)mesh, mesh->front.topology,
                            (uint64_t)mesh->front.vertex_end << 32 |
                                (uint64_t)mesh->front.triangle_count};
        for (int i = 0; i < 3; i++) hash = (hash ^ part[i]) * 0x9E3779B97F4A7C15u;
    }
    return hash;
}

/* Faces, their owners and stars, which are kept while the topology does not change. */
static void update_faces(vo_rt_self_set *set) {
    uint64_t topology = hash_topology(set);
    if (topology == set->topology) return;
    set->topology = topology;
    memset(set->flags, 0, (size_t)set->cloth_vertex_count);
    gather_faces(set);
    gather_stars(set);
    vo_rt_self_gather_patches(set);
    vo_rt_self_gather_colours(set);
}

void vo_rt_self_gather(vo_rt_self_set *set, bool is_static) {
    set->cloth_vertex_count = 0;
    set->is_static = is_static;
    for (int k = 0; k < set->member_count; k++) {
        set->member[k].first = set->cloth_vertex_count;
        set->cloth_vertex_count += set->member[k].mesh->front.vertex_end;
    }
    update_faces(set);
    for (int k = 0; k < set->member_count; k++) {
        gather_vertices(set, &set->member[k], !is_static);
        gather_radii(set, &set->member[k]);
    }
    measure_shift(set);
    if (!can_shift(set)) set->shift = f3(0, 0, 0);
    for (int k = 0; k < set->member_count; k++) limit_member(set, &set->member[k]);
    subtract_shift(set);
    for (int k = 0; k < SMOOTHING && !is_static; k++) smooth_once(set);
    if (!is_static)
        for (int k = 0; k < set->member_count; k++) project_member(set, &set->member[k]);
    vo_rt_self_gather_obstacles(set, 0, 1);
}
