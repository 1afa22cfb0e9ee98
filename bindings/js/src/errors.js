// What the library refuses, and mistakes of the program that uses it.

/** A call of the library that failed. Its message is the library's sentence; nothing has changed. */
export class PliantError extends Error {
    /**
     * @param {string} code such as "PLIANT_ERROR_RANGE"
     * @param {string} sentence
     */
    constructor(code, sentence) {
        super(sentence);
        this.name = "PliantError";
        this.code = code;
    }
}
