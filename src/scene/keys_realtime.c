/* Keys of the engine `realtime`, and of the training of learned upsampling. */
#include "scene/keys_table.h"

const char *const vo_realtime_words[] = {"xpbd", "verlet", NULL};
const char *const vo_realtime_body_words[] = {"meshes", "capsules", NULL};

const vo_key vo_fan_keys[] = {
    KEY("position", VEC3, "[0, 0, 0]", "length", "Position."),
    KEY("direction", VEC3, "[0, 1, 0]", NULL, "Direction of the air stream, of any length."),
    KEY("speed", NONNEGATIVE, "5", "m/s", "Air speed at the fan."),
    KEY("angle", POSITIVE, "20", "degrees", "Half angle of the cone, below 90."),
    KEY("range", POSITIVE, "4", "m", "Distance at which the speed has fallen to 0."),
    KEY("motion", CHOICE, "-1", NULL,
        "Index of a motion that moves and turns the fan; -1: it does not move."),
    END,
};

const vo_key vo_realtime_keys[] = {
    KEY("rate", POSITIVE, "120", "1/s",
        "Simulation steps per second, 30 to 1000; raised to a whole number of steps between two "
        "poses of the obstacles, which are evaluated 60 times per second or more often."),
    KEY("substeps", COUNT, "4", NULL, "Solver substeps per simulation step, at most 64."),
    KEY("levels", INDEX, "3", NULL, "Levels of refinement below the base mesh, at most 6."),
    KEY("faces", INDEX, "0", NULL,
        "Approximate number of base triangles of each cloth; 0: all faces of a mesh or grid, 316 "
        "of a garment with a pattern."),
    KEY("solver", WORD, "\"xpbd\"", NULL,
        "`xpbd`: position-based constraints with compliance; `verlet`: mass-spring forces with "
        "Provot's correction.",
        .words = vo_realtime_words),
    KEY("budget_ms", NONNEGATIVE, "0", "ms",
        "Counted cost of a step to which refinement is limited, 0.001 to 10,000; 0: no limit."),
    KEY("budget_clock", BOOL, "false", NULL,
        "`budget_ms` limits the measured time of a step instead; such a run is not reproducible."),
    KEY("offset", NONNEGATIVE, "0.003", "m",
        "Distance of the surface that cloth collides with from obstacles, at most 0.1."),
    KEY("bodies", WORD, "\"meshes\"", NULL,
        "What cloth collides with where a character has bones: `meshes`: its surface; `capsules`: "
        "capsules on its bones, fitted to the surface, which are much faster. Capsules lie inside "
        "the surface, so `voile check` reports that cloth intersects it; they also stand for open "
        "surfaces, which the engine rejects otherwise.",
        .words = vo_realtime_body_words),
    KEY("self_collision", BOOL, "false", NULL,
        "Collisions of cloth with itself and with other cloth: no face passes through another."),
    KEY("thickness", NONNEGATIVE, "0.002", "m",
        "With `self_collision`: distance between layers of cloth, at most 0.1, and at most about a "
        "third of the length of the edges there."),
    KEY("compression", NONNEGATIVE, "0.1", NULL,
        "Compression of edges, as a fraction, up to which they resist hardly more than a strip "
        "that buckles, at most 1; 0: cloth folds in place of compressing, which suits fine "
        "meshes."),
    KEY("damping", NONNEGATIVE, "0.2", "1/s",
        "Rate at which velocities of cloth decay, at most 100; larger values stand for the inner "
        "friction of heavy fabrics: folds follow the motion and swing less."),
    KEY("fans", ARRAY, "[]", NULL, "Fans, at most 8.", .object = vo_fan_keys),
    END,
};

const vo_key vo_upsampling_keys[] = {
    KEY("cloth", INDEX, "0", NULL, "Index of the cloth that is upsampled."),
    KEY("test_functions", INDEX, "60", NULL,
        "Number of test functions with which the fine cloth follows the coarse one: the lowest "
        "harmonics of its mesh; 0: it does not follow it."),
    KEY("fine", STRINGS, "[]", NULL,
        "Changes of the scene as `key=value` that make the coarse cloth fine."),
    END,
};
