// The rules of the time line and of live video, tried in the page that has them, where a user is logged in and something is being recorded. Gives how
// many were tried, and those that do not hold.
const [{ Scale, askedFor, stillStep }, { momentOf }, { ticks, stepFor, tickFormat }, fileTimes, step, place, fragments, merge] = await Promise.all(
    ["scale", "zone", "ticks", "recording-clock", "in-step", "place", "fragments", "merge"].map((name) => import(`/page/timeline/${name}.js`)));
const { approach } = await import("/page/timeline/growing-file.js");
const polygons = await import("/page/masks/polygons.js");
const { streamFor, LineMeter } = await import("/page/watch/stream-choice.js");
const { StreamRequests } = await import("/page/watch/stream-requests.js");
const { gone } = await import("/page/watch/recorder-facts.js");
const { FailureRest } = await import("/page/watch/failure-rest.js");
const { unplayable, unplayableFile } = await import("/page/parts/codecs.js");
const broken = [];
let tried = 0;
const holds = (rule, isSo) => { tried += 1; if (!isSo) broken.push(rule); };
const near = (one, other, by = 1e-6) => Math.abs(one - other) <= by;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Of a zone by its name, as the page's `localOffset`: seconds by which it is ahead of UTC at a moment. */
const offsetOf = (name) => {
    const format = new Intl.DateTimeFormat("en-US", {
        timeZone: name, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
    });
    const known = new Map();
    return (seconds) => {
        // Zones change at whole half hours.
        const moment = Math.floor(seconds / 1800) * 1800;
        if (!known.has(moment)) {
            const part = Object.fromEntries(format.formatToParts(new Date(moment * 1000)).map(({ type, value }) => [type, Number(value)]));
            known.set(moment, Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) / 1000 - moment);
        }
        return known.get(moment);
    };
};

// Scale: what is under the pointer stays there, whatever the zoom; nothing leaves the times that there are.
const scale = new Scale(1_800_000_000, 1_800_003_600, 1000);
for (const factor of [0.001, 0.5, 1, 3, 1e9]) {
    for (const at of [0, 250, 1000]) {
        const zoomed = scale.zoomed(factor, at);
        const isBound = zoomed.from === 0 || near(zoomed.to, 253402300799, 1);
        holds(`zooming by ${factor} at ${at} keeps the moment there`, isBound || near(zoomed.time(at), scale.time(at), 1e-3));
        holds(`zooming by ${factor} stays within what can be shown`, zoomed.length >= 0.2 && zoomed.length <= 6.4e9 && zoomed.from >= 0);
    }
}
holds("a place is that of its time", near(scale.place(scale.time(123)), 123));
holds("panning to the right shows what was before", near(scale.panned(100).from, scale.from - 360));
holds("a window of another width shows the same", same([scale.wide(500).from, scale.wide(500).to], [scale.from, scale.to]));
const pinched = scale.pinched([scale.time(300), scale.time(500)], [200, 700]);
holds("fingers stay on what they took", near(pinched.place(scale.time(300)), 200, 1e-3) && near(pinched.place(scale.time(500)), 700, 1e-3));
holds("what is asked for has what is shown", askedFor(scale).from <= scale.from && askedFor(scale).to >= scale.to);
holds("stills are of few moments", same([0.001, 0.5, 1, 60].map(stillStep), [1, 2, 5, 500]));

// Ticks: from years to tenths of seconds they rise, are in sight, and are neither crowded nor rare.
for (const name of ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]) {
    const offset = offsetOf(name);
    for (let length = 0.5; length < 5e9; length *= 3.7) {
        const from = Math.max(0, 1_774_700_000 - length / 2);
        const step = stepFor(length / 10);
        const found = ticks(from, from + length, step, offset);
        holds(`${name}, ${length} s: ticks rise and are in sight`, found.every((at, index) => at >= from && at <= from + length && (index === 0 || at > found[index - 1])));
        holds(`${name}, ${length} s: 1 to 12 ticks, not ${found.length}`, found.length <= 12 && (found.length >= 1 || step.about > length / 2));
        const shown = (at) => at + offset(at);
        if (step.unit === "day") holds(`${name}: days begin at midnight`, found.every((at) => near(shown(at) % 86400, 0)));
        if (step.unit === "hour") holds(`${name}: hours are whole`, found.every((at) => near(shown(at) % 3600, 0)));
        holds(`${name}, ${length} s: there are words for it`, Object.keys(tickFormat(step)).length > 0);
    }
}
// Berlin put its clocks forward on 2026-03-29 at 2:00, and back on 2026-10-25 at 3:00.
const berlin = offsetOf("Europe/Berlin");
const [spring, autumn] = [Date.UTC(2026, 2, 28, 23) / 1000, Date.UTC(2026, 9, 24, 22) / 1000];
const hours = stepFor(3600);
holds("a day in spring has 23 hours", ticks(spring, spring + 23 * 3600, hours, berlin).length === 24);
holds("a day in autumn has 25 hours", ticks(autumn, autumn + 25 * 3600, hours, berlin).length === 26);
holds("six hours are those of the clock", same(ticks(autumn, autumn + 25 * 3600, stepFor(6 * 3600), berlin).map((at) => ((at + berlin(at)) % 86400) / 3600), [0, 6, 12, 18, 0]));
holds("a moment that no clock shows is behind the gap", momentOf(Date.UTC(2026, 2, 29, 2, 30) / 1000, berlin) === Date.UTC(2026, 2, 29, 1, 30) / 1000);
holds("of two moments the first", momentOf(Date.UTC(2026, 9, 25, 2, 30) / 1000, berlin) === Date.UTC(2026, 9, 25, 0, 30) / 1000);

// Times of a recording: pauses are passed over, and back.
const recording = { id: "1", begin: 1000, end: 1100, pauses: [{ time: 10, duration: 20 }, { time: 30, duration: 5 }], marks: [{ time: 12, title: "M" }] };
for (let file = 0; file <= 75; file += 0.5) {
    holds(`${file} s of a file come back`, near(fileTimes.fileTime(recording, fileTimes.wallTime(recording, file)), file));
}
holds("after a pause time has passed", fileTimes.wallTime(recording, 11) === 1031 && fileTimes.wallTime(recording, 31) === 1056);
holds("within a pause the file continues after it", fileTimes.fileTime(recording, 1020) === 10 && fileTimes.fileTime(recording, 1052) === 30);
const second = { id: "2", begin: 1100.1, end: 1150, pauses: [], marks: [] };
const third = { id: "3", begin: 1400, end: 1500, pauses: [], marks: [] };
const all = [third, recording, second];
holds("a moment is in its recording", fileTimes.holding(all, 1050) === recording && fileTimes.holding(all, 1120) === second && fileTimes.holding(all, 1200) === null);
holds("what begins next", fileTimes.following(all, 1200) === third && fileTimes.following(all, 1600) === null);
holds("stops are beginnings and marks", same(fileTimes.stops(all).map(({ time }) => time), [1000, 1032, 1100.1, 1400]));

// In step: a clock that can stand, turn and lean; players that come nearer and never go away.
const clock = new step.StepClock();
clock.set(100, 0);
clock.go(1);
holds("a clock goes", near(clock.time(3), 102));
clock.turn(4, 3);
holds("a clock goes faster", near(clock.time(4), 106));
clock.hold(4);
holds("a clock stands", near(clock.time(9), 106));
clock.lean(106.1, 9);
holds("a clock leans and does not jump", clock.time(9) > 106 && clock.time(9) < 106.1);
for (const speed of [0.25, 1, 8]) {
    for (const start of [-0.3, -0.05, 0.05, 0.3]) {
        let off = start * Math.max(1, speed);
        for (let beat = 0; beat < 200; beat += 1) {
            const { rate, jump } = step.follow(off, speed);
            holds(`nothing jumps that is ${start} s off`, !jump && rate >= speed * 0.7 && rate <= speed * 1.3);
            off += (rate - speed) * 0.05;
        }
        holds(`${start} s off at ${speed} becomes less than a tenth`, Math.abs(off) < Math.min(0.1 * Math.max(1, speed), Math.abs(start) * Math.max(1, speed)));
    }
    holds("what is far is gone to", step.follow(5 * speed + 1, speed).jump);
}

// The main stream or the sub-stream: by the tile's size, by audio, and by the line.
const small = { width: 320, height: 180 };
const chosen = (width, facts = {}, of = small) => streamFor(of, { width, height: width * 9 / 16 }, { current: "main", isHeard: false, isSlow: false, ...facts });
holds("a small tile shows the sub-stream", chosen(320) === "sub" && chosen(480) === "sub");
holds("a large tile shows the main stream", chosen(500) === "main" && chosen(1200, { current: "sub" }) === "main");
holds("a tile between does not switch to and fro", chosen(510) === "main" && chosen(510, { current: "sub" }) === "sub");
holds("a slow line shows the sub-stream, unless audio is heard", chosen(1200, { isSlow: true }) === "sub" && chosen(1200, { isSlow: true, isHeard: true }) === "main");
holds("without a sub-stream, or heard, it is the main stream", chosen(100, {}, null) === "main" && chosen(100, { isHeard: true }) === "main");
holds("a tile without a size changes nothing", chosen(0) === "main" && chosen(0, { current: "sub" }) === "sub");
const line = new LineMeter();
line.arrived(1, 10);
holds("a line in time is not slow", !line.isSlow(10));
line.arrived(4, 20);
holds("a late line is slow for half a minute", line.isSlow(20) && line.isSlow(49) && !line.isSlow(51));
line.arrived(4, 60);
holds("a line that is late again is slow for longer", line.isSlow(119) && !line.isSlow(121));
line.arrived(4, 1000);
holds("after a good time it is tried sooner", line.isSlow(1029) && !line.isSlow(1031));

// Requests for streams: one at a time, so that the newest wish is the last request, whatever the line.
const streams = (...recorders) => ({ recorders, small: [] });
const [posted, answers] = [[], []];
const requests = new StreamRequests((wish) => new Promise((resolve, reject) => { posted.push(wish.recorders.join()); answers.push({ resolve, reject }); }), streams("front"));
const answered = async (isRefused = false) => { answers.shift()?.[isRefused ? "reject" : "resolve"](new Error("late")); await new Promise((resolve) => setTimeout(resolve)); };
await requests.send(streams("front"));
holds("what is sent already is not requested", posted.length === 0);
requests.restart("front");
const slowly = requests.send(streams("front"));
requests.send(streams("front", "yard"));
holds("the next request waits", same(posted, [""]));
await answered();
holds("a stream that starts again is left out once", same(posted, ["", "front"]));
await answered();
holds("the newest wish is sent last", same(posted, ["", "front", "front,yard"]));
await answered();
await slowly;
requests.restart("yard");
const refused = requests.send(streams("yard")).then(() => false, () => true);
await answered(true);
holds("a failure is reported", await refused);
const repeated = requests.send(streams("yard"));
await answered();
await answered();
await repeated;
holds("a request that failed is sent again, with its start", same(posted.slice(3), ["", "", "yard"]));

// Recorders that a new connection does not name do not run any more.
const before = [{ name: "a", state: "armed", allowed: ["record"], status: {} }, { name: "b", state: "recording" }, { name: "c", state: "notRunning" }];
holds("recorders without news do not run", same(gone(before, new Set(["b"])), [{ name: "a", state: "notRunning", allowed: [], status: null, ended: null }]));

// A stream that cannot be decoded is requested less and less often.
const rest = new FailureRest();
const rests = [];
for (let at = 0, count = 0; count < 12; count += 1) { rests.push(rest.failed(at)); at += rests.at(-1) + 0.1; }
holds("after two failures the rests become longer, up to a minute", same(rests, [0, 0, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]));
holds("after a calm time a failure has no rest", rest.failed(1e6) === 0);

// Masks: corners in tenths of a percent, and texts that the recorder accepts.
const frame = { left: 100, top: 50, width: 640, height: 360 };
holds("a corner is in tenths of a percent", same(polygons.cornerAt(100 + 64, 50 + 90.2, frame), [100, 251]));
holds("a corner close to an edge is at the edge", same(polygons.cornerAt(102, 50 + 359, frame), [0, 1000]) && same(polygons.cornerAt(104, 55, frame), [6, 14]));
holds("a corner outside the frame is at its edge", same(polygons.cornerAt(-500, 9999, frame), [0, 1000]) && same(polygons.moved([5, 990], [-50, 50]), [0, 1000]));
const square = [[0, 0], [400, 0], [400, 250], [0, 250]];
holds("three corners that are not on one line have an area", polygons.hasArea(square) && polygons.hasArea([[1, 1], [1, 1], [2, 1], [1, 2]]));
holds("fewer, or on one line, have none", [[], [[1, 1]], [[1, 1], [2, 2]], [[0, 0], [500, 500], [1000, 1000]], [[3, 3], [3, 3], [3, 3]]].every((corners) => !polygons.hasArea(corners)));
holds("a corner is added", same(polygons.added(square.slice(0, 3), [0, 250]), [square, false]));
holds("the first or last corner closes", same(polygons.added(square, [9, 4], [10, 10]), [square, true]) && same(polygons.added(square, [0, 250]), [square, true]));
holds("two corners are not closed", same(polygons.added(square.slice(0, 2), [0, 0]), [square.slice(0, 2), null]));
const round = Array.from({ length: polygons.most }, (_, index) => [500 + Math.round(400 * Math.cos(index / 10)), 500 + Math.round(400 * Math.sin(index / 10))]);
holds("there are at most 64 corners", same(polygons.added(round, [500, 500]), [round, null]) && polygons.added(round.slice(1), [500, 500])[1] === false);
holds("the closest corner in reach is found", same(polygons.nearest([square, [[405, 5]]], [404, 5], [20, 30]), { polygon: 1, index: 0 }) && polygons.nearest([square], [500, 5], [20, 30]) === null);
for (let tenths = 0; tenths <= 1000; tenths += 1) {
    const text = polygons.textOf([[tenths, 1000 - tenths]]);
    holds(`${text} has one decimal`, /^(\d{1,2}(\.[1-9])?|100),(\d{1,2}(\.[1-9])?|100)$/.test(text) && near(Number(text.split(",")[0]) * 10, tenths));
}
holds("styles are those of the configuration", same([[true, "#000000"], [true, "#8090a0"], [false, "", "32"], [false, "", "33"], [false, "", ""], [false, "", "-1"], [false, "", "9999"]].map((one) => polygons.styleText(...one)),
    ["black", '"#8090a0"', "pixelate:32", "pixelate:34", "pixelate:32", "pixelate:8", "pixelate:512"]));
holds("the file has names", polygons.fileText([square, round.slice(0, 3)], "black").startsWith("mask:\n  mask-1: 0,0 40,0 40,25 0,25\n  mask-2: 90,50 ") && polygons.fileText([], "black") === "");
holds("options are repeated", polygons.optionText([square, square], '"#8090a0"') === '--mask "0,0 40,0 40,25 0,25" --mask "0,0 40,0 40,25 0,25" --mask-style "#8090a0"' && polygons.optionText([], "black") === "");

// Addresses of moments come back, and nonsense is none.
holds("an address comes back", same(place.placeOf(place.addressOf(1795505128.5, ["a", "b"])), { at: 1795505128.5, names: ["a", "b"] }));
holds("nonsense is no moment", same(place.placeOf("#timeline?at=x&recorders=../a,b,c,d"), { at: null, names: ["b", "c"] }));
holds("of bytes that are no movie nothing is found", fragments.initOf(new Uint8Array(64)) === null && fragments.searchFragment(new Uint8Array(4096).fill(0x66)) === null);

// The codecs parameter of HEVC: records of x265, and the examples of ISO/IEC 14496-15, E.3.
const numbers = (text) => [...text.matchAll(/../g)].map(([pair]) => parseInt(pair, 16));
for (const [record, code, name] of [
    ["0101600000009000000000003c", "hvc1", "hvc1.1.6.L60.90"], ["0102200000009000000000001e", "hvc1", "hvc1.2.4.L30.90"],
    ["010140000000b000000000005d", "hev1", "hev1.1.2.L93.B0"], ["016482000000b0230000000078", "hev1", "hev1.A4.41.H120.B0.23"],
    ["01c100000001000500000000ba", "hvc1", "hvc1.C1.80000000.L186.0.5"],
]) holds(`${name} is the parameter of its record`, fragments.hevcName(code, numbers(record)) === name);

for (const [record, name] of [["81010c00", "av01.0.01M.08"], ["810d4c00", "av01.0.13M.10"], ["8133ec00", "av01.1.19H.12"]]) {
    holds(`${name} is the parameter of its record`, fragments.av1Name(numbers(record)) === name);
}

// Codecs that a browser cannot play have names that people know.
const only = (...codecs) => (type) => codecs.some((codec) => type.includes(`"${codec}.`));
const both = 'video/mp4; codecs="hvc1.1.6.L93.B0, mp4a.40.2"';
holds("HEVC that cannot be played is named", unplayable(both, only("mp4a", "avc1")) === "HEVC");
holds("each codec that cannot be played is named once", unplayable('video/mp4; codecs="hvc1.1.6.L93, hev1.1.6.L93, mp4a.40.2"', () => false) === "HEVC, AAC");
holds("an unknown codec is named as it is", unplayable('video/mp4; codecs="xyz1.2"', () => false) === "xyz1.2");
holds("a combination that cannot be played is named completely", unplayable(both, (type) => type !== both) === both && unplayable("video/mp4", () => false) === "video/mp4");
holds("a file has the same name", unplayableFile("hevc", only("avc1")) === "HEVC" && unplayableFile("hevc", only("hvc1")) === null);
holds("no browser plays motion JPEG in a movie", unplayableFile("mjpeg", () => true) === "motion JPEG");
holds("a file of an unknown codec has no name", unplayableFile(null, () => false) === null && unplayableFile("other", () => false) === null && unplayableFile("h264", only("avc1")) === null);

// A position in a file that grows: keyframes may be far apart, and the first one may follow the position.
holds("media that has the position is waited for", approach(20, 18, false) === "wait" && approach(20, 20, true) === "wait");
holds("a first frame just after the position is shown", approach(20, 20.5, false) === "jump");
holds("a first keyframe far after the position is searched earlier", approach(20, 24, false) === "earlier");
holds("a file without a frame at the position shows its first", approach(3, 24, true) === "jump");

// Fragments of a file that grows, put together from keyframe to keyframe: nothing is lost, and each begins with one.
let [bytes, init, parts] = [null, null, []];
for (let tries = 0; tries < 300 && parts.length < 4; tries += 1) {
    const growing = (await (await fetch("/api/recordings")).json()).recordings.find(({ isGrowing }) => isGrowing);
    if (growing) {
        bytes = new Uint8Array(await (await fetch(`/api/recordings/${growing.id}/file?inline=yes`)).arrayBuffer());
        init = fragments.initOf(bytes);
        parts = init ? fragments.fragmentsIn(bytes.subarray(init.end)).parts : [];
    }
    if (parts.length < 4) await new Promise((resolve) => setTimeout(resolve, 100));
}
holds("a file with several fragments is being recorded", parts.length >= 4);
if (parts.length >= 4) {
    const merger = new merge.FragmentMerge(init);
    const whole = [...parts.map((part) => merger.take(part)), merger.rest()].filter(Boolean);
    const facts = (list) => {
        const tracks = new Map();
        for (const part of list) for (const { track, samples } of merge.samplesOf(part, init.presets)) {
            if (!init.presets.has(track)) continue;
            const old = tracks.get(track) ?? [0, 0, 0];
            tracks.set(track, samples.reduce(([count, time, sum], sample) => [count + 1, time + sample.duration, sum + sample.bytes.reduce((one, byte) => one + byte, 0)], old));
        }
        return [...tracks].sort(([one], [other]) => one - other);
    };
    holds("there are fragments", whole.length >= 1);
    holds("put together, all samples are there", same(facts(parts), facts(whole)));
    holds("each begins with a keyframe", whole.every((part) => {
        const video = merge.samplesOf(part, init.presets).find(({ track }) => track === init.video);
        return !video || (video.samples[0].flags & 0x10000) === 0;
    }));
    holds("times continue", whole.slice(1).every((part, index) => fragments.fragmentTime(part, init) > fragments.fragmentTime(whole[index], init)));
    const cut = bytes.subarray(init.end + 4321);
    const start = fragments.searchFragment(cut);
    holds("a fragment is found in the middle", start !== null && fragments.fragmentsIn(cut.subarray(start)).parts.length > 0);
}
return { tried, broken: [...new Set(broken)] };
