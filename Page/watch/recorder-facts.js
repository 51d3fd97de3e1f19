// What a recorder's status means in words. No DOM.
import { say, texts } from "../texts.js";
import { bytes } from "../parts/format.js";
import { lossesOf } from "../recordings/facts.js";

/** What was lost, by cause, in words; empty when nothing was. @returns {string[]} */
export const losses = (status) => ["video", "audio"].flatMap((track) => lossesOf(track, status?.[track]?.dropped));

/** What the recorder warns of, and what went wrong. @returns {string[]} */
export const warnings = (status) => [
    status?.error, status?.warning, status?.copies?.error, status?.retention?.error,
    ...(status?.mirror ?? []).map((copy) => copy.error),
    status?.video?.present === false ? texts.noPicture : null,
    status?.audio?.present === false ? texts.noSound : null,
].filter(Boolean);

export const freeSpace = (status) =>
    (Number.isFinite(status?.disk?.free) ? say(texts.diskFree, { size: bytes(status.disk.free) }) : "");
