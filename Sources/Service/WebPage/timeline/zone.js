// The viewer's time zone, and dates in it. Pure: seconds since 1970 in and out. The zone is a function, so that a test
// can use another zone.

/** The seconds by which this browser's zone is ahead of UTC at a time. @param {number} seconds since 1970 */
export const localOffset = (seconds) => -new Date(seconds * 1000).getTimezoneOffset() * 60;

/**
 * The time at which a clock of the zone shows a value. A value that is skipped when clocks are set forward is treated
 * as if the clocks were not set; a value that occurs twice means its first occurrence.
 * @param {number} shown the value, as if it were UTC
 */
export const momentOf = (shown, offset) => {
    const early = shown - offset(shown - 86400);
    if (early + offset(early) === shown) return early;
    const late = shown - offset(early);
    return late + offset(late) === shown ? late : early;
};

/** The time of a date in the zone, with numbers as in `Date.UTC`; days and months may overflow. */
export const dateMoment = (year, month, day, offset) => momentOf(Date.UTC(year, month, day) / 1000, offset);

/** @returns {{year: number, month: number, day: number}} the date in the zone; `month` from 0 */
export const dateAt = (seconds, offset) => {
    const date = new Date((seconds + offset(seconds)) * 1000);
    return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
};
