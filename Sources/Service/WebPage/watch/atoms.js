// Reads what the page needs from a fragmented MPEG-4 stream (ISO/IEC 14496-12): the capture times of frames.
import { atoms, find, viewOf } from "../parts/atoms.js";

/** The field after version, flags and two times of 4 or 8 bytes each: a track's number (8.3.2) or timescale (8.4.2). */
export const behindTimes = (view, { body }) => view.getUint32(body + (view.getUint8(body) === 1 ? 20 : 12));

/**
 * The ticks per second of each track, by the track's number, from a stream's header.
 * @param {Uint8Array} bytes
 * @returns {Map<number, number>}
 */
export const timeScales = (bytes) => {
    const view = viewOf(bytes);
    const moov = find(view, 0, bytes.length, "moov");
    const tracks = moov ? [...atoms(view, moov.body, moov.end)].filter(({ code }) => code === "trak") : [];
    return new Map(tracks.map(({ body, end }) => [["tkhd"], ["mdia", "mdhd"]].map((way) => find(view, body, end, ...way)))
        .filter(([header, media]) => header && media)
        .map((both) => both.map((atom) => behindTimes(view, atom))));
};

const secondsTo1970 = 2208988800;

/**
 * The capture time of a keyframe, from the atom `prft` before it (8.16.5).
 * @param {Uint8Array} bytes the bytes of a message `media`
 * @param {Map<number, number>} scales
 * @returns {{taken: number, at: number}|null} seconds since 1970, and the stream's time in seconds
 */
export const producerTime = (bytes, scales) => {
    const view = viewOf(bytes);
    for (const { code, body, isWhole } of atoms(view, 0, bytes.length)) {
        const scale = code === "prft" && isWhole ? scales.get(view.getUint32(body + 4)) : undefined;
        if (!scale) continue;
        const taken = view.getUint32(body + 8) - secondsTo1970 + view.getUint32(body + 12) / 2 ** 32;
        const time = view.getUint8(body) === 1 ? Number(view.getBigUint64(body + 16)) : view.getUint32(body + 16);
        return { taken, at: time / scale };
    }
    return null;
};
