// The viewer's time zone, and dates in it. Pure: seconds since 1970 go in and come out; the zone is a function, so that a test can
// take another one.

/** Seconds by which this browser's zone is ahead of UTC at a moment. @param {number} seconds since 1970 */
export const localOffset = (seconds) => -new Date(seconds * 1000).getTimezoneOffset() * 60;

/**
 * When a clock of the zone shows something. Where it never does, because the clocks were put forward, as if they had not been;
 * where it does twice, the first time.
 * @param {number} shown what it shows, as if that were UTC
 */
export const momentOf = (shown, offset) => {
    const early = shown - offset(shown - 86400);
    if (early + offset(early) === shown) return early;
    const late = shown - offset(early);
    return late + offset(late) === shown ? late : early;
};

/** A date of the zone, its numbers as those of `Date.UTC`; days and months may be more than there are. */
export const dateMoment = (year, month, day, offset) => momentOf(Date.UTC(year, month, day) / 1000, offset);

/** @returns {{year: number, month: number, day: number}} of the zone; `month` from 0 */
export const dateAt = (seconds, offset) => {
    const date = new Date((seconds + offset(seconds)) * 1000);
    return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
};
