/* The state of reading one OBJ file, shared by obj_parse.c (lines) and obj_corners.c (faces). */
#ifndef VO_CODEC_OBJ_READER_H
#define VO_CODEC_OBJ_READER_H

#include "mesh/mesh.h"

/* Corners are kept as the file gives them, a v and perhaps a vt each. Which vert a corner is can
 * only be said when all faces are known, since a vt may serve several v and a v may have no vt. */
typedef struct vo_obj_reader {
    vo_context *ctx;
    const char *name;
    const char *at, *end; /* what is left of the text */
    int line;             /* from 1 */
    vo_mesh_data *data;

    int (*face_node)[3]; /* [data->face_count] beside data->face_vert, which holds vt or -1 */
    int face_node_capacity;
    int polygon_begin; /* first triangle of the last f line */

    int corner_count, corner_capacity; /* the polygon at hand */
    int *corner_node, *corner_vert;    /* vert is -1 where the file gives none */
    int *scratch;
    vo_vec2 *flat;
    vo_vec3 *world;
    int (*triangle)[3];

    int unknown_count, unknown_line; /* lines with unknown keywords, and the first */
    char unknown[24];
} vo_obj_reader;

/* "dress.obj: line 12: ..." as VO_BAD_DATA. */
vo_result vo_obj_fail(vo_obj_reader *r, const char *format, ...) VO_PRINTF(2, 3);
vo_result vo_obj_fail_memory(vo_obj_reader *r);
/* The same with the word at r->at in quotes at the end. */
vo_result vo_obj_fail_word(vo_obj_reader *r, const char *wanted);

/* Moves to the next word of the line; false at its end. Crosses lines that end in a backslash. */
bool vo_obj_next_word(vo_obj_reader *r);
/* Skips what is left of a line; a comment never continues on the next one. */
void vo_obj_skip_line(vo_obj_reader *r);
/* Whether a word ends here. */
bool vo_obj_at_break(const vo_obj_reader *r);

vo_result vo_obj_read_face(vo_obj_reader *r);
/* Reads an index of OBJ (from 1, or from the end if negative) into 0 .. count - 1. */
vo_result vo_obj_read_index(vo_obj_reader *r, const char *keyword, int count, int *out);
/* Turns v and vt of all corners into verts. */
vo_result vo_obj_resolve_verts(vo_obj_reader *r);
void vo_obj_reader_free(vo_obj_reader *r);

#endif
