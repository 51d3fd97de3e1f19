// A recorder's status as texts. No DOM.
import { say, sentences, texts } from "../texts.js";
import { bytes, moment } from "../parts/format.js";
import { lossesOf } from "../recordings/facts.js";

/** The drops by cause, as texts; empty if there are none. @returns {string[]} */
export const losses = (status) => ["video", "audio"].flatMap((track) => lossesOf(track, status?.[track]?.dropped));

/** The text for a recorder that ended but was not stopped; null for other recorders. @returns {string | null} */
export const endOf = ({ name, state, ended }) => (ended ? say(texts.ended, {
    name, state: texts.state[state] ?? state, time: ended.ended ? moment(Date.parse(ended.ended) / 1000) : texts.unknownTime,
    facts: sentences(ended.error, ended.file && say(texts.leftUnfinished, { file: ended.file }), ended.wayOut),
}) : null);

/** The recorder's warnings and errors. @returns {string[]} */
export const warnings = (status) => [
    status?.error, status?.warning, status?.copies?.error, status?.retention?.error,
    ...(status?.mirror ?? []).map((copy) => copy.error),
    status?.video?.present === false ? texts.noVideo : null,
    status?.audio?.present === false ? texts.noAudio : null,
].filter(Boolean);

export const freeSpace = (status) =>
    (Number.isFinite(status?.disk?.free) ? say(texts.diskFree, { size: bytes(status.disk.free) }) : "");

/**
 * The recorders that the server no longer knows, as it describes those that do not run. Meanwhile, the page was not
 * connected, and did not hear of their end.
 * @param {Object[]} recorders @param {Set<string>} named the names that the server knows
 */
export const gone = (recorders, named) => recorders
    .filter(({ name, state }) => !named.has(name) && state !== "notRunning")
    .map((recorder) => ({ ...recorder, state: "notRunning", allowed: [], status: null, ended: null }));
