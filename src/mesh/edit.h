/* Changing the mesh, one edge at a time: split, collapse, flip.
 *
 *         c                c             c                c            c              c
 *        / \              /|\           /|\              / \          / \            /|\
 *       a---b    split   a-m-b         u-+-v  collapse  |   v        a---b   flip   a | b
 *        \ /              \|/           \|/              \ /          \ /            \|/
 *         d                d             d                d            d              d
 *
 * An editor puts on a mesh what edits need beyond the mesh's own arrays, which stay in use by all
 * others: for each node the edges and verts it has, free lists, and the remap table.
 *
 *      half h = 2 edge + end        edge_node[edge][end]   the node it starts from
 *                                   edge_face[edge][end]   the face on its left, which has the
 *                                                          node as a corner; -1 at a border
 *                                   edge_next[edge][end]   the next half from the same node
 *
 * A node's list of halves gives its edges, its neighbours and, each once, its faces; it holds for
 * nodes where several fans of faces meet, too. Lists are singly linked: a node has about six edges,
 * and a link saved is a cache line saved.
 *
 * Elements that go leave a hole (face_vert[0], edge_node[0], vert_node = -1, or a flag of the
 * node) which the next one fills; the mesh's counts are then the ends of the arrays. Everybody else
 * wants arrays without holes, so vo_edit_finish closes them and puts neighbours side by side.
 *
 *      vo_edit_begin -> any number of edits -> vo_edit_finish -> ask edit->remap
 *
 * Lines are edges that edits must respect: borders, seams (different verts on the two sides),
 * creases (labelled) and changes of material. Each edit keeps:
 *  1. the invariants of mesh/mesh.h; what the validator calls fatal never comes to be;
 *  2. lines: a flip never takes one away; a node on a line is collapsed along it only, both sides
 *     together; a node where lines end, meet or change their kind is never collapsed;
 *  3. the outline: the present lines stay within def.outline_tolerance of the first ones, in
 *     material space, whatever the number of edits (edge_drift adds up);
 *  4. preserved nodes;
 *  5. material area and mass, in each material apart, except for what the tolerance lets an
 *     outline move; new nodes lie on the old surface, in the world and in material space;
 *  6. linear momentum, by the mass lumped to nodes (where an outline moves, mean velocity), and
 *     kinetic energy never grows. Velocities linear in material space need no correction for
 *     momentum; where lumping gives the nodes around an edit a larger moment of inertia, energy
 *     makes them turn and stretch slower by that much.
 * New nodes and verts have no label. */
#ifndef VO_MESH_EDIT_H
#define VO_MESH_EDIT_H

#include "core/memory.h"
#include "mesh/mesh.h"
#include "mesh/remap.h"

typedef struct vo_edit_def {
    const double *density;    /* [density_count] kg/m^2 by face label; NULL: 1 for all */
    int density_count;        /* labels beyond take the last one */
    double outline_tolerance; /* m; 0: only nodes that lie straight between their neighbours */
    double corner_angle;      /* rad; a line that turns more at a node preserves it */
    int node_width;           /* numbers per node to carry along (node_data); 0: none */
    int vert_width;           /* numbers per vert (vert_data) */
} vo_edit_def;

vo_edit_def vo_edit_def_default(void);

/* Bits of node_flags. */
enum {
    VO_NODE_PRESERVED = 1, /* never collapsed: labelled, a corner, or the caller's wish */
    VO_NODE_HELD = 2,      /* velocity prescribed: takes no part in corrections of momentum */
    VO_NODE_GONE = 4
};

/* Bits of edge_line: why an edge is a line. */
enum { VO_LINE_BORDER = 1, VO_LINE_SEAM = 2, VO_LINE_CREASE = 4, VO_LINE_MATERIAL = 8 };

typedef struct vo_edit {
    vo_context *ctx;
    vo_mesh *mesh; /* not owned */
    vo_edit_def def;
    double *density; /* own copy */
    int edits;       /* since vo_edit_begin */
    bool fresh;      /* the remap table says that nothing happened */

    int node_capacity;
    int *node_half; /* first half from the node, -1; of a hole the next hole */
    int *node_vert; /* first vert of the node, -1 */
    uint8_t *node_flags;
    double *node_mass;   /* kg; a third of each face */
    double *node_data;   /* [node_width each] interpolated by splits; the caller fills and reads */
    uint8_t *node_youth; /* what remeshing remembers (remesh/remesh_calm.c); 0 for new nodes */
    uint8_t *node_heat;

    int vert_capacity;
    int *vert_next; /* next vert of the same node, -1; of a hole the next hole */
    double *vert_data;

    int edge_capacity;
    int (*edge_next)[2]; /* next half from the same node, -1; of a hole the next hole */
    uint8_t *edge_line;
    double *edge_drift; /* m; how far the first outline is from this part of it at most */

    int hole[VO_REMAP_KINDS];       /* first hole of each kind, -1 */
    int hole_count[VO_REMAP_KINDS]; /* holes of each kind */
    vo_remap remap;
    vo_arena scratch; /* of vo_edit_finish */
} vo_edit;

/* Why an edit is refused. */
#define VO_EDIT_REASONS(X)                                                        \
    X(ALLOWED, "it is allowed")                                                   \
    X(NO_MEMORY, "there is no memory left")                                       \
    X(MISSING, "there is no such edge")                                           \
    X(THIN, "a face would have no area or be turned over in material space")      \
    X(ON_LINE, "the edge is a border, a seam, a crease or a change of material")  \
    X(JOINED, "nodes that are joined already would be joined twice")              \
    X(PRESERVED, "the node is preserved")                                         \
    X(JUNCTION, "lines end, meet or change at the node")                          \
    X(ACROSS, "the node is on a line that the edge does not follow")              \
    X(OUTLINE, "the outline would move further than its tolerance")               \
    X(EAR, "a face beside the edge has a second side on a line through the node") \
    X(LARGE, "too many faces meet at the node")

typedef enum vo_edit_why {
#define X(name, text) VO_EDIT_##name,
    VO_EDIT_REASONS(X)
#undef X
} vo_edit_why;

const char *vo_edit_why_text(vo_edit_why why);

/* Cloth only. The mesh must outlive the editor and be changed by it alone as far as connectivity
 * goes; nodes may move. Marks labelled nodes, corners of lines and nodes where fans of faces meet
 * as preserved. */
vo_result vo_edit_create(vo_mesh *mesh, const vo_edit_def *def, vo_edit **out);
void vo_edit_destroy(vo_edit *edit);

/* Starts the remap table anew, and masses for the present density. */
vo_result vo_edit_begin(vo_edit *edit);

/* Closes the holes, with neighbours side by side (mesh/compact.h). Without any edit since
 * vo_edit_begin nothing changes, not even the order. On failure nothing has changed. */
vo_result vo_edit_finish(vo_edit *edit);

/* Room for so many splits, so that none of them asks for memory. */
vo_result vo_edit_reserve(vo_edit *edit, int splits);

/* What a split made: where a face is missing, -1. Halves of the edge: `edge` itself, from its first
 * node to the new one, and edge[0], from the new one to its second node. */
typedef struct vo_edit_pieces {
    int node;
    int vert[2]; /* on the two sides of the edge; the same unless it is a seam */
    int edge[3]; /* the second half; across face 0; across face 1 */
    int face[2]; /* the parts of the two faces at the edge's second node */
} vo_edit_pieces;

/* Each edit looks first whether it may, and changes nothing if not. The question alone costs the
 * same without the change. Splits are at (1 - t) first node + t second node, 0 < t < 1. */
vo_edit_why vo_edit_can_split(const vo_edit *edit, int edge, double t);
vo_edit_why vo_edit_split(vo_edit *edit, int edge, double t, vo_edit_pieces *out);

/* Moves the node at `end` (0 or 1) of the edge onto the other one, which stays where it is. */
vo_edit_why vo_edit_can_collapse(const vo_edit *edit, int edge, int end);
vo_edit_why vo_edit_collapse(vo_edit *edit, int edge, int end);

vo_edit_why vo_edit_can_flip(const vo_edit *edit, int edge);
vo_edit_why vo_edit_flip(vo_edit *edit, int edge);

/* Says what is wrong with the editor's own view of the mesh around (VO_BAD_DATA, a message), by
 * brute force: for tests. */
vo_result vo_edit_check(const vo_edit *edit);

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
