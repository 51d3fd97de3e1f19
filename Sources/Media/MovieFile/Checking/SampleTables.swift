import MediaTypes

/// The sample tables of one track of a file. Checks whether they agree, where each chunk is, and how many samples are
/// shown.
struct SampleTables {
    private let storage: any MovieStorage
    private let shape: FileShape
    private let scale: Double
    private var tables: [FourCharCode: TableWindow] = [:]

    init(_ storage: any MovieStorage, stbl: [TopLevelAtoms.Header], shape: FileShape, scale: UInt32) {
        (self.storage, self.shape, self.scale) = (storage, shape, Double(scale))
        for atom in stbl where tables[atom.type] == nil {
            tables[atom.type] = TableWindow(storage, start: atom.offset + atom.headerSize, end: atom.end)
        }
    }

    /// Checks the tables, and adds the results to `track`.
    ///
    /// - Parameters:
    ///   - edits: the shown ranges in the track's ticks; nil if everything is shown.
    ///   - movieTick: the number of the track's ticks per tick of the movie.
    func check(_ edits: [Range<Double>]?, movieTick: Double, into track: inout TableCheck.Track) throws(MediaError) {
        guard var sizes = tables["stsz"], let one = try sizes.number(1), let count = try sizes.number(2) else {
            // `stz2` has sizes of a few bits. No program writes it, so such a track is not checked.
            if tables["stz2"] == nil { track.faults.append(.init(what: "the sample size table is missing")) }
            return
        }
        track.samples = UInt64(count)
        guard one > 0 || UInt64(count) + 3 <= sizes.count else {
            track.faults.append(
                .init(what: "the sample size table ends after \(sizes.count - 3) of \(count) samples"))
            return
        }
        guard count > 0 else { return }
        try checkTimes(edits, movieTick: movieTick, into: &track)
        try checkKeys(into: &track)
        try checkChunks(&sizes, one: one, into: &track)
    }

    // MARK: Times

    private func checkTimes(
        _ edits: [Range<Double>]?, movieTick: Double, into track: inout TableCheck.Track
    ) throws(MediaError) {
        guard let stts = tables["stts"], var durations = try TableRuns(stts) else {
            track.faults.append(.init(what: "the duration table is missing or incomplete"))
            return
        }
        var shifts: TableRuns?
        if let ctts = tables["ctts"] {
            shifts = try TableRuns(ctts)
            if shifts == nil { track.faults.append(.init(what: "the composition offset table is incomplete")) }
        }
        // The samples are counted only if there are at most 64 edits.
        let counted = edits.map { $0.count <= 64 ? $0 : [] } ?? [-Double.infinity..<Double.infinity]
        var (low, high, counter) = (UInt64(0), UInt64(0), UInt64(0))
        let usual = track.handler == "soun" ? try Self.commonDuration(durations) : .infinity
        var gaps = 0.0
        var time = 0.0
        var end = 0.0
        while try durations.fill() {
            var (count, shift) = (durations.left, 0.0)
            if try shifts?.fill() == true, let run = shifts {
                count = min(count, run.left)
                shift = Double(Int32(bitPattern: run.value))
            } else if shifts != nil {
                track.faults.append(
                    .init(
                        what: "the composition offset table ends after \(counter) samples",
                        time: time / scale))
                shifts = nil
            }
            let delta = Double(durations.value)
            for edit in counted {
                let run = Self.shown(count, from: time + shift, by: delta, in: edit, tick: movieTick)
                low += run.lowerBound
                high += run.upperBound
                gaps += Self.gaps(count, from: time + shift, by: delta, after: usual, in: edit)
            }
            durations.take(count)
            shifts?.take(count)
            counter += count
            time += Double(count) * delta
            end = max(end, time + shift)
        }
        track.duration = time / scale
        if counter != track.samples {
            track.faults.append(
                .init(what: "its tables have \(counter) durations for \(track.samples) samples"))
        } else if !counted.isEmpty {
            track.shown = low...max(low, high)
            let shown = counted.reduce(0.0) { $0 + max(0, min($1.upperBound, end) - max($1.lowerBound, 0)) }
            track.shownDuration = max(0, shown - gaps) / scale...shown / scale
        }
    }

    /// Returns the duration that most samples have, in ticks.
    private static func commonDuration(_ durations: TableRuns) throws(MediaError) -> Double {
        var (durations, counts) = (durations, [UInt32: Double]())
        while try durations.fill() {
            // A file may have millions of different durations.
            if counts.count < 4096 || counts[durations.value] != nil {
                counts[durations.value, default: 0] += Double(durations.left)
            }
            durations.take(durations.left)
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { Double($0.key) } ?? .infinity
    }

    /// Returns the length of the gaps within an edit, in ticks: of the rest of each sample after its `usual` duration.
    /// The first of the `count` samples begins at `first`, and each lasts `delta`.
    private static func gaps(
        _ count: UInt64, from first: Double, by delta: Double, after usual: Double, in edit: Range<Double>
    ) -> Double {
        guard delta > usual else { return 0 }
        let last = first + Double(count) * delta
        let start = count == 1 ? first + usual : first
        let length = max(0, min(edit.upperBound, last) - max(edit.lowerBound, start))
        return count == 1 ? length : length * (delta - usual) / delta
    }

    /// Returns the minimum and maximum number of samples that begin within an edit. The first of the `count` samples
    /// begins at `first`, and each of the others begins `delta` after the previous one.
    private static func shown(
        _ count: UInt64, from first: Double, by delta: Double, in edit: Range<Double>, tick: Double
    ) -> ClosedRange<UInt64> {
        // Returns the number of samples before a border.
        func below(_ border: Double) -> UInt64 {
            if border <= first { return 0 }
            guard delta > 0, border.isFinite else { return count }
            return UInt64(clamping: min(Double(count), ((border - first) / delta).rounded(.up)))
        }
        let slack = max(1, tick)
        // Consecutive edits may each show a part of the same sample.
        let (from, to) = (below(edit.lowerBound + slack), below(edit.upperBound - slack))
        let (early, late) = (below(edit.lowerBound - delta - slack), below(edit.upperBound + slack))
        let least = to > from ? to - from : 0
        return least...max(least, late > early ? late - early : 0)
    }

    private func checkKeys(into track: inout TableCheck.Track) throws(MediaError) {
        guard var keys = tables["stss"] else { return }
        guard let count = try keys.number(1), UInt64(count) + 2 <= keys.count else {
            track.faults.append(.init(what: "the keyframe table is incomplete"))
            return
        }
        var last: UInt32 = 0
        for index in 0..<UInt64(count) {
            guard let number = try keys.number(index + 2), number > last, UInt64(number) <= track.samples else {
                track.faults.append(.init(what: "the keyframe table refers to missing samples"))
                return
            }
            last = number
        }
    }

    // MARK: Places

    private func checkChunks(
        _ sizes: inout TableWindow, one: UInt32, into track: inout TableCheck.Track
    ) throws(MediaError) {
        guard var map = tables["stsc"], let entries = try map.number(1), UInt64(entries) * 3 + 2 <= map.count,
            var offsets = tables["stco"] ?? tables["co64"], let chunks = try offsets.number(1),
            UInt64(chunks) * (tables["stco"] == nil ? 2 : 1) + 2 <= offsets.count
        else {
            track.faults.append(.init(what: "the chunk table is missing or incomplete"))
            return
        }
        let isLong = tables["stco"] == nil
        var clock = ChunkClock(try tables["stts"].flatMap { table throws(MediaError) in try TableRuns(table) })
        var (entry, perChunk, sample) = (UInt64(0), UInt64(0), UInt64(0))
        var (lost, outside, undescribed): (TableCheck.Fault?, TableCheck.Fault?, TableCheck.Fault?)
        var table = tables["stsd"]
        let descriptions = try table?.number(1)
        let isCutOff = shape.cutOff != nil
        let packets = one == 1 && track.handler == "soun" ? try ConstantPackets(table) : nil
        for chunk in 0..<UInt64(chunks) {
            if entry < UInt64(entries), let first = try map.number(2 + entry * 3), UInt64(first) == chunk + 1 {
                perChunk = UInt64(try map.number(3 + entry * 3) ?? 0)
                if undescribed == nil, let descriptions, let number = try map.number(4 + entry * 3),
                    !(1...max(1, descriptions)).contains(number)
                {
                    undescribed = .init(
                        what: "the chunk table refers to sample description \(number) of \(descriptions)",
                        time: clock.time / scale)
                }
                entry += 1
            }
            let offset =
                isLong
                ? try offsets.long(2 + chunk * 2) ?? 0 : UInt64(try offsets.number(2 + chunk) ?? 0)
            let count = min(perChunk, track.samples - sample)
            var bytes = packets?.byteCount(of: count) ?? UInt64(one) * count
            if one == 0 {
                for index in sample..<sample + count { bytes += UInt64(try sizes.number(index + 3) ?? 0) }
            }
            let end = offset.addingReportingOverflow(bytes)
            if end.overflow || end.partialValue > shape.size {
                if lost == nil {
                    lost = .init(
                        what: isCutOff
                            ? "the file ends before its samples do" : "its tables point beyond the end of the file",
                        time: clock.time / scale, isCutOff: isCutOff)
                }
            } else if bytes > 0, outside == nil, !isMedia(offset, end.partialValue) {
                outside = .init(
                    what: "its tables point to bytes that are not media, at byte \(offset)", time: clock.time / scale)
            }
            sample += count
            try clock.advance(count)
        }
        if sample != track.samples || entry != UInt64(entries) {
            track.faults.append(
                .init(what: "its chunks contain \(sample) of \(track.samples) samples", time: clock.time / scale))
        }
        track.faults += [undescribed, lost, outside].compactMap(\.self)
    }

    /// Returns true if a range of the file is media data. Uses a binary search: a small file can have a million atoms
    /// of media data, and as many chunks.
    private func isMedia(_ start: UInt64, _ end: UInt64) -> Bool {
        var (low, high) = (0, shape.media.count)
        while low < high {
            let middle = (low + high) / 2
            if shape.media[middle].lowerBound <= start { low = middle + 1 } else { high = middle }
        }
        return low > 0 && end <= shape.media[low - 1].upperBound
    }
}

/// The decode time of the next chunk, in ticks.
private struct ChunkClock {
    private var runs: TableRuns?
    private(set) var time = 0.0

    init(_ runs: TableRuns?) { self.runs = runs }

    mutating func advance(_ count: UInt64) throws(MediaError) {
        var rest = count
        while rest > 0, try runs?.fill() == true, let run = runs {
            let part = min(rest, run.left)
            time += Double(part) * Double(run.value)
            runs?.take(part)
            rest -= part
        }
    }
}
