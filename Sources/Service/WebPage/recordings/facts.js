// The facts of a recording as texts. No DOM.
import { say, texts } from "../texts.js";
import { unplayableFile } from "../parts/codecs.js";

/** A track's drops as texts, one for each cause; empty if there are none. @returns {string[]} */
export const lossesOf = (track, dropped) => Object.entries(dropped ?? {})
    // A pause is not a drop.
    .filter(([cause, count]) => count > 0 && cause !== "paused")
    .map(([cause, count]) => say(track === "video" ? texts.droppedFrames : texts.samples, { count, cause: texts.cause[cause] ?? cause }));

export const losses = (recording) => (recording.ledger ?? []).flatMap(({ track, dropped }) => lossesOf(track, dropped));

/**
 * The reason why a browser cannot play a recording.
 * @param {HTMLVideoElement} video the element that failed
 */
export const refusalOf = (recording, video) => {
    const codec = unplayableFile(recording.codec, (type) => video.canPlayType(type) !== "");
    return codec === null ? texts.cannotPlayFile : say(texts.cannotPlayCodec, { codec });
};

/** The address of a resource of a recording. */
export const address = (recording, what) => `/api/recordings/${encodeURIComponent(recording.id)}/${what}`;
