import AudioFiles
public import Foundation
import MediaTypes

/// An audio file that is read or written frame by frame. A file may be used by only one thread at a time. Its calls
/// wait for the disk.
open class AVAudioFile: NSObject {
    public let url: URL
    /// The format of the audio in the file.
    public let fileFormat: AVAudioFormat
    /// The format of the buffers for `read` and `write`.
    public let processingFormat: AVAudioFormat
    private var reader: AudioFileReader?
    private var writer: (any AudioFileWriter)?
    /// The first error of `length` or `framePosition`. These properties cannot throw, so `read` and `write` throw the
    /// error.
    private var failure: MediaError?
    /// The value of `length` after the file is closed.
    private var finalLength: AVAudioFramePosition = 0
    private var finalPosition: AVAudioFramePosition = 0

    /// Opens a file for reading as 32-bit floating point samples, with a buffer for each channel.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
        let reader = try AudioError.converting { () throws(MediaError) -> AudioFileReader in
            try AudioFileReader(url: fileURL, pcm: try AVAudioFile.samples(format))
        }
        url = fileURL
        fileFormat = AVAudioFormat(reader.format)
        processingFormat = AVAudioFormat(processing: reader.output, isInterleaved: interleaved)
        self.reader = reader
        super.init()
    }

    /// Creates a file that is written from 32-bit floating point samples, with a buffer for each channel. An existing
    /// file is replaced.
    ///
    /// - Parameter settings: the settings of an `AVAssetWriterInput`, and `AVAudioFileTypeKey`. Without this key, the
    ///   file name's extension selects the kind of file.
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        try self.init(
            forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    public init(
        forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        let (writer, input) = try AVAudioFile.create(fileURL, settings, format, replacesExisting: true)
        url = fileURL
        fileFormat = AVAudioFormat(writer.format)
        processingFormat = AVAudioFormat(processing: input, isInterleaved: interleaved)
        self.writer = writer
        super.init()
    }

    /// Creates a file. An existing file is replaced if `replacesExisting` is true. Otherwise the call fails.
    init(
        creating fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool,
        replacesExisting: Bool
    ) throws {
        let (writer, input) = try AVAudioFile.create(fileURL, settings, format, replacesExisting: replacesExisting)
        url = fileURL
        fileFormat = AVAudioFormat(writer.format)
        processingFormat = AVAudioFormat(processing: input, isInterleaved: interleaved)
        self.writer = writer
        super.init()
    }

    deinit { close() }

    /// Returns the writer of a new file and the format of its input.
    private static func create(
        _ url: URL, _ settings: [String: Any], _ format: AVAudioCommonFormat, replacesExisting: Bool
    ) throws -> (any AudioFileWriter, AudioFormat) {
        let (target, input) = try AudioError.converting { () throws(MediaError) -> (AudioFileTarget, AudioFormat) in
            let target = try AudioFileTarget(url, settings)
            let input = AudioFormat(
                pcm: try AVAudioFile.samples(format), sampleRate: target.sampleRate,
                channelCount: target.channelCount, layout: target.layout)
            return (target, input)
        }
        let writer = try AudioError.converting { () throws(MediaError) -> any AudioFileWriter in
            try AudioFileWriters.open(
                url, target.kind, settings: target.settings, input: input, replacesExisting: replacesExisting)
        }
        return (writer, input)
    }

    private static func samples(_ format: AVAudioCommonFormat) throws(MediaError) -> PCMSampleFormat {
        guard let pcm = format.pcm else {
            throw MediaError(
                .invalidSettings, "cannot process audio as otherFormat", reason: "it is not one of the common formats")
        }
        return pcm
    }

    // MARK: Reading

    /// Fills a buffer with the next frames. `frameLength` is smaller than the capacity only at the end of the file, and
    /// 0 if no frames are left.
    open func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Reads at most `frames` frames, and at most as many as the buffer's capacity.
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        try check(buffer)
        buffer.frameLength = 0
        var place = 0
        let size = buffer.frameSize
        try AudioError.converting { () throws(MediaError) -> Void in
            if let failure { throw failure }
            guard let reader else { throw refusal("cannot read") }
            _ = try reader.read(Int(min(frames, buffer.frameCapacity))) { piece in
                buffer.store(piece, at: place)
                place += piece.count / size
            }
        }
        buffer.frameLength = AVAudioFrameCount(clamping: place)
    }

    /// The number of frames in the file. For some files, only decoding can determine it. Then the first use decodes the
    /// file, and the value is the number of frames before the first damage.
    open var length: AVAudioFramePosition {
        if let writer { return writer.frameCount }
        guard let reader else { return finalLength }
        do throws(MediaError) { return try reader.countFrames() } catch {
            failure = failure ?? error
            return 0
        }
    }

    /// The index of the next frame to read. For a file that is being written, it is always the end of the file.
    open var framePosition: AVAudioFramePosition {
        get { writer?.frameCount ?? reader?.position ?? finalPosition }
        set {
            guard let reader else { return }
            do throws(MediaError) { try reader.seek(to: newValue) } catch { failure = failure ?? error }
        }
    }

    // MARK: Writing

    /// Writes the valid frames of the buffer.
    open func write(from buffer: AVAudioPCMBuffer) throws {
        try check(buffer)
        try AudioError.converting { () throws(MediaError) -> Void in
            if let failure { throw failure }
            guard let writer else { throw refusal("cannot write") }
            guard buffer.frameLength > 0 else { return }
            try buffer.withFrames { (frames: UnsafeRawBufferPointer) throws(MediaError) -> Void in
                try writer.write(frames)
            }
        }
    }

    open var isOpen: Bool { reader != nil || writer != nil }

    /// Finalizes and closes the file. Releasing the object does the same. To get errors, call `finish` instead.
    open func close() { try? finish() }

    private func check(_ buffer: AVAudioPCMBuffer) throws {
        guard let difference = buffer.format.difference(to: processingFormat, named: "the processing format") else {
            return
        }
        throw AudioError.make(
            MediaError(
                .invalidSample, "cannot use a buffer for \(url.path)", reason: difference,
                wayOut: "convert it with AVAudioConverter"))
    }

    private func refusal(_ action: String) -> MediaError {
        let purpose = writer == nil ? "it was opened for reading" : "it was opened for writing"
        return MediaError(
            .invalidState, "\(action) \(url.path)", reason: isOpen ? purpose : "the file is closed already")
    }
}

/// Additions to Apple's class.
extension AVAudioFile {
    /// Finalizes and closes the file. Throws the errors that `close` cannot report: a full disk, or a failed encoder.
    public func finish() throws {
        guard isOpen else { return }
        (finalLength, finalPosition) = (writer?.frameCount ?? 0, framePosition)
        let writer = self.writer
        self.writer = nil
        reader = nil
        if let writer { try AudioError.converting { () throws(MediaError) -> Void in try writer.finish() } }
    }
}

extension AVAudioFormat {
    /// Creates a processing format from the library's format, interleaved or not.
    convenience init(processing format: AudioFormat, isInterleaved: Bool) {
        let channels = AVAudioChannelCount(clamping: format.channelCount)
        let layout = format.layout ?? (format.channelCount > 2 ? .discrete(format.channelCount) : nil)
        self.init(
            AudioStreamBasicDescription(
                pcm: format.pcm ?? .float32, sampleRate: Double(format.sampleRate), channels: channels,
                isInterleaved: isInterleaved),
            layout.map { AVAudioChannelLayout($0) })
    }
}
