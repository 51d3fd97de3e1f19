// The login form.
import { sentences, texts } from "./texts.js";
import { make } from "./parts/elements.js";
import { who } from "./session.js";

export class LoginView extends HTMLElement {
    connectedCallback() {
        const user = make("input", { name: "user", autocomplete: "username", required: true, maxlength: 64, autocapitalize: "none" });
        const password = make("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
        const problem = make("p", { class: "warnings", role: "alert", hidden: true });
        const enter = make("button", { type: "submit", class: "main" }, texts.logIn);
        const form = make("form", { class: "login" }, make("h1", {}, texts.logIn),
            who.hasAccounts ? null : make("p", { class: "hint" }, texts.noAccounts),
            make("label", {}, texts.user, user), make("label", {}, texts.password, password), problem, enter);
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            enter.disabled = true;
            try {
                await who.logIn(user.value, password.value);
                this.dispatchEvent(new Event("login", { bubbles: true }));
            } catch (error) {
                problem.hidden = false;
                problem.textContent = sentences(error.message, error.wayOut);
                password.select();
            }
            enter.disabled = false;
        });
        this.replaceChildren(form);
        user.focus();
    }
}
customElements.define("login-view", LoginView);
