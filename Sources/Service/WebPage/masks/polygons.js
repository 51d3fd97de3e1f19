// Masks as polygons, and their texts for the configuration. Corners are in tenths of a percent of the frame. Pure.

/** The maximum number of masks, and the maximum number of corners of a mask. */
export const most = 64;
const inside = (place) => Math.min(1000, Math.max(0, Math.round(place)));

/** The corner below a pointer. A corner within half a percent of an edge of the frame is placed at the edge. */
export const cornerAt = (x, y, { left, top, width, height }) => [(x - left) / width, (y - top) / height].map((share) => {
    const place = inside(share * 1000);
    return place < 5 ? 0 : place > 995 ? 1000 : place;
});
export const moved = (corner, by) => corner.map((place, axis) => inside(place + by[axis]));

/** True if the corners enclose an area: at least three, not all on one line. */
export const hasArea = (corners) => {
    const [[x, y] = []] = corners;
    const [a, b] = corners.find((corner) => corner[0] !== x || corner[1] !== y) ?? [x, y];
    return corners.some(([c, d]) => (a - x) * (d - y) !== (b - y) * (c - x));
};

/** The closest corner of several polygons within reach, across and down; null if there is none. */
export const nearest = (polygons, [x, y], [across, down]) => {
    let [found, least] = [null, 1];
    polygons.forEach((corners, polygon) => corners.forEach((corner, index) => {
        const distance = Math.hypot((corner[0] - x) / across, (corner[1] - y) / down);
        if (distance <= least) [found, least] = [{ polygon, index }, distance];
    }));
    return found;
};

/**
 * Adds a corner to a polygon, or closes the polygon if the corner is its first or last one.
 * @returns {[number[][], boolean|null]} the corners, and true: closed; null: refused
 */
export const added = (corners, corner, reach = [1, 1]) => {
    const index = nearest([corners], corner, reach)?.index;
    if (index === 0 || index === corners.length - 1) return [corners, hasArea(corners) || null];
    return corners.length < most ? [[...corners, corner], false] : [corners, null];
};

/** The style: a color as #rrggbb, or blocks. The side of a block is an even number of pixels, from 8 to 512. */
export const styleText = (isColor, color, side) => (!isColor ? `pixelate:${2 * Math.round(Math.min(512, Math.max(8, side || 32)) / 2)}` : color === "#000000" ? "black" : `"${color}"`);
export const textOf = (corners) => corners.map((corner) => corner.map((place) => place / 10).join()).join(" ");
/** Lines of a configuration file. */
export const fileText = (masks, style) => masks.length && ["mask:", ...masks.map((mask, index) => `  mask-${index + 1}: ${textOf(mask)}`), `mask-style: ${style}`].join("\n") || "";
/** Options of a command line. */
export const optionText = (masks, style) => masks.length && [...masks.map((mask) => `--mask "${textOf(mask)}"`), `--mask-style ${style}`].join(" ") || "";
