import AVFoundation

/// Writes a movie with one track (listings 6 to 11).
final class TrackWriter: @unchecked Sendable {
    // Unchecked: after `write` was called, only the queue uses the object until the completion handler is called.
    enum Failure: Error {
        case cannotWrite
        case cannotDraw
    }

    let writer: AVAssetWriter
    private(set) var input: AVAssetWriterInput?
    private(set) var adaptor: AVAssetWriterInputPixelBufferAdaptor?

    /// Listing 6: a writer of a QuickTime movie.
    init(_ url: URL) throws {
        writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    }

    /// Listing 7: an input that encodes audio as AAC, in stereo with 128 kbit/s.
    func addAudioInput() -> Bool {
        add(AVAssetWriterInput(mediaType: .audio, outputSettings: Self.stereoSettings))
    }

    static var stereoSettings: [String: Any] {
        var layout = AudioChannelLayout(
            mChannelLayoutTag: kAudioChannelLayoutTag_Stereo, mChannelBitmap: AudioChannelBitmap(rawValue: 0),
            mNumberChannelDescriptions: 0, mChannelDescriptions: AudioChannelDescription())
        // A layout without descriptions ends where they would begin.
        let size = MemoryLayout<AudioChannelLayout>.offset(of: \.mChannelDescriptions) ?? 0
        return [
            AVFormatIDKey: NSNumber(value: kAudioFormatMPEG4AAC),
            AVEncoderBitRateKey: NSNumber(value: 128_000),
            AVSampleRateKey: NSNumber(value: 44_100),
            AVNumberOfChannelsKey: NSNumber(value: 2),
            AVChannelLayoutKey: Data(bytes: &layout, count: size),
        ]
    }

    /// Adds an input that encodes frames as H.264.
    func addVideoInput(width: Int, height: Int) -> Bool {
        let settings: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: NSNumber(value: width),
            AVVideoHeightKey: NSNumber(value: height),
        ]
        return add(AVAssetWriterInput(mediaType: .video, outputSettings: settings))
    }

    private func add(_ input: AVAssetWriterInput) -> Bool {
        guard writer.canAdd(input) else { return false }
        writer.add(input)
        self.input = input
        return true
    }

    /// Listing 8: shows the track as an asset's video is shown, rotated or not.
    func keepTransform(of asset: AVAsset) {
        guard let track = asset.tracks(withMediaType: .video).first else { return }
        input?.transform = track.preferredTransform
    }

    /// Listing 9: an adaptor for frames that the program draws.
    func addAdaptor() {
        guard let input else { return }
        let attributes: [String: Any] = [
            kCVPixelBufferCGImageCompatibilityKey as String: NSNumber(value: true),
            kCVPixelBufferCGBitmapContextCompatibilityKey as String: NSNumber(value: true),
            kCVPixelBufferPixelFormatTypeKey as String: NSNumber(value: kCVPixelFormatType_32ARGB),
        ]
        adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input, sourcePixelBufferAttributes: attributes)
    }

    /// Starts writing with a session at zero.
    func start() throws {
        guard writer.startWriting() else { throw writer.error ?? Failure.cannotWrite }
        writer.startSession(atSourceTime: .zero)
    }

    /// Listing 10: starts writing with a session at the middle of an asset, whose first half is left out.
    func start(atMiddleOf asset: AVAsset) throws {
        guard writer.startWriting() else { throw writer.error ?? Failure.cannotWrite }
        writer.startSession(atSourceTime: CMTimeMultiplyByFloat64(asset.duration, multiplier: 0.5))
    }

    /// Listing 11: appends samples whenever the input is ready, until there are no more.
    ///
    /// - Parameters:
    ///   - nextSample: called on `queue`; returns nil at the end.
    ///   - completion: called once, on `queue`.
    func write(
        on queue: DispatchQueue, nextSample: @escaping @Sendable () -> CMSampleBuffer?,
        completion: @escaping @Sendable () -> Void
    ) {
        guard let input else { return completion() }
        input.requestMediaDataWhenReady(on: queue) {
            while input.isReadyForMoreMediaData {
                guard let sample = nextSample(), input.append(sample) else {
                    input.markAsFinished()
                    return completion()
                }
            }
        }
    }

    /// Appends a frame that has one color, given as alpha, red, green and blue.
    func append(_ color: [UInt8], at time: CMTime) throws {
        guard let adaptor, let pool = adaptor.pixelBufferPool else { throw Failure.cannotDraw }
        var made: CVPixelBuffer?
        guard CVPixelBufferPoolCreatePixelBuffer(nil, pool, &made) == kCVReturnSuccess, let frame = made else {
            throw Failure.cannotDraw
        }
        CVPixelBufferLockBaseAddress(frame, [])
        if let start = CVPixelBufferGetBaseAddress(frame) {
            for row in 0..<CVPixelBufferGetHeight(frame) {
                let pixels = start + row * CVPixelBufferGetBytesPerRow(frame)
                for byte in 0..<4 * CVPixelBufferGetWidth(frame) {
                    pixels.storeBytes(of: color[byte % 4], toByteOffset: byte, as: UInt8.self)
                }
            }
        }
        CVPixelBufferUnlockBaseAddress(frame, [])
        guard adaptor.append(frame, withPresentationTime: time) else { throw writer.error ?? Failure.cannotDraw }
    }
}
