// The actions that an operator can perform on a recorder, and their results.
import { say, texts } from "../texts.js";
import { button, make } from "../parts/elements.js";
import { bytes, duration } from "../parts/format.js";
import { download, post } from "../parts/api.js";
import { ask, askFor } from "../parts/dialog.js";
import { tell, tellOf } from "../parts/messages.js";

/** The actions in display order. */
const order = ["record", "stop", "pause", "resume", "split", "mark", "save", "snapshot", "acknowledge"];

/** Asks for the fields of a request. @returns {Promise<Object|null>} the fields; null to do nothing */
const fields = async (action, recorder, byKey) => {
    switch (action) {
        case "stop":
            return (await ask({
                title: say(texts.stopTitle, { name: recorder.name }), text: texts.stopText, confirm: texts.action.stop,
                isGrave: true,
            })) && {};
        case "pause":
            return byKey ? (await ask({ title: say(texts.pauseTitle, { name: recorder.name }), confirm: texts.action.pause })) && {} : {};
        case "mark": {
            const title = await askFor(texts.markTitle, texts.markLabel, { attributes: { maxlength: 256 } });
            return title && { title };
        }
        case "save": {
            const kept = Math.max(1, Math.floor(recorder.status?.preRoll?.duration ?? 1));
            const last = await askFor(texts.saveTitle, texts.saveLabel, {
                value: String(kept), type: "number", hint: say(texts.saveHint, { seconds: kept }),
                attributes: { min: 1, max: 86400, step: 1 },
            });
            return last && { last: Number(last) };
        }
        default: return {};
    }
};

/**
 * Performs an action and shows the result.
 * @param {{name: string, allowed: string[]}} recorder
 * @param {boolean} byKey true for a key, which may be hit by accident; pausing then asks for confirmation
 */
export const act = async (action, recorder, byKey = false) => {
    if (!recorder.allowed.includes(action)) {
        return tellOf(new Error(say(texts.notAllowed, { name: recorder.name, state: texts.state[recorder.state] })));
    }
    const path = `/api/recorders/${encodeURIComponent(recorder.name)}`;
    if (action === "snapshot") {
        const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
        download(`${path}/snapshot`, `${recorder.name}-${stamp}.jpg`);
        return tell(texts.done.snapshot);
    }
    const pressed = performance.now();
    const asked = await fields(action, recorder, byKey);
    if (!asked) return;
    // The time of the mark is the time of the press, not of the dialog's answer.
    const ago = (performance.now() - pressed) / 1000;
    if (action === "mark") asked.ago = ago;
    if (action === "save") asked.last += ago;
    try {
        const answer = await post(`${path}/${action}`, asked);
        tell(say(texts.done[action], {
            name: recorder.name, file: answer?.file, title: asked.title,
            duration: duration(answer?.duration - (action === "mark" ? ago : 0)),
            bytes: bytes(answer?.bytes),
        }));
    } catch (error) {
        tellOf(error);
    }
};

/** Buttons for the actions that the recorder's state allows now. Other actions have no button. */
export class RecorderActions extends HTMLElement {
    #shown = "";

    /** @param {boolean} isOperator false for viewers, who see only `snapshot` */
    show(recorder, isOperator) {
        const allowed = order.filter((action) => recorder.allowed.includes(action) && (isOperator || action === "snapshot"));
        if (this.#shown === allowed.join()) return void (this.recorder = recorder);
        this.recorder = recorder;
        this.#shown = allowed.join();
        const focused = document.activeElement?.dataset?.action;
        this.replaceChildren(...allowed.map((action) => this.#button(action)));
        if (focused && this.#hadFocus) this.querySelector(`[data-action="${focused}"]`)?.focus();
    }

    get #hadFocus() { return document.activeElement === document.body; }

    #button(action) {
        const element = button(texts.action[action], async () => {
            element.disabled = true;
            element.setAttribute("aria-busy", "true");
            await act(action, this.recorder);
            element.disabled = false;
            element.removeAttribute("aria-busy");
        }, { "data-action": action, class: action === "record" ? "main" : action === "stop" ? "grave" : "" });
        return element;
    }
}
customElements.define("recorder-actions", RecorderActions);
