// Reading and writing the atoms of movies (ISO/IEC 14496-12, 4.2). Pure.

export const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
export const codeAt = (view, place) => String.fromCharCode(view.getUint8(place), view.getUint8(place + 1), view.getUint8(place + 2), view.getUint8(place + 3));

/** The complete atoms between two offsets; `start` is the offset of the header, `body` the offset after the header. */
export const atoms = function* (view, from, to) {
    let start = from;
    while (start + 8 <= to) {
        let [size, head] = [view.getUint32(start), 8];
        if (size === 1 && start + 16 <= to) [size, head] = [Number(view.getBigUint64(start + 8)), 16];
        if (size < head) return;
        yield { code: codeAt(view, start + 4), start, body: start + head, end: start + size, isWhole: start + size <= to };
        start += size;
    }
};
/** The first atom at a path of nested atoms; null if there is none. */
export const find = (view, from, to, ...path) => {
    let found = { body: from, end: to };
    for (const code of path) {
        found = [...atoms(view, found.body, found.end)].find((atom) => atom.code === code && atom.isWhole);
        if (!found) return null;
    }
    return found;
};

/** A code's letters as bytes. */
export const text = (words) => [...words].map((letter) => letter.charCodeAt(0));

/** An atom with its contents. */
export const atom = (code, parts) => {
    const size = parts.reduce((sum, part) => sum + part.length, 8);
    return joined([new Uint8Array([size >>> 24, size >>> 16 & 255, size >>> 8 & 255, size & 255, ...text(code)]), ...parts]);
};

/** Concatenates bytes. */
export const joined = (parts) => {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let place = 0;
    for (const part of parts) { all.set(part, place); place += part.length; }
    return all;
};
