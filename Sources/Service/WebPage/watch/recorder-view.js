// The view of one recorder: large, and with audio.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { bytes, duration } from "../parts/format.js";
import { connection } from "./connection.js";
import { act } from "./actions.js";
import { endOf, freeSpace, losses, warnings } from "./recorder-facts.js";
import { who } from "../session.js";
import { getJSON } from "../parts/api.js";
import { tell, tellOf } from "../parts/messages.js";
import { keep } from "../recordings/keep.js";
import { addressOf } from "../timeline/place.js";
import "./level-meter.js";
import "./live-player.js";

const keys = { p: ["pause", "resume"], m: ["mark"], s: ["snapshot"] };

export class RecorderView extends HTMLElement {
    #name = "";
    #player = null;
    #state = make("span", { class: "state" });
    #live = make("span", { class: "live-words" });
    #facts = make("dl", { class: "facts" });
    #warnings = make("p", { class: "warnings", hidden: true });
    #actions = make("recorder-actions");
    #audio = button(texts.unmute, () => this.#setAudio(this.#player.video.muted), { "data-action": "audio", "aria-pressed": "false" });
    #volume = make("input", { type: "range", min: 0, max: 1, step: 0.05, value: 1, "aria-label": texts.volume });
    #keepButton = button(texts.keepFile, () => this.#keep(), { "data-action": "keep", hidden: true });
    #earlier = make("a", { class: "button", "data-action": "earlier" }, texts.earlier);
    #timer = null;
    #patience = null;
    #hear = (event) => { if (event.detail.name === this.#name) this.#show(event.detail); };
    #key = (event) => this.#press(event);

    connectedCallback() {
        this.#name = this.dataset.name;
        this.#player = make("live-player", { name: this.#name });
        const frame = make("div", { class: "large" }, this.#player);
        this.#volume.addEventListener("input", () => { this.#player.video.volume = Number(this.#volume.value); });
        this.#earlier.setAttribute("aria-label", say(texts.earlierOf, { name: this.#name }));
        // The target depends on the time of the click.
        for (const kind of ["click", "pointerdown", "focus"]) this.#earlier.addEventListener(kind, () => this.#pointEarlier());
        this.#pointEarlier();
        const small = document.pictureInPictureEnabled
            ? button(texts.pictureInPicture, () => this.#player.video.requestPictureInPicture().catch(() => {}), { "data-action": "small-window" }) : null;
        this.replaceChildren(
            make("div", { class: "row" }, make("a", { href: "#/", class: "back" }, `← ${texts.back}`), make("h1", {}, this.#name), this.#state, this.#live),
            frame,
            make("div", { class: "row start" }, this.#audio, make("label", { class: "volume" }, this.#volume),
                button(texts.fullScreen, () => this.#fullScreen(), { "data-action": "full-screen" }), small, this.#earlier, this.#keepButton,
                who.isOperator ? make("a", { class: "button", href: `#/recorder/${encodeURIComponent(this.#name)}/masks`, "data-action": "masks" }, texts.mask.open) : null),
            make("level-meter", { name: this.#name }), this.#actions, this.#warnings, this.#facts,
        );
        connection.addEventListener("recorder", this.#hear);
        document.addEventListener("keydown", this.#key);
        this.#timer = setInterval(() => this.#player.tellDelay(this.#live, 2), 250);
        const known = connection.recorders.get(this.#name);
        if (known) this.#show(known);
        // The server names all recorders at the start of a connection, so a missing recorder does not exist.
        this.#patience = setInterval(() => {
            if (!connection.isOpen || connection.recorders.size === 0) return;
            clearInterval(this.#patience);
            if (!connection.recorders.has(this.#name)) {
                this.replaceChildren(make("p", { class: "empty" }, say(texts.noSuchRecorder, { name: this.#name }), " ", make("a", { href: "#/" }, texts.back)));
            }
        }, 3000);
    }

    disconnectedCallback() {
        connection.removeEventListener("recorder", this.#hear);
        document.removeEventListener("keydown", this.#key);
        clearInterval(this.#timer);
        clearInterval(this.#patience);
    }

    /** Links to the last minute on the timeline. */
    #pointEarlier() { this.#earlier.href = addressOf((connection.serverTime ?? Date.now() / 1000) - 60, [this.#name]); }

    #setAudio(isOn) {
        const video = this.#player.video;
        video.muted = !isOn;
        video.volume = Number(this.#volume.value);
        setText(this.#audio, isOn ? texts.mute : texts.unmute);
        this.#audio.setAttribute("aria-pressed", String(isOn));
    }

    #fullScreen() {
        if (document.fullscreenElement) document.exitFullscreen(); else this.#player.requestFullscreen?.().catch(() => {});
    }

    #press(event) {
        if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
        if (event.target.matches("input, select, textarea")) return;
        const recorder = connection.recorders.get(this.#name);
        const action = keys[event.key]?.find((one) => recorder?.allowed.includes(one));
        if (event.key === "u") this.#setAudio(this.#player.video.muted);
        else if (event.key === "f") this.#fullScreen();
        else if (event.key === "k" && who.isOperator) this.#keep();
        else if (action && (who.isOperator || action === "snapshot")) { event.preventDefault(); act(action, recorder, true); }
    }

    /** Keeps the file that is being recorded. */
    async #keep() {
        try {
            const query = new URLSearchParams({ recorder: this.#name, limit: 1 });
            const [newest] = (await getJSON(`/api/recordings?${query}`)).recordings;
            if (newest?.isGrowing) await keep(newest, true); else tell(say(texts.nothingToKeep, { name: this.#name }));
        } catch (error) {
            tellOf(error);
        }
    }

    #show(recorder) {
        const status = recorder.status;
        this.classList.toggle("audio-only", Boolean(status && !status.video));
        setText(this.#state, texts.state[recorder.state] ?? recorder.state);
        this.dataset.state = recorder.state;
        this.#actions.show(recorder, who.isOperator);
        this.#keepButton.hidden = !who.isOperator || !["recording", "paused"].includes(recorder.state);
        const warned = [endOf(recorder), ...warnings(status)].filter(Boolean);
        this.#warnings.hidden = warned.length === 0;
        setText(this.#warnings, warned.join(" · "));
        const lost = losses(status);
        this.#showFacts([
            [texts.recordedTime, status ? duration(status.duration ?? 0) : "–"],
            [texts.file, status?.file ?? "–"],
            [texts.size, bytes(status?.bytes ?? NaN)],
            [texts.resolution, status?.video?.width ? `${status.video.width} × ${status.video.height}` : "–"],
            [texts.frames, status?.video?.frameRate ? `${status.video.frameRate.toFixed(2)} fps` : "–"],
            [texts.disk, freeSpace(status) || "–"],
            [texts.lost, lost.length ? lost.join(", ") : texts.nothing],
        ]);
    }

    #showFacts(facts) {
        while (this.#facts.children.length < facts.length * 2) this.#facts.append(make("dt"), make("dd", { class: "number" }));
        facts.forEach(([term, value], index) => {
            setText(this.#facts.children[index * 2], term);
            setText(this.#facts.children[index * 2 + 1], value);
        });
    }
}
customElements.define("recorder-view", RecorderView);
