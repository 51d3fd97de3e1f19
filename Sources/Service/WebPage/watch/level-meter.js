// The audio level of a recorder.
import { texts } from "../texts.js";
import { make, setText } from "../parts/elements.js";
import { meterShare } from "../parts/format.js";
import { connection } from "./connection.js";

export class LevelMeter extends HTMLElement {
    #bar = make("div", { class: "bar" });
    #peak = make("div", { class: "peak" });
    #number = make("span", { class: "number" });
    #hear = (event) => { if (event.detail.name === this.getAttribute("name")) this.#show(event.detail); };

    connectedCallback() {
        this.setAttribute("role", "meter");
        this.setAttribute("aria-label", texts.level);
        this.setAttribute("aria-valuemin", "-60");
        this.setAttribute("aria-valuemax", "0");
        this.replaceChildren(make("div", { class: "scale" }, this.#bar, this.#peak), this.#number);
        connection.addEventListener("levels", this.#hear);
        this.#show({});
    }

    disconnectedCallback() { connection.removeEventListener("levels", this.#hear); }

    #show({ levelRMS, levelPeak }) {
        const isThere = Number.isFinite(levelPeak);
        this.#bar.style.width = `${meterShare(levelRMS) * 100}%`;
        this.#peak.style.left = `${meterShare(levelPeak) * 100}%`;
        this.classList.toggle("hot", isThere && levelPeak > -3);
        setText(this.#number, isThere ? `${Math.round(levelPeak)} dB` : "–");
        this.setAttribute("aria-valuenow", isThere ? Math.round(levelPeak) : -60);
    }
}
customElements.define("level-meter", LevelMeter);
