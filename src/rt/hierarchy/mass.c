/* Masses and momentum of the vertices.
 *
 * A vertex carries a third of its leaf triangles (Simnett et al. 2010, 1). Areas of leaf triangles
 * are those of base triangles divided by powers of two. Base areas are rounded to multiples of
 * 4^VO_RT_MAX_LEVEL units, so masses are sums of integers: edits in any order give the same result,
 * and coarsening restores the base level exactly.
 *
 * Momentum: the lumped momentum of a triangle equals the integral of its linear velocity field, so
 * that a triangulation may change without a change of momentum as long as new and removed midpoints
 * move like the middle of their edge. Transitions that replace a median by a midline (C4 to C10,
 * for example) violate this, and so do midpoints
 * whose edges share a vertex and change together; the difference is distributed as one velocity
 * over the triangle. */
#include "rt/hierarchy/mesh_private.h"

/* Units of a level-0 area are multiples of this. */
enum { AREA_QUANTUM = 1 << (2 * VO_RT_MAX_LEVEL) };
/* Degenerate base triangles count with this fraction of the mean area. */
static const float MIN_AREA_FRACTION = 1e-6f;
/* Squared momentum, relative to its terms, that is the rounding error of a balanced transition. */
static const float ROUNDING = 1e-13f;

static float base_area(const vo_rt_asset *asset, int triangle) {
    const vo_rt_base_triangle *t = &asset->triangle[triangle];
    const vo_rt_base_edge *e = &asset->edge[t->edge[2]], *f = &asset->edge[t->edge[1]];
    int se = e->vertex[0] != t->vertex[0], sf = f->vertex[0] != t->vertex[2];
    vo_rt_vec2 a = e->coordinate[se][se], b = e->coordinate[se][!se], c = f->coordinate[sf][sf];
    float area = 0.5f * f2_cross(f2_sub(b, a), f2_sub(c, a));
    return isfinite(area) ? fabsf(area) : 0;
}

/* A power of two such that the sum of all areas is less than 2^62 units. */
static double unit_of(double total) {
    int exponent;
    frexp(total > 0 ? total : 1, &exponent);
    return ldexp(1, exponent - 62);
}

void vo_rt_mesh_init_areas(vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    double total = 0;
    for (int i = 0; i < asset->triangle_count; i++) total += base_area(asset, i);
    float least = (float)(total / (asset->triangle_count > 0 ? asset->triangle_count : 1));
    least = f_max(least * MIN_AREA_FRACTION, 1e-20f);
    for (int i = 0; i < asset->triangle_count; i++)
        total += f_max(least - base_area(asset, i), 0) * 2.0;
    mesh->area_unit = unit_of(total);
    mesh->units_per_area = 1 / mesh->area_unit;
    double quantum = mesh->area_unit * AREA_QUANTUM;
    for (int i = 0; i < asset->triangle_count; i++)
        mesh->triangle[i].rest_area =
            (float)(ceil(f_max(base_area(asset, i), least) / quantum) * quantum);
}

void vo_rt_mesh_sum_masses(vo_rt_mesh *mesh) {
    const vo_rt_front *front = &mesh->front;
    for (int i = 0; i < front->vertex_end; i++) mesh->mass_units[i] = 0;
    for (int i = 0; i < front->triangle_count; i++) {
        int64_t units = vo_rt_mesh_area_units(mesh, front->triangles[i].rest_area);
        for (int k = 0; k < 3; k++) mesh->mass_units[front->triangles[i].vertex[k]] += units;
    }
    for (int i = 0; i < front->vertex_end; i++) vo_rt_mesh_update_mass(mesh, i);
}

void vo_rt_mesh_set_density(vo_rt_mesh *mesh, float density) {
    mesh->density = density;
    for (int i = 1; i < mesh->front.vertex_end; i++) vo_rt_mesh_update_mass(mesh, i);
}

void vo_rt_mesh_set_attachment(vo_rt_mesh *mesh, int vertex, float weight) {
    vo_rt_front *front = &mesh->front;
    front->maps[vertex].attachment = weight;
    if (weight >= 1)
        front->flags[vertex] |= VO_RT_VERTEX_ATTACHED;
    else
        front->flags[vertex] &= (uint8_t)~VO_RT_VERTEX_ATTACHED;
    vo_rt_mesh_update_mass(mesh, vertex);
}

static vo_rt_vec3 velocity_of(const vo_rt_mesh *mesh, int vertex) {
    return f4_xyz(mesh->front.velocity[vertex]);
}

static bool is_attached(const vo_rt_mesh *mesh, int vertex) {
    return (mesh->front.flags[vertex] & VO_RT_VERTEX_ATTACHED) != 0;
}

static void add_velocity(vo_rt_mesh *mesh, int vertex, float scale, vo_rt_vec3 change) {
    vo_rt_vec4 *v = &mesh->front.velocity[vertex];
    *v = f4_make(f3_add_scaled(f4_xyz(*v), scale, change), v->w);
}

/* Adds one velocity to the free vertices, so that they gain the momentum. */
static void distribute(vo_rt_mesh *mesh, const int32_t point[6], vo_rt_vec3 momentum) {
    float mass = 0;
    for (int i = 0; i < 6; i++)
        if (!is_attached(mesh, point[i])) mass += mesh->front.mass[point[i]];
    if (!(mass > 0)) return;
    vo_rt_vec3 change = f3_scale(1 / mass, momentum);
    for (int i = 0; i < 6; i++)
        if (point[i] > 0 && !is_attached(mesh, point[i])) add_velocity(mesh, point[i], 1, change);
}

void vo_rt_mesh_move_mass(vo_rt_mesh *mesh, const vo_rt_triangle *triangle, const int32_t point[6],
                          int from, int to) {
    const vo_rt_configuration *a = &vo_rt_configurations[from], *b = &vo_rt_configurations[to];
    int64_t quarter = vo_rt_mesh_area_units(mesh, triangle->rest_area) / 4;
    vo_rt_vec3 lost = f3(0, 0, 0);
    float speed2 = 0;
    for (int i = 0; i < 6; i++) {
        int change = b->mass[i] - a->mass[i];
        if (change == 0) continue;
        vo_rt_vec3 v = velocity_of(mesh, point[i]);
        lost = f3_add_scaled(lost, (float)-change, v);
        speed2 += f3_length2(v);
        mesh->mass_units[point[i]] += quarter * change;
        vo_rt_mesh_update_mass(mesh, point[i]);
    }
    if (!(f3_length2(lost) > ROUNDING * speed2)) return;
    float mass = (float)((double)quarter * vo_rt_mesh_unit_mass(mesh));
    distribute(mesh, point, f3_scale(mass, lost));
}

/* With v = (va + vb) / 2, the ends and the middle m continue with va + d, vb + d and v + d, where
 * (ma + mb + mm) d = mm (vm - v). Compared with the grouping of masses, va = (ma va + mm/2 vm) /
 * (ma + mm/2), this conserves the relative motion of the ends, too. Attached ends keep their
 * velocity. */
void vo_rt_mesh_merge_momentum(vo_rt_mesh *mesh, const vo_rt_edge *edge) {
    int a = edge->vertex[0], b = edge->vertex[1], m = edge->middle;
    const vo_rt_front *front = &mesh->front;
    float fa = is_attached(mesh, a) ? 0 : 1, fb = is_attached(mesh, b) ? 0 : 1;
    float fm = 0.5f * (fa + fb);
    float mass = fa * front->mass[a] + fb * front->mass[b] + fm * front->mass[m];
    vo_rt_vec3 middle = f3_lerp(velocity_of(mesh, a), velocity_of(mesh, b), 0.5f);
    vo_rt_vec3 change = f3(0, 0, 0);
    if (mass > 0) change = f3_scale(front->mass[m] / mass, f3_sub(velocity_of(mesh, m), middle));
    add_velocity(mesh, a, fa, change);
    add_velocity(mesh, b, fb, change);
    front->velocity[m] = f4_make(f3_add_scaled(middle, fm, change), front->velocity[m].w);
}
