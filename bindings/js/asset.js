// Readers of files: scenes, meshes and vertex caches. See README.md.
export { loadReaders, Readers } from "./src/readers.js";
export { Asset, Pose } from "./src/asset.js";
