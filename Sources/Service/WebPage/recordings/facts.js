// The facts of a recording as texts. No DOM.
import { say, texts } from "../texts.js";

/** A track's drops by cause; empty if there are none. @returns {string[]} */
export const lossesOf = (track, dropped) => Object.entries(dropped ?? {})
    // A pause is not a drop.
    .filter(([cause, count]) => count > 0 && cause !== "paused")
    .map(([cause, count]) => say(track === "video" ? texts.droppedFrames : texts.samples, { count, cause: texts.cause[cause] ?? cause }));

export const losses = (recording) => (recording.ledger ?? []).flatMap(({ track, dropped }) => lossesOf(track, dropped));

/** The address of a resource of a recording. */
export const address = (recording, what) => `/api/recordings/${encodeURIComponent(recording.id)}/${what}`;
