import AssetIO
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import MovieFile

/// Converts the findings into problems and a verdict.
extension MovieCheck {
    // MARK: The header

    mutating func add(_ tables: TableCheck?, _ shape: FileShape) {
        guard let tables else { return }
        if tables.isBroken {
            problems.append(.init(.tables, "a part of its header is invalid"))
        }
        for track in tables.tracks {
            for fault in track.faults {
                problems.append(
                    .init(
                        fault.isCutOff ? .cutOff : .tables, fault.what, track: Int(track.id), from: fault.time,
                        wayOut: fault.isCutOff ? Self.copyAgain : nil))
            }
        }
    }

    /// Adds the problem of a file that libavformat cannot read.
    mutating func addUnreadable(_ shape: FileShape, isRecording: Bool, _ error: MediaError) {
        guard !isRecording else { return }
        switch shape.form {
        case .other: problems.append(.init(.structure, "unknown format"))
        case .headless:
            problems.append(
                .init(
                    shape.cutOff == nil ? .structure : .cutOff,
                    shape.cutOff == nil
                        ? "it has no header: it was never finalized, or its end is missing"
                        : "its end is missing, including the header",
                    wayOut:
                        "if a recorder made it, `recorder repair \(Self.name(file)) -o OTHER`; else copy it again"))
        default: problems.append(.init(.structure, "it cannot be read: \(error.reason)", wayOut: Self.copyAgain))
        }
    }

    private static let copyAgain = "copy it again from an intact original"

    // MARK: What was decoded

    /// Adds the results of decoding.
    ///
    /// - Parameters:
    ///   - missing: frames that the recorder counted as dropped, if others cannot be decoded without them.
    ///   - secondFields: the number of samples of each track that contain only the second field of a frame.
    mutating func add(
        _ results: [DecodingPass.Result], listedIn tables: TableCheck?, missing: MissingReferences?,
        secondFields: [Int: UInt64] = [:]
    ) {
        for result in results {
            let track = result.track
            let listed = tables?.tracks.first { Int($0.id) == track.id }
            var told = Track(id: track.id, type: track.mediaType.rawValue, codec: track.codecName)
            (told.decoded, told.isDecoded) = (result.count, result.isDecoded)
            told.listed = listed.map { Int64(clamping: $0.samples) }
            told.duration =
                result.isDecoded ? (result.end - (result.start ?? .zero)).seconds : track.timeRange.duration.seconds
            told.channels = track.formatDescription?.audio?.channelCount
            tracks.append(told)
            duration = max(duration, result.isDecoded ? result.end.seconds : 0)
            if track.mediaType == .video { frames += result.count }
            if track.mediaType == .audio, channels == 0 { channels = told.channels ?? 0 }
            add(result, listed, missing?.track == track.id ? missing : nil, secondFields[track.id] ?? 0)
        }
        if !results.contains(where: { $0.track.mediaType == .video || $0.track.mediaType == .audio }) {
            problems.append(.init(.structure, "it has neither video nor audio"))
        }
    }

    private mutating func add(
        _ result: DecodingPass.Result, _ listed: TableCheck.Track?, _ missing: MissingReferences?,
        _ secondFields: UInt64
    ) {
        let track = result.track
        if let failure = result.failure {
            problems.append(
                .init(failure.code == .unsupported ? .notDecoded : .decoding, failure.reason, track: track.id))
            return
        }
        for damage in result.damage {
            let range = damage.timeRange
            if !damage.isMended, missing?.explain(range) == true {
                let place = PositionText.place(range.start.seconds)
                let end = range.end.isNumeric ? " to " + PositionText.place(range.end.seconds) : " on"
                notes.append("from \(place)\(end), frames in track \(track.id) \(Self.cannotDecode)")
                continue
            }
            problems.append(
                .init(
                    damage.isMended ? .times : .decoding, damage.reason, track: damage.trackID,
                    from: range.start.seconds,
                    to: range.isEmpty || !range.end.isNumeric ? nil : range.end.seconds,
                    wayOut: damage.isMended ? "`recorder reencode` corrects them" : nil))
        }
        for hole in result.holes {
            notes.append(
                "no audio in track \(track.id) from \(PositionText.place(hole.start.seconds)) to "
                    + PositionText.place(hole.end.seconds))
        }
        guard result.isDecoded, result.damage.isEmpty, let listed, listed.faults.isEmpty else { return }
        addCounts(result, listed, missing, secondFields)
    }

    /// The reason why frames that depend on dropped ones are not decoded. The recorder has counted the dropped frames.
    private static let cannotDecode = "cannot be decoded without those that were dropped before them"

    /// Compares the decoded counts with those in the tables. Must not be called if damage was reported, because the
    /// damage explains a difference.
    private mutating func addCounts(
        _ result: DecodingPass.Result, _ listed: TableCheck.Track, _ missing: MissingReferences?,
        _ secondFields: UInt64
    ) {
        let track = result.track
        let count = UInt64(max(0, result.count))
        // A frame of two samples is decoded once. Some of these samples may be hidden by edits.
        if track.mediaType == .video, let shown = listed.shown,
            count &+ secondFields < shown.lowerBound || count > shown.upperBound
        {
            if count < shown.lowerBound, missing?.explain(frames: shown.lowerBound - count) == true {
                notes.append(
                    "\(NumberText.grouped(Int64(clamping: shown.lowerBound - count))) frames in track \(track.id) "
                        + Self.cannotDecode)
                return
            }
            let due = shown.lowerBound == shown.upperBound ? "\(shown.lowerBound)" : "\(shown.lowerBound) or more"
            problems.append(
                .init(
                    .counts, "its tables show \(due) frames, but \(result.count) were decoded",
                    track: track.id))
        }
        guard track.mediaType == .audio, let due = listed.shownDuration,
            let rate = track.formatDescription?.audio?.sampleRate, rate > 0
        else { return }
        let heard = Double(result.count) / Double(rate)
        if let due = Self.audio(due, samples: listed.shown?.lowerBound, longest: result.longest.seconds, heard: heard) {
            problems.append(
                .init(
                    .counts,
                    "its tables give \(PositionText.place(due)) of audio, but \(PositionText.place(heard)) were decoded",
                    track: track.id))
        }
    }

    /// Returns the duration that should have been decoded, in seconds; nil if the decoded duration is right.
    ///
    /// - Parameters:
    ///   - due: the duration that is shown, without gaps and with them.
    ///   - samples: the minimum number of samples that are shown; nil if unknown.
    ///   - longest: the duration of the longest decoded sample.
    ///   - heard: the decoded duration.
    static func audio(_ due: ClosedRange<Double>, samples: UInt64?, longest: Double, heard: Double) -> Double? {
        // If most samples are followed by a gap, the tables do not show how much audio a sample has.
        let content = longest > 0 ? samples.map { Double($0) * longest } : nil
        let least = min(due.lowerBound, content ?? .infinity)
        // An edit may trim the last packet, and encoders add padding.
        let slack = 0.15 + 2 * longest
        if heard < least - slack { return least }
        return heard > due.upperBound + slack ? due.upperBound : nil
    }

    // MARK: The recorder's drop counts

    mutating func addAccount(_ summary: MovieSummary) {
        for (kind, ledger) in (summary.ledger ?? [:]).sorted(by: { $0.key > $1.key }) {
            let what = kind == "video" ? "frames" : "audio frames"
            // A file may contain any numbers.
            let (dropped, paused, repeated) = (
                ledger.droppedInAll, ledger[dropped: .paused], ledger[dropped: .repeated]
            )
            if ledger.captured &- ledger.written &- dropped &- paused &- repeated != 0 {
                problems.append(
                    .init(
                        .ledger,
                        "its drop counts of \(what) do not add up: \(ledger.captured) captured, \(ledger.written) written, "
                            + "\(dropped) dropped, \(paused) paused" + (repeated == 0 ? "" : ", \(repeated) repeated")))
            }
            if dropped > 0 {
                let causes = DropCause.allCases.filter { $0.isDrop && ledger[dropped: $0] > 0 }
                    .map { "\(NumberText.grouped(ledger[dropped: $0])) \($0.rawValue)" }
                let list = causes.joined(separator: ", ")
                notes.append("\(NumberText.grouped(dropped)) \(what) were dropped during recording: \(list)")
            }
            if paused > 0 { notes.append("\(NumberText.grouped(paused)) \(what) were left out by pauses") }
            if repeated > 0 {
                notes.append("\(NumberText.grouped(repeated)) \(what) repeat the one before, and are not stored")
            }
            addWritten(ledger, kind)
        }
        guard let text = summary.metadata[MetadataItem.missingKey],
            let missing = try? JSONDecoder().decode([MissingRange].self, from: Data(text.utf8))
        else { return }
        for gap in missing {
            let place = PositionText.place(gap.start) + " to " + PositionText.place(gap.end)
            notes.append("missing from track \(gap.track) after a repair: \(place)")
        }
    }

    /// Checks that the tables list all frames that were counted as written, including frames that an edit hides.
    private mutating func addWritten(_ ledger: Ledger, _ kind: String) {
        guard let track = tracks.first(where: { $0.type == kind }), tracks.filter({ $0.type == kind }).count == 1,
            let listed = track.listed, kind == "video"
        else { return }
        if ledger.written > listed {
            problems.append(
                .init(
                    .ledger,
                    "\(ledger.written) frames were written during recording, but its tables list \(listed)",
                    track: track.id))
        }
    }

    // MARK: The verdict

    /// Sets the verdict.
    ///
    /// - Parameter isUnreadable: The file could not be read at all.
    mutating func judge(
        _ shape: FileShape, _ recording: MovieFinisher.Report?, isUnreadable: Bool, isBeingWritten: Bool
    ) {
        if let recording {
            addUnfinished(recording, isBeingWritten: isBeingWritten)
        } else if !isUnreadable {
            addEnd(shape)
        }
        let kinds = Set(problems.map(\.kind))
        if let recording {
            let isTorn = recording.wasTorn || recording.isDamaged
            verdict = isBeingWritten ? .recording : isTorn ? .torn : .unfinished
        } else if isUnreadable, shape.form == .other {
            verdict = .notMovie
        } else if kinds.contains(.cutOff) {
            verdict = .cutOff
        } else {
            verdict = problems.isEmpty ? .ok : .damaged
        }
    }

    private mutating func addUnfinished(_ recording: MovieFinisher.Report, isBeingWritten: Bool) {
        for gap in recording.gaps {
            problems.append(.init(.structure, "a part is missing", track: gap.track, from: gap.start, to: gap.end))
        }
        if isBeingWritten {
            // The fragment that is being written is still incomplete.
            problems.removeAll { [.decoding, .cutOff].contains($0.kind) && ($0.to ?? .infinity) >= duration - 2 }
            let wait = Problem(
                .unfinished, "it is still being recorded", wayOut: "verify it after the recording has stopped")
            problems.insert(wait, at: 0)
            return
        }
        let lost = recording.lostSamples.values.reduce(Int64(0), +)
        var what = "it was not finalized"
        if recording.wasTorn {
            what += ", and ends in the middle of a fragment"
            if lost > 0 { what += ": \(NumberText.grouped(lost)) samples are lost" }
        }
        let kept = recording.duration.map { PositionText.length($0.seconds) } ?? "the readable part"
        problems.insert(
            .init(
                .unfinished, what, from: recording.wasTorn ? recording.duration?.seconds : nil,
                wayOut: "`recorder repair \(Self.name(file))` keeps \(kept)"), at: 0)
    }

    private mutating func addEnd(_ shape: FileShape) {
        if let cutOff = shape.cutOff {
            let missing = cutOff.missing.map { ": \(NumberText.bytes(Int64(clamping: $0))) are missing" } ?? ""
            problems.insert(.init(.cutOff, "the file is truncated\(missing)", wayOut: Self.copyAgain), at: 0)
        } else if let garbage = shape.garbage, shape.form != .other {
            let bytes = NumberText.bytes(Int64(clamping: shape.size - garbage))
            notes.append("\(bytes) after its end do not belong to the movie")
        }
    }

    private static func name(_ path: String) -> String { path.lastComponent }
}
