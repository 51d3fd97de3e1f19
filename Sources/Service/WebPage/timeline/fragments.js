// The fragments of a movie that is being recorded (ISO/IEC 14496-12; docs/design/decisions/file.md). Pure: bytes in and out.
import { atom, atoms, codeAt, find, joined, text, viewOf } from "../parts/atoms.js";
import { behindTimes } from "../watch/atoms.js";

/**
 * The initialization segment of a stream: the movie's header, with audio as in MPEG-4. null: it cannot be streamed.
 * @param {Uint8Array} bytes the beginning of the file
 * @returns `bytes`, `type`, the offset of the first fragment (`end`), the video track (`video`), and by track: ticks
 * per second (`scales`), the start in ticks (`shifts`) and the defaults of samples (`presets`, only of played tracks)
 */
export const initOf = (bytes) => {
    const view = viewOf(bytes);
    const moov = find(view, 0, bytes.length, "moov");
    if (!moov) return null;
    const [codecs, scales, shifts, presets] = [[], new Map(), new Map(), new Map()];
    let video = null;
    for (const trak of [...atoms(view, moov.body, moov.end)].filter(({ code }) => code === "trak")) {
        const header = find(view, trak.body, trak.end, "tkhd");
        const media = find(view, trak.body, trak.end, "mdia", "mdhd");
        const entries = find(view, trak.body, trak.end, "mdia", "minf", "stbl", "stsd");
        if (!header || !media || !entries) return null;
        const number = behindTimes(view, header);
        scales.set(number, behindTimes(view, media));
        const edit = find(view, trak.body, trak.end, "edts", "elst");
        if (edit && view.getUint32(edit.body + 4) > 0) {
            const start = view.getUint8(edit.body) === 1 ? Number(view.getBigInt64(edit.body + 16)) : view.getInt32(edit.body + 12);
            shifts.set(number, Math.max(0, start));
        }
        // Browsers ignore tracks of timecode and of chapters.
        const handler = find(view, trak.body, trak.end, "mdia", "hdlr");
        if (!handler || !["vide", "soun"].includes(codeAt(view, handler.body + 8))) continue;
        const entry = [...atoms(view, entries.body + 8, entries.end)][0];
        const codec = entry && codecOf(view, entry);
        if (!codec) return null;
        if (codec.isVideo) video ??= number;
        codecs.push(codec.text);
        presets.set(number, {});
    }
    const fragmented = find(view, moov.body, moov.end, "mvex");
    for (const trex of fragmented ? [...atoms(view, fragmented.body, fragmented.end)].filter(({ code }) => code === "trex") : []) {
        const [number, , duration, size, flags] = [4, 8, 12, 16, 20].map((place) => view.getUint32(trex.body + place));
        if (presets.has(number)) presets.set(number, { duration, size, flags });
    }
    const head = inMpeg4(bytes.subarray(moov.start, moov.end));
    // The brand `iso6`: offsets are relative to each `moof`.
    const brand = new Uint8Array([0, 0, 0, 20, ...text("ftypiso6"), 0, 0, 0, 0, ...text("iso6")]);
    return { bytes: joined([brand, head]), type: `video/mp4; codecs="${codecs.join(",")}"`, end: moov.end, video, scales, shifts, presets };
};

const hex = (number) => number.toString(16).padStart(2, "0");

/** The codec's name by RFC 6381; null for a codec that browsers cannot stream. */
const codecOf = (view, entry) => {
    if (entry.code === "avc1" || entry.code === "avc3") {
        const configuration = find(view, entry.body + 78, entry.end, "avcC");
        if (!configuration) return null;
        const numbers = [1, 2, 3].map((index) => hex(view.getUint8(configuration.body + index)));
        return { isVideo: true, text: `${entry.code}.${numbers.join("")}` };
    }
    if (entry.code === "hvc1" || entry.code === "hev1") {
        const configuration = find(view, entry.body + 78, entry.end, "hvcC");
        if (!configuration || configuration.end - configuration.body < 13) return null;
        const record = Array.from({ length: 13 }, (_, index) => view.getUint8(configuration.body + index));
        return { isVideo: true, text: hevcName(entry.code, record) };
    }
    if (entry.code === "av01") {
        const configuration = find(view, entry.body + 78, entry.end, "av1C");
        if (!configuration || configuration.end - configuration.body < 4) return null;
        return { isVideo: true, text: av1Name(Array.from({ length: 4 }, (_, index) => view.getUint8(configuration.body + index))) };
    }
    if (entry.code === "Opus") return { isVideo: false, text: "opus" };
    return entry.code === "mp4a" ? { isVideo: false, text: "mp4a.40.2" } : null;
};

/**
 * The codecs parameter of HEVC: profile, compatibility, tier with level, and constraints (ISO/IEC 14496-15, E.3).
 * @param {string} code the code of the sample description
 * @param {number[]} record the first 13 bytes of `hvcC`
 */
export const hevcName = (code, record) => {
    const space = ["", "A", "B", "C"][record[1] >> 6];
    // The record begins with the flag of profile 0, which is the lowest bit of the parameter's number.
    let compatibility = 0;
    for (let bit = 31; bit >= 0; bit -= 1) compatibility = compatibility * 2 + (record[2 + (bit >> 3)] >> (7 - (bit & 7)) & 1);
    const constraints = record.slice(6, 12);
    while (constraints.at(-1) === 0) constraints.pop();
    const text = (number) => number.toString(16).toUpperCase();
    return [code, space + (record[1] & 31), text(compatibility), (record[1] & 32 ? "H" : "L") + record[12], ...constraints.map(text)].join(".");
};

/**
 * The codecs parameter of AV1: profile, level, tier and bit depth (AV1 Codec ISO Media File Format Binding, 5).
 * @param {number[]} record the first four bytes of `av1C`
 */
export const av1Name = (record) => {
    const depth = record[2] & 64 ? (record[2] & 32 ? "12" : "10") : "08";
    return `av01.${record[1] >> 5}.${String(record[1] & 31).padStart(2, "0")}${record[2] & 128 ? "H" : "M"}.${depth}`;
};

/** The atoms on the path to the sample descriptions. */
const way = new Set(["moov", "trak", "mdia", "minf", "stbl"]);

/** A copy of an atom, with MPEG-4's audio descriptions (version 0) instead of QuickTime's (version 1, with `wave`). */
const inMpeg4 = (bytes) => {
    const view = viewOf(bytes);
    const code = codeAt(view, 4);
    if (way.has(code)) {
        return atom(code, [...atoms(view, 8, bytes.length)].map(({ start, end }) => inMpeg4(bytes.subarray(start, end))));
    }
    if (code !== "stsd") return bytes;
    const entries = [...atoms(view, 16, bytes.length)].map(({ start, end }) => audioEntry(bytes.subarray(start, end)));
    return atom(code, [bytes.subarray(8, 16), ...entries]);
};

const audioEntry = (bytes) => {
    const view = viewOf(bytes);
    if (codeAt(view, 4) !== "mp4a" || view.getUint16(16) !== 1) return bytes;
    // The 28 bytes of version 0 are followed by 16 bytes of version 1.
    const configuration = find(view, 52, bytes.length, "wave", "esds") ?? find(view, 52, bytes.length, "esds");
    if (!configuration) return bytes;
    const head = bytes.slice(8, 36);
    head.fill(0, 8, 10);
    head.fill(0, 20, 22);
    return atom("mp4a", [head, bytes.subarray(configuration.start, configuration.end)]);
};

/**
 * The complete fragments at the beginning of some bytes.
 * @returns {{parts: Uint8Array[], used: number, isOver: boolean}} `moof` and `mdat` of each fragment; the number of
 * used bytes; true if the movie's final header follows
 */
export const fragmentsIn = (bytes) => {
    const view = viewOf(bytes);
    const parts = [];
    let [used, head] = [0, null];
    for (const { code, start, end, isWhole } of atoms(view, 0, bytes.length)) {
        if (code === "moov") return { parts, used, isOver: true };
        if (!isWhole) break;
        if (code === "moof") head = start;
        else if (code === "mdat" && head !== null) {
            parts.push(bytes.slice(head, end));
            head = null;
        }
        if (head === null) used = end;
    }
    return { parts, used, isOver: false };
};

/**
 * The offset of the first fragment in bytes that begin anywhere in a movie; null if there is none. A fragment follows
 * an atom `free` with a copy of another fragment's header.
 */
export const searchFragment = (bytes) => {
    const view = viewOf(bytes);
    for (let place = bytes.indexOf(0x66); place >= 0; place = bytes.indexOf(0x66, place + 1)) {
        if (place < 4 || place + 8 > bytes.length || codeAt(view, place) !== "free") continue;
        const end = place - 4 + view.getUint32(place - 4);
        if (end > place && end + 16 <= bytes.length && codeAt(view, end + 4) === "moof" && codeAt(view, end + 12) === "mfhd") return end;
    }
    return null;
};

/** The first decode time of a fragment's video, in seconds of the movie; null if the fragment has no video. */
export const fragmentTime = (bytes, { video, scales, shifts }) => {
    const view = viewOf(bytes);
    const moof = find(view, 0, bytes.length, "moof");
    for (const traf of moof ? [...atoms(view, moof.body, moof.end)].filter(({ code }) => code === "traf") : []) {
        const [header, time] = ["tfhd", "tfdt"].map((code) => find(view, traf.body, traf.end, code));
        if (!header || !time) continue;
        const number = view.getUint32(header.body + 4);
        if (video !== null && number !== video) continue;
        const ticks = view.getUint8(time.body) === 1 ? Number(view.getBigUint64(time.body + 4)) : view.getUint32(time.body + 4);
        return (ticks - (shifts.get(number) ?? 0)) / scales.get(number);
    }
    return null;
};
