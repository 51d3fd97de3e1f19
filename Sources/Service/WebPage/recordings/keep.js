// Keeps a recording, so that nothing deletes it, and stops keeping it.
import { say, texts } from "../texts.js";
import { getJSON, post } from "../parts/api.js";
import { tell, tellOf } from "../parts/messages.js";
import { address } from "./facts.js";

const ask = (recording, isKept) => post(address(recording, isKept ? "keep" : "unkeep"), { file: recording.file });

/**
 * Keeps a recording, or stops keeping it.
 * @returns {Promise<Object|null>} the recording as it is now; null after an error, which is shown
 */
export const keep = async (recording, isKept) => {
    try {
        const changed = await ask(recording, isKept).catch(async (error) => {
            // A file that was finalized in the meantime has another name, but the same id.
            const now = error.status === 409 ? await getJSON(`/api/recordings/${encodeURIComponent(recording.id)}`) : recording;
            if (now.file === recording.file) throw error;
            return ask(now, isKept);
        });
        tell(say(isKept ? texts.isKept : texts.isNotKept, { file: changed.file }));
        return changed;
    } catch (error) {
        tellOf(error);
        return null;
    }
};
