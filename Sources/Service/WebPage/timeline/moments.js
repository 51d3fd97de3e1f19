// Formats the times of a timeline: short times, texts for screen readers, and file names. Times are seconds since 1970.

const exact = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 1,
});
const spokenDate = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const formats = new Map();


/** A date and time with tenths of a second, to distinguish frames. */
export const exactMoment = (seconds) => exact.format(new Date(seconds * 1000));
/** A date and time for screen readers. */
export const spoken = (seconds) => spokenDate.format(new Date(seconds * 1000));

export const written = (seconds, options) => {
    const key = JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(undefined, options));
    return formats.get(key).format(new Date(Math.round(seconds * 1000)));
};

/** A timestamp for a file name. */
export const stamp = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 23).replaceAll(":", "-").replace(".", "-");

/** A length to a tenth of a second: 1:02.5. */
export const length = (seconds) => {
    const tenths = Math.round(seconds * 10);
    const [hours, minutes, rest] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
    const pad = (value) => String(value).padStart(2, "0");
    return `${hours > 0 ? `${hours}:${pad(minutes)}` : minutes}:${rest < 10 ? "0" : ""}${rest.toFixed(1)}`;
};
