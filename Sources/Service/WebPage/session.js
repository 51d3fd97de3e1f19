// The user who is logged in.
import { getJSON, post } from "./parts/api.js";

export const who = {
    user: null, role: null, version: "", hasAccounts: true,
    get isOperator() { return this.role === "operator"; },

    async ask() { Object.assign(this, await getJSON("/api/session")); },
    async logIn(user, password) { Object.assign(this, await post("/api/login", { user, password })); },
    async logOut() {
        await post("/api/logout");
        Object.assign(this, { user: null, role: null });
    },
};
