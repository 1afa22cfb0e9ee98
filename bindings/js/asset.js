// Readers of files: glTF and GLB, OBJ, PLY, OFF, and the vertex caches PC2 and MDD. See README.md.
export { loadReaders, Readers } from "./src/readers.js";
export { Asset, Pose } from "./src/asset.js";
