// The messages of `/api/watch`: a pure parser for data in pieces of any size.

export const Kind = Object.freeze({
    hello: 0, recorder: 1, levels: 2, head: 3, media: 4, unavailable: 5, clock: 6,
});

/** The maximum size of a message: enough for a keyframe. This server sends no larger message. */
const largest = 64 * 1024 * 1024;

export class MessageParser {
    #waiting = new Uint8Array(0);

    /**
     * @param {Uint8Array} piece
     * @returns {{kind: number, recorder: number, payload: Uint8Array}[]} the messages that are complete now
     */
    feed(piece) {
        let bytes = piece;
        if (this.#waiting.length > 0) {
            bytes = new Uint8Array(this.#waiting.length + piece.length);
            bytes.set(this.#waiting);
            bytes.set(piece, this.#waiting.length);
        }
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        const messages = [];
        let place = 0;
        while (bytes.length - place >= 8) {
            const length = view.getUint32(place);
            if (length > largest) throw new Error("not a message");
            if (bytes.length - place - 8 < length) break;
            messages.push({
                kind: view.getUint8(place + 4), recorder: view.getUint16(place + 6),
                payload: bytes.subarray(place + 8, place + 8 + length),
            });
            place += 8 + length;
        }
        this.#waiting = bytes.slice(place);
        return messages;
    }
}

const decoder = new TextDecoder();
/** @param {Uint8Array} payload */
export const json = (payload) => JSON.parse(decoder.decode(payload));

/** @returns {{name: string, type: string, leftOut: string|null, bytes: Uint8Array}} the fields of a message `head` */
export const head = (payload) => {
    const length = (payload[0] << 8) | payload[1];
    return { ...json(payload.subarray(2, 2 + length)), bytes: payload.subarray(2 + length) };
};
