package import AssetIO
package import CommandInterface
import FileSystem
package import Foundation
package import MediaTypes

/// Carries out a `ReencodeRequest`: one export of the input, or of all inputs joined.
package struct Reencoder: Reencoding {
    package let session: ExportSession
    package let output: URL
    /// The exported duration in seconds.
    package let duration: Double
    let inputs: [URL]
    /// Descriptions of what the copy will lack, one line each, as far as they are known before the export.
    let leftOut: [String]
    /// The proof; nil if the input is not signed.
    private let proof: CutProof?

    /// Reads the inputs and decides what to do. Writes nothing.
    ///
    /// - Parameter part: The part of the copy to make; other exports with the same request make the other parts.
    /// - Throws: The stage `input` for a file that cannot be read, `usage` for tracks that the inputs lack.
    package init(_ request: ReencodeRequest, part: ExportPart = .whole) async throws(RecordingFailure) {
        output = request.outputURL
        inputs = request.inputs
        let fast = try await FastMotion.of(request)
        let request = fast?.request ?? request
        let asset = if let fast { fast.asset } else { try await Self.asset(request) }
        do throws(MediaError) {
            let (tracks, length, facts) = try await asset.load(.tracks, .duration, .metadata)
            if request.showsSteps(of: tracks) {
                throw MediaError(
                    .invalidSettings, "cannot re-encode \(request.inputs[0].path) with 8 bits",
                    reason: "high dynamic range would show visible steps",
                    wayOut: "add --tone-map to convert it to standard range, or omit --bit-depth")
            }
            session = try ExportSession(asset: asset, preset: request.preset)
            try session.configure {
                $0.set(request)
                $0.part = part
                // The request's metadata also identifies a part. The inputs' metadata is only in the joined movie.
                $0.partMetadata = MetadataItem.movieItems(fromStored: request.metadata)
            }
            let ids = try Self.trackIDs(request, tracks, file: request.inputs[0].path)
            let masked = MaskedMetadata(request, facts, tracks.filter { ids?.contains($0.id) ?? true })
            let merged = MetadataItem.movieItems(
                fromStored: Self.merged(masked.added, into: masked.kept),
                for: FileType(fileExtension: request.outputURL.pathExtension) ?? .mov)
            try session.configure { configuration in
                configuration.trackIDs = ids
                if !masked.added.isEmpty || masked.kept.count < facts.count { configuration.metadata = merged }
            }
            if let mix = try Self.mix(request.volume, tracks) { try session.configure { $0.audioMix = mix } }
            duration = request.timeRange.intersection(TimeRange(start: .zero, end: length)).duration.seconds
            let end = request.timeRange.end
            var leftOut =
                end.isNumeric && end > length
                ? ["the time after \(NumberText.duration(length.seconds)): the movie ends before --to"] : []
            leftOut += masked.leftOut
            if let depth = request.lostDepth(of: tracks) {
                let kept = depth > 10 ? "10 of them" : "them"
                leftOut.append("\(depth) bits: few players support them in H.264; --codec hevc or av1 keeps \(kept)")
            }
            leftOut += fast?.leftOut ?? []
            leftOut += Self.lossOfAudio(request, tracks.filter { ids?.contains($0.id) ?? true })
            if try await Self.losesTimecode(request.inputs, asset) {
                leftOut.append("the timecode: it does not continue from one file to the next")
            }
            if request.inputs.count > 1 {
                let takesVideo = tracks.contains { $0.mediaType == .video && ids?.contains($0.id) ?? true }
                let joined = takesVideo && request.storesVideo ? JoinedVideo(isCopied: request.copiesVideo) : nil
                leftOut += try await Self.lostByJoining(request.inputs, joined)
            }
            if request.inputs.count > 1, try CutProof.isAnySigned(request.inputs.map(\.path)) {
                leftOut.append("the signature: it covers one file, and several are joined")
            }
            self.leftOut = leftOut
            proof = try request.inputs.count == 1 ? CutProof(request.inputs[0].path) : nil
            if let proof, request.passesEverythingThrough {
                try session.configure { $0.keepsSignedForm = true }
                try session.complete { path throws(MediaError) in
                    try proof.add(to: path, from: request.timeRange.start)
                }
            }
        } catch {
            throw RecordingFailure(error.code == .invalidSettings ? .usage : .input, error)
        }
    }

    /// Returns the export of the entire input for a request without tracks, volume or metadata of its own.
    package static func session(for request: ReencodeRequest) throws(MediaError) -> ExportSession {
        guard let input = request.inputs.first else {
            throw MediaError(.invalidSettings, "cannot re-encode", reason: "there is no input")
        }
        let session = try ExportSession(asset: Asset(url: input), preset: request.preset)
        try session.configure { $0.set(request) }
        return session
    }

    /// Creates a re-encoder with a configured session, without the proof of a signed recording.
    init(session: ExportSession, output: URL, inputs: [URL], duration: Double, leftOut: [String]) {
        (self.session, self.output, self.inputs, self.duration) = (session, output, inputs, duration)
        (self.leftOut, proof) = (leftOut, nil)
    }

    package var progress: Double { session.progress }
    package func cancel() { session.cancelExport() }

    private static func asset(_ request: ReencodeRequest) async throws(RecordingFailure) -> Asset {
        var assets: [Asset] = []
        for input in request.inputs {
            // The end of the range is compared with the duration.
            let asset =
                request.timeRange.end.isNumeric ? Asset(measuringUnknownDurationOf: input) : Asset(url: input)
            do throws(MediaError) {
                _ = try await asset.load(.tracks)
            } catch {
                throw RecordingFailure(.input, error)
            }
            assets.append(asset)
        }
        if assets.count == 1 { return assets[0] }
        do throws(MediaError) {
            return Asset(try await Composition.joining(assets))
        } catch {
            throw RecordingFailure(.input, error)
        }
    }

    private static func losesTimecode(_ inputs: [URL], _ joined: Asset) async throws(MediaError) -> Bool {
        guard inputs.count > 1, try await joined.load(.timecode) == nil else { return false }
        for input in inputs {
            if try await Asset(url: input).load(.timecode) != nil { return true }
        }
        return false
    }

    /// Returns descriptions of what is lost by encoding the audio, one line each.
    private static func lossOfAudio(_ request: ReencodeRequest, _ tracks: [AssetTrack]) -> [String] {
        let settings: AudioSettings
        switch request.audio {
        case .none, .passthrough: return []
        case .encode(let wanted): settings = wanted
        case .standard where request.preset == .passthrough: return []
        case .standard: settings = AudioSettings(codec: request.preset == .proRes422 ? .linearPCM : .aac)
        }
        return AudioLoss.lines(settings, tracks.compactMap { $0.formatDescription?.audio })
    }

    /// Returns descriptions of what is lost by joining, one line each. Only one video and one audio track of each
    /// movie are joined, and the audio gets the channels of the first movie.
    ///
    /// - Parameter video: The comparison of the video; nil if none is stored.
    /// - Throws: `invalidSettings` for video that cannot be joined.
    private static func lostByJoining(
        _ inputs: [URL], _ video: JoinedVideo?
    ) async throws(MediaError) -> [String] {
        var lost: [String] = []
        var video = video
        var firstCount: Int?
        for input in inputs {
            let tracks = try await Asset(url: input).load(.tracks)
            if let track = tracks.presented(.video) { try video?.take(track, of: input) }
            if let count = tracks.presented(.audio)?.formatDescription?.audio?.channelCount {
                let most = firstCount ?? count
                if count > most {
                    lost.append(
                        "\(count - most) of the \(count) channels of \(input.lastPathComponent): they are mixed into the "
                            + "\(most) of the first file; put the file with the most channels first")
                }
                firstCount = most
            }
            let chapters = Set(tracks.flatMap { $0.associations[.chapterList] ?? [] })
            for track in tracks where !chapters.contains(track.id) && track.mediaType != .timecode {
                let isJoined = tracks.presented(track.mediaType)?.id == track.id
                if isJoined, track.mediaType == .video || track.mediaType == .audio { continue }
                lost.append(
                    "track \(track.id) of \(input.lastPathComponent), \(track.mediaType) (\(track.codecName)): joining "
                        + "keeps one video and one audio track of each file")
            }
        }
        return lost + (video?.lost ?? [])
    }

    /// Returns the ids of the requested tracks; nil for the export's default choice.
    private static func trackIDs(
        _ request: ReencodeRequest, _ tracks: [AssetTrack], file: String
    ) throws(MediaError) -> [Int]? {
        let hasVideo = request.video != .none
        let hasAudio = request.audio != .none
        guard !request.tracks.isEmpty || !hasVideo || !hasAudio else { return nil }
        var ids: [Int] = []
        if request.tracks.isEmpty {
            // As without these ids: one video track, and no disabled track in a mix.
            let (video, audio) = (tracks.presented(.video), tracks.presented(.audio))
            ids = tracks.filter { track in
                switch track.mediaType {
                case .video: request.preset == .passthrough || track.id == video?.id
                case .audio: request.volume == 1 || track.isEnabled || audio?.isEnabled == false
                default: true
                }
            }.map(\.id)
        }
        for selector in request.tracks {
            let meant = selector.ids(tracks)
            guard !meant.isEmpty else {
                let known = tracks.map { "\($0.id) (\($0.mediaType))" }.joined(separator: ", ")
                throw MediaError(
                    .invalidSettings, "cannot select track \(selector.text) of \(file)",
                    reason: "there is no such track",
                    wayOut: known.isEmpty ? "" : "the tracks are \(known)")
            }
            ids += meant.filter { !ids.contains($0) }
        }
        let isWanted = { (track: AssetTrack) in
            (hasVideo || track.mediaType != .video) && (hasAudio || track.mediaType != .audio)
        }
        ids = ids.filter { id in tracks.contains { $0.id == id && isWanted($0) } }
        guard
            ids.contains(where: { id in
                tracks.contains { $0.id == id && ($0.mediaType == .video || $0.mediaType == .audio) }
            })
        else {
            throw MediaError(
                .invalidSettings, "cannot re-encode \(file)", reason: "no track is left with these options")
        }
        return ids
    }

    private static func merged(_ changes: [MetadataItem], into facts: [MetadataItem]) -> [MetadataItem] {
        // A file may contain the same fact several times: a title in user data, in QuickTime's metadata, and in several
        // languages.
        let meanings = Set(changes.map(\.meaning))
        return facts.filter { !meanings.contains($0.meaning) } + changes
    }

    private static func mix(_ volume: Float, _ tracks: [AssetTrack]) throws(MediaError) -> AudioMix? {
        guard volume != 1 else { return nil }
        var mix = AudioMix()
        for track in tracks where track.mediaType == .audio {
            var parameters = AudioMixInputParameters(track: track)
            try parameters.setVolume(volume, at: .zero)
            mix.inputParameters.append(parameters)
        }
        return mix.inputParameters.isEmpty ? nil : mix
    }

    /// Makes the copy and returns the summary.
    package func run() async throws(RecordingFailure) -> ReencodeSummary {
        let began = ContinuousClock.now
        do throws(MediaError) {
            try await session.export(to: output)
        } catch {
            throw RecordingFailure(Self.stage(error), error)
        }
        let size = { (url: URL) in FolderContents.size(of: url.path) ?? 0 }
        let report = session.report
        return ReencodeSummary(
            file: output.path, inputs: inputs.map(\.path), duration: await writtenDuration(), bytes: size(output),
            inputBytes: inputs.map(size).reduce(0, +), seconds: began.duration(to: .now).seconds,
            leftOut: leftOut + report.leftOut + (proof?.leftOut.map { [$0] } ?? []),
            damage: report.damage.map(ReencodeSummary.Damage.init))
    }

    /// Returns the duration of the written media, since the input's header may contain any value.
    private func writtenDuration() async -> Double {
        do throws(MediaError) { return try await Asset(url: output).load(.duration).seconds } catch { return duration }
    }

    static func stage(_ error: MediaError) -> RecordingFailure.Stage {
        switch error.code {
        case .outputExists, .cannotCreate, .notPermitted, .diskFull: .output
        case .invalidSettings: .usage
        // The file system refuses new files.
        case .notFound where error.action.hasPrefix("cannot create"): .output
        // The file is intact. Only passthrough is impossible.
        case .unsupported where error.wayOut.contains("re-encode"): .usage
        case .unsupported:
            error.action.hasPrefix("cannot put") || error.action.hasPrefix("cannot write") ? .output : .input
        default: .input
        }
    }
}

extension ReencodeSummary.Damage {
    fileprivate init(_ damage: DamagedTimeRange) {
        let range = damage.timeRange
        self.init(
            track: damage.trackID, start: range.start.seconds,
            end: range.isEmpty || !range.end.isNumeric ? nil : range.end.seconds, reason: damage.reason,
            isMended: damage.isMended)
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
