// What a recording says of itself, in words. No DOM.
import { say, texts } from "../texts.js";

/** What a track lost, by cause; empty when nothing was. @returns {string[]} */
export const lossesOf = (track, dropped) => Object.entries(dropped ?? {})
    // What a pause leaves out is no loss.
    .filter(([cause, count]) => count > 0 && cause !== "paused")
    .map(([cause, count]) => say(track === "video" ? texts.pictures : texts.samples, { count, cause: texts.cause[cause] ?? cause }));

export const losses = (recording) => (recording.ledger ?? []).flatMap(({ track, dropped }) => lossesOf(track, dropped));

/** Where a recording's things are. */
export const address = (recording, what) => `/api/recordings/${encodeURIComponent(recording.id)}/${what}`;
