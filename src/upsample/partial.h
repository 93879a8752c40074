/* Folder of the saved states of interrupted training. */
#ifndef VO_UPSAMPLE_PARTIAL_H
#define VO_UPSAMPLE_PARTIAL_H

#include "core/context.h"

/* Removes the files of saved states (states.h) and the folder, unless it contains other files. A
 * folder that does not exist is fine. */
vo_result vo_upsample_partial_remove(vo_context *ctx, const char *folder);

#endif
