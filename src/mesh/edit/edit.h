/* Local mesh edits: edge split, edge collapse, edge flip.
 *
 *         c                c             c                c            c              c
 *        / \              /|\           /|\              / \          / \            /|\
 *       a---b    split   a-m-b         u-+-v  collapse  |   v        a---b   flip   a | b
 *        \ /              \|/           \|/              \ /          \ /            \|/
 *         d                d             d                d            d              d
 *
 * An editor adds to a mesh the data that edits need beyond the mesh's own arrays: the incident
 * edges and verts of each node, free lists, and the remap table.
 *
 *      half-edge h = 2 edge + end   edge_node[edge][end]   its origin
 *                                   edge_face[edge][end]   the face on its left, which has the
 *                                                          origin as a corner; -1 at a border
 *                                   edge_next[edge][end]   the next half-edge of the same origin
 *
 * The half-edge list of a node enumerates its edges, its neighbours and each incident face once; it
 * is valid for nodes with several fans of faces, too. Lists are singly linked: a node has about six
 * edges, and shorter links save cache lines.
 *
 * Removed elements leave a free slot (face_vert[0], edge_node[0], vert_node = -1, or a flag of the
 * node), which the next new element reuses; the mesh's counts are then the ends of the arrays. All
 * other modules require arrays without free slots, so vo_edit_finish compacts them and places
 * neighbours next to each other in memory.
 *
 *      vo_edit_begin -> any number of edits -> vo_edit_finish -> read edit->remap
 *
 * Feature edges must be preserved by edits: borders, seams (different verts on the two sides),
 * creases (labelled) and material boundaries. Each edit preserves:
 *  1. the invariants of mesh/mesh.h; no edit creates a defect that the validator calls fatal;
 *  2. feature edges: a flip never removes one; a node on a feature line is collapsed only along it,
 *     both sides together; a node where features end, meet or change kind is never collapsed;
 *  3. the outline: feature lines stay within def.outline_tolerance of the initial ones, in material
 *     space, for any number of edits (edge_drift accumulates);
 *  4. preserved nodes;
 *  5. material area and mass, per material, except for moves of the outline within its tolerance;
 *     new nodes lie on the old surface, in the world and in material space;
 *  6. linear momentum, by the mass lumped to nodes (where an outline moves, mean velocity); kinetic
 *     energy never grows. Velocities linear in material space need no momentum correction; where
 *     lumping increases the moment of inertia of the nodes around an edit, the energy limit reduces
 *     their relative velocities.
 * New nodes and verts have no label. */
#ifndef VO_MESH_EDIT_EDIT_H
#define VO_MESH_EDIT_EDIT_H

#include "core/memory.h"
#include "mesh/edit/remap.h"
#include "mesh/mesh.h"

typedef struct vo_edit_def {
    const double *density;    /* [density_count] kg/m^2 by face label; NULL: 1 for all */
    int density_count;        /* larger labels use the last density */
    double outline_tolerance; /* m; 0: only nodes exactly between their neighbours collapse */
    double corner_angle;      /* rad; feature lines that turn more at a node preserve it */
    int node_width;           /* number of doubles per node in node_data; 0: none */
    int vert_width;           /* number of doubles per vert in vert_data; 0: none */
} vo_edit_def;

vo_edit_def vo_edit_def_default(void);

/* Bits of node_flags. */
enum {
    VO_NODE_PRESERVED = 1,  /* never collapsed: labelled, a corner, or set by the caller */
    VO_NODE_PRESCRIBED = 2, /* prescribed velocity: excluded from momentum corrections */
    VO_NODE_GONE = 4
};

/* Bits of edge_feature: why an edge is a feature edge. */
enum { VO_FEATURE_BORDER = 1, VO_FEATURE_SEAM = 2, VO_FEATURE_CREASE = 4, VO_FEATURE_MATERIAL = 8 };

typedef struct vo_edit {
    vo_context *ctx;
    vo_mesh *mesh; /* not owned */
    vo_edit_def def;
    double *density; /* own copy */
    int edits;       /* number since vo_edit_begin */
    bool fresh;      /* the remap table is the identity */

    int node_capacity;
    int *node_halfedge; /* first half-edge of the node, -1; in a free slot the next free slot */
    int *node_vert;     /* first vert of the node, -1 */
    uint8_t *node_flags;
    double *node_mass; /* kg; a third of each incident face */
    double *node_data; /* [node_width each] interpolated by splits; filled and read by the caller */
    uint8_t *node_split_cooldown; /* state of remesh/remesh_hysteresis.c; 0 for new nodes */
    uint8_t *node_edit_penalty;

    int vert_capacity;
    int *vert_next; /* next vert of the same node, -1; in a free slot the next free slot */
    double *vert_data;

    int edge_capacity;
    int (*edge_next)[2]; /* next half-edge of the same node, -1; in a free slot the next one */
    uint8_t *edge_feature;
    double *edge_drift; /* m; bound on the distance from the initial outline */

    int free_slot[VO_REMAP_KINDS]; /* heads of the free lists, -1 */
    int free_slot_count[VO_REMAP_KINDS];
    vo_remap remap;
    vo_arena scratch; /* memory of vo_edit_finish */
} vo_edit;

/* Result of an edit; every value except VO_EDIT_ALLOWED leaves the mesh unchanged. */
typedef enum vo_edit_status {
    VO_EDIT_ALLOWED,
    VO_EDIT_NO_MEMORY,
    VO_EDIT_MISSING,    /* the edge does not exist */
    VO_EDIT_DEGENERATE, /* a face would have no area or be inverted in material space */
    VO_EDIT_ON_FEATURE, /* the edge is a feature edge */
    VO_EDIT_JOINED,     /* nodes that have a common edge already would get a second one */
    VO_EDIT_PRESERVED,  /* the node is preserved */
    VO_EDIT_JUNCTION,   /* feature lines end, meet or change kind at the node */
    VO_EDIT_ACROSS,     /* the node is on a feature line that the edge does not follow */
    VO_EDIT_OUTLINE,    /* the outline would move further than its tolerance */
    VO_EDIT_EAR,        /* a face beside the edge has a second side on a feature line at the node */
    VO_EDIT_LARGE,      /* too many faces meet at the node */
} vo_edit_status;

/* Creates an editor for a cloth mesh. The mesh must outlive the editor; only the editor may change
 * its connectivity, nodes may move. Marks labelled nodes, corners of feature lines and nodes with
 * several fans of faces as preserved. */
vo_result vo_edit_create(vo_mesh *mesh, const vo_edit_def *def, vo_edit **out);
void vo_edit_destroy(vo_edit *edit);

/* Resets the remap table to the identity and recomputes the masses. */
vo_result vo_edit_begin(vo_edit *edit);

/* Compacts the arrays, with neighbours next to each other (compact.c). Without edits since
 * vo_edit_begin nothing changes, not even the order. On failure nothing has changed. */
vo_result vo_edit_finish(vo_edit *edit);

/* Reserves memory for `splits` splits, so that none of them allocates. */
vo_result vo_edit_reserve(vo_edit *edit, int splits);

/* Elements that a split created; -1 where a face is missing. The split edge keeps the part from its
 * first node to the new one; edge[0] is the part from the new node to its second node. */
typedef struct vo_edit_pieces {
    int node;
    int vert[2]; /* on the two sides of the edge; equal unless it is a seam */
    int edge[3]; /* the second part; the new edges across faces 0 and 1 */
    int face[2]; /* the parts of the two faces at the edge's second node */
} vo_edit_pieces;

/* Each edit checks its preconditions and changes nothing if they are not met; vo_edit_can_* only
 * checks. A split is at (1 - t) first node + t second node, 0 < t < 1. */
vo_edit_status vo_edit_can_split(const vo_edit *edit, int edge, double t);
vo_edit_status vo_edit_split(vo_edit *edit, int edge, double t, vo_edit_pieces *out);

/* Collapses the node at `end` (0 or 1) of the edge onto the other one, which does not move. */
vo_edit_status vo_edit_can_collapse(const vo_edit *edit, int edge, int end);
vo_edit_status vo_edit_collapse(vo_edit *edit, int edge, int end);

vo_edit_status vo_edit_can_flip(const vo_edit *edit, int edge);
vo_edit_status vo_edit_flip(vo_edit *edit, int edge);

static inline bool vo_edit_has_node(const vo_edit *e, int node) {
    return !(e->node_flags[node] & VO_NODE_GONE);
}
static inline bool vo_edit_has_vert(const vo_edit *e, int vert) {
    return e->mesh->vert_node[vert] >= 0;
}
static inline bool vo_edit_has_edge(const vo_edit *e, int edge) {
    return edge >= 0 && edge < e->mesh->edge_count && e->mesh->edge_node[edge][0] >= 0;
}
static inline bool vo_edit_has_face(const vo_edit *e, int face) {
    return e->mesh->face_vert[face][0] >= 0;
}

/* The edge between two nodes, -1 if there is none. */
int vo_edit_find_edge(const vo_edit *edit, int a, int b);

#endif
