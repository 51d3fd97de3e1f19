import AVFoundation

/// Reads the samples of an asset through one output (listings 1 to 5).
final class SampleReader {
    /// What an output returned.
    struct Summary {
        var buffers = 0
        var samples = 0
        var firstBuffer: CMSampleBuffer?
        var lastTime = CMTime.invalid
    }

    enum Failure: Error {
        case noOutput
        case cannotRead
    }

    let reader: AVAssetReader
    private(set) var output: AVAssetReaderOutput?

    /// Listing 1: a reader of an asset.
    init(_ asset: AVAsset) throws {
        reader = try AVAssetReader(asset: asset)
    }

    /// Listing 2: an output that decodes the first audio track.
    func addAudioOutput() -> Bool {
        guard let track = reader.asset.tracks(withMediaType: .audio).first else { return false }
        let settings: [String: Any] = [AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM)]
        return add(AVAssetReaderTrackOutput(track: track, outputSettings: settings))
    }

    /// Listing 3: an output that mixes all audio tracks of a composition.
    func addMixOutput(_ mix: AVAudioMix) -> Bool {
        guard let composition = reader.asset as? AVComposition else { return false }
        let settings: [String: Any] = [AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM)]
        let output = AVAssetReaderAudioMixOutput(
            audioTracks: composition.tracks(withMediaType: .audio), audioSettings: settings)
        output.audioMix = mix
        return add(output)
    }

    /// Listing 4: an output that renders the video tracks of a composition as ARGB.
    func addRenderedOutput(_ videoComposition: AVVideoComposition) -> Bool {
        guard let composition = reader.asset as? AVComposition else { return false }
        let settings: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey as String: NSNumber(value: kCVPixelFormatType_32ARGB),
            kCVPixelBufferIOSurfacePropertiesKey as String: NSDictionary(),
        ]
        let output = AVAssetReaderVideoCompositionOutput(
            videoTracks: composition.tracks(withMediaType: .video), videoSettings: settings)
        output.videoComposition = videoComposition
        return add(output)
    }

    /// Adds an output for frames of the first video track.
    func addVideoOutput(_ pixelFormat: OSType) -> Bool {
        guard let track = reader.asset.tracks(withMediaType: .video).first else { return false }
        let settings: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey as String: NSNumber(value: pixelFormat)
        ]
        return add(AVAssetReaderTrackOutput(track: track, outputSettings: settings))
    }

    private func add(_ output: AVAssetReaderOutput) -> Bool {
        // Nothing here changes the samples.
        output.alwaysCopiesSampleData = false
        guard reader.canAdd(output) else { return false }
        reader.add(output)
        self.output = output
        return true
    }

    /// Listing 5: reads until the output is exhausted.
    func readAll() throws -> Summary {
        guard let output else { throw Failure.noOutput }
        guard reader.startReading() else { throw reader.error ?? Failure.cannotRead }
        var summary = Summary()
        while let buffer = output.copyNextSampleBuffer() {
            summary.buffers += 1
            summary.samples += CMSampleBufferGetNumSamples(buffer)
            summary.lastTime = CMSampleBufferGetPresentationTimeStamp(buffer)
            if summary.firstBuffer == nil { summary.firstBuffer = buffer }
        }
        // Without a failure, all samples were read.
        if reader.status == .failed { throw reader.error ?? Failure.cannotRead }
        return summary
    }
}
