// Results of actions: short messages at the lower edge, which screen readers also announce.
import { sentences, texts } from "../texts.js";
import { make } from "./elements.js";

export class PageMessages extends HTMLElement {
    connectedCallback() {
        this.setAttribute("role", "status");
        this.setAttribute("aria-live", "polite");
    }

    /** @param {string} text @param {"good"|"bad"} kind */
    show(text, kind = "good") {
        const message = make("p", { class: `message ${kind}` }, text);
        const close = make("button", { type: "button", class: "plain", "aria-label": texts.close }, "×");
        close.addEventListener("click", () => message.remove());
        message.append(close);
        this.append(message);
        while (this.children.length > 4) this.firstChild.remove();
        setTimeout(() => message.remove(), kind === "bad" ? 15000 : 6000);
    }
}
customElements.define("page-messages", PageMessages);

const messages = () => document.querySelector("page-messages");

export const tell = (text) => messages().show(text);

/** @param {Error} error mostly a `Refusal` */
export const tellOf = (error) => {
    if (error.name === "AbortError") return;
    messages().show(sentences(error.message, error.wayOut), "bad");
};
