import AssetIO
package import CommandInterface
package import Foundation
import MediaTypes

/// What `recorder combine` was asked for.
package struct CombineRequest: Sendable {
    package var inputs: [URL]
    package var output: URL
    /// nil: the tracks stay as they are, side by side in the file.
    package var layout: CombineLayout?
    package var overwrites = false

    package init(inputs: [URL], output: URL) { (self.inputs, self.output) = (inputs, output) }
}

/// Several recordings of the same time as one movie, each where its clock says.
package struct Combiner: Sendable {
    package let reencoder: Reencoder
    /// How well they lie beside each other, in a line for a person.
    package let account: String

    /// Seconds between the beginnings of recordings of the same time: also where a file says what cannot be.
    private static let farthest = 31.0 * 86_400

    private struct Part {
        var asset: Asset
        var clock: RecordingClock
        var tracks: [AssetTrack]
    }

    /// Looks at the inputs and decides what is to be done. Writes nothing.
    ///
    /// - Throws: with the stage `input` for one that cannot be read, or does not say when it was recorded.
    package init(_ request: CombineRequest) async throws(RecordingFailure) {
        do throws(MediaError) {
            var parts: [Part] = []
            for input in request.inputs { parts.append(try await Self.part(input)) }
            guard let alignment = ClockAlignment(parts.map(\.clock)) else {
                throw MediaError(
                    .invalidSettings, "cannot combine these films",
                    reason: "they are of different boots, and not each says "
                        + "what time it was")
            }
            guard alignment.offsets.allSatisfy({ $0 <= Self.farthest }) else {
                throw MediaError(
                    .invalidSettings, "cannot combine these films", reason: "they are of times more than a month apart")
            }
            var composition = Composition()
            var pictures: [Int] = []
            for (part, offset) in zip(parts, alignment.offsets) {
                let start = MediaTime(seconds: offset, timescale: 1_000_000)
                var hasPicture = false
                for track in part.tracks {
                    let id = try composition.addTrack(mediaType: track.mediaType)
                    try composition.insertTimeRange(
                        TimeRange(start: .zero, end: .positiveInfinity), of: track, from: part.asset, at: start,
                        into: id)
                    if track.mediaType == .video, !hasPicture {
                        pictures.append(id)
                        hasPicture = true
                    }
                }
            }
            if let first = zip(parts, alignment.offsets).first(where: { $0.1 == 0 })?.0 {
                (composition.metadata, composition.creationDate, composition.timecode) =
                    try await first.asset.load(.metadata, .creationDate, .timecode)
                composition.chapters = try await first.asset.load(.chapters)
                // Each file's own; of both together nobody has kept one.
                composition.metadata.removeAll { $0.key == MetadataItem.ledgerKey }
            }
            let asset = Asset(composition)
            let (tracks, duration) = try await asset.load(.tracks, .duration)
            let session = try ExportSession(asset: asset, preset: request.layout == nil ? .passthrough : .highQuality)
            try session.configure { $0.overwritesExistingFile = request.overwrites }
            if let layout = request.layout {
                let shown = pictures.compactMap { id in tracks.first { $0.id == id } }
                guard let laid = layout.composition(of: shown, duration: duration) else {
                    throw MediaError(
                        .invalidSettings, "cannot lay out these films", reason: "none of them has pictures",
                        wayOut: "leave --layout out")
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
            account = Self.account(alignment)
        } catch {
            throw RecordingFailure(.input, error)
        }
    }

    private static func part(_ input: URL) async throws(MediaError) -> Part {
        let asset = Asset(url: input)
        let (tracks, metadata) = try await asset.load(.tracks, .metadata)
        guard let clock = RecordingClock(metadata) else {
            throw MediaError(
                .invalidSettings, "cannot combine \(input.path)", reason: "it does not say when it was recorded",
                wayOut: "recordings of `recorder` say it, from 0.1.1 on; copies and cuts of them do not")
        }
        let used = tracks.filter {
            $0.formatDescription != nil && ($0.mediaType == .video || $0.mediaType == .audio)
        }
        return Part(asset: asset, clock: clock, tracks: used)
    }

    /// "in step by the machine's clock", "in step within 12 ms by the wall clocks, 3 ms further apart at the end"
    static func account(_ alignment: ClockAlignment) -> String {
        guard alignment.uncertainty != 0 else { return "in step by the machine's own clock" }
        let within =
            alignment.uncertainty.map { "within \(NumberText.fixed($0 * 1000, places: 1)) ms" }
            ?? "as far as their wall clocks were right, for which nobody vouched"
        guard abs(alignment.drift) >= 0.001 else { return "in step \(within) by the wall clocks" }
        return "in step \(within) by the wall clocks at the beginning, "
            + "\(NumberText.fixed(abs(alignment.drift) * 1000, places: 0)) ms further apart at the end"
    }
}
