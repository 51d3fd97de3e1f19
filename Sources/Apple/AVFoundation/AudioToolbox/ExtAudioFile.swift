import Foundation
import MediaTypes

/// A file that is read or written in the client's format. `ExtAudioFileDispose` closes it.
public typealias ExtAudioFileRef = OpaquePointer

/// The state behind an `ExtAudioFileRef`. May be used by only one thread at a time.
final class ExtAudioFile {
    /// The format of the caller's buffers.
    private(set) var clientFormat: AVAudioFormat
    let fileFormat: AVAudioFormat
    private(set) var file: AVAudioFile?
    private var isWriting = false
    /// Converts between the file's format and the client's rate and channels; nil if no conversion is needed.
    private var converter: AVAudioConverter?
    /// The position in the file, in frames, at the last change of the client's format or the last seek.
    private var origin: Int64 = 0
    /// The number of frames that were read or written since `origin`, in the client's rate.
    private var position: Int64 = 0

    /// The maximum number of frames that are read from the file at once. The limit keeps the memory small.
    private static let pieceLength: AVAudioFrameCount = 16_384

    init(reading url: URL) throws {
        var file = try AVAudioFile(forReading: url)
        let form = Self.lossless(file.fileFormat)
        if form != .pcmFormatFloat32 {
            file = try AVAudioFile(forReading: url, commonFormat: form, interleaved: true)
        }
        self.file = file
        fileFormat = file.fileFormat
        clientFormat = file.processingFormat
        // The client's format is the file's format until the client sets another.
        if fileFormat.engine?.pcm != nil { _ = setClient(fileFormat) }
    }

    /// Creates a file with linear PCM or a codec. Throws if the file cannot be created.
    init(
        writing url: URL, _ type: AudioFileTypeID, _ format: AVAudioFormat, replacesExisting: Bool
    ) throws {
        var settings = format.settings
        settings[AVAudioFileTypeKey] = Int(type)
        settings[AVEncoderBitDepthHintKey] = format.losslessBitDepth
        let file = try AVAudioFile(
            creating: url, settings: settings, commonFormat: Self.lossless(format), interleaved: true,
            replacesExisting: replacesExisting)
        self.file = file
        isWriting = true
        fileFormat = format
        clientFormat = file.processingFormat
        if format.engine?.pcm != nil { _ = setClient(format) }
    }

    /// Returns the common format that preserves every bit of a format.
    private static func lossless(_ format: AVAudioFormat) -> AVAudioCommonFormat {
        switch format.engine?.pcm {
        case .s8, .s16: .pcmFormatInt16
        case .s24, .s32: .pcmFormatInt32
        case .float64: .pcmFormatFloat64
        case .float32, nil: .pcmFormatFloat32
        }
    }

    /// Sets the format of the caller's buffers. All frames that the client has already written reach the file. Reading
    /// continues after the last frame that the client has read.
    func setClient(_ format: AVAudioFormat) -> OSStatus {
        guard format.streamDescription.pointee.mFormatID == kAudioFormatLinearPCM, let file else {
            return kExtAudioFileError_NonPCMClientFormat
        }
        if let layout = format.channelLayout, layout.channelCount != format.channelCount {
            return kExtAudioFileError_InvalidDataFormat
        }
        var next: AVAudioConverter?
        if format.difference(to: file.processingFormat, named: "the file's") != nil {
            let from = isWriting ? format : file.processingFormat
            let to = isWriting ? file.processingFormat : format
            guard let made = AVAudioConverter(from: from, to: to) else { return kExtAudioFileError_InvalidDataFormat }
            next = made
        }
        let place = tell
        if isWriting, position > 0, let converter {
            // The resampler holds the last frames.
            let status = AudioError.status { try drain(converter, to: file, atEnd: true) { nil } }
            guard status == noErr else { return status }
        }
        (clientFormat, converter) = (format, next)
        (origin, position) = (place, 0)
        // The old converter has read ahead, so the file is moved back to where the client stopped.
        if !isWriting, place > 0 { file.framePosition = place }
        return noErr
    }

    /// Returns frames in the client's format. Returns fewer than requested only at the end of the file.
    func read(_ frames: AVAudioFrameCount) throws -> AVAudioPCMBuffer {
        guard !isWriting, let file else {
            throw AudioError.make(
                MediaError(.invalidState, "cannot read an audio file", reason: "it was opened for writing"))
        }
        let buffer = try makeBuffer(clientFormat, frames)
        if let converter {
            try convert(converter, to: buffer) { wanted in
                let piece = try makeBuffer(file.processingFormat, min(wanted, Self.pieceLength))
                try file.read(into: piece)
                return piece.frameLength > 0 ? piece : nil
            }
        } else {
            try file.read(into: buffer)
        }
        position += Int64(buffer.frameLength)
        return buffer
    }

    private func makeBuffer(_ format: AVAudioFormat, _ frames: AVAudioFrameCount) throws -> AVAudioPCMBuffer {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames) else {
            throw AudioError.make(
                MediaError(
                    .invalidSample, "cannot make a buffer of \(frames) frames",
                    reason: "it would be larger than 4 GiB", wayOut: "use fewer frames"))
        }
        return buffer
    }

    private func convert(
        _ converter: AVAudioConverter, to buffer: AVAudioPCMBuffer,
        _ next: (AVAudioFrameCount) throws -> AVAudioPCMBuffer?
    ) throws {
        var (error, failure): (NSError?, (any Error)?)
        let status = converter.convert(to: buffer, error: &error) { wanted, status in
            do {
                let piece = try next(max(wanted, 1))
                status.pointee = piece == nil ? .endOfStream : .haveData
                return piece
            } catch let caught {
                failure = caught
                status.pointee = .noDataNow
                return nil
            }
        }
        if let failure, buffer.frameLength == 0 { throw failure }
        if status == .error, let error { throw error }
    }

    func write(_ buffer: AVAudioPCMBuffer) throws {
        guard isWriting, let file else {
            throw AudioError.make(
                MediaError(.invalidState, "cannot write an audio file", reason: "it was opened for reading"))
        }
        if let converter {
            var rest: AVAudioPCMBuffer? = buffer
            try drain(converter, to: file) {
                defer { rest = nil }
                return rest
            }
        } else {
            try file.write(from: buffer)
        }
        position += Int64(buffer.frameLength)
    }

    /// Writes the output of a converter. `next` returns the converter's input, or nil if there is none now.
    private func drain(
        _ converter: AVAudioConverter, to file: AVAudioFile, atEnd: Bool = false, _ next: () -> AVAudioPCMBuffer?
    ) throws {
        guard let output = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 8192) else { return }
        while true {
            var error: NSError?
            let status = converter.convert(to: output, error: &error) { _, status in
                let piece = next()
                status.pointee = piece != nil ? .haveData : atEnd ? .endOfStream : .noDataNow
                return piece
            }
            if status == .error { throw error ?? AudioError.make(.init(.codecFailure, "cannot convert", reason: "")) }
            try file.write(from: output)
            if status != .haveData { return }
        }
    }

    /// Moves the read position to a frame of the file.
    func seek(to frame: Int64) -> OSStatus {
        guard !isWriting, let file else { return kExtAudioFileError_InvalidSeek }
        file.framePosition = frame
        converter?.reset()
        (origin, position) = (file.framePosition, 0)
        return noErr
    }

    /// The position of the next frame, counted at the file's rate.
    var tell: Int64 {
        origin + Int64(clamping: (Double(position) * fileRate / max(1, clientFormat.sampleRate)).rounded())
    }

    private var fileRate: Double { file?.processingFormat.sampleRate ?? clientFormat.sampleRate }

    func close() throws {
        defer { file = nil }
        if isWriting, let converter, let file { try drain(converter, to: file, atEnd: true) { nil } }
        try file?.finish()
    }
}
