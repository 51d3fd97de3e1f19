import AssetIO
import Foundation
import MediaTypes

/// Writes an MPEG-4 audio file with the library's movie writer.
///
/// The writer's edit list leaves out the encoder's priming and the unused end of the last packet, so the file lasts
/// exactly as long as its input.
final class MovieAudioFile: AudioFileWriter {
    let format: AudioFormat
    private(set) var frameCount: Int64 = 0

    private let writer: AssetWriter
    private let input: AssetWriterInput
    private let feed: BlockingFeed
    private let source: AudioFormat
    private let frameSize: Int
    private var isFinished = false

    /// Frames in one sample: small enough for the writer's queue.
    private static let sampleLength = 8192

    init(
        _ url: URL, settings: AudioSettings, input source: AudioFormat, replacesExisting: Bool
    ) throws(MediaError) {
        guard settings.codec == .aac || settings.codec == .alac else {
            throw MediaError(
                .invalidSettings, "cannot write \(url.path)",
                reason: "a .m4a file has aac or alac, not \(settings.codec)")
        }
        self.source = source
        frameSize = source.bytesPerFrame ?? 1
        let rate = settings.sampleRate ?? source.sampleRate
        let channels = settings.channelCount ?? source.channelCount
        format = AudioFormat(
            codec: settings.codec, sampleRate: rate, channelCount: channels,
            layout: settings.layout ?? (channels == source.channelCount ? source.layout : nil),
            framesPerPacket: settings.codec == .aac ? 1024 : 4096)
        input = try AudioFileWriters.naming(url.path) { () throws(MediaError) -> AssetWriterInput in
            try AssetWriterInput(
                mediaType: .audio, outputSettings: .audio(settings), sourceFormatHint: .audio(source))
        }
        feed = BlockingFeed(input)
        writer = try AssetWriter(outputURL: url, fileType: .m4a)
        try writer.configure { configuration in
            configuration.overwritesExistingFile = replacesExisting
            // The edit list counts in audio frames.
            configuration.movieTimeScale = Int32(clamping: max(1, rate))
        }
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
    }

    func write(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        guard !isFinished else {
            throw MediaError(
                .invalidState, "cannot write \(writer.outputURL.path)", reason: "the file is closed already")
        }
        let frames = pcm.count / frameSize
        for start in stride(from: 0, to: frames, by: Self.sampleLength) {
            let end = min(frames, start + Self.sampleLength)
            let part = UnsafeRawBufferPointer(rebasing: pcm[(start * frameSize)..<(end * frameSize)])
            try feed.append(
                SampleBuffer(pcm: MediaData(copying: part), format: source, presentationTime: time))
            frameCount += Int64(end - start)
        }
    }

    func finish() throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        if let error = writer.error { throw error }
        // A movie needs a sample.
        guard frameCount > 0 else { return writer.cancelWriting() }
        input.markAsFinished()
        try writer.finishWritingNow()
    }

    deinit {
        if !isFinished { writer.cancelWriting() }
    }

    /// The time of the next frame.
    private var time: MediaTime { MediaTime(value: frameCount, timescale: Int32(clamping: source.sampleRate)) }
}
