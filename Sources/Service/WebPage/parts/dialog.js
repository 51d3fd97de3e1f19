// Questions in a dialog of the browser, which keeps the focus and handles Escape.
import { texts } from "../texts.js";
import { button, make } from "./elements.js";

/**
 * @param {{title: string, text?: string, content?: Node[], confirm: string, isGrave?: boolean, accept?: () => any}} question
 * `accept` reads the answer from the inputs; if it returns null, the dialog stays open
 * @returns {Promise<any>} the answer, or null if cancelled
 */
export const ask = ({ title, text, content = [], confirm, isGrave = false, accept = () => true }) => new Promise((resolve) => {
    const heading = make("h2", { id: "dialog-title" }, title);
    const yes = make("button", { type: "submit", class: isGrave ? "grave" : "main", "data-answer": "yes" }, confirm);
    const no = button(texts.cancel, () => dialog.close(), { "data-answer": "no" });
    const form = make("form", { method: "dialog" }, heading, text ? make("p", {}, text) : null, ...content,
        make("div", { class: "row end" }, no, yes));
    const dialog = make("dialog", { "aria-labelledby": "dialog-title" }, form);
    let answer = null;
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        answer = accept();
        if (answer !== null) dialog.close();
    });
    dialog.addEventListener("close", () => { dialog.remove(); resolve(answer); });
    document.body.append(dialog);
    dialog.showModal();
    if (isGrave) no.focus();
});

/** Asks for one line of text, or a number. @returns {Promise<string|null>} */
export const askFor = (title, label, { value = "", type = "text", hint = "", attributes = {} } = {}) => {
    const input = make("input", { type, value, required: true, autofocus: true, ...attributes });
    const content = [make("label", {}, label, input)];
    if (hint) content.push(make("p", { class: "hint" }, hint));
    return ask({ title, content, confirm: title, accept: () => (input.value.trim() === "" ? null : input.value.trim()) });
};
