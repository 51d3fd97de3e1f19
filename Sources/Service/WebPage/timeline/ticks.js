// The ticks of a timeline, from years to tenths of seconds, in a time zone. Pure.
import { dateAt, dateMoment, localOffset, momentOf } from "./zone.js";

const [minute, hour, day] = [60, 3600, 86400];

/** The steps, from fine to coarse. `about` is the length of a step in seconds, `count` its length in its unit. */
const steps = [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute]
        .map((about) => ({ about, unit: "clock" })),
    ...[1, 2, 3, 6, 12].map((count) => ({ about: count * hour, unit: "hour", count })),
    ...[1, 2, 7, 14].map((count) => ({ about: count * day, unit: "day", count })),
    ...[1, 3, 6].map((count) => ({ about: count * 30.4 * day, unit: "month", count })),
    ...[1, 2, 5, 10, 20, 50, 100].map((count) => ({ about: count * 365.25 * day, unit: "year", count })),
];

/** The finest step of at least this length. @param {number} seconds */
export const stepFor = (seconds) => steps.find(({ about }) => about >= seconds) ?? steps.at(-1);

/** Ticks of days. Weeks begin on Mondays; other counts of days begin on the first of the month. */
const dayTicks = function* ({ count }, from, offset) {
    let { year, month, day: date } = dateAt(from, offset);
    if (count >= 7) {
        // The 5th of January 1970 was a Monday.
        const days = Math.floor(Date.UTC(year, month, date) / 86400000) - 4;
        date -= ((days % count) + count) % count;
        for (;; date += count) yield dateMoment(year, month, date, offset);
    }
    date -= (date - 1) % count;
    for (;;) {
        yield dateMoment(year, month, date, offset);
        date += count;
        const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
        // Ticks near the first of the next month are left out, because their labels would overlap.
        if (date > last || (count > 1 && last - date < count - 1)) [month, date] = [month + 1, 1];
    }
};

/** Ticks every `count` hours of the wall clock, even on days on which the clock changes. */
const hourTicks = function* ({ count }, from, offset) {
    let { year, month, day: date } = dateAt(from, offset);
    for (;; date += 1) {
        const start = Date.UTC(year, month, date) / 1000;
        const end = dateMoment(year, month, date + 1, offset);
        if (count === 1) {
            // The loop includes the hour that occurs twice.
            for (let at = momentOf(start, offset); at < end; at += hour) yield at;
        } else {
            for (let shown = 0; shown < 24; shown += count) yield momentOf(start + shown * hour, offset);
        }
    }
};

const clockTicks = function* ({ about }, from, offset) {
    // An integral number of steps avoids accumulated rounding errors.
    const ahead = offset(from);
    for (let index = Math.floor((from + ahead) / about); ; index += 1) yield Math.round(index * about * 10) / 10 - ahead;
};

const monthTicks = function* ({ count }, from, offset) {
    let { year, month } = dateAt(from, offset);
    for (month -= month % count; ; month += count) yield dateMoment(year, month, 1, offset);
};

const yearTicks = function* ({ count }, from, offset) {
    for (let year = Math.floor(dateAt(from, offset).year / count) * count; ; year += count) yield dateMoment(year, 0, 1, offset);
};

const kinds = { clock: clockTicks, hour: hourTicks, day: dayTicks, month: monthTicks, year: yearTicks };

/**
 * The times of the ticks, in ascending order.
 * @param {Object} step a step of `stepFor`
 * @param {function} offset the zone's function, such as `localOffset`
 */
export const ticks = (from, to, step, offset = localOffset) => {
    const found = [];
    for (const at of kinds[step.unit](step, from, offset)) {
        if (at > to || found.length > 1000) break;
        if (at >= from && at > (found.at(-1) ?? -Infinity)) found.push(at);
    }
    return found;
};

/** The format of a tick's label, as options of `Intl.DateTimeFormat`: the parts of a date that its step changes. */
export const tickFormat = ({ about, unit }) => {
    if (unit === "year") return { year: "numeric" };
    if (unit === "month") return { month: "short", year: "numeric" };
    if (unit === "day") return { day: "numeric", month: "short" };
    if (about >= minute) return { hour: "numeric", minute: "2-digit" };
    return { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: about < 1 ? 1 : undefined };
};

/** The format of the label above the ticks: the other parts of the date; null if there are none. */
export const contextFormat = ({ unit }) =>
    (unit === "year" || unit === "month" ? null : unit === "day" ? { year: "numeric" } : { weekday: "short", day: "numeric", month: "short", year: "numeric" });
