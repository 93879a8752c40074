#include "sim/inspect.h"

#include "collide/distance.h"
#include "core/memory.h"
#include "core/union_find.h"
#include "math/predicates.h"
#include "sim/sim.h"

#include <string.h>

/* ---- gathering ------------------------------------------------------------------------------ */

void vo_inspector_begin(vo_inspector *in) {
    in->part_count = in->node_count = in->face_count = 0;
    in->intersections.count = 0;
}

static bool reserve(vo_inspector *in, int nodes, int faces) {
    vo_context *ctx = in->ctx;
    return nodes <= INT32_MAX - in->node_count && faces <= VO_GRID_MAX_BOXES - in->face_count &&
           vo_reserve(ctx, &in->part, &in->part_capacity, in->part_count + 1) &&
           vo_reserve(ctx, &in->x, &in->x_capacity, in->node_count + nodes) &&
           vo_reserve(ctx, &in->is_inside, &in->inside_capacity, in->node_count + nodes) &&
           vo_reserve(ctx, &in->face, &in->face_capacity, in->face_count + faces);
}

vo_result vo_inspector_add(vo_inspector *in, const vo_inspect_mesh *mesh, bool obstacle, int number,
                           vo_inspect_solid solid) {
    if (!reserve(in, mesh->node_count, mesh->face_count))
        return vo_fail_memory(in->ctx, "the inspection");
    vo_inspect_part part = {.obstacle = obstacle,
                            .number = number,
                            .solid = solid,
                            .node = in->node_count,
                            .node_end = in->node_count + mesh->node_count,
                            .face = in->face_count,
                            .face_end = in->face_count + mesh->face_count};
    for (int i = 0; i < mesh->node_count; i++)
        in->x[part.node + i] = vo_exact_point(mesh->node_x[i]);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++)
            in->face[part.face + f][k] = part.node + mesh->vert_node[mesh->face_vert[f][k]];
    in->node_count = part.node_end;
    in->face_count = part.face_end;
    in->part[in->part_count++] = part;
    return VO_OK;
}

bool vo_mesh_is_closed(const vo_mesh *mesh) {
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_face[e][1] < 0) return false;
    return mesh->edge_count > 0;
}

/* Returns the index of the first part that is an obstacle. */
static int first_obstacle(const vo_inspector *in) {
    int i = 0;
    while (i < in->part_count && !in->part[i].obstacle) i++;
    return i;
}

static int cloth_nodes(const vo_inspector *in) {
    int end = first_obstacle(in);
    return end ? in->part[end - 1].node_end : 0;
}

static int cloth_faces(const vo_inspector *in) {
    int end = first_obstacle(in);
    return end ? in->part[end - 1].face_end : 0;
}

/* ---- intersections -------------------------------------------------------------------------- */

/* The part of a face. */
static const vo_inspect_part *part_of_face(const vo_inspector *in, int face) {
    const vo_inspect_part *part = in->part;
    while (face >= part->face_end) part++;
    return part;
}

static const vo_inspect_part *part_of_node(const vo_inspector *in, int node) {
    const vo_inspect_part *part = in->part;
    while (node >= part->node_end) part++;
    return part;
}

static vo_vec3 middle(vo_box a, vo_box b) {
    return v3_lerp(v3_max(a.min, b.min), v3_min(a.max, b.max), 0.5);
}

static void keep_pair(const vo_inspector *in, const int pair[2], vo_inspection *out) {
    if (out->pair_count == VO_INSPECTION_PAIRS) return;
    const vo_inspect_part *p = part_of_face(in, pair[0]), *q = part_of_face(in, pair[1]);
    const vo_box *box = in->intersections.box;
    out->pair[out->pair_count++] = (vo_face_pair){
        .cloth = p->number,
        .face = pair[0] - p->face,
        .with_obstacle = q->obstacle,
        .other = q->number,
        .other_face = pair[1] - q->face,
        .position = middle(box[pair[0]], box[pair[1]]),
    };
}

static void count_pairs(const vo_inspector *in, vo_inspection *out) {
    for (int i = 0; i < in->intersections.count; i++) {
        const int *pair = in->intersections.pair[i];
        const vo_inspect_part *p = part_of_face(in, pair[0]), *q = part_of_face(in, pair[1]);
        *(p == q ? &out->self_pairs : q->obstacle ? &out->obstacle_pairs : &out->cloth_pairs) += 1;
        keep_pair(in, pair, out);
    }
    out->complete = in->intersections.complete;
}

static vo_result find_intersections(vo_inspector *in, vo_inspection *out) {
    vo_face_soup soup = {.x = in->x,
                         .face = (const int(*)[3])in->face,
                         .face_count = in->face_count,
                         .cloth_face_count = cloth_faces(in)};
    VO_TRY(vo_intersections_find(in->ctx, &in->intersections, &soup));
    count_pairs(in, out);
    return VO_OK;
}

/* ---- insides -------------------------------------------------------------------------------- */

static bool has_valid_positions(const vo_inspector *in, const vo_inspect_part *part) {
    for (int i = part->node; i < part->node_end; i++)
        if (!vo_position_is_valid(in->x[i])) return false;
    return true;
}

static vo_closed_surface surface_of(const vo_inspector *in, const vo_inspect_part *part) {
    vo_closed_surface surface = {.x = in->x,
                                 .face = (const int(*)[3])in->face + part->face,
                                 .face_count = part->face_end - part->face};
    if (part->solid == VO_INSPECT_ORIENTED) surface.solid = vo_closed_surface_solid_side(&surface);
    return surface;
}

/* Returns true for a closed obstacle whose solid surrounds it. */
static bool is_container(const vo_inspector *in, const vo_inspect_part *part) {
    return part->solid == VO_INSPECT_ORIENTED && has_valid_positions(in, part) &&
           surface_of(in, part).solid == VO_SOLID_AROUND;
}

/* Returns the squared distance of a point from the faces of a part. */
static double part_distance2(const vo_inspector *in, const vo_inspect_part *part, vo_vec3 p) {
    double best = INFINITY;
    for (int f = part->face; f < part->face_end; f++) {
        const int *n = in->face[f];
        double d = vo_distance_vertex_face(p, in->x[n[0]], in->x[n[1]], in->x[n[2]]).squared;
        best = vo_min(best, d);
    }
    return best;
}

/* Returns the container nearest to a point; NULL if there is none. */
static const vo_inspect_part *nearest_container(const vo_inspector *in, vo_vec3 p) {
    const vo_inspect_part *nearest = NULL;
    double best = INFINITY;
    for (int i = first_obstacle(in); i < in->part_count; i++) {
        if (!is_container(in, &in->part[i])) continue;
        double d = part_distance2(in, &in->part[i], p);
        if (!nearest || d < best) nearest = &in->part[i], best = d;
    }
    return nearest;
}

/* `part` is the obstacle of the surface; NULL: all containers. */
static vo_result find_inside_of(vo_inspector *in, const vo_inspect_part *part,
                                const vo_closed_surface *surface, vo_inspection *out) {
    vo_deepest deepest;
    VO_TRY(vo_inside_find(in->ctx, &in->inside, surface, cloth_nodes(in), in->x, in->is_inside,
                          &deepest));
    if (deepest.point < 0 || (out->deepest_node >= 0 && deepest.depth <= out->max_depth))
        return VO_OK;
    const vo_inspect_part *cloth = part_of_node(in, deepest.point);
    if (!part) part = nearest_container(in, in->x[deepest.point]);
    out->max_depth = deepest.depth;
    out->deepest_cloth = cloth->number;
    out->deepest_node = deepest.point - cloth->node;
    out->deepest_obstacle = part ? part->number : -1;
    out->deepest_position = in->x[deepest.point];
    out->deepest_outside_container = surface->solid == VO_SOLID_AROUND;
    return VO_OK;
}

/* Cloth without intersections with an obstacle does not cross it: each connected component is
 * entirely inside or outside, so one node of each is tested. */

/* Above this number of components, testing all nodes at once is cheaper. */
enum { MAX_TESTED_COMPONENTS = 16 };

/* Finds the connected components of cloth; the first node of each is its root. */
static vo_result find_components(vo_inspector *in) {
    int nodes = cloth_nodes(in), faces = cloth_faces(in);
    if (!vo_reserve(in->ctx, &in->component, &in->component_capacity, nodes))
        return vo_fail_memory(in->ctx, "the inspection");
    for (int i = 0; i < nodes; i++) in->component[i] = i;
    for (int f = 0; f < faces; f++)
        for (int k = 1; k < 3; k++)
            vo_union_find_join(in->component, in->face[f][0], in->face[f][k]);
    return VO_OK;
}

/* Returns the bounds of a surface. */
static vo_box solid_bounds(const vo_closed_surface *s) {
    vo_box bounds = box_empty();
    for (int f = 0; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) bounds = box_add(bounds, s->x[s->face[f][k]]);
    return bounds;
}

/* Returns true if a solid contains the root of a component, or there are too many candidates. */
static bool may_contain_component(const vo_inspector *in, const vo_closed_surface *surface) {
    bool is_unbounded = surface->solid == VO_SOLID_AROUND;
    vo_box bounds = solid_bounds(surface);
    int nodes = cloth_nodes(in), tested = 0;
    for (int i = 0; i < nodes; i++) {
        if (in->component[i] != i) continue;
        if (!is_unbounded && !box_overlaps((vo_box){in->x[i], in->x[i]}, bounds)) continue;
        if (++tested > MAX_TESTED_COMPONENTS ||
            vo_solid_contains(surface->solid, vo_winding_number(surface, in->x[i])))
            return true;
    }
    return false;
}

/* Returns true if no face of cloth touches an obstacle. */
static bool is_apart(const vo_inspector *in, const vo_inspection *out) {
    int nodes = cloth_nodes(in);
    for (int i = 0; i < nodes; i++)
        if (!vo_position_is_valid(in->x[i])) return false;
    return out->complete && out->obstacle_pairs == 0;
}

/* Gathers the faces of all containers into one surface. */
static vo_result join_containers(vo_inspector *in, vo_closed_surface *out) {
    int count = 0;
    *out = (vo_closed_surface){.x = in->x, .solid = VO_SOLID_AROUND};
    for (int i = first_obstacle(in); i < in->part_count; i++) {
        const vo_inspect_part *part = &in->part[i];
        if (!is_container(in, part)) continue;
        int faces = part->face_end - part->face;
        if (!vo_reserve(in->ctx, &in->container_face, &in->container_capacity, count + faces))
            return vo_fail_memory(in->ctx, "the inspection");
        memcpy(in->container_face + count, in->face + part->face,
               (size_t)faces * sizeof *in->container_face);
        count += faces;
    }
    out->face = (const int(*)[3])in->container_face;
    out->face_count = count;
    return VO_OK;
}

/* Containers are joined: cloth may be in any of them, and is in the solid outside of all. */
static vo_result find_outside_containers(vo_inspector *in, bool apart, vo_inspection *out) {
    vo_closed_surface surface;
    VO_TRY(join_containers(in, &surface));
    if (surface.face_count == 0 || (apart && !may_contain_component(in, &surface))) return VO_OK;
    return find_inside_of(in, NULL, &surface, out);
}

static vo_result find_insides(vo_inspector *in, vo_inspection *out) {
    bool apart = is_apart(in, out);
    if (in->node_count) memset(in->is_inside, 0, (size_t)in->node_count);
    out->deepest_cloth = out->deepest_node = out->deepest_obstacle = -1;
    if (apart) VO_TRY(find_components(in));
    for (int i = first_obstacle(in); i < in->part_count; i++) {
        const vo_inspect_part *part = &in->part[i];
        if (part->solid == VO_INSPECT_OPEN || !has_valid_positions(in, part)) continue;
        vo_closed_surface surface = surface_of(in, part);
        out->closed_obstacles++;
        if (surface.solid == VO_SOLID_AROUND) continue;
        if (!apart || may_contain_component(in, &surface))
            VO_TRY(find_inside_of(in, part, &surface, out));
    }
    VO_TRY(find_outside_containers(in, apart, out));
    int nodes = cloth_nodes(in);
    for (int i = 0; i < nodes; i++) out->inside_nodes += in->is_inside[i];
    return VO_OK;
}

/* ---- faces and nodes by themselves ---------------------------------------------------------- */

/* Tests collinearity exactly in the three coordinate planes. */
static bool is_on_line(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return vo_orient2d(v2(a.x, a.y), v2(b.x, b.y), v2(c.x, c.y)) == 0 &&
           vo_orient2d(v2(a.y, a.z), v2(b.y, b.z), v2(c.y, c.z)) == 0 &&
           vo_orient2d(v2(a.z, a.x), v2(b.z, b.x), v2(c.z, c.x)) == 0;
}

static bool face_is_valid(const vo_inspector *in, const int face[3]) {
    return vo_position_is_valid(in->x[face[0]]) && vo_position_is_valid(in->x[face[1]]) &&
           vo_position_is_valid(in->x[face[2]]);
}

static bool face_is_flat(const vo_inspector *in, int face) {
    const int *n = in->face[face];
    return face_is_valid(in, n) && is_on_line(in->x[n[0]], in->x[n[1]], in->x[n[2]]);
}

static void count_inverted(const vo_inspect_part *cloth, int face, vo_inspection *out) {
    if (out->inverted_faces++ > 0) return;
    out->inverted_cloth = cloth->number;
    out->inverted_face = face - cloth->face;
}

static void count_degenerate(const vo_inspector *in, vo_inspection *out) {
    int nodes = cloth_nodes(in);
    for (int i = 0; i < nodes; i++) out->lost_nodes += !vo_position_is_valid(in->x[i]);
    out->inverted_cloth = out->inverted_face = -1;
    for (const vo_inspect_part *p = in->part; p < in->part + first_obstacle(in); p++)
        for (int f = p->face; f < p->face_end; f++)
            if (face_is_flat(in, f)) count_inverted(p, f, out);
}

vo_result vo_inspector_inspect(vo_inspector *in, vo_inspection *out) {
    *out = (vo_inspection){0};
    VO_TRY(find_intersections(in, out));
    VO_TRY(find_insides(in, out));
    count_degenerate(in, out);
    return VO_OK;
}

void vo_inspector_free(vo_inspector *in) {
    vo_context *ctx = in->ctx;
    vo_intersections_free(ctx, &in->intersections);
    vo_inside_free(ctx, &in->inside);
    vo_free_array(ctx, in->part, in->part_capacity);
    vo_free_array(ctx, in->x, in->x_capacity);
    vo_free_array(ctx, in->is_inside, in->inside_capacity);
    vo_free_array(ctx, in->face, in->face_capacity);
    vo_free_array(ctx, in->component, in->component_capacity);
    vo_free_array(ctx, in->container_face, in->container_capacity);
    *in = (vo_inspector){.ctx = ctx};
}

/* ---- of a simulation ------------------------------------------------------------------------ */

/* The current mesh of a cloth, or the scene's before untangling. A garment has no positions before
 * it is sewn. */
static const vo_mesh *cloth_mesh(const vo_sim *sim, int c, bool given) {
    const vo_scene_cloth *cloth = &sim->scene->cloth[c];
    return given && !cloth->garment ? cloth->mesh : sim->cloth[c].mesh;
}

static vo_inspect_solid solid_of(const vo_sim *sim, int obstacle) {
    if (!vo_mesh_is_closed(sim->obstacle[obstacle].mesh)) return VO_INSPECT_OPEN;
    return sim->scene->obstacle[obstacle].body ? VO_INSPECT_ENCLOSED : VO_INSPECT_ORIENTED;
}

/* Returns six times the signed volume of a closed mesh. */
static double mesh_volume6(const vo_mesh *mesh) {
    double sum = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        const vo_vec3 *x = mesh->node_x;
        sum += v3_tetrahedron6(x[0], x[vo_mesh_face_node(mesh, f, 0)],
                               x[vo_mesh_face_node(mesh, f, 1)], x[vo_mesh_face_node(mesh, f, 2)]);
    }
    return sum;
}

bool vo_sim_obstacle_is_container(const vo_sim *sim, int obstacle) {
    const vo_mesh *mesh = sim->obstacle[obstacle].mesh;
    return !sim->scene->obstacle[obstacle].body && vo_mesh_is_closed(mesh) &&
           mesh_volume6(mesh) < 0;
}

static vo_result add_meshes(const vo_sim *sim, bool given) {
    vo_inspector *in = sim->inspector;
    vo_inspector_begin(in);
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_inspect_mesh mesh = vo_inspect_mesh_of(cloth_mesh(sim, c, given));
        VO_TRY(vo_inspector_add(in, &mesh, false, c, VO_INSPECT_OPEN));
    }
    for (int i = 0; i < sim->obstacle_count; i++) {
        if (!sim->obstacle[i].present) continue;
        vo_inspect_mesh mesh = vo_inspect_mesh_of(sim->obstacle[i].mesh);
        VO_TRY(vo_inspector_add(in, &mesh, true, i, solid_of(sim, i)));
    }
    return VO_OK;
}

/* Strain, and faces turned over in material space that are not already counted as flat. */
static void add_material(const vo_inspector *in, const vo_mesh *mesh, const vo_inspect_part *part,
                         vo_inspection *out) {
    vo_mesh_strain(mesh, &out->max_strain, &out->min_strain);
    for (int f = 0; f < mesh->face_count; f++)
        if (!(vo_mesh_face_area(mesh, f) > 0) && !face_is_flat(in, part->face + f))
            count_inverted(part, part->face + f, out);
}

static vo_result inspect_sim(const vo_sim *sim, bool given, vo_inspection *out) {
    vo_inspector *in = sim->inspector;
    VO_TRY(add_meshes(sim, given));
    VO_TRY(vo_inspector_inspect(in, out));
    for (int c = 0; c < sim->cloth_count; c++)
        add_material(in, cloth_mesh(sim, c, given), &in->part[c], out);
    vo_sim_list_lagging_nodes(sim, out);
    return VO_OK;
}

vo_result vo_sim_inspect(const vo_sim *sim, vo_inspection *out) {
    return inspect_sim(sim, false, out);
}

vo_result vo_sim_inspect_initial(const vo_sim *sim, vo_inspection *out) {
    return inspect_sim(sim, true, out);
}

int vo_inspection_intersections(const vo_inspection *inspection) {
    int64_t sum =
        (int64_t)inspection->self_pairs + inspection->cloth_pairs + inspection->obstacle_pairs;
    return sum < INT32_MAX ? (int)sum : INT32_MAX;
}

bool vo_inspection_is_clean(const vo_inspection *inspection) {
    return vo_inspection_intersections(inspection) == 0 && inspection->inside_nodes == 0 &&
           inspection->inverted_faces == 0 && inspection->lost_nodes == 0;
}
