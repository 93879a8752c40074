/* Small files of each format, written by the tests of the importer. */
#ifndef VOILE_TESTS_IMPORT_FILES_H
#define VOILE_TESTS_IMPORT_FILES_H

#include "character/import/import.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* Folder of the test program. */
static inline const char *file_folder(void) {
    static char folder[512];
    if (folder[0] == 0) snprintf(folder, sizeof folder, "%s", test_folder());
    return folder;
}

/* Path of a file in it; two may be in use at a time. */
static inline const char *file_path(const char *name) {
    static char path[2][1024];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", file_folder(), name);
    return path[which];
}

static inline const char *file_write(const char *name, const void *data, size_t size) {
    const char *path = file_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    return path;
}

static inline const char *file_text(const char *name, const char *text) {
    return file_write(name, text, strlen(text));
}

static inline void base64(const unsigned char *data, size_t size, char *out) {
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned v = (unsigned)data[i] << 16;
        if (i + 1 < size) v |= (unsigned)data[i + 1] << 8;
        if (i + 2 < size) v |= data[i + 2];
        *out++ = letter[v >> 18];
        *out++ = letter[v >> 12 & 63];
        *out++ = i + 1 < size ? letter[v >> 6 & 63] : '=';
        *out++ = i + 2 < size ? letter[v & 63] : '=';
    }
    *out = 0;
}

/* A strip of 0.2 x 2 along y with a bone in each half. The upper one ("upper", at y = 1) rotates by
 * 90 degrees about z from t = 1 s to 2 s, while a camera ("eye") moves from (0, 1, 5) to (0, 1, 6).
 * The vertices at y = 1 are bound to both bones, weights 3 and 3. One of them is duplicated, as at
 * a texture seam. */
typedef struct strip_data {
    float x[7][3];
    uint8_t joint[7][4];
    float weight[7][4];
    uint16_t face[12];
    float inverse[2][16];
    float time[2];
    float turn[2][4];
    float move[2][3];
} strip_data;

static inline strip_data strip_make(void) {
    return (strip_data){
        .x = {{-0.1f, 0, 0},
              {0.1f, 0, 0},
              {-0.1f, 1, 0},
              {0.1f, 1, 0},
              {-0.1f, 2, 0},
              {0.1f, 2, 0},
              {-0.1f, 1, 0}},
        .joint = {{0}, {0}, {0, 1}, {0, 1}, {1}, {1}, {0, 1}},
        .weight = {{1}, {1}, {3, 3}, {3, 3}, {1}, {1}, {3, 3}},
        .face = {0, 1, 3, 0, 3, 2, 6, 3, 5, 6, 5, 4},
        .inverse = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}},
        .time = {1, 2},
        .turn = {{0, 0, 0, 1}, {0, 0, 0.70710678f, 0.70710678f}},
        .move = {{0, 1, 5}, {0, 1, 6}},
    };
}

#define VIEW(field) offsetof(strip_data, field), sizeof((strip_data *)0)->field

/* glTF text of a strip. */
static inline const char *strip_text(const strip_data *strip) {
    static char text[8192], bytes[2048];
    base64((const unsigned char *)strip, sizeof *strip, bytes);
    snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1,3]}],"
        "\"nodes\":[{\"name\":\"strip\",\"mesh\":0,\"skin\":0,\"translation\":[7,7,7]},"
        "{\"name\":\"lower\",\"children\":[2]},{\"name\":\"upper\",\"translation\":[0,1,0]},"
        "{\"name\":\"eye\",\"camera\":0,\"translation\":[0,1,5]}],"
        "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.6,\"aspectRatio\":1.5,"
        "\"znear\":0.1,\"zfar\":100}}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
        "\"WEIGHTS_0\":2},\"indices\":3}]}],"
        "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":4}],"
        "\"animations\":[{\"name\":\"bend\",\"samplers\":[{\"input\":5,\"output\":6},"
        "{\"input\":5,\"output\":7}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,"
        "\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":3,"
        "\"path\":\"translation\"}}]}],"
        "\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":7,\"type\":\"VEC3\","
        "\"min\":[-0.1,0,0],\"max\":[0.1,2,0]},"
        "{\"bufferView\":1,\"componentType\":5121,\"count\":7,\"type\":\"VEC4\"},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":7,\"type\":\"VEC4\"},"
        "{\"bufferView\":3,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"},"
        "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
        "{\"bufferView\":5,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","
        "\"min\":[1],\"max\":[2]},"
        "{\"bufferView\":6,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
        "{\"bufferView\":7,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
        "\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}],"
        "\"buffers\":[{\"byteLength\":%zu,\"uri\":"
        "\"data:application/octet-stream;base64,%s\"}]}",
        VIEW(x), VIEW(joint), VIEW(weight), VIEW(face), VIEW(inverse), VIEW(time), VIEW(turn),
        VIEW(move), sizeof *strip, bytes);
    return text;
}

static inline const char *strip_file(const char *name) {
    strip_data strip = strip_make();
    return file_text(name, strip_text(&strip));
}

/* Path of a camera ("eye") as glTF: `count` keys (at most 256) of position and rotation (x, y, z,
 * w), with an interpolation such as "LINEAR". */
typedef struct eye_data {
    float time[256], turn[256][4], move[256][3];
} eye_data;

static inline const char *eye_text(const eye_data *eye, int count, const char *interpolation) {
    static char text[16384], bytes[sizeof *eye * 4 / 3 + 8];
    base64((const unsigned char *)eye, sizeof *eye, bytes);
    int length = snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"eye\",\"camera\":0}],"
        "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.6,\"aspectRatio\":1.5,"
        "\"znear\":0.1,\"zfar\":100}}],"
        "\"animations\":[{\"name\":\"film\",\"samplers\":["
        "{\"input\":0,\"output\":1,\"interpolation\":\"%s\"},"
        "{\"input\":0,\"output\":2,\"interpolation\":\"%s\"}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
        "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}}]}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\","
        "\"min\":[%.9g],\"max\":[%.9g]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}],"
        "\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}],"
        "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:application/octet-stream;base64,%s\"}]}",
        interpolation, interpolation, count, (double)eye->time[0], (double)eye->time[count - 1],
        count, count, offsetof(eye_data, time), sizeof eye->time, offsetof(eye_data, turn),
        sizeof eye->turn, offsetof(eye_data, move), sizeof eye->move, sizeof *eye, bytes);
    assert_true(length < (int)sizeof text);
    return text;
}

/* A person of 1.8 units in a T-pose, y up, facing z, its left at +x. Two frames per second:
 * standing, standing 0.1 higher, and with the left arm hanging (-90 degrees about z) and both legs
 * rotated by 30 degrees about x, 0.5 to the front. */
static const char person_bvh[] =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n"
    " CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    " JOINT Chest\n {\n  OFFSET 0 0.3 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "  JOINT LeftShoulder\n  {\n   OFFSET 0.2 0.2 0\n   CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "   JOINT LeftElbow\n   {\n    OFFSET 0.3 0 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "    End Site\n    {\n     OFFSET 0.3 0 0\n    }\n   }\n  }\n"
    "  JOINT RightShoulder\n  {\n   OFFSET -0.2 0.2 0\n"
    "   CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "   End Site\n   {\n    OFFSET -0.3 0 0\n   }\n  }\n }\n"
    " JOINT LeftHip\n {\n  OFFSET 0.1 0 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "  JOINT LeftKnee\n  {\n   OFFSET 0 -0.45 0\n   CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "   JOINT LeftAnkle\n   {\n    OFFSET 0 -0.45 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "    End Site\n    {\n     OFFSET 0 0 0.1\n    }\n   }\n  }\n }\n"
    " JOINT RightHip\n {\n  OFFSET -0.1 0 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "  JOINT RightKnee\n  {\n   OFFSET 0 -0.45 0\n   CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "   JOINT RightAnkle\n   {\n    OFFSET 0 -0.45 0\n"
    "    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "    End Site\n    {\n     OFFSET 0 0 0.1\n    }\n   }\n  }\n }\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.5\n"
    "0 0.9 0 0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0\n"
    "0 1.0 0 0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0  0 0 0\n"
    "0 0.9 0.5 0 0 0  0 0 0  -90 0 0  0 0 0  0 0 0  0 30 0  0 0 0  0 0 0  0 30 0  0 0 0  0 0 0\n";

/* A triangle with corners at 0, x and 2 z, in inches, z up, as Collada. */
static const char triangle_dae[] =
    "<?xml version=\"1.0\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit name=\"inch\" meter=\"0.0254\"/><up_axis>Z_UP</up_axis></asset>\n"
    "<library_geometries><geometry id=\"g\" name=\"g\"><mesh>\n"
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 1 0 0 0 0 2</float_array>\n"
    "<technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" "
    "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"
    "</accessor></technique_common></source>\n"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
    "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<p>0 1 2</p></triangles></mesh></geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"n\">"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";

/* The same triangle as FBX, in units of 2.54 cm; z up, facing -y. */
static const char triangle_fbx[] =
    "; FBX 7.4.0 project file\n"
    "FBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
    "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n"
    "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
    "\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
    "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n"
    "\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
    "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n"
    "\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
    "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54\n\t}\n}\n"
    "Objects:  {\n\tGeometry: 10, \"Geometry::\", \"Mesh\" {\n"
    "\t\tVertices: *9 {\n\t\t\ta: 0,0,0,1,0,0,0,0,2\n\t\t}\n"
    "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t\tGeometryVersion: 124\n\t}\n"
    "\tModel: 20, \"Model::body\", \"Mesh\" {\n\t\tVersion: 232\n\t}\n}\n"
    "Connections:  {\n\tC: \"OO\",20,0\n\tC: \"OO\",10,20\n}\n";

/* The strip as Collada, in centimetres with y up: bones "lower" and "upper"; the latter rotates by
 * 90 degrees about z from 1 s to 2 s, as matrices. */
static const char strip_dae[] =
    "<?xml version=\"1.0\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit name=\"cm\" meter=\"0.01\"/><up_axis>Y_UP</up_axis></asset>\n"
    "<library_animations><animation id=\"a\"><source id=\"at\"><float_array id=\"ata\" "
    "count=\"2\">1 2</float_array><technique_common><accessor source=\"#ata\" count=\"2\" "
    "stride=\"1\"><param name=\"TIME\" type=\"float\"/></accessor></technique_common></source>\n"
    "<source id=\"av\"><float_array id=\"ava\" count=\"32\">1 0 0 0 0 1 0 100 0 0 1 0 0 0 0 1 "
    "0 -1 0 0 1 0 0 100 0 0 1 0 0 0 0 1</float_array><technique_common><accessor source=\"#ava\" "
    "count=\"2\" stride=\"16\"><param name=\"TRANSFORM\" type=\"float4x4\"/></accessor>"
    "</technique_common></source>\n"
    "<source id=\"ai\"><Name_array id=\"aia\" count=\"2\">LINEAR LINEAR</Name_array>"
    "<technique_common><accessor source=\"#aia\" count=\"2\" stride=\"1\"><param "
    "name=\"INTERPOLATION\" type=\"name\"/></accessor></technique_common></source>\n"
    "<sampler id=\"as\"><input semantic=\"INPUT\" source=\"#at\"/><input semantic=\"OUTPUT\" "
    "source=\"#av\"/><input semantic=\"INTERPOLATION\" source=\"#ai\"/></sampler>"
    "<channel source=\"#as\" target=\"upper/transform\"/></animation></library_animations>\n"
    "<library_geometries><geometry id=\"g\" name=\"g\"><mesh>\n"
    "<source id=\"p\"><float_array id=\"pa\" count=\"18\">-10 0 0 10 0 0 -10 100 0 10 100 0 "
    "-10 200 0 10 200 0</float_array><technique_common><accessor source=\"#pa\" count=\"6\" "
    "stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param "
    "name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<p>0 1 3 0 3 2 2 3 5 2 5 4</p></triangles></mesh></geometry></library_geometries>\n"
    "<library_controllers><controller id=\"c\"><skin source=\"#g\">"
    "<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>\n"
    "<source id=\"j\"><Name_array id=\"ja\" count=\"2\">lower upper</Name_array>"
    "<technique_common><accessor source=\"#ja\" count=\"2\" stride=\"1\"><param name=\"JOINT\" "
    "type=\"name\"/></accessor></technique_common></source>\n"
    "<source id=\"b\"><float_array id=\"ba\" count=\"32\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "
    "1 0 0 0 0 1 0 -100 0 0 1 0 0 0 0 1</float_array><technique_common><accessor source=\"#ba\" "
    "count=\"2\" stride=\"16\"><param name=\"TRANSFORM\" type=\"float4x4\"/></accessor>"
    "</technique_common></source>\n"
    "<source id=\"w\"><float_array id=\"wa\" count=\"2\">1 0.5</float_array><technique_common>"
    "<accessor source=\"#wa\" count=\"2\" stride=\"1\"><param name=\"WEIGHT\" type=\"float\"/>"
    "</accessor></technique_common></source>\n"
    "<joints><input semantic=\"JOINT\" source=\"#j\"/><input semantic=\"INV_BIND_MATRIX\" "
    "source=\"#b\"/></joints><vertex_weights count=\"6\"><input semantic=\"JOINT\" "
    "source=\"#j\" offset=\"0\"/><input semantic=\"WEIGHT\" source=\"#w\" offset=\"1\"/>"
    "<vcount>1 1 2 2 1 1</vcount><v>0 0 0 0 0 1 1 1 0 1 1 1 1 0 1 0</v></vertex_weights></skin>"
    "</controller></library_controllers>\n"
    "<library_visual_scenes><visual_scene id=\"s\">"
    "<node id=\"lower\" sid=\"lower\" name=\"lower\" type=\"JOINT\"><matrix sid=\"transform\">"
    "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>"
    "<node id=\"upper\" sid=\"upper\" name=\"upper\" type=\"JOINT\"><matrix sid=\"transform\">"
    "1 0 0 0 0 1 0 100 0 0 1 0 0 0 0 1</matrix></node></node>\n"
    "<node id=\"n\" name=\"n\"><instance_controller url=\"#c\"><skeleton>#lower</skeleton>"
    "</instance_controller></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";

/* Positions of all nodes at a time of a clip (NULL: rest pose). Fails only without memory. */
static inline vo_result character_positions(const vo_character *c, const vo_joint_clip *clip,
                                            double time, vo_clip_end end, vo_vec3 *x) {
    if (c->bind_count == 0) {
        memcpy(x, c->node_x, (size_t)c->node_count * sizeof *x);
        return VO_OK;
    }
    vo_affine *joint = vo_new_array(c->ctx, vo_affine, c->joint_count);
    vo_affine *motion = vo_new_array(c->ctx, vo_affine, c->bind_count);
    bool allocated = joint && motion;
    if (allocated) {
        vo_character_pose(c, clip, time, end, joint);
        for (int b = 0; b < c->bind_count; b++)
            motion[b] = vo_affine_mul(joint[c->bind[b].joint], c->bind[b].inverse);
        vo_character_skin_linear(c->ctx, c, motion, x);
    }
    vo_free_array(c->ctx, joint, c->joint_count);
    vo_free_array(c->ctx, motion, c->bind_count);
    return allocated ? VO_OK : vo_fail_memory(c->ctx, "positions");
}

/* A point equals the coordinates within the tolerance. */
#define assert_point(p, x_, y_, z_, tolerance) \
    do {                                       \
        vo_vec3 p_ = (p);                      \
        assert_near(p_.x, x_, tolerance);      \
        assert_near(p_.y, y_, tolerance);      \
        assert_near(p_.z, z_, tolerance);      \
    } while (0)

#endif
