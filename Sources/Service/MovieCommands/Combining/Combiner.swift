import AssetIO
package import CommandInterface
package import Foundation
import MediaTypes

/// The request of `recorder combine`.
package struct CombineRequest: Sendable {
    package var inputs: [URL]
    package var output: URL
    /// The layout; nil keeps the tracks separate in the file.
    package var layout: CombineLayout?
    package var overwrites = false

    package init(inputs: [URL], output: URL) { (self.inputs, self.output) = (inputs, output) }
}

/// Combines several recordings of the same time into one movie. The clock of each recording determines its position.
package struct Combiner: Sendable {
    package let reencoder: Reencoder
    /// A line for the user about the accuracy of the alignment.
    package let account: String

    private struct Part {
        var asset: Asset
        var clock: RecordingClock
        var tracks: [AssetTrack]
        var duration: MediaTime
    }

    /// Reads the inputs and decides what to do. Writes nothing.
    ///
    /// - Throws: The stage `input` for a file that cannot be read, or does not contain its recording time.
    package init(_ request: CombineRequest) async throws(RecordingFailure) {
        do throws(MediaError) {
            var parts: [Part] = []
            for input in request.inputs { parts.append(try await Self.part(input)) }
            let alignment = try Self.alignment(parts)
            if let gap = alignment.gap { throw Self.refusal(gap, request.inputs.map(\.lastPathComponent)) }
            let placed = try Self.composition(parts, alignment)
            var composition = placed.composition
            if let index = alignment.offsets.firstIndex(of: alignment.offsets.min() ?? 0) {
                try await Self.describe(&composition, what: parts[index].asset, says: alignment.maps[index])
            }
            let asset = Asset(composition)
            let (tracks, duration) = try await asset.load(.tracks, .duration)
            let session = try ExportSession(asset: asset, preset: request.layout == nil ? .passthrough : .highQuality)
            try session.configure { $0.overwritesExistingFile = request.overwrites }
            if let layout = request.layout {
                let shown = placed.frames.compactMap { id in tracks.first { $0.id == id } }
                guard let laid = layout.composition(of: shown, duration: duration) else {
                    throw MediaError(
                        .invalidSettings, "cannot lay out these files", reason: "none of them has video",
                        wayOut: "omit --layout")
                }
                var mix = AudioMix()
                for track in tracks where track.mediaType == .audio {
                    mix.inputParameters.append(AudioMixInputParameters(track: track))
                }
                try session.configure { configuration in
                    configuration.videoComposition = laid
                    if mix.inputParameters.count > 1 { configuration.audioMix = mix }
                }
            }
            reencoder = Reencoder(
                session: session, output: request.output, inputs: request.inputs, duration: duration.seconds,
                leftOut: [])
            account = alignment.account(of: request.inputs.map(\.lastPathComponent))
        } catch {
            throw RecordingFailure(.input, error)
        }
    }

    private static func alignment(_ parts: [Part]) throws(MediaError) -> ClockAlignment {
        let action = "cannot combine these files"
        do throws(ClockAlignment.Refusal) {
            return try ClockAlignment(
                parts.map { ClockAlignment.Recording(clock: $0.clock, duration: $0.duration.seconds) })
        } catch {
            let reason =
                switch error {
                case .withoutTime:
                    "they are from different machines or boots, and not all contain wall clock times"
                case .tooFarApart: "they were recorded more than a month apart"
                }
            throw MediaError(.invalidSettings, action, reason: reason)
        }
    }

    /// Returns the error for a gap between the recordings. A movie that shows nothing for hours would be useless.
    private static func refusal(_ gap: ClockAlignment.Gap, _ names: [String]) -> MediaError {
        let (first, second) = (names[gap.before], names[gap.after])
        return MediaError(
            .invalidSettings, "cannot combine recordings of different times",
            reason: "\(second) begins \(NumberText.duration(gap.seconds)) after the end of \(first)",
            wayOut: "`recorder reencode \(first) \(second) -o OUT` joins one after the other")
    }

    /// Returns the composition, with all tracks at their positions, and the id of each movie's first video track.
    private static func composition(
        _ parts: [Part], _ alignment: ClockAlignment
    ) throws(MediaError) -> (composition: Composition, frames: [Int]) {
        var composition = Composition()
        var frames: [Int] = []
        for (part, map) in zip(parts, alignment.maps) {
            var hasVideo = false
            for track in part.tracks {
                let id = try composition.addTrack(mediaType: track.mediaType)
                try composition.insert(track, from: part.asset, by: map, into: id)
                if track.mediaType == .video, !hasVideo {
                    frames.append(id)
                    hasVideo = true
                }
            }
        }
        return (composition, frames)
    }

    /// Copies the metadata of the earliest recording.
    private static func describe(
        _ composition: inout Composition, what asset: Asset, says map: TimeMap
    ) async throws(MediaError) {
        (composition.metadata, composition.creationDate, composition.timecode) =
            try await asset.load(.metadata, .creationDate, .timecode)
        composition.chapters = try await asset.load(.chapters).map { chapter in
            let (start, end) = (map.target(of: chapter.timeRange.start), map.target(of: chapter.timeRange.end))
            return AssetChapter(timeRange: TimeRange(start: start, end: end), title: chapter.title)
        }
        // The drop counts are not copied: each file has its own, and they do not describe the combination.
        composition.metadata.removeAll { $0.key == MetadataItem.ledgerKey }
    }

    private static func part(_ input: URL) async throws(MediaError) -> Part {
        let asset = Asset(url: input)
        let (tracks, metadata, duration) = try await asset.load(.tracks, .metadata, .duration)
        guard let clock = RecordingClock(metadata) else {
            throw MediaError(
                .invalidSettings, "cannot combine \(input.path)", reason: "it has no recording time",
                wayOut: "only original recordings of `recorder` 0.2.0 or later have one, not copies or clips")
        }
        let used = tracks.filter {
            $0.formatDescription != nil && ($0.mediaType == .video || $0.mediaType == .audio)
        }
        return Part(asset: asset, clock: clock, tracks: used, duration: duration)
    }
}
