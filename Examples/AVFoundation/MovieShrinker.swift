import AVFoundation

/// Makes a movie small enough to share: at most 640 points wide, with a new soundtrack of 96 kbit/s, in its original
/// orientation.
///
/// The code is written as for an app, and contains nothing specific to Linux.
public final class MovieShrinker: Sendable {
    public enum Failure: Error {
        case noVideo
        case cannotEncode
    }

    private let asset: AVAsset
    private let queue = DispatchQueue(label: "movie-shrinker")

    public init(url: URL) { asset = AVURLAsset(url: url) }

    /// - Parameter completion: a handler called once, on a private queue, with the error or nil.
    public func shrink(to url: URL, completion: @escaping @Sendable ((any Error)?) -> Void) throws {
        guard let video = asset.tracks(withMediaType: .video).first else { throw Failure.noVideo }
        let reader = try AVAssetReader(asset: asset)
        let writer = try AVAssetWriter(outputURL: url, fileType: .mp4)
        writer.shouldOptimizeForNetworkUse = true
        var pairs = [try frames(of: video, reader, writer)]
        if let audio = asset.tracks(withMediaType: .audio).first {
            pairs.append(try self.audio(of: audio, reader, writer))
        }

        guard writer.startWriting() else { throw writer.error ?? Failure.cannotEncode }
        guard reader.startReading() else { throw reader.error ?? Failure.cannotEncode }
        writer.startSession(atSourceTime: .zero)

        let group = DispatchGroup()
        for (output, input) in pairs {
            group.enter()
            input.requestMediaDataWhenReady(on: queue) {
                while input.isReadyForMoreMediaData {
                    guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
                        input.markAsFinished()
                        group.leave()
                        return
                    }
                }
            }
        }
        group.notify(queue: queue) {
            guard reader.status == .completed else {
                writer.cancelWriting()
                return completion(reader.error ?? writer.error)
            }
            writer.finishWriting { completion(writer.error) }
        }
    }

    private func frames(
        of track: AVAssetTrack, _ reader: AVAssetReader, _ writer: AVAssetWriter
    ) throws -> (AVAssetReaderOutput, AVAssetWriterInput) {
        let scale = min(1, 640 / track.naturalSize.width)
        let output = AVAssetReaderTrackOutput(
            track: track,
            outputSettings: [
                kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            ])
        output.alwaysCopiesSampleData = false
        let input = AVAssetWriterInput(
            mediaType: .video,
            outputSettings: [
                AVVideoCodecKey: AVVideoCodecType.h264,
                AVVideoWidthKey: (track.naturalSize.width * scale / 2).rounded() * 2,
                AVVideoHeightKey: (track.naturalSize.height * scale / 2).rounded() * 2,
                AVVideoCompressionPropertiesKey: [
                    AVVideoAverageBitRateKey: 1_000_000,
                    AVVideoProfileLevelKey: AVVideoProfileLevelH264HighAutoLevel,
                ],
            ])
        input.transform = track.preferredTransform
        return try join(output, input, reader, writer)
    }

    private func audio(
        of track: AVAssetTrack, _ reader: AVAssetReader, _ writer: AVAssetWriter
    ) throws -> (AVAssetReaderOutput, AVAssetWriterInput) {
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
        let input = AVAssetWriterInput(
            mediaType: .audio,
            outputSettings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
                AVEncoderBitRateKey: 96_000,
            ])
        return try join(output, input, reader, writer)
    }

    private func join(
        _ output: AVAssetReaderOutput, _ input: AVAssetWriterInput, _ reader: AVAssetReader, _ writer: AVAssetWriter
    ) throws -> (AVAssetReaderOutput, AVAssetWriterInput) {
        guard reader.canAdd(output), writer.canAdd(input) else { throw Failure.cannotEncode }
        reader.add(output)
        writer.add(input)
        return (output, input)
    }
}
