// Codecs that a browser may be unable to play, and their names in texts. Pure.

const names = {
    avc1: "H.264", avc3: "H.264", h264: "H.264", hvc1: "HEVC", hev1: "HEVC", hevc: "HEVC", av01: "AV1", av1: "AV1",
    mjpeg: "motion JPEG", prores: "ProRes", mp4a: "AAC", opus: "Opus",
};

/** A media type for each codec of a file, by FFmpeg's name of the codec. Codecs that no browser plays are missing. */
const types = {
    h264: 'video/mp4; codecs="avc1.42e01e"', hevc: 'video/mp4; codecs="hvc1.1.6.L93.B0"', av1: 'video/mp4; codecs="av01.0.04M.08"',
};

/**
 * The names of the codecs of a stream that a browser cannot play.
 * @param {string} type such as `video/mp4; codecs="hvc1.1.6.L93.B0, mp4a.40.2"`
 * @param {(type: string) => boolean} canPlay
 * @returns {string} the names, or the type if the browser can play each codec alone
 */
export const unplayable = (type, canPlay) => {
    const codecs = (/codecs="([^"]*)"/.exec(type)?.[1] ?? "").split(",").map((codec) => codec.trim()).filter(Boolean);
    const missing = codecs.filter((codec) => !canPlay(`video/mp4; codecs="${codec}"`));
    return [...new Set(missing.map((codec) => names[codec.slice(0, 4)] ?? codec))].join(", ") || type;
};

/**
 * The name of a file's codec if a browser cannot play it; null if it can, or if the codec is unknown.
 * @param {string|null} codec FFmpeg's name
 * @param {(type: string) => boolean} canPlay
 */
export const unplayableFile = (codec, canPlay) =>
    codec in names && !(codec in types && canPlay(types[codec])) ? names[codec] : null;
