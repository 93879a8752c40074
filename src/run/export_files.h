/* Names of exported files: NNNN_CC.obj for a cloth, NNNN_obsJJ.obj for an obstacle.
 *
 * The output folder may contain unrelated files, which are never touched, and files with these
 * names from an earlier export of other frames, which could be taken for files of this run. */
#ifndef VO_RUN_EXPORT_FILES_H
#define VO_RUN_EXPORT_FILES_H

#include "core/context.h"

enum { VO_EXPORT_NAME = 64 };

typedef struct vo_export_name {
    int frame, index; /* index: number of the cloth or obstacle */
    bool obstacle;
} vo_export_name;

void vo_export_name_print(vo_export_name name, char out[VO_EXPORT_NAME]);

/* Writes the default output folder, <run>/obj. */
void vo_export_folder(char *out, size_t size, const char *run);

/* Removes all files with export names; a missing folder is allowed. */
vo_result vo_exports_remove(vo_context *ctx, const char *folder);

/* Files that a run can export: frames first to last, and numbers of cloths and obstacles. */
typedef struct vo_export_extent {
    int first, last, cloths, obstacles;
} vo_export_extent;
/* Warns about files with export names outside the extent. */
void vo_exports_warn_others(vo_context *ctx, const char *folder, vo_export_extent own);

#endif
