/*
 * The file formats that Pliant reads, one line each, in the order in which messages list them:
 *
 *     FORMAT(kind, ending, name, first bytes of every such file or NULL)
 *
 * A MESH is read by pli_read_ENDING(), a CACHE is opened by pli_open_ENDING(), and a SCENE is glTF.
 * Define FORMAT before you include this file. CMake, Python and JavaScript read the lines, too.
 * CONTRIBUTING.md lists the files of a new format.
 */
FORMAT(SCENE, gltf, "glTF", NULL)
FORMAT(SCENE, glb, "GLB", "glTF")
FORMAT(MESH, obj, "OBJ", NULL)
FORMAT(MESH, ply, "PLY", "ply")
FORMAT(MESH, off, "OFF", NULL)
FORMAT(CACHE, pc2, "PC2", "POINTCACHE2")
FORMAT(CACHE, mdd, "MDD", NULL)
#undef FORMAT
