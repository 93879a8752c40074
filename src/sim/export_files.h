/* The names of exported files: NNNN_CC.obj of a cloth, NNNN_obsJJ.obj of an obstacle. A folder may
 * have files of another name, which are somebody else's, and of these names from an earlier export
 * of other frames, which would pass for those of this run. */
#ifndef VO_SIM_EXPORT_FILES_H
#define VO_SIM_EXPORT_FILES_H

#include "core/context.h"

enum { VO_EXPORT_NAME = 64 };

typedef struct vo_export_name {
    int frame, index; /* of the cloth or obstacle */
    bool obstacle;
} vo_export_name;

void vo_export_name_print(vo_export_name name, char out[VO_EXPORT_NAME]);
/* False for any name that is not to the letter what the above makes. */
bool vo_export_name_read(const char *text, vo_export_name *out);

/* <run>/obj, where exports go unless another folder is named. */
void vo_export_folder(char *out, size_t size, const char *run);

/* Takes out all files of such names; a missing folder has none. */
vo_result vo_exports_remove(vo_context *ctx, const char *folder);

/* What a run can have exported: frames first to last, of so many cloths and obstacles. */
typedef struct vo_export_extent {
    int first, last, cloths, obstacles;
} vo_export_extent;
/* Warns of files of such names that the run does not have. */
void vo_exports_tell_others(vo_context *ctx, const char *folder, vo_export_extent own);

#endif
