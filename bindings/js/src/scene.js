import { Context } from "./context.js";
import { Handle, lendNumbers, listOf, moduleOf } from "./handle.js";
import { addCalls } from "./calls.js";
import { bodyPointer } from "./body.js";
import { checkFunction } from "./structs.js";

/** Ids as the library has them, two numbers each, until the call's end. */
function lendIds(module, ids, label) {
    const numbers = ids.flatMap((id) => [id?.index, id?.generation]);
    return lendNumbers(module, numbers, Uint32Array, label, 2);
}

function lendId(module, id) {
    return lendIds(module, [id], "id")[0];
}

/**
 * Many bodies. Bodies go by ids, an index and a generation; in answers these are pairs of numbers,
 * and `scene.bodyAt(index)` is the body.
 */
export class Scene extends Handle {
    #members = new Map(); // bodies by index, so that they live as long as they are in the scene

    /**
     * @param {import("./context.js").Context} context
     * @param {import("../index.js").SceneDef} [def]
     */
    constructor(context, def) {
        const module = moduleOf(context, Context, "context");
        super(module, "pliant_scene_destroy", module.session(() =>
            module.create("pliant_scene_create", context.pointer, module.settings("pliant_scene_def", def, "def"))));
        this.context = context;
    }

    /** Puts a body into the scene, and gives its id. */
    add(body, member) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(8);
            module.call("pliant_scene_add", this.pointer, bodyPointer(body, module, "body"),
                        this.#member(member), at);
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            this.#members.set(index, body);
            return { index, generation };
        });
    }

    /** Takes a body out. */
    remove(id) {
        const { module } = this;
        module.session(() => module.call("pliant_scene_remove", this.pointer, lendId(module, id)));
        this.#members.delete(id.index);
    }

    /** Changes how a body takes part. */
    setMember(id, member) {
        const { module } = this;
        module.session(() => module.call("pliant_scene_set_member", this.pointer, lendId(module, id),
                                         this.#member(member)));
    }

    #member(member) {
        const { module } = this;
        const name = "pliant_member_def";
        return module.settings(name, member, "member", {
            looseBox(box, at) {
                module.structs.set(name, at, "looseBox", box);
                module.structs.set(name, at, "hasLooseBox", true);
            },
        });
    }

    /** The body of an index that is in the scene, or undefined. */
    bodyAt(index) {
        const body = this.#members.get(index);
        return body === undefined || body.isDisposed ? undefined : body;
    }

    /** The id of a body, or undefined. */
    idOf(body) {
        return this.#idOf(body, "body");
    }

    #idOf(body, label) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(8);
            if (!module.exports.pliant_scene_find_id(this.pointer, bodyPointer(body, module, label), at)) {
                return undefined;
            }
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            return { index, generation };
        });
    }

    /** The boxes of bodies, by their ids, as the scene has them: lower x, y, z, then upper, of each. */
    boxes(ids) {
        const { module } = this;
        return module.session(() => {
            const [list, count] = lendIds(module, listOf(ids, "ids"), "ids");
            const at = module.room(24, count);
            module.call("pliant_scene_get_boxes", this.pointer, list, count, at);
            return module.copyOut(Float32Array, at, 6 * count);
        });
    }

    get bodyCount() {
        return this.module.exports.pliant_scene_get_body_count(this.pointer);
    }

    /** Ids and bodies, ascending by index. */
    *[Symbol.iterator]() {
        let id = { index: 0, generation: 0 };
        for (;;) {
            id = this.#next(id);
            if (id === undefined) {
                return;
            }
            yield { id, body: this.bodyAt(id.index) };
        }
    }

    #next(id) {
        const { module } = this;
        return module.session(() => {
            const at = lendId(module, id);
            if (!module.exports.pliant_scene_find_next(this.pointer, at)) {
                return undefined;
            }
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            return { index, generation };
        });
    }

    /** Sets the states of several bodies, all or nothing: a list of {body, state}. */
    setStates(states) {
        const { module } = this;
        module.session(() => {
            const { structs } = module;
            const size = structs.size("pliant_scene_state");
            const list = listOf(states, "states").map((entry, i) => {
                bodyPointer(entry?.body, module, `states[${i}].body`);
                const { body, state } = entry;
                return { body, read: module.readSettings("pliant_state", state, `states[${i}].state`,
                                                         { vertices: body.vertexCount }) };
            });
            const at = module.room(size, list.length);
            const offset = structs.layout.get("pliant_scene_state").fields.get("state").offset;
            list.forEach(({ body, read }, i) => {
                const id = this.#idOf(body, `states[${i}].body`);
                if (id === undefined) {
                    throw new TypeError(`states[${i}].body is not in this scene`);
                }
                structs.set("pliant_scene_state", at + i * size, "body", [id.index, id.generation]);
                module.writeSettings("pliant_state", at + i * size + offset, read);
            });
            module.call("pliant_scene_set_states", this.pointer, at, list.length);
            list.forEach(({ body, read }) => body.tookState("positions" in read.writers));
        });
    }

    /** What began, goes on and ended between the latest two calls that asked for events. */
    get events() {
        const { module } = this;
        return module.session(() => {
            const count = module.room(4);
            const at = module.exports.pliant_scene_get_events(this.pointer, count);
            return module.structs.readArray("pliant_scene_event", at, module.view.getUint32(count, true));
        });
    }

    /** All bodies begin a step. */
    beginStep() {
        this.module.call("pliant_scene_begin_step", this.pointer);
        for (const { body } of this) {
            body?.stepBegan();
        }
    }

    /** Writes all calls of the scene from now on to `write`, as bytes. */
    record(write, options) {
        const { module } = this;
        const name = "pliant_recording_options";
        checkFunction(write, "write");
        this.#recorder = write;
        module.session(() => {
            const at = module.settings(name, options, "options");
            module.structs.set(name, at, "write", module.exports.pliant_js_get_recording_callback());
            module.call("pliant_scene_record", this.pointer, at);
        }, this.callbacks);
    }

    stopRecording() {
        this.module.session(() => this.module.call("pliant_scene_stop_recording", this.pointer), this.callbacks);
        this.#recorder = undefined;
    }

    get isRecording() {
        return this.module.exports.pliant_scene_is_recording(this.pointer) !== 0;
    }

    /** The cost of the latest call. */
    get stats() {
        const { module } = this;
        return module.structs.read("pliant_scene_stats", module.exports.pliant_scene_get_stats(this.pointer));
    }

    #recorder;
    #record = (bytes) => this.#recorder?.(bytes) !== false;

    /** Functions of the page that calls of the scene may run. @internal */
    get callbacks() {
        return { record: this.#record };
    }
}

addCalls("scene", Scene);
