/* Memory of imported characters: everything lies in one arena. */
#include "character/import/build.h"

#include <string.h>

vo_result vo_import_array(vo_character *character, int64_t count, size_t size, void *out) {
    void *memory = NULL;
    if (count > 0) {
        size_t bytes = vo_array_bytes((size_t)count, size);
        memory = vo_arena_alloc(&character->memory, bytes);
        if (memory == NULL) return vo_fail_memory(character->ctx, "a character");
        memset(memory, 0, bytes);
    }
    memcpy(out, &memory, sizeof memory);
    return VO_OK;
}

vo_result vo_import_text(vo_character *character, const char *text, char **out) {
    size_t size = strlen(text) + 1;
    VO_TRY(vo_import_array(character, (int64_t)size, 1, out));
    memcpy(*out, text, size);
    return VO_OK;
}

void vo_character_free(vo_character *character) {
    if (character->ctx != NULL) vo_arena_free(&character->memory);
    *character = (vo_character){0};
}
