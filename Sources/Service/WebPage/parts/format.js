// Readable numbers. No DOM and no state: seconds and bytes in, text out.

/** @param {number} seconds @returns {string} 1:02:03 */
export const duration = (seconds) => {
    if (!Number.isFinite(seconds)) return "–";
    const whole = Math.max(0, Math.floor(seconds));
    const pad = (value) => String(value).padStart(2, "0");
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
};

/** @param {number} count @returns {string} 1.2 GB */
export const bytes = (count) => {
    if (!Number.isFinite(count)) return "–";
    const units = ["B", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (count >= 1000 && unit < units.length - 1) { count /= 1000; unit += 1; }
    return `${count < 10 && unit > 0 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
};

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** @param {number} seconds since 1970 */
export const moment = (seconds) => date.format(new Date(seconds * 1000));

/** The value of an `<input type=datetime-local>`, in the viewer's zone. @param {number} seconds since 1970 */
export const localInput = (seconds) => {
    const value = new Date(seconds * 1000);
    return new Date(value.getTime() - value.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
};

/** @param {string} text of an `<input type=datetime-local>` @returns {number} seconds since 1970, or NaN */
export const fromLocalInput = (text) => new Date(text).getTime() / 1000;

/** @param {number} level dBFS @returns {number} 0 to 1 for a meter that begins at −60 dB */
export const meterShare = (level) => (Number.isFinite(level) ? Math.min(1, Math.max(0, (level + 60) / 60)) : 0);
