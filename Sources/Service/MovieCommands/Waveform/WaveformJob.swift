import AssetIO
package import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Carries out `recorder waveform`.
package struct WaveformJob: Sendable {
    private let options: WaveformOptions

    package init(_ options: WaveformOptions) { self.options = options }

    /// Measures the audio and draws the image.
    ///
    /// - Returns: The numbers, and the path of the image.
    /// - Throws: An error if a file cannot be read or written; no output is left then.
    package func run() async throws(RecordingFailure) -> WaveformReport {
        let path = try output()
        let waveform: Waveform
        let track: AssetTrack
        do throws(MediaError) {
            let asset = Asset(measuringUnknownDurationOf: URL(fileURLWithPath: options.file))
            track = try await chosenTrack(of: asset)
            var range: TimeRange?
            if options.start != nil || options.end != nil {
                range = TimeRange(
                    start: options.start ?? track.timeRange.start, end: options.end ?? .positiveInfinity)
            }
            waveform = try await Waveform.load(
                track: track, of: asset, timeRange: range, resolution: .buckets(options.buckets))
        } catch { throw RecordingFailure(.input, error) }
        let names = ChannelNames.names(
            track.formatDescription?.audio?.layout, count: waveform.channelCount)
        if let path {
            let height = options.size?.height ?? WaveformImage.height(channels: waveform.channelCount)
            let image = WaveformImage(waveform, names: names).draw(width: options.imageWidth, height: height)
            do throws(MediaError) {
                let format = StillImageFormat(fileExtension: path.fileExtension) ?? .png
                try AtomicFile.write(image.encoded(as: format), to: path, overwrite: options.overwrite)
            } catch { throw RecordingFailure(.output, error) }
        }
        return WaveformReport(waveform, source: options.file, track: track.id, names: names, file: path)
    }

    /// Returns the image's path. It is checked first, since measuring may take a while.
    private func output() throws(RecordingFailure) -> String? {
        guard options.makesImage else { return nil }
        do throws(MediaError) {
            let names = try StillFileNames(input: options.file, output: options.output, format: nil)
            let path = names.single("-waveform")
            // Without an input, the output is not checked, so that the user gets the error about the input.
            if access(options.file, F_OK) == 0 {
                try AtomicFile.check(path, overwrite: options.overwrite, input: options.file)
            }
            return path
        } catch { throw RecordingFailure(.output, error) }
    }

    private func chosenTrack(of asset: Asset) async throws(MediaError) -> AssetTrack {
        let action = "cannot measure the audio of \(options.file)"
        let tracks = try await asset.tracks(withMediaType: .audio)
        guard let first = tracks.first else {
            throw MediaError(.unsupported, action, reason: "it has no audio track")
        }
        guard let wanted = options.track else { return first }
        guard let track = tracks.first(where: { $0.id == wanted }) else {
            let ids = tracks.map { String($0.id) }.joined(separator: ", ")
            throw MediaError(
                .invalidSettings, action, reason: "track \(wanted) is not an audio track",
                wayOut: "audio tracks: \(ids)")
        }
        return track
    }
}

/// The names of an audio track's channels.
enum ChannelNames {
    /// Returns the names.
    ///
    /// - Parameter layout: The layout. If it is nil, one channel counts as mono, two count as stereo, and more are
    ///   numbered.
    static func names(_ layout: ChannelLayout?, count: Int) -> [String] {
        let stated = layout ?? (count == 1 ? .mono : count == 2 ? .stereo : nil)
        let known =
            stated == .mono ? ["mono"] : (stated?.positions ?? []).enumerated().map { name($1) ?? "channel \($0 + 1)" }
        return known.count == count ? known : (0..<max(0, count)).map { "channel \($0 + 1)" }
    }

    private static func name(_ position: ChannelPosition) -> String? {
        switch position {
        case .frontLeft: "left"
        case .frontRight: "right"
        case .frontCenter: "centre"
        case .lowFrequency: "LFE"
        case .backLeft: "back left"
        case .backRight: "back right"
        case .backCenter: "back"
        case .sideLeft: "side left"
        case .sideRight: "side right"
        case .discrete: nil
        default: position.description
        }
    }
}
