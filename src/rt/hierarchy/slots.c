/* Slots of edges, triangles and vertices: constant-time allocation and release.
 *
 * Children of an edge occupy a pair of slots, interior edges single ones. Pairs start at even
 * indices behind the base edges. A single slot comes from a divided pair and unites with its
 * neighbour when both are free, so that no pair is lost. Free slots are linked by face[1]; single
 * ones also backwards by face[0]. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

int vo_rt_mesh_take_edge_pair(vo_rt_mesh *mesh) {
    int edge = mesh->edge_free;
    if (edge >= 0) {
        mesh->edge_free = mesh->edge[edge].face[1];
        mesh->pair_free_count--;
    } else {
        edge = mesh->edge_end;
        mesh->edge_end += 2;
        mesh->edge[edge] = mesh->edge[edge + 1] = (vo_rt_edge){0};
    }
    return edge;
}

void vo_rt_mesh_release_edge_pair(vo_rt_mesh *mesh, int edge) {
    mesh->edge[edge].flags &= VO_RT_EDGE_DIRTY;
    mesh->edge[edge + 1].flags &= VO_RT_EDGE_DIRTY;
    mesh->edge[edge].face[1] = mesh->edge_free;
    mesh->edge_free = edge;
    mesh->pair_free_count++;
}

static void link_single(vo_rt_mesh *mesh, int edge) {
    int next = mesh->single_free;
    vo_rt_edge *e = &mesh->edge[edge];
    e->flags = (e->flags & VO_RT_EDGE_DIRTY) | VO_RT_EDGE_SINGLE;
    e->face[0] = -1;
    e->face[1] = next;
    if (next >= 0) mesh->edge[next].face[0] = edge;
    mesh->single_free = edge;
    mesh->single_free_count++;
}

static void unlink_single(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    int previous = e->face[0], next = e->face[1];
    if (previous >= 0)
        mesh->edge[previous].face[1] = next;
    else
        mesh->single_free = next;
    if (next >= 0) mesh->edge[next].face[0] = previous;
    e->flags &= VO_RT_EDGE_DIRTY;
    mesh->single_free_count--;
}

int vo_rt_mesh_take_edge(vo_rt_mesh *mesh) {
    int edge = mesh->single_free;
    if (edge >= 0) {
        unlink_single(mesh, edge);
        return edge;
    }
    edge = vo_rt_mesh_take_edge_pair(mesh);
    link_single(mesh, edge + 1);
    return edge;
}

void vo_rt_mesh_release_edge(vo_rt_mesh *mesh, int edge) {
    int neighbour = edge ^ 1;
    if (mesh->edge[neighbour].flags & VO_RT_EDGE_SINGLE) {
        unlink_single(mesh, neighbour);
        vo_rt_mesh_release_edge_pair(mesh, edge & ~1);
    } else {
        link_single(mesh, edge);
    }
}

/* Free triangles are linked by parent. */
int vo_rt_mesh_take_triangle(vo_rt_mesh *mesh) {
    int triangle = mesh->triangle_free;
    if (triangle < 0) return mesh->triangle_end++;
    mesh->triangle_free = mesh->triangle[triangle].parent;
    mesh->triangle_free_count--;
    return triangle;
}

void vo_rt_mesh_release_triangle(vo_rt_mesh *mesh, int triangle) {
    vo_rt_triangle *t = &mesh->triangle[triangle];
    t->is_used = 0;
    t->leaf = -1;
    t->parent = mesh->triangle_free;
    mesh->triangle_free = triangle;
    mesh->triangle_free_count++;
}

/* The lowest free slot, so that the leaf arrays stay dense. */
int vo_rt_mesh_take_vertex(vo_rt_mesh *mesh) {
    vo_rt_front *front = &mesh->front;
    int from = mesh->vertex_free, end = front->vertex_end;
    const uint8_t *free = from < end ? memchr(front->flags + from, 0, (size_t)(end - from)) : NULL;
    int vertex = free ? (int)(free - front->flags) : front->vertex_end++;
    mesh->vertex_free = vertex + 1;
    front->vertex_count++;
    return vertex;
}

void vo_rt_mesh_release_vertex(vo_rt_mesh *mesh, int vertex) {
    vo_rt_front *front = &mesh->front;
    const vo_rt_vec4 zero = {0};
    front->position[vertex] = front->velocity[vertex] = front->previous[vertex] = zero;
    front->shown[vertex] = front->normal[vertex] = front->target[vertex] = zero;
    front->mass[vertex] = 0;
    front->maps[vertex] = (vo_rt_vertex_maps){0};
    front->flags[vertex] = front->level[vertex] = 0;
    mesh->mass_units[vertex] = 0;
    mesh->vertex_edge[vertex] = -1;
    mesh->stiffness[vertex] = 0;
    front->vertex_count--;
    if (vertex < mesh->vertex_free) mesh->vertex_free = vertex;
    while (front->flags[front->vertex_end - 1] == 0) front->vertex_end--;
}

void vo_rt_mesh_reset_slots(vo_rt_mesh *mesh) {
    mesh->edge_end = vo_rt_first_pair(mesh);
    mesh->edge_free = mesh->single_free = -1;
    mesh->pair_free_count = mesh->single_free_count = 0;
    mesh->triangle_end = mesh->asset->triangle_count;
    mesh->triangle_free = -1;
    mesh->triangle_free_count = 0;
}
