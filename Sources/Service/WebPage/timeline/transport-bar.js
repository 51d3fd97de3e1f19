// The buttons below the video: playback, speed, audio, and the current time.
import { texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { fromLocalInput, localInput } from "../parts/format.js";
import { icon } from "../parts/icons.js";
import { exactMoment } from "./moments.js";

const speeds = [0.25, 0.5, 1, 2, 4, 8];

export class TransportBar extends HTMLElement {
    /** The view's actions. */
    actions = null;
    #play = button("", () => this.actions.toggle(), { class: "main wide", "data-action": "play" });
    #audio = button(texts.unmute, () => this.actions.audio(), { "data-action": "audio", "aria-pressed": "false" });
    #speed = make("select", { "data-action": "speed", "aria-label": texts.speed, onchange: () => this.actions.speed(Number(this.#speed.value)) },
        ...speeds.map((speed) => make("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    #moment = make("time", { class: "moment number" });
    #date = make("input", { type: "datetime-local", step: 1, "data-action": "date" });

    connectedCallback() {
        const plain = (face, name, body) => button(face, body, { class: "plain", "data-action": name, "aria-label": texts.transport[name], title: texts.transport[name] });
        this.#date.addEventListener("change", () => {
            const at = fromLocalInput(this.#date.value);
            if (Number.isFinite(at) && at >= 0) this.actions.go(at);
        });
        this.replaceChildren(
            make("div", { class: "row start buttons" }, plain(icon("back"), "before", () => this.actions.hop(-1)), plain("−10", "back", () => this.actions.step(-10)), this.#play,
                plain("+10", "on", () => this.actions.step(10)), plain(icon("next"), "next", () => this.actions.hop(1)), this.#speed, this.#audio),
            this.#moment, make("label", { class: "jump" }, `${texts.jump} `, this.#date));
        this.showPlaying(false);
    }

    showPlaying(isPlaying) {
        this.#play.replaceChildren(icon(isPlaying ? "pause" : "play"));
        this.#play.setAttribute("aria-label", isPlaying ? texts.transport.pause : texts.transport.play);
        this.#play.title = isPlaying ? texts.transport.pause : texts.transport.play;
    }

    showAudio(isOn) {
        setText(this.#audio, isOn ? texts.mute : texts.unmute);
        this.#audio.setAttribute("aria-pressed", String(isOn));
    }

    /** @param {number|null} at seconds since 1970 @param {boolean} isSettled true if no drag is in progress */
    showMoment(at, isSettled) {
        setText(this.#moment, at === null ? "" : exactMoment(at));
        if (at === null || !isSettled || document.activeElement === this.#date) return;
        this.#moment.dateTime = new Date(at * 1000).toISOString();
        const value = localInput(at);
        if (this.#date.value !== value) this.#date.value = value;
    }
}
customElements.define("transport-bar", TransportBar);
