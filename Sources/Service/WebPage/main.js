// Selects the view by the part of the address after #. The back button therefore works, and addresses can be shared.
import { texts } from "./texts.js";
import { button, make } from "./parts/elements.js";
import { session } from "./parts/api.js";
import { who } from "./session.js";
import { tellOf } from "./parts/messages.js";
import { connection } from "./watch/connection.js";
import "./login-view.js";
import "./watch/watch-view.js";
import "./watch/recorder-view.js";
import "./recordings/recordings-view.js";
import "./timeline/timeline-view.js";

const main = document.getElementById("main");

/** The editor of masks. It is loaded only when it is needed, which is rare. */
const editor = (name) => {
    import("./masks/mask-editor.js").catch(() => tellOf(new Error(texts.unreachableServer)));
    return make("mask-editor", { "data-name": name });
};

const views = [
    [/^#\/recorder\/([^/]+)$/, (name) => make("recorder-view", { "data-name": name }), "watch"],
    [/^#\/recorder\/([^/]+)\/masks$/, editor, "watch"],
    [/^#recordings$/, () => make("recordings-view"), "recordings"],
    [/^#timeline(?:\?|$)/, () => make("timeline-view"), "timeline"],
    [/^(#\/?)?$/, () => make("watch-view"), "watch"],
];

class PageHeader extends HTMLElement {
    show(current) {
        if (!who.role) return this.replaceChildren(make("span", { class: "brand" }, texts.title));
        const link = (place, text, name) => make("a", { href: place, "aria-current": current === name ? "page" : null }, text);
        this.replaceChildren(
            make("span", { class: "brand" }, texts.title),
            make("nav", {}, link("#/", texts.watch, "watch"), link("#recordings", texts.recordings, "recordings"),
                link("#timeline", texts.timeline, "timeline")),
            make("span", { class: "spacer" }),
            button("◐", changeTheme, { class: "plain", "aria-label": texts.theme, title: texts.theme }),
            button("?", showKeys, { class: "plain", "aria-label": texts.help, title: texts.help }),
            make("span", { class: "user" }, who.user ?? ""),
            button(texts.logOut, logOut, { class: "plain", "data-action": "log-out" }),
        );
    }
}
customElements.define("page-header", PageHeader);
// The sticky elements below the header need its height.
const header = document.querySelector("page-header");
new ResizeObserver(() => document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);

const show = () => {
    const place = location.hash;
    for (const [pattern, view, name] of who.role ? views : []) {
        const match = place.match(pattern);
        if (!match) continue;
        document.querySelector("page-header").show(name);
        main.replaceChildren(view(...match.slice(1).map((part) => decodeURIComponent(part ?? ""))));
        main.focus({ preventScroll: true });
        return;
    }
    document.querySelector("page-header").show("");
    if (who.role) { location.hash = "#/"; return; }
    main.replaceChildren(make("login-view"));
};

const enter = () => { connection.open(); show(); };

const logOut = async () => {
    // Without a session, the connection's requests would be refused.
    connection.close();
    try { await who.logOut(); } catch (error) { tellOf(error); }
    leave();
};

const leave = () => {
    connection.close();
    Object.assign(who, { user: null, role: null });
    show();
};

const themeKey = "recorder-theme";
const setTheme = (theme) => { if (theme) document.documentElement.dataset.theme = theme; };
const changeTheme = () => {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const next = (document.documentElement.dataset.theme ?? (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
    setTheme(next);
    try { localStorage.setItem(themeKey, next); } catch { /* The theme is not stored. */ }
};

const showKeys = () => {
    const lists = texts.keys.flatMap(([title, keys]) => [make("h3", {}, title),
        make("dl", { class: "facts" }, ...keys.flatMap(([key, meaning]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, meaning)]))]);
    const dialog = make("dialog", { "aria-label": texts.keysTitle }, make("h2", {}, texts.keysTitle), ...lists,
        make("form", { method: "dialog" }, make("button", { class: "main" }, texts.close)));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
};

addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
    if (event.key === "?" && !event.target.matches("input, textarea") && !document.querySelector("dialog")) showKeys();
});
document.addEventListener("login", enter);
// A late refusal may belong to an earlier session: another user may have logged in since the request.
session.onLost = async () => {
    if (!who.role) return;
    try { await who.ask(); } catch { return; }
    if (who.role) connection.open(); else leave();
};
try { setTheme(localStorage.getItem(themeKey)); } catch { /* There is no storage. */ }

/** Repeats the first request until the server answers. The server may not be reachable at first. */
const begin = async (tries = 0) => {
    try {
        await who.ask();
        if (who.role) enter(); else show();
    } catch (error) {
        main.replaceChildren(make("p", { class: "empty" }, texts.unreachableServer));
        setTimeout(() => begin(tries + 1), Math.min(5000, 500 * 2 ** tries));
    }
};
begin();
