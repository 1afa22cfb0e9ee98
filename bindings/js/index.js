// Which triangles of deforming bodies touch, exactly. See README.md.
export { load, Context } from "./src/context.js";
export { hasSimd } from "./src/module.js";
export { PliantError } from "./src/errors.js";
export { Shape } from "./src/shape.js";
export { Body } from "./src/body.js";
export { Contours, Query, Volume } from "./src/query.js";
export { Scene } from "./src/scene.js";
export { words } from "./src/structs.js";
