#include "scene/keys_table.h"

const char *const vo_unit_words[] = {"m", "cm", "mm", "in", "ft", NULL};
const char *const vo_axis_words[] = {"x", "y", "z", NULL};
const char *const vo_adapt_words[] = {"none", "full", "view", NULL};
const char *const vo_compensation_words[] = {"none", "all", NULL};
const char *const vo_solver_words[] = {"pcg", "direct", NULL};
const char *const vo_engine_words[] = {"quality", "realtime", NULL};
const char *const vo_handle_words[] = {"node", "circle", "glue", "soft", NULL};
const char *const vo_shape_words[] = {"sphere", "box",   "plate",  "cylinder", "torus",
                                      "funnel", "blade", "rabbit", NULL};
const char *const vo_grid_side_words[] = {"left", "right", "bottom", "top", NULL};
static const char *const proxy_words[] = {"", "floor", NULL};

const char *const vo_disable_words[] = {"proximity", "physics",    "strainlimiting", "collision",
                                        "remeshing", "separation", "popfilter",      "plasticity",
                                        "fracture",  NULL};

static const vo_key transform_keys[] = {
    KEY("translate", VEC3, "[0, 0, 0]", "length",
        "Translation, applied after rotation and scaling."),
    KEY("scale", POSITIVE, "1", NULL,
        "Scale factor. For a cloth it also scales the material coordinates, so that it causes no "
        "strain."),
    KEY("rotate", VEC4, "[0, 0, 0, 0]", "degrees, -",
        "Rotation by an angle about an axis: [angle, x, y, z]."),
    END,
};

static const vo_key key_pose_keys[] = {
    KEY("translate", VEC3, "[0, 0, 0]", "length",
        "Translation, applied after rotation and scaling."),
    KEY("scale", NONNEGATIVE, "1", NULL,
        "Scale factor. While the interpolated scale is 0, an obstacle is absent."),
    KEY("rotate", VEC4, "[0, 0, 0, 0]", "degrees, -",
        "Rotation by an angle about an axis: [angle, x, y, z]."),
    END,
};

static const vo_key rate_keys[] = {
    KEY("translate", VEC3, "[0, 0, 0]", "length/s", "Velocity of the translation."),
    KEY("scale", REAL, "0", "1/s", "Rate of the scale."),
    KEY("rotate", VEC4, "[0, 0, 0, 0]", "degrees/s, -",
        "Angular velocity about an axis: [speed, x, y, z]."),
    END,
};

static const vo_key velocity_keys[] = {
    KEY("linear", VEC3, "[0, 0, 0]", "length/s", "Linear velocity of every node."),
    KEY("angular", VEC3, "[0, 0, 0]", "rad/s", "Angular velocity about `origin`."),
    KEY("origin", VEC3, "[0, 0, 0]", "length", "Centre of the rotation."),
    END,
};

static const vo_key grid_keys[] = {
    KEY("width", POSITIVE, NULL, "length", "Extent along x, the warp direction.", .required = true),
    KEY("height", POSITIVE, NULL, "length", "Extent along y, the weft direction.",
        .required = true),
    KEY("columns", COUNT, NULL, NULL, "Cells along x; each cell has two faces.", .required = true),
    KEY("rows", COUNT, NULL, NULL, "Cells along y.", .required = true),
    END,
};

static const vo_key cone_keys[] = {
    KEY("top_radius", POSITIVE, NULL, "length", "Radius of the upper ring.", .required = true),
    KEY("bottom_radius", POSITIVE, NULL, "length",
        "Radius of the lower ring, at least that of the upper one.", .required = true),
    KEY("length", POSITIVE, NULL, "length",
        "Length of the fabric from ring to ring, at least the difference of the radii.",
        .required = true),
    KEY("angle", POSITIVE, "360", "degrees", "Angle around the axis, 10 to 360; 360: closed."),
    KEY("depth", POSITIVE, "1", NULL,
        "Ratio of the axes of the upper ring along y and x, 0.2 to 1, at the same circumference."),
    KEY("vertices", COUNT, NULL, NULL, "Number of nodes, exactly; at least three per ring.",
        .required = true),
    KEY("rings", INDEX, "0", NULL,
        "Number of rings, at least 2; 0: as many as nearly equilateral faces need."),
    END,
};

static const vo_key material_keys[] = {
    KEY("data", PATH, NULL, NULL, "Fabric file in Voile's or ARCSim's format."),
    KEY("fabric", PATH, NULL, NULL, "Another name for `data`."),
    KEY("density_mult", POSITIVE, "1", NULL, "Multiplies the mass."),
    KEY("stretching_mult", POSITIVE, "1", NULL, "Multiplies the stretching stiffness."),
    KEY("bending_mult", NONNEGATIVE, "1", NULL, "Multiplies the bending stiffness."),
    KEY("thicken", POSITIVE, "1", NULL, "Multiplies the three factors above."),
    KEY("damping", NONNEGATIVE, "0", "s", "Stiffness-proportional (Rayleigh) damping coefficient."),
    KEY("strain_limits", LIMITS, "[\"-inf\", \"inf\"]", NULL,
        "Limits of the principal stretches; 1 is the rest length, infinite disables a limit."),
    KEY("thickness", POSITIVE, NULL, "m", "Without `data`: property of a uniform sheet."),
    KEY("density", POSITIVE, NULL, "kg/m^3", "Without `data`: property of a uniform sheet."),
    KEY("elastic_modulus", POSITIVE, NULL, "Pa", "Without `data`: property of a uniform sheet."),
    KEY("poisson_ratio", NONNEGATIVE, NULL, NULL,
        "Without `data`: property of a uniform sheet, 0 to 0.5."),
    KEY("yield_curv", TIME, "\"inf\"", "1/m", "Curvature at which plastic bending begins.",
        .unimplemented = true),
    KEY("weakening", NONNEGATIVE, "0", NULL, "Loss of stiffness by plastic bending.",
        .unimplemented = true),
    KEY("yield_stretch", TIME, "\"inf\"", NULL, "Stretch at which plastic stretching begins.",
        .unimplemented = true),
    KEY("plastic_flow", NONNEGATIVE, "0", NULL, "Rate of plastic flow.", .unimplemented = true),
    KEY("plastic_limit", TIME, "\"inf\"", NULL, "Limit of the plastic strain.",
        .unimplemented = true),
    KEY("toughness", TIME, NULL, NULL, "Stress at which the cloth tears.", .unimplemented = true),
    KEY("fracture_bending_mult", NONNEGATIVE, NULL, NULL,
        "Weight of bending in the fracture criterion.", .unimplemented = true),
    END,
};

static const vo_key remeshing_keys[] = {
    KEY("refine_angle", TIME, "\"inf\"", "rad", "Largest change of the normal along an edge."),
    KEY("refine_compression", TIME, "\"inf\"", "m",
        "Amplitude of buckling that need not be resolved: an edge under the compressive strain e "
        "is at most this divided by the square root of e."),
    KEY("refine_velocity", TIME, "\"inf\"", "m/s",
        "Largest difference of velocities along an edge."),
    KEY("size", LIMITS, "[\"-inf\", \"inf\"]", "m",
        "Shortest and longest edge. A shortest edge that is not positive is a thousandth of the "
        "fabric's extent."),
    KEY("aspect_min", LIMIT, "\"-inf\"", NULL, "Smallest aspect ratio of a face, width / length."),
    KEY("outline_tolerance", TIME, NULL, "m",
        "Largest deviation of outline and seams when they are simplified; if missing, a tenth of "
        "the shortest edge."),
    KEY("compensation", WORD, "\"none\"", NULL,
        "Buckling compensation: coarse faces resist compression less, in place of folds that they "
        "cannot form. `all`: increasing with the size of the face, complete at the longest edge. "
        "Needs the second value of `size`.",
        .words = vo_compensation_words),
    KEY("compensation_power", POSITIVE, "10", NULL,
        "At least 1; larger values also compensate smaller faces."),
    KEY("size_uniform", TIME, "\"inf\"", "m", "Uniform edge length.", .unimplemented = true),
    KEY("refine_fracture", TIME, "\"inf\"", NULL, "Refinement where the cloth may tear.",
        .unimplemented = true),
    END,
};

static const vo_key cloth_keys[] = {
    KEY("mesh", PATH, NULL, NULL, "OBJ file."),
    KEY("grid", OBJECT, NULL, NULL,
        "Instead of `mesh`: a flat sheet in the plane z = 0 with a corner at the origin.",
        .object = grid_keys),
    KEY("cone", OBJECT, NULL, NULL,
        "Instead of `mesh`: an annular sector closed to a cone around the z axis.",
        .object = cone_keys),
    KEY("transform", OBJECT, "{}", NULL, "Places the mesh.", .object = transform_keys),
    KEY("velocity", OBJECT, "{}", NULL,
        "Initial velocity, added to the velocities in the mesh file.", .object = velocity_keys),
    KEY("materials", ARRAY, NULL, NULL, "Materials, indexed by face label.",
        .object = material_keys, .required = true, .nonempty = true),
    KEY("remeshing", OBJECT, NULL, NULL, "Adaptive remeshing; if missing, the mesh is not changed.",
        .object = remeshing_keys),
    KEY("two_sided", BOOL, NULL, NULL,
        "With `adapt` `view`: its back is treated as a front; if missing, `view.two_sided` "
        "applies."),
    KEY("reference", STRING, "\"linear\"", NULL, "Rest shape: `linear`, `sphere` or a mesh file.",
        .unimplemented = true),
    END,
};

const vo_key vo_keyframe_keys[] = {
    KEY("time", REAL, NULL, "s", "Time of the key, later than that of the previous key.",
        .required = true),
    KEY("transform", OBJECT, "{}", NULL, "Pose at that time.", .object = key_pose_keys),
    KEY("velocity", OBJECT, NULL, NULL,
        "Rate of change. If missing: central differences, zero at the first and last key.",
        .object = rate_keys),
    END,
};

const vo_key vo_motfile_keys[] = {
    KEY("motfile", PATH, NULL, NULL, ".mot file; its body i is motion i.", .required = true),
    KEY("fps", POSITIVE, NULL, "1/s", "Frame rate: frame k of the file is at time k/fps.",
        .required = true),
    KEY("transform", OBJECT, "{}", NULL, "Applied after every pose of the file.",
        .object = transform_keys),
    END,
};

static const vo_key handle_keys[] = {
    KEY("type", WORD, "\"node\"", NULL, "Type of the handle.", .words = vo_handle_words),
    KEY("cloth", INDEX, "0", NULL, "Index of the cloth."),
    KEY("label", CHOICE, "-1", NULL, "Node, circle: all nodes with this label; -1: none."),
    KEY("nodes", INDICES, NULL, NULL, "Node, glue: node indices, from 0.", .nonempty = true),
    KEY("vertices", INDICES, NULL, NULL, "Another name for `nodes`.", .nonempty = true),
    KEY("corners", INDICES, NULL, NULL,
        "Node, cloth from a `grid`: corners, 0 at the origin, then counter-clockwise.",
        .nonempty = true),
    KEY("edge", WORD, NULL, NULL, "Node, cloth from a `grid`: all nodes of one side.",
        .words = vo_grid_side_words),
    KEY("motion", CHOICE, "-1", NULL,
        "Index of the motion that it follows, except for glue; -1: static."),
    KEY("character", CHOICE, "-1", NULL,
        "Node: index of the character whose surface the nodes follow, in place of a motion; -1: "
        "none."),
    KEY("start_time", REAL, "0", "s", "Active from then on."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Full strength until then."),
    KEY("fade_time", NONNEGATIVE, "0", "s",
        "Time after `end_time` in which the strength falls as (1 - s)^4, s from 0 to 1."),
    KEY("stiffness", NONNEGATIVE, "0", "N/m",
        "Spring stiffness. 0: hard constraint for type node, `magic.handle_stiffness` for others."),
    KEY("circumference", POSITIVE, NULL, "length", "Circle: circumference."),
    KEY("u", VEC2, NULL, NULL, "Circle: material direction that is mapped along it."),
    KEY("center", VEC3, NULL, "length", "Circle, soft: centre."),
    KEY("axis0", VEC3, NULL, NULL, "Circle: unit vector from the centre to the point of u = 0."),
    KEY("axis1", VEC3, NULL, NULL, "Circle: unit vector a quarter turn further."),
    KEY("radius", POSITIVE, NULL, "length", "Soft: radius of the sphere."),
    END,
};

static const vo_key shape_keys[] = {
    KEY("type", WORD, NULL, NULL, "Type of the shape.", .words = vo_shape_words, .required = true),
    KEY("radius", POSITIVE, NULL, "length",
        "Sphere, cylinder: radius; torus: major radius; funnel: inner radius at the mouth."),
    KEY("size", VEC3, NULL, "length", "Box, plate, blade: extents along x, y and z."),
    KEY("height", POSITIVE, NULL, "length",
        "Cylinder, rabbit: height; funnel: height from neck to mouth."),
    KEY("tube", POSITIVE, NULL, "length", "Torus: minor radius, less than `radius`."),
    KEY("neck", POSITIVE, NULL, "length",
        "Funnel: inner radius at the narrow end, less than `radius`."),
    KEY("stem", NONNEGATIVE, NULL, "length",
        "Funnel: length of the straight pipe below the neck; if missing, there is none."),
    KEY("thickness", POSITIVE, NULL, "length",
        "Funnel: thickness of the wall; if missing, a fifth of `neck`."),
    KEY("edge_length", POSITIVE, NULL, "length",
        "Approximate edge length; if missing, as listed below."),
    END,
};

const vo_key vo_obstacle_keys[] = {
    KEY("mesh", PATH, NULL, NULL, "OBJ file."),
    KEY("shape", OBJECT, NULL, NULL, "Instead of `mesh`: a basic shape.", .object = shape_keys),
    KEY("transform", OBJECT, "{}", NULL, "Applied to the mesh before the motion.",
        .object = transform_keys),
    KEY("motion", CHOICE, "-1", NULL, "Index of the motion that it follows; -1: static."),
    KEY("start_time", REAL, "0", "s", "Present from then on; 0: also in the preroll."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Absent from then on."),
    KEY("proxy", WORD, NULL, NULL, "Basic shape that replaces the mesh.", .words = proxy_words,
        .unimplemented = true),
    END,
};

static const vo_key camera_key_keys[] = {
    KEY("time", REAL, NULL, "s", "Time of the key. Either it or `frame` is required."),
    KEY("frame", REAL, NULL, NULL,
        "Instead of `time`: frame k is at time k / `fps` of the camera."),
    KEY("cut", BOOL, "false", NULL,
        "Camera cut: a new shot begins with this key. Its time may equal that of the previous "
        "key."),
    KEY("position", VEC3, NULL, "length", "Position.", .required = true),
    KEY("target", VEC3, NULL, "length", "Point that it looks at, with `up` upwards."),
    KEY("rotation", VEC4, NULL, NULL,
        "Instead of `target`: orientation as a quaternion [w, x, y, z]; the identity looks along "
        "-z with y up."),
    KEY("fov_y", POSITIVE, NULL, "degrees",
        "Vertical field of view; if missing, that of the camera.", .former = "field"),
    KEY("focal_length", POSITIVE, NULL, "mm", "Instead of `fov_y`."),
    END,
};

const vo_key vo_camera_table_keys[] = {
    KEY("keys", ARRAY, NULL, NULL, "Keys, as those of a camera.", .object = camera_key_keys,
        .required = true, .nonempty = true),
    END,
};

static const vo_key camera_keys[] = {
    KEY("name", STRING, "\"\"", NULL,
        "Name, used by `shots` and to select the camera of an image. Must not be `none` or contain "
        "`=`."),
    KEY("position", VEC3, NULL, "length", "Position of a static camera."),
    KEY("target", VEC3, NULL, "length", "Point that a static camera looks at, with `up` upwards."),
    KEY("rotation", VEC4, NULL, NULL, "Instead of `target`: orientation as in a camera key."),
    KEY("keys", ARRAY, NULL, NULL, "Instead of `position`: keys of a path.",
        .object = camera_key_keys, .nonempty = true),
    KEY("table", PATH, NULL, NULL, "Instead of `keys`: a file with one row per key."),
    KEY("file", PATH, NULL, NULL,
        "Instead of `keys`: FBX, glTF or Collada file with a camera and its clip."),
    KEY("file_camera", STRING, NULL, NULL,
        "Name of the camera's node in `file`; if missing, the first camera."),
    KEY("clip", STRING, NULL, NULL, "Name of the clip in `file`; if missing, the first clip."),
    KEY("cuts", INDICES, NULL, "frames",
        "With `file`: frames of the clip, from 0, at which a new shot begins; if missing, cuts are "
        "detected; empty: none."),
    KEY("start_time", REAL, "0", "s", "Added to all times of the path."),
    KEY("fps", POSITIVE, NULL, "1/s",
        "Frame rate of `frame` in `keys`, of a `table` and of `cuts`; if missing, that of the "
        "scene."),
    KEY("transform", OBJECT, "{}", NULL, "Places the path.", .object = transform_keys),
    KEY("motion", CHOICE, "-1", NULL, "Index of a motion that moves the path; -1: none."),
    KEY("fov_y", POSITIVE, NULL, "degrees",
        "Vertical field of view of keys and rows without their own, 0.001 to 179; if missing, that "
        "of `file`, else 40.",
        .former = "field"),
    KEY("focal_length", POSITIVE, NULL, "mm", "Instead of `fov_y`."),
    KEY("sensor_height", POSITIVE, "24", "mm", "Height of the sensor, for `focal_length`."),
    KEY("resolution", INDICES, NULL, "pixels",
        "[width, height] of its images, 1 to 16384; if missing, [1920, 1080]."),
    KEY("aspect", POSITIVE, NULL, NULL,
        "Instead of `resolution`: width / height with 1080 rows, up to 15.17; if missing, that of "
        "`file`."),
    KEY("near", POSITIVE, NULL, "length", "Depth of the near plane; if missing, 0.01 m."),
    KEY("far", POSITIVE, NULL, "length", "Depth of the far plane; if missing, 1000 m."),
    KEY("up", VEC3, NULL, NULL, "Up direction for `target`; if missing, the `up_axis`."),
    KEY("ease", BOOL, NULL, NULL,
        "Shots begin and end with zero velocity; false: with the velocity of the path there. If "
        "missing: true for `keys`, false for `table` and `file`."),
    KEY("light", BOOL, "false", NULL,
        "Light whose shadows are visible: refines meshes like a camera, but renders images only "
        "when it is selected by name."),
    KEY("weight", POSITIVE, "1", NULL,
        "View factor of front-facing surfaces that it sees, above 0 to 1.", .former = "front"),
    END,
};

static const vo_key shot_keys[] = {
    KEY("time", REAL, NULL, "s", "Time at which it begins. Either it or `frame` is required."),
    KEY("frame", REAL, NULL, NULL, "Instead of `time`: a frame of the scene."),
    KEY("camera", STRING, NULL, NULL, "Name of the camera.", .required = true),
    END,
};

static const vo_key body_keys[] = {
    KEY("file", PATH, NULL, NULL,
        "Character (.glb, .fbx, .dae), surface (.obj) or a sequence with a name such as "
        "`body_%04d.obj`, numbered from 0 or 1. If missing, the body is a mannequin."),
    KEY("files", STRINGS, NULL, NULL, "Instead of `file`: the OBJ files of a sequence."),
    KEY("units", WORD, NULL, NULL, "Override for the file; if missing, the file's own.",
        .words = vo_unit_words),
    KEY("up_axis", WORD, NULL, NULL, "Override for the file; if missing, the file's own.",
        .words = vo_axis_words),
    KEY("height", POSITIVE, NULL, "m", "Height of a mannequin, 0.5 to 3; if missing, 1.75."),
    KEY("build", REAL, NULL, NULL,
        "Build of a mannequin, from -1 slim over 0 average to 1 heavy; if missing, 0."),
    KEY("figure", REAL, NULL, NULL,
        "Figure of a mannequin, from -1 male over 0 neutral to 1 female; if missing, 0."),
    KEY("shoulders", POSITIVE, NULL, NULL,
        "Width factor of a mannequin's shoulders, 0.7 to 1.5; if missing, 1."),
    KEY("chest", POSITIVE, NULL, NULL, "Width factor of a mannequin's chest; if missing, 1."),
    KEY("waist", POSITIVE, NULL, NULL, "Width factor of a mannequin's waist; if missing, 1."),
    KEY("hips", POSITIVE, NULL, NULL, "Width factor of a mannequin's hips; if missing, 1."),
    KEY("limbs", POSITIVE, NULL, NULL, "Width factor of arms and legs."),
    KEY("faces", COUNT, NULL, NULL,
        "Approximate number of faces of a mannequin, 1000 to 200000; if missing, 20000. Below 6000 "
        "it has no fingers."),
    END,
};

static const vo_key body_motion_keys[] = {
    KEY("file", PATH, NULL, NULL,
        "Voile's own format (.json) for mannequins; .bvh, .glb, .fbx or .dae for all bodies with "
        "bones; .pc2 for a body from an OBJ file. If missing, the body's own file."),
    KEY("clip", STRING, NULL, NULL, "Name of the clip; if missing, the first."),
    KEY("start", NONNEGATIVE, "0", "s", "Time of the motion at scene time 0."),
    KEY("speed", NONNEGATIVE, "1", NULL, "Playback speed."),
    KEY("loop", BOOL, NULL, NULL,
        "Repeats at the end; false: holds the last pose. If missing: as specified in Voile's own "
        "files, false for others."),
    KEY("fps", POSITIVE, NULL, "1/s",
        "Frame rate of .pc2 files and sequences; if missing, that of the scene."),
    KEY("units", WORD, NULL, NULL, "Override for the file; if missing, the file's own.",
        .words = vo_unit_words),
    KEY("up_axis", WORD, NULL, NULL, "Override for the file; if missing, the file's own.",
        .words = vo_axis_words),
    END,
};

const vo_key vo_character_keys[] = {
    KEY("body", FILE, "{}", NULL, "Surface of the body; if missing, a mannequin.",
        .object = body_keys),
    KEY("motion", FILE, NULL, NULL, "Motion; if missing, it stays in its rest pose.",
        .object = body_motion_keys),
    KEY("transform", OBJECT, "{}", NULL, "Places the body together with its motion.",
        .object = transform_keys),
    KEY("self_gap", NONNEGATIVE, "0.005", "m",
        "Smallest gap between parts of the body: where they intersect or touch, the surface is "
        "inset until cloth fits between them; 0: disabled.",
        .former = "gap"),
    KEY("start_time", REAL, "0", "s", "Present from then on; 0: also in the preroll."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Absent from then on."),
    END,
};

const vo_key vo_garment_keys[] = {
    KEY("pattern", PATH, NULL, NULL,
        "Garment pattern in Voile's or GarmentCode's format; sewn around the character before the "
        "start."),
    KEY("mesh", PATH, NULL, NULL,
        "Instead of `pattern`: OBJ file of a garment already sewn around the character's body."),
    KEY("character", INDEX, "0", NULL, "Index of the character that wears it."),
    KEY("fit", BOOL, "true", NULL,
        "Grades a pattern that specifies its body sizes to the character."),
    KEY("edge_length", POSITIVE, "0.03", "m", "Edge length of the mesh that is sewn."),
    KEY("faces", COUNT, NULL, NULL, "Instead of `edge_length`: approximate number of faces."),
    KEY("base_faces", COUNT, NULL, NULL,
        "With `engine` `realtime`: approximate number of base triangles; if missing, "
        "`realtime.faces`."),
    KEY("materials", ARRAY, NULL, NULL,
        "Materials, indexed by face label, which is the index of the pattern's fabric. If missing, "
        "the pattern's own fabrics with the two values below.",
        .object = material_keys, .nonempty = true),
    KEY("damping", NONNEGATIVE, "0.002", "s", "Value for the pattern's own fabrics."),
    KEY("strain_limits", LIMITS, "[\"-inf\", \"inf\"]", NULL,
        "Value for the pattern's own fabrics."),
    KEY("remeshing", OBJECT,
        "{\"refine_angle\": 0.4, \"refine_compression\": 0.01, \"refine_velocity\": 1, \"size\": "
        "[0.015, 0.1], \"aspect_min\": 0.2}",
        NULL, "Adaptive remeshing.", .object = remeshing_keys),
    KEY("two_sided", BOOL, NULL, NULL,
        "With `adapt` `view`: its back is treated as a front; if missing, `view.two_sided` "
        "applies."),
    END,
};

static const vo_key spline_keys[] = {
    KEY("time", REAL, NULL, "s", "Time.", .required = true),
    KEY("target", INDEX, NULL, NULL, "Index of the target.", .required = true),
    KEY("stiffness", NONNEGATIVE, NULL, NULL, "Stiffness.", .required = true),
    END,
};

static const vo_key morph_keys[] = {
    KEY("cloth", INDEX, "0", NULL, "Index of the cloth.", .unimplemented = true),
    KEY("targets", STRINGS, NULL, NULL, "OBJ files.", .required = true, .unimplemented = true),
    KEY("spline", ARRAY, NULL, NULL, "Targets over time.", .object = spline_keys, .required = true,
        .unimplemented = true),
    END,
};

static const vo_key wind_keys[] = {
    KEY("density", NONNEGATIVE, "1", "kg/m^3", "Density of the air; with 0 only `drag` acts."),
    KEY("velocity", VEC3, "[0, 0, 0]", "m/s", "Velocity of the air. Still air also causes drag."),
    KEY("drag", NONNEGATIVE, "0", "kg/(m^2 s)", "Linear drag tangential to the cloth."),
    END,
};

static const vo_key solver_keys[] = {
    KEY("method", WORD, "\"pcg\"", NULL,
        "`pcg`: conjugate gradients; `direct`: CHOLMOD, where the build has it.",
        .words = vo_solver_words),
    KEY("tolerance", POSITIVE, "0.001", NULL,
        "Relative residual, below 1. With the default the error is less than a hundredth of that "
        "of the time step."),
    KEY("max_iterations", COUNT, "500", NULL,
        "Limit of iterations, after which the direct solver is used."),
    END,
};

static const vo_key magic_keys[] = {
    KEY("handle_stiffness", POSITIVE, "1000", "N/m", "Stiffness of soft and fading handles."),
    KEY("fixed_high_res_mesh", BOOL, "false", NULL, "ARCSim's name for `adapt` `none`."),
    KEY("collision_stiffness", POSITIVE, "1e9", "N/m per m^2", "Stiffness of contacts."),
    KEY("repulsion_thickness", POSITIVE, "0.001", "m", "Distance at which contact forces begin."),
    KEY("teleport_speed", POSITIVE, "40", "m/s",
        "An obstacle that moves faster than this teleports: it is placed at its target at once, "
        "together with the cloth that it wears.",
        .former = "jump_speed"),
    KEY("projection_thickness", POSITIVE, NULL, "m",
        "Distance after an impact, at most the repulsion thickness; if missing, a tenth of it.",
        .unimplemented = true),
    KEY("edge_flip_threshold", NONNEGATIVE, "0.01", NULL,
        "An edge is flipped if the sine of the excess of its opposite angles over a half turn is "
        "above this."),
    KEY("rib_stiffening", NONNEGATIVE, "1", NULL,
        "Effect of curvature across a compressed direction, which prevents buckling and keeps the "
        "mesh coarse; 0: none."),
    KEY("combine_tensors", BOOL, "true", NULL,
        "Combines the metrics of curvature, velocity, compression and obstacles by their maximum; "
        "false: by their sum, which is finer."),
    KEY("preserve_creases", BOOL, "false", NULL, "The initial shape is the rest shape.",
        .unimplemented = true),
    KEY("add_jitter", BOOL, "false", NULL, "Noise on the initial positions.",
        .unimplemented = true),
    KEY("separation_step_size", POSITIVE, "0.01", NULL, "Step size of untangling.",
        .unimplemented = true),
    KEY("relax_method", INDEX, "0", NULL, "Method of relaxing the initial state.",
        .unimplemented = true),
    KEY("max_cracks", INDEX, "100", NULL, "Largest number of cracks per frame.",
        .unimplemented = true),
    KEY("enable_localopt", BOOL, "false", NULL, "Local optimisation of fracture.",
        .unimplemented = true),
    END,
};

static const vo_key override_keys[] = {
    KEY("from_frame", INDEX, NULL, NULL, "First frame to which the overrides apply.",
        .required = true),
    KEY("set", STRINGS, NULL, NULL, "Overrides as `key=value`.", .required = true),
    END,
};

static const vo_key view_keys[] = {
    KEY("back_facing", POSITIVE, "0.2", NULL, "View factor of back-facing surfaces, above 0 to 1.",
        .former = "back"),
    KEY("occluded", POSITIVE, "0.5", NULL,
        "View factor of occluded front-facing surfaces, with `occlusion`, above 0 to 1.",
        .former = "hidden"),
    KEY("occluded_margin", NONNEGATIVE, "0.1", "m",
        "Distance from visible surface, along the cloth, over which the view factor falls to "
        "`occluded`.",
        .former = "hidden_margin"),
    KEY("off_screen", POSITIVE, "0.01", NULL,
        "View factor outside all frusta, above 0 to 1; values below `remeshing.size[0]` / "
        "`size_max` have the same effect.",
        .former = "out"),
    KEY("frustum_margin", NONNEGATIVE, "0.4", "m",
        "Distance from the frustum over which the view factor falls to `off_screen`.",
        .former = "margin"),
    KEY("anticipation", NONNEGATIVE, "5", "frames",
        "Time ahead in which surfaces that will become visible are already refined, the more the "
        "sooner; up to 1000."),
    KEY("min_edge_pixels", NONNEGATIVE, "4", "pixels",
        "Minimum edge length on screen; 0: no limit.", .former = "pixels"),
    KEY("silhouette", TIME, "0.25", NULL,
        "Faces next to a silhouette get the mean of both view factors where these differ by more "
        "than this."),
    KEY("max_popping", TIME, "0.5", "pixels",
        "Largest motion of the visible surface by remeshing per frame; edits beyond it are "
        "deferred.",
        .former = "popping"),
    KEY("size_max", POSITIVE, "0.3", "m",
        "Longest edge of invisible surface; applies if it is above `remeshing.size[1]`. Where that "
        "is infinite, `compensation` uses this value."),
    KEY("full_detail_preroll", BOOL, "true", NULL,
        "Before frame 0 everything is treated as visible; false is cheaper for crowds.",
        .former = "whole_start"),
    KEY("two_sided", BOOL, "false", NULL,
        "Backs of cloth are treated as fronts, except for cloths and garments with their own "
        "setting."),
    KEY("occlusion", BOOL, "false", NULL,
        "Tests occlusion by ray casting (needs a build with Embree)."),
    KEY("compensation", BOOL, "true", NULL,
        "Buckling compensation of coarse faces outside all frusta, with `size_max` as the "
        "longest edge."),
    KEY("compensation_power", POSITIVE, "10", NULL, "Power as in `remeshing`, 1 to 1e6."),
    KEY("visible_compensation_power", NONNEGATIVE, "0", NULL,
        "Power for all faces inside a frustum, most of all occluded ones: 1 to 1e6; 0, or with "
        "`compensation` false: none.",
        .former = "compensation_seen"),
    KEY("budget_faces", NONNEGATIVE, "0", NULL,
        "Largest number of faces of all cloths, kept by raising `min_edge_pixels`; 0: no limit."),
    KEY("budget_seconds", NONNEGATIVE, "0", "s",
        "The same for seconds per frame; such a run is not reproducible. 0: no limit."),
    END,
};

static const vo_key place_keys[] = {
    KEY("transform", OBJECT, "{}", NULL, "Places all characters together.",
        .object = transform_keys),
    KEY("start", NONNEGATIVE, "0", "s", "Offset into their motions."),
    END,
};

static const vo_key crowd_keys[] = {
    KEY("places", ARRAY, "[]", NULL, "Places of the copies, instead of the grid below.",
        .object = place_keys),
    KEY("rows", COUNT, NULL, NULL,
        "Rows of a grid around the origin, on the floor; if missing, 1."),
    KEY("columns", COUNT, NULL, NULL, "Columns of the grid; if missing, 1."),
    KEY("spacing", VEC2, NULL, "length",
        "Distances between columns and between rows; if missing, [2, 2]."),
    KEY("turn", NONNEGATIVE, NULL, "degrees",
        "Largest random rotation of a copy on the grid, to either side; if missing, 0."),
    KEY("delay", NONNEGATIVE, NULL, "s",
        "Largest random offset of a copy on the grid into its motion; if missing, 0."),
    KEY("seed", INDEX, NULL, NULL, "Seed of the random rotations and offsets; if missing, 1."),
    KEY("detail", NONNEGATIVE, "0", "pixels",
        "Level of detail: faces of a mannequin are halved as long as the edges of the body are "
        "shorter than this in every frame; 0: disabled."),
    END,
};

const vo_key vo_scene_keys[] = {
    KEY("frame_time", POSITIVE, NULL, "s",
        "Duration of a frame. Required unless `fps` or `timestep` is given."),
    KEY("fps", POSITIVE, NULL, "1/s", "Instead of `frame_time`: frame rate."),
    KEY("frame_steps", COUNT, "1", NULL, "Substeps per frame, at most 100,000."),
    KEY("timestep", POSITIVE, NULL, "s",
        "Duration of a substep, if `frame_time` and `fps` are missing."),
    KEY("save_frames", COUNT, NULL, NULL, "With `timestep`: substeps per frame; if missing, 1."),
    KEY("end_time", TIME, "\"inf\"", "s",
        "The run ends with the first frame at or after this time."),
    KEY("end_frame", TIME, "\"inf\"", NULL, "Last frame, a whole number."),
    KEY("duration", TIME, NULL, "s", "Another name for `end_time`."),
    KEY("start_frame", INDEX, "0", NULL, "Frames before this one are simulated, but not saved."),
    KEY("preroll", NONNEGATIVE, NULL, "s",
        "Time simulated before time 0, in whole frames, without saving; if missing, 1 with "
        "`characters`, else 0."),
    KEY("cloths", ARRAY, NULL, NULL, "Cloths. Required unless `garments` is given.",
        .object = cloth_keys, .nonempty = true),
    KEY("motions", MOTIONS, "[]", NULL, "Motions of handles and obstacles."),
    KEY("handles", ARRAY, "[]", NULL, "Handles, which hold and pull cloth.", .object = handle_keys),
    KEY("obstacles", OBSTACLES, "[]", NULL, "Obstacles that cloth collides with."),
    KEY("characters", ARRAY, "[]", NULL, "Animated bodies.", .object = vo_character_keys),
    KEY("garments", ARRAY, "[]", NULL,
        "Garments of characters, the innermost first; they are further cloths, with indices after "
        "`cloths`.",
        .object = vo_garment_keys),
    KEY("morphs", ARRAY, NULL, NULL, "Morph targets of a cloth.", .object = morph_keys,
        .unimplemented = true),
    KEY("gravity", VEC3, "[0, 0, 0]", "m/s^2", "Gravity, always in Voile's axes, where z is up."),
    KEY("wind", OBJECT, "{}", NULL, "Wind and air drag.", .object = wind_keys),
    KEY("friction", NONNEGATIVE, "0.6", NULL, "Coulomb friction coefficient of cloth on cloth."),
    KEY("obs_friction", NONNEGATIVE, "0.3", NULL,
        "Coulomb friction coefficient of cloth on obstacles."),
    KEY("adapt", WORD, "\"full\"", NULL,
        "Adaptation of meshes with `remeshing`: `full`: to the geometry and motion of the cloth; "
        "`view`: the same, reduced where cameras do not see it; `none`: uniform refinement to "
        "`remeshing.size[0]` at the start.",
        .words = vo_adapt_words),
    KEY("disable", WORDS, "[]", NULL, "Stages of the step to disable.", .words = vo_disable_words),
    KEY("engine", WORD, "\"quality\"", NULL,
        "`quality`: implicit integration, remeshing and exact collision handling; `realtime`: the "
        "real-time library.",
        .words = vo_engine_words),
    KEY("realtime", OBJECT, "{}", NULL, "Settings of the engine `realtime`.",
        .object = vo_realtime_keys),
    KEY("upsampling", OBJECT, "{}", NULL, "Training of learned upsampling.",
        .object = vo_upsampling_keys),
    KEY("solver", OBJECT, "{}", NULL, "Linear solver.", .object = solver_keys),
    KEY("magic", OBJECT, "{}", NULL, "Constants of the algorithms.", .object = magic_keys),
    KEY("units", WORD, "\"m\"", NULL, "Unit of length of the geometry.", .words = vo_unit_words),
    KEY("up_axis", WORD, "\"z\"", NULL, "Up axis of the geometry.", .words = vo_axis_words),
    KEY("overrides", ARRAY, "[]", NULL,
        "Overrides recorded when a run is resumed with changed settings.", .object = override_keys),
    KEY("camera", OBJECT, NULL, NULL, "Camera.", .object = camera_keys),
    KEY("cameras", ARRAY, "[]", NULL, "Further cameras, after `camera`.", .object = camera_keys),
    KEY("shots", ARRAY, "[]", NULL,
        "Active camera over time; if missing, the first camera that is not a light.",
        .object = shot_keys),
    KEY("view", OBJECT, "{}", NULL, "View-dependent refinement, with `adapt` `view`.",
        .object = view_keys),
    KEY("crowd", OBJECT, NULL, NULL,
        "Copies of all characters and their garments at many places; if missing, one copy.",
        .object = crowd_keys),
    KEY("save_every", COUNT, "1", NULL, "ARCSim 0.3.1: interval of saved frames.",
        .unimplemented = true),
    KEY("passive_time", TIME, "\"inf\"", "s", "ARCSim 0.3.1: time after which steps are longer.",
        .unimplemented = true),
    END,
};

const vo_key_table vo_key_tables[] = {
    {"scene", vo_scene_keys},
    {"cloth", cloth_keys},
    {"grid", grid_keys},
    {"cone", cone_keys},
    {"transform", transform_keys},
    {"cloth.velocity", velocity_keys},
    {"material", material_keys},
    {"remeshing", remeshing_keys},
    {"crowd", crowd_keys},
    {"crowd place", place_keys},
    {"view", view_keys},
    {"keyframe", vo_keyframe_keys},
    {"keyframe.transform", key_pose_keys},
    {"keyframe.velocity", rate_keys},
    {"motion file", vo_motfile_keys},
    {"handle", handle_keys},
    {"obstacle", vo_obstacle_keys},
    {"shape", shape_keys},
    {"character", vo_character_keys},
    {"body", body_keys},
    {"body motion", body_motion_keys},
    {"garment", vo_garment_keys},
    {"camera", camera_keys},
    {"camera key", camera_key_keys},
    {"shot", shot_keys},
    {"morph", morph_keys},
    {"morph.spline", spline_keys},
    {"wind", wind_keys},
    {"realtime", vo_realtime_keys},
    {"fan", vo_fan_keys},
    {"upsampling", vo_upsampling_keys},
    {"solver", solver_keys},
    {"magic", magic_keys},
    {"override", override_keys},
    {NULL, NULL},
};
