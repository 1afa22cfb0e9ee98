// Answers of the library as objects with typed arrays of their own: which field of an answer says how
// many elements its arrays have.

const LENGTHS = {
    pliant_contacts: { pairs: "count", segments: "count", separations: "count" },
    pliant_meetings: { pairs: "count", meetings: "count" },
    pliant_proximities: { pairs: "count" },
    pliant_features: { pairs: "count", crossings: "crossingCount" },
    pliant_ray_hits: { hits: "count" },
    pliant_proxy_contacts: { contacts: "count" },
    pliant_contour_set: {
        contours: "contourCount", points: "pointCount", segments: "segmentCount",
        touches: "touchCount", regions: "regionCount", pieces: "pieceCount",
    },
    pliant_scene_contacts: {
        bodies: "bodyPairCount", pairs: "count", segments: "count", separations: "count",
        undecided: "undecidedCount",
    },
    pliant_scene_proxy_contacts: { bodies: "bodyPairCount", contacts: "count" },
    pliant_scene_proximities: { bodies: "bodyPairCount", pairs: "count" },
    pliant_scene_meetings: {
        bodies: "bodyPairCount", pairs: "count", meetings: "count", undecided: "undecidedCount",
    },
    pliant_scene_features: { bodies: "bodyPairCount", pairs: "count" },
    pliant_scene_ray_hits: { hits: "count" },
    pliant_scene_triangles: { bodies: "bodyCount", triangles: "count" },
    pliant_scene_volumes: { pairs: "count" },
};

/** An answer of the library: numbers, and the arrays that it points at, copied. */
export function readAnswer(module, name, at) {
    const { structs } = module;
    const struct = structs.layout.get(name);
    const answer = structs.read(name, at);
    for (const [label, counter] of Object.entries(LENGTHS[name] ?? {})) {
        const field = struct.fields.get(label);
        const from = structs.readNumber("pointer", at + field.offset);
        const count = answer[counter];
        if (from === 0 && count > 0) {
            answer[label] = null; // was not asked for
        } else if (structs.layout.has(field.target)) {
            answer[label] = structs.readArray(field.target, from, count);
        } else {
            answer[label] = structs.readNumbers(field.target, from, count);
        }
    }
    return answer;
}

/** Asks a question whose answer is one struct, and reads that. */
export function ask(module, name, answer, ...values) {
    const at = module.room(module.structs.size(answer));
    module.call(name, ...values, at);
    return readAnswer(module, answer, at);
}

/** Asks for `count` answers at once, as columns. */
export function askMany(module, name, answer, count, ...values) {
    const at = module.room(module.structs.size(answer), count);
    module.call(name, ...values, at);
    return module.structs.readArray(answer, at, count);
}
