// What a page needs to know of a fragmented MPEG-4 stream (ISO/IEC 14496-12): when a picture was taken.

/** Calls `body(code, start, end)` for each atom; start is behind its header. */
const eachAtom = (view, from, to, body) => {
    let place = from;
    while (place + 8 <= to) {
        const size = view.getUint32(place);
        if (size < 8 || place + size > to) return;
        const code = String.fromCharCode(...[4, 5, 6, 7].map((index) => view.getUint8(place + index)));
        body(code, place + 8, place + size);
        place += size;
    }
};

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Ticks per second of each track, by its number, from a stream's head.
 * @param {Uint8Array} bytes
 * @returns {Map<number, number>}
 */
export const timeScales = (bytes) => {
    const view = viewOf(bytes);
    const scales = new Map();
    eachAtom(view, 0, bytes.length, (code, start, end) => {
        if (code !== "moov") return;
        eachAtom(view, start, end, (code, start, end) => {
            if (code !== "trak") return;
            let track = 0;
            eachAtom(view, start, end, (code, start, end) => {
                // Behind version and flags: two times, of 4 bytes or 8, then the number (8.3.2), or the scale (8.4.2).
                if (code === "tkhd") track = view.getUint32(start + (view.getUint8(start) === 1 ? 20 : 12));
                if (code !== "mdia") return;
                eachAtom(view, start, end, (code, start) => {
                    if (code === "mdhd") scales.set(track, view.getUint32(start + (view.getUint8(start) === 1 ? 20 : 12)));
                });
            });
        });
    });
    return scales;
};

const secondsTo1970 = 2208988800;

/**
 * When something of the stream was taken, from the atom `prft` in front of a key frame (8.16.5).
 * @param {Uint8Array} bytes of a message `media`
 * @param {Map<number, number>} scales
 * @returns {{taken: number, at: number}|null} seconds since 1970, and the stream's time in seconds
 */
export const producerTime = (bytes, scales) => {
    const view = viewOf(bytes);
    let found = null;
    eachAtom(view, 0, bytes.length, (code, start) => {
        if (code !== "prft" || found) return;
        const scale = scales.get(view.getUint32(start + 4));
        if (!scale) return;
        const taken = view.getUint32(start + 8) - secondsTo1970 + view.getUint32(start + 12) / 2 ** 32;
        const time = view.getUint8(start) === 1 ? Number(view.getBigUint64(start + 16)) : view.getUint32(start + 16);
        found = { taken, at: time / scale };
    });
    return found;
};
