// Keeping a recording, so that nothing deletes it, and letting it go again.
import { say, texts } from "../texts.js";
import { post } from "../parts/api.js";
import { tell, tellOf } from "../parts/messages.js";
import { address } from "./facts.js";

/**
 * Keeps a recording, or ends that.
 * @returns {Promise<Object|null>} the recording as it is now; null after an error, which is shown
 */
export const keep = async (recording, isKept) => {
    try {
        const changed = await post(address(recording, isKept ? "keep" : "unkeep"), { file: recording.file });
        tell(say(isKept ? texts.isKept : texts.isNotKept, { file: recording.file }));
        return changed;
    } catch (error) {
        tellOf(error);
        return null;
    }
};
