// One recorder in the list: video, level, time, state, disk, drops, and actions.
import { say, texts } from "../texts.js";
import { make, setText } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { endOf, freeSpace, losses, warnings } from "./recorder-facts.js";
import { who } from "../session.js";
import "./actions.js";
import "./level-meter.js";
import "./live-player.js";

export class RecorderCard extends HTMLElement {
    #name = "";
    #state = make("span", { class: "state" });
    #time = make("span", { class: "number" });
    #disk = make("span", { class: "number" });
    #live = make("span", { class: "live-words" });
    #losses = make("p", { class: "losses", hidden: true });
    #warnings = make("p", { class: "warnings", hidden: true });
    #actions = make("recorder-actions");
    /** A link with the same target as the name. The keyboard reaches only the name. */
    #place = make("a", { class: "place", tabindex: "-1" });
    #timer = null;

    connectedCallback() {
        this.#name = this.dataset.name;
        this.setAttribute("role", "listitem");
        this.#place.href = `#/recorder/${encodeURIComponent(this.#name)}`;
        this.#place.setAttribute("aria-label", say(texts.open, { name: this.#name }));
        this.replaceChildren(
            make("div", { class: "row" }, make("h2", {}, make("a", { href: this.#place.href }, this.#name)), this.#state),
            this.#place,
            make("level-meter", { name: this.#name }),
            make("div", { class: "row small" }, this.#time, this.#live, this.#disk),
            this.#losses, this.#warnings, this.#actions,
        );
        this.#timer = setInterval(() => this.#showDelay(), 500);
    }

    disconnectedCallback() { clearInterval(this.#timer); }

    show(recorder) {
        const runs = !["notRunning", "unreachable"].includes(recorder.state) && !recorder.ended;
        this.dataset.state = recorder.state;
        setText(this.#state, texts.state[recorder.state] ?? recorder.state);
        setText(this.#time, runs ? duration(recorder.status?.duration ?? 0) : "");
        setText(this.#disk, freeSpace(recorder.status));
        const [lost, warned] = [losses(recorder.status), [endOf(recorder), ...warnings(recorder.status)].filter(Boolean)];
        this.#losses.hidden = lost.length === 0;
        setText(this.#losses, lost.length ? say(texts.losses, { list: lost.join(", ") }) : "");
        this.#warnings.hidden = warned.length === 0;
        setText(this.#warnings, warned.join(" · "));
        this.#actions.show(recorder, who.isOperator);
        this.classList.toggle("audio-only", Boolean(recorder.status && !recorder.status.video));
        const hasPlayer = Boolean(this.#place.firstChild);
        if (runs && !hasPlayer) this.#place.append(make("live-player", { name: this.#name }));
        if (!runs && hasPlayer) this.#place.replaceChildren();
    }

    #showDelay() {
        const player = this.#place.firstChild;
        if (player) player.tellDelay(this.#live, 1); else setText(this.#live, "");
    }
}
customElements.define("recorder-card", RecorderCard);
