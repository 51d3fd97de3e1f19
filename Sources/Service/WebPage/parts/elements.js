// Creates elements without building HTML from data.

/**
 * @param {string} name of the element
 * @param {Object} attributes `class`, `on…` listeners, properties for values that are not texts; null omits an entry
 * @param {...(Node|string|null)} children
 */
export const make = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
/** Creates an element of an SVG image. */
export const draw = (name, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const filled = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value === true) element.setAttribute(key, "");
        else element.setAttribute(key, String(value));
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
};

/** Sets an element's text only if the text changes. This avoids layout, and announcements of screen readers. */
export const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
};

/** A button. */
export const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);
