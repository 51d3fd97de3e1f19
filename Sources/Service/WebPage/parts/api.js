// Requests to the page's server. Errors are `Refusal`s, with the server's message and how to fix it.
import { texts } from "../texts.js";

/** An error status of the server, or an unreachable server (status 0). */
export class Refusal extends Error {
    constructor(status, message, wayOut = "", code = "") {
        super(message);
        Object.assign(this, { status, wayOut, code });
    }
}

/** Called when the session has ended. */
export const session = { onLost: () => {} };

const request = async (path, options = {}) => {
    let answer;
    try {
        answer = await fetch(path, { credentials: "same-origin", ...options });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Refusal(0, texts.unreachableServer);
    }
    if (answer.ok) return answer;
    const said = await answer.json().catch(() => null);
    if (answer.status === 401 && path !== "/api/login") session.onLost();
    throw new Refusal(answer.status, said?.error?.message ?? `HTTP ${answer.status}`, said?.error?.wayOut, said?.error?.code);
};

/** @returns {Promise<Response>} */
export const get = (path, signal) => request(path, { signal });
/** @returns {Promise<any>} */
export const getJSON = async (path, signal) => (await get(path, signal)).json();

const send = (method) => async (path, body = {}) => {
    const answer = await request(path, {
        method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    return answer.status === 204 ? null : answer.json();
};
export const post = send("POST");
export const remove = send("DELETE");

/** Downloads the file at an address. */
export const download = (path, name) => {
    const link = document.createElement("a");
    link.href = path;
    link.download = name ?? "";
    document.body.append(link);
    link.click();
    link.remove();
};
