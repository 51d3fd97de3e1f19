// The address of a time: `#timeline?at=SECONDS&recorders=a,b`. Pure.

/** @param {string} hash @returns {{at: number|null, names: string[]}} */
export const placeOf = (hash) => {
    const query = new URLSearchParams(hash.split("?")[1] ?? "");
    const at = query.get("at") === null ? NaN : Number(query.get("at"));
    const names = (query.get("recorders") ?? "").split(",").filter((name) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$/.test(name));
    return { at: Number.isFinite(at) && at >= 0 && at <= 253402300799 ? at : null, names: [...new Set(names)].slice(0, 2) };
};

export const addressOf = (at, names) => {
    const parts = [at === null ? null : `at=${Number(at.toFixed(3))}`, names.length ? `recorders=${names.map(encodeURIComponent).join(",")}` : null].filter(Boolean);
    return `#timeline${parts.length ? `?${parts.join("&")}` : ""}`;
};
