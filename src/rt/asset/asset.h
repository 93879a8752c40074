/* A cooked garment: constant arrays in one relocatable block (.vrt).
 *
 * The block starts with a header (magic, version, byte order mark, size, checksum, counts) and a
 * table of sections; every reference is an index or an offset, so it is valid at any address.
 * Numbers are little-endian; a loader on a big-endian machine swaps them in its copy. The pointers
 * below refer into the block. Documented in docs/vrt-format.md. */
#ifndef VO_RT_ASSET_ASSET_H
#define VO_RT_ASSET_ASSET_H

#include "rt/base/vec.h"

/* Painted maps of a vertex; the mesh copies them to new vertices, interpolated. */
typedef struct vo_rt_vertex_maps {
    float attachment;      /* 0 to 1 */
    float max_distance;    /* m; FLT_MAX: no limit */
    float backstop;        /* m; -FLT_MAX: no backstop */
    float backstop_radius; /* m */
} vo_rt_vertex_maps;

/* Base edge. Side 0 is the triangle in which the edge runs from vertex[0] to vertex[1], side 1 the
 * one in which it runs back; -1: boundary. Material coordinates are stored per side (Simnett et al.
 * 2010, 4.1): coordinate[side][end]. */
typedef struct vo_rt_base_edge {
    int32_t vertex[2];
    int32_t triangle[2];
    vo_rt_vec2 coordinate[2][2]; /* m; zero where there is no triangle */
    int32_t control;             /* side whose rest length applies to both */
    float rest_angle;            /* rad, rest bend angle */
} vo_rt_base_edge;

/* edge[i] is opposite vertex[i]: it joins vertex[i + 1] and vertex[i + 2] (indices modulo 3). */
typedef struct vo_rt_base_triangle {
    int32_t vertex[3];
    int32_t edge[3];
} vo_rt_base_triangle;

/* Limits the distance of a vertex from an attached one to length (geodesic rest distance times the
 * scale of the definition). */
typedef struct vo_rt_tether {
    int32_t vertex, anchor;
    float length; /* m */
} vo_rt_tether;

/* Output vertex: a point of a base triangle with an offset along the interpolated normal. */
typedef struct vo_rt_render_vertex {
    int32_t triangle;
    float weight[3]; /* barycentric */
    float offset;    /* m */
} vo_rt_render_vertex;

/* Vertices that a seam pulls together, in a merged asset none. */
typedef struct vo_rt_link {
    int32_t a, b;
} vo_rt_link;

struct vo_rt_asset {
    vo_allocator allocator;
    void *data; /* the block */
    size_t bytes;

    int vertex_count, triangle_count, edge_count, tether_count, link_count, bone_count;
    int render_vertex_count, render_triangle_count, max_level;
    bool output_is_refined_base; /* no render mesh: the output is the base refined to max_level */
    vo_rt_fabric fabric;
    float mass;
    vo_rt_vec3 min, max;
    const vo_rt_vec3 *position;               /* [vertex_count] m, rest pose */
    const vo_rt_base_triangle *triangle;      /* [triangle_count] */
    const vo_rt_base_edge *edge;              /* [edge_count] */
    const vo_rt_vertex_maps *maps;            /* [vertex_count] */
    const float *stiffness_factor;            /* [vertex_count] */
    const vo_rt_tether *tether;               /* [tether_count] sorted by vertex */
    const vo_rt_link *link;                   /* [link_count] */
    const uint16_t *skin_bone;                /* [4 vertex_count], if bone_count > 0 */
    const float *skin_weight;                 /* [4 vertex_count] */
    const vo_rt_render_vertex *render_vertex; /* [render_vertex_count] */
    const uint32_t *render_triangle;          /* [3 render_triangle_count] */
    const vo_rt_vec2 *render_uv;              /* [render_vertex_count] */
};

/* For an output that is the refined base, the vertices of base triangle t at level L are numbered
 * so that vo_rt_render_vertex gives their barycentric coordinates; vertices on shared base edges
 * appear once. */

#endif
