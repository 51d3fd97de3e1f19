import AssetIO
import Foundation
import MediaTypes

/// Makes what `recorder frames` was asked for.
public struct FramesJob: Sendable {
    private let options: FramesOptions

    public init(_ options: FramesOptions) { self.options = options }

    /// Every picture gets its turn.
    ///
    /// - Parameter report: is told of every picture that could not be made, as it happens, and of every file that is there.
    /// - Returns: what was made, and why the first that could not be made was not.
    /// - Throws: when nothing can be made at all.
    public func run(
        report: @escaping @Sendable (Event) -> Void
    ) async throws(RecordingFailure) -> (FramesReport, RecordingFailure?) {
        let asset = Asset(url: URL(fileURLWithPath: options.file))
        let generator = FrameGenerator(asset: asset)
        let end = try await end(of: asset)
        let (times, tolerance) = options.times(end: end)
        generator.requestedTimeToleranceBefore = tolerance
        generator.requestedTimeToleranceAfter = tolerance
        if let size = options.size {
            generator.maximumSize = CGSize(width: size.width, height: size.height)
        } else if options.makesSheet {
            generator.maximumSize = CGSize(width: 320, height: 240)
        }
        var run = try FramesRun(options, times: times, report: report)
        if options.makesSheet { generator.pixelFormat = .bgra }
        for await generated in generator.images(for: times) {
            do {
                try await run.take(generated)
            } catch {
                throw RecordingFailure(.output, error)
            }
        }
        do { return try await run.finish() } catch { throw RecordingFailure(.output, error) }
    }

    /// What happens meanwhile.
    public enum Event: Sendable {
        case wrote(String)
        case failed(String)
    }

    private func end(of asset: Asset) async throws(RecordingFailure) -> MediaTime {
        do throws(MediaError) {
            let tracks = try await asset.tracks(withMediaType: .video)
            guard let track = tracks.first else {
                throw MediaError(
                    .unsupported, "cannot make pictures of \(options.file)", reason: "it has no video track")
            }
            return track.timeRange.end
        } catch { throw RecordingFailure(.input, error) }
    }
}
