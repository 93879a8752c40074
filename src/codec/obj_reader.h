/* State of the OBJ parser, shared by obj_parse.c (lines) and obj_corners.c (faces). */
#ifndef VO_CODEC_OBJ_READER_H
#define VO_CODEC_OBJ_READER_H

#include "mesh/mesh.h"

/* Corners are stored as in the file, with a v and optionally a vt. They are resolved to verts after
 * the last face, since one vt may be used with several v, and a v may have no vt. */
typedef struct vo_obj_reader {
    vo_context *ctx;
    const char *name;
    const char *at, *end; /* remaining text */
    int line;             /* from 1 */
    vo_mesh_data *data;

    int (*face_node)[3]; /* [data->face_count] parallel to data->face_vert, which is vt or -1 */
    int face_node_capacity;
    int polygon_begin; /* first triangle of the last f line */

    int corner_count, corner_capacity; /* current polygon */
    int *corner_node, *corner_vert;    /* vert is -1 without vt */
    int *scratch;
    vo_vec2 *flat;
    vo_vec3 *world;
    int (*triangle)[3];

    int unknown_count, unknown_line; /* lines with unknown keywords; the first one */
    char unknown[24];
} vo_obj_reader;

/* Fails with VO_BAD_DATA and "dress.obj: line 12: ...". */
vo_result vo_obj_fail(vo_obj_reader *r, const char *format, ...) VO_PRINTF(2, 3);
vo_result vo_obj_fail_memory(vo_obj_reader *r);
/* Fails with "expected WANTED, found WORD", for the word at r->at. */
vo_result vo_obj_fail_word(vo_obj_reader *r, const char *wanted);

/* Moves to the next word of the line; false at its end. Crosses lines that end in a backslash. */
bool vo_obj_next_word(vo_obj_reader *r);
/* Skips the rest of a line. A comment does not continue on the next line. */
void vo_obj_skip_line(vo_obj_reader *r);
/* True at the end of a word. */
bool vo_obj_at_break(const vo_obj_reader *r);

vo_result vo_obj_read_face(vo_obj_reader *r);
/* Reads an OBJ index (from 1, or relative to the end if negative) as 0 .. count - 1. */
vo_result vo_obj_read_index(vo_obj_reader *r, const char *keyword, int count, int *out);
/* Resolves v and vt of all corners to verts. */
vo_result vo_obj_resolve_verts(vo_obj_reader *r);
void vo_obj_reader_free(vo_obj_reader *r);

#endif
