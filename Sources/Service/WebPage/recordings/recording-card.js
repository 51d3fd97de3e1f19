// One recording in the list: its still, start, length, size, marks and drops, with playback and download.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { bytes, duration, moment } from "../parts/format.js";
import { remove } from "../parts/api.js";
import { ask } from "../parts/dialog.js";
import { tell, tellOf } from "../parts/messages.js";
import { who } from "../session.js";
import { addressOf } from "../timeline/place.js";
import { address, losses, refusalOf } from "./facts.js";
import { keep } from "./keep.js";

export class RecordingCard extends HTMLElement {
    #recording = null;
    #place = make("div", { class: "place" });
    #kept = make("p", { class: "kept" });
    #keepButton = button("", () => this.#keep(), { class: "plain", "data-action": "keep" });
    #deleteButton = button(texts.delete, () => this.#delete(this.#recording), { class: "plain", "data-action": "delete" });

    /** Shows a recording. If it is playing, updates only whether it is kept. */
    show(recording) {
        if (JSON.stringify(recording) === JSON.stringify(this.#recording)) return;
        if (this.#place.querySelector("video")) {
            const { file, isKept, note } = recording;
            this.#recording = { ...this.#recording, file, isKept, note };
            return this.#showKept();
        }
        this.#recording = recording;
        const focused = this.contains(document.activeElement) ? document.activeElement.dataset.action : null;
        const name = `${recording.recorder}, ${moment(recording.begin)}`;
        this.setAttribute("role", "listitem");
        this.setAttribute("aria-label", name);
        this.dataset.id = recording.id;
        const size = recording.width ? `${recording.width}×${recording.height}` : null;
        const lost = losses(recording);
        this.replaceChildren(...[
            make("div", { class: "row" }, make("h2", {}, recording.recorder), make("time", { class: "number small", datetime: new Date(recording.begin * 1000).toISOString() }, moment(recording.begin))),
            this.#place,
            make("div", { class: "row small" },
                make("span", { class: "number" }, duration(recording.duration)),
                make("span", { class: "number" }, bytes(recording.bytes)),
                size ? make("span", { class: "number" }, size) : null,
                recording.isGrowing ? make("span", {}, texts.growing) : recording.isInterrupted ? make("span", { class: "losses" }, texts.interrupted) : texts.ending[recording.ending] ? make("span", {}, texts.ending[recording.ending]) : null),
            this.#kept,
            recording.problem ? make("p", { class: "losses" }, recording.problem) : null,
            lost.length ? make("p", { class: "losses" }, say(texts.losses, { list: lost.join(", ") })) : null,
            this.#marks(recording),
            make("div", { class: "row start" },
                recording.hasPicture || recording.hasSound ? button(texts.play, () => this.#play(), { class: "main", "data-action": "play", "aria-label": `${texts.play}: ${name}` }) : null,
                make("a", { class: "button", href: address(recording, "file"), download: recording.file, "aria-label": `${texts.download}: ${recording.file}` }, texts.download),
                make("a", { class: "button", href: addressOf(recording.begin, [recording.recorder]), "aria-label": say(texts.inTimelineOf, { name }) }, texts.inTimeline),
                who.isOperator ? this.#keepButton : null, who.isOperator ? this.#deleteButton : null),
        ].filter(Boolean));
        this.#deleteButton.setAttribute("aria-label", `${texts.delete}: ${name}`);
        this.#showKept();
        this.#still();
        if (focused) this.querySelector(`[data-action="${focused}"]`)?.focus({ preventScroll: true });
    }

    #showKept() {
        const { isKept, note, isGrowing, isInterrupted } = this.#recording;
        setText(this.#kept, note ? say(texts.keptFor, { note }) : texts.kept);
        this.#kept.hidden = !isKept;
        const word = isKept ? texts.unkeep : texts.keep;
        setText(this.#keepButton, word);
        this.#keepButton.setAttribute("aria-label", `${word}: ${this.getAttribute("aria-label")}`);
        this.#deleteButton.hidden = isKept || isGrowing || isInterrupted;
    }

    #marks(recording) {
        if (!recording.marks.length) return null;
        const item = ({ time, title }) => make("li", {}, button(`${duration(time)} ${title}`, () => this.#play(time), { class: "plain" }));
        return make("details", {}, make("summary", {}, say(texts.marks, { count: recording.marks.length })),
            make("ol", { class: "marks" }, ...recording.marks.map(item)));
    }

    async #keep() {
        const changed = await keep(this.#recording, !this.#recording.isKept);
        if (changed) this.show(changed);
    }

    /** Deletes after a confirmation. */
    async #delete(recording) {
        const facts = { file: recording.file, duration: duration(recording.duration), bytes: bytes(recording.bytes) };
        const question = { title: texts.deleteTitle, text: say(texts.deleteText, facts), confirm: texts.delete, isGrave: true };
        if (!await ask(question)) return;
        if (!await ask({ ...question, title: texts.deleteAgain, text: say(texts.deleteForEver, facts), confirm: texts.deleteSurely })) return;
        try {
            await remove(`/api/recordings/${encodeURIComponent(recording.id)}`, { file: recording.file });
            this.remove();
            tell(say(texts.deleted, facts));
        } catch (error) {
            tellOf(error);
        }
    }

    #still() {
        const words = make("p", { class: "video-words" }, this.#recording.hasPicture ? "" : texts.noVideo);
        this.#place.replaceChildren(words);
        if (!this.#recording.hasPicture) return;
        const image = make("img", { class: "still", alt: "", loading: "lazy", src: address(this.#recording, "still?width=480") });
        image.addEventListener("error", () => { image.remove(); words.textContent = texts.noVideo; });
        this.#place.prepend(image);
    }

    #play(from = 0) {
        let video = this.#place.querySelector("video");
        if (!video) {
            video = make("video", { controls: true, playsinline: true, preload: "metadata", src: address(this.#recording, "file?inline=yes") });
            const refuse = () => {
                this.#still();
                this.#place.append(make("p", { class: "video-words", role: "alert" }, refusalOf(this.#recording, video)));
            };
            video.addEventListener("error", refuse);
            video.addEventListener("loadedmetadata", () => {
                // A browser that does not know the codec of the video may play the audio alone.
                if (!this.#recording.hasPicture || video.videoWidth > 0) return;
                video.removeAttribute("src");
                video.load();
                refuse();
            });
            this.#place.replaceChildren(video);
        }
        const begin = () => { video.currentTime = from; video.play().catch(() => { /* The user presses play. */ }); };
        if (video.readyState > 0) begin(); else video.addEventListener("loadedmetadata", begin, { once: true });
        video.focus();
    }
}
customElements.define("recording-card", RecordingCard);
