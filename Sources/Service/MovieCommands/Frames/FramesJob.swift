import AssetIO
package import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Carries out `recorder frames`.
package struct FramesJob: Sendable {
    private let options: FramesOptions

    package init(_ options: FramesOptions) { self.options = options }

    /// Makes the images of all requested frames, even if some of them fail.
    ///
    /// - Parameter report: A closure that is called at once for every frame that failed, and for every file that was
    ///   written.
    /// - Returns: The result, and the first failure if there was one.
    /// - Throws: An error if no frame can be made at all.
    package func run(
        report: @escaping @Sendable (Event) -> Void
    ) async throws(RecordingFailure) -> (FramesReport, RecordingFailure?) {
        let asset = Asset(measuringUnknownDurationOf: URL(fileURLWithPath: options.file))
        let generator = FrameGenerator(asset: asset)
        let track = try await track(of: asset)
        let (times, tolerance) = options.times(end: track.timeRange.end)
        generator.requestedTimeToleranceBefore = tolerance
        generator.requestedTimeToleranceAfter = tolerance
        if let size = options.size {
            generator.maximumSize = CGSize(width: size.width, height: size.height)
        } else if options.makesSheet {
            generator.maximumSize = CGSize(width: 320, height: 240)
        }
        let headline = options.makesSheet ? try await headline(asset, track) : ""
        var run = try FramesRun(options, times: times, headline: headline, report: report)
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

    /// An event during the run.
    package enum Event: Sendable {
        case wrote(String)
        case failed(String)
    }

    /// Returns a line such as `front.mov · 10.00 s · 1.2 MB · h264 1280×720 · 25 fps`.
    private func headline(_ asset: Asset, _ track: AssetTrack) async throws(RecordingFailure) -> String {
        let url = URL(fileURLWithPath: options.file)
        let size = FolderContents.size(of: url.path)
        let length: MediaTime
        do throws(MediaError) { length = try await asset.load(.duration) } catch {
            throw RecordingFailure(.input, error)
        }
        var facts = [url.lastPathComponent, NumberText.duration(length.seconds)]
        if let size { facts.append(NumberText.bytes(size)) }
        // in range: the demuxer has read these numbers as integers
        facts.append("\(track.codecName) \(Int(track.codedSize.width))×\(Int(track.codedSize.height))")
        if track.nominalFrameRate > 0 { facts.append(NumberText.frameRate(track.nominalFrameRate)) }
        return facts.joined(separator: " · ")
    }

    private func track(of asset: Asset) async throws(RecordingFailure) -> AssetTrack {
        do throws(MediaError) {
            let tracks = try await asset.tracks(withMediaType: .video)
            guard let track = tracks.presented(.video) else {
                throw MediaError(
                    .unsupported, "cannot extract frames from \(options.file)", reason: "it has no video track")
            }
            return track
        } catch { throw RecordingFailure(.input, error) }
    }
}
