/* Reads a run and writes the positions of all cloth nodes as CSV: frame, time, cloth, node, x, y,
 * z.
 *
 *     read_run RUN_FOLDER [OUTPUT.csv]
 */
#include <voile/voile.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the message of the context if a call has failed. */
static void need(vo_context *ctx, vo_result result) {
    if (result == VO_OK) return;
    fprintf(stderr, "read_run: %s\n", vo_context_message(ctx));
    exit(1);
}

static void write_cloth(FILE *out, const vo_run_reader *reader, int cloth) {
    int frame = vo_run_reader_current_frame(reader);
    double time = vo_run_reader_time(reader);
    vo_mesh_view view = vo_run_reader_get_cloth(reader, cloth); /* valid until the next frame */
    for (int i = 0; i < view.node_count; i++)
        fprintf(out, "%d,%.9g,%d,%d,%.9g,%.9g,%.9g\n", frame, time, cloth, i, view.node_x[i].x,
                view.node_x[i].y, view.node_x[i].z);
}

int main(int argc, char **argv) {
    vo_context *ctx;
    vo_run_reader *reader;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: read_run RUN_FOLDER [OUTPUT.csv]\n");
        return 2;
    }
    if (vo_context_create(NULL, &ctx) != VO_OK) return 1;
    need(ctx, vo_run_reader_open(ctx, argv[1], &reader));
    FILE *out = argc > 2 ? fopen(argv[2], "w") : stdout;
    if (!out) {
        perror(argv[2]);
        return 1;
    }

    int rows = 0, count = vo_run_reader_frame_count(reader);
    fprintf(out, "frame,time,cloth,node,x,y,z\n");
    for (int i = 0; i < count; i++) {
        int frame = vo_run_reader_frame_number(reader, i);
        const vo_scene *scene;
        need(ctx, vo_run_reader_load_scene(reader, frame, &scene));
        need(ctx, vo_run_reader_read_frame(reader, frame));
        for (int c = 0; c < vo_scene_cloth_count(scene); c++) {
            write_cloth(out, reader, c);
            rows += vo_run_reader_get_cloth(reader, c).node_count;
        }
    }
    if (fclose(out) != 0) {
        perror("read_run");
        return 1;
    }
    fprintf(stderr, "%d frames, %d positions\n", count, rows);
    vo_run_reader_close(reader);
    vo_context_destroy(ctx);
    return 0;
}
