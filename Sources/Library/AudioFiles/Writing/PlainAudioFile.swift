import FileSystem
import MediaCodecs
import MediaTypes
import MovieFile

/// Writes a file that consists of a head, the audio and a tail.
///
/// The head is written at the beginning without sizes, and again at the end. A file that was never finished can be read
/// up to its end. Only Apple Lossless in a CAF file cannot, because its table of packets is in the tail.
final class PlainAudioFile: AudioFileWriter {
    let format: AudioFormat
    private(set) var frameCount: Int64 = 0

    private let file: DiskFile
    private let container: any AudioContainer
    private let encoder: any AudioEncoder
    private let inputFrameSize: Int
    private var extent = AudioExtent()
    private let headLength: UInt64
    private var isFinished = false
    /// The first error; no audio is written after it.
    private var failure: MediaError?

    /// - Parameter container: the layout of the file; nil for the layout of its kind.
    init(
        path: String, _ kind: AudioFileKind, settings: AudioSettings, input: AudioFormat,
        replacesExisting: Bool, container given: (any AudioContainer)? = nil
    ) throws(MediaError) {
        let encoder = try AudioFileWriters.naming(path) { () throws(MediaError) -> any AudioEncoder in
            try AudioEncoders.open(settings, input: input)
        }
        self.encoder = encoder
        format = encoder.format
        inputFrameSize = input.bytesPerFrame ?? 1
        let usual = try AudioFileWriters.naming(path) { () throws(MediaError) -> (any AudioContainer)? in
            try kind.container(of: encoder.format)
        }
        guard let container = given ?? usual else {
            throw MediaError(
                .unsupported, "cannot write \(path)", reason: "this writer does not support .\(kind.rawValue) files")
        }
        self.container = container
        encoder.setAnchor(.zero)
        file = try Self.create(path, replacesExisting: replacesExisting)
        let head = container.head(nil)
        headLength = UInt64(head.count)
        try Self.write(head, to: file, at: 0)
    }

    /// Creates the file, or empties an existing file if that is to be replaced.
    private static func create(_ path: String, replacesExisting: Bool) throws(MediaError) -> DiskFile {
        do throws(MediaError) {
            return try DiskFile(path: path, mode: .create)
        } catch {
            guard error.code == .outputExists, replacesExisting, !PinFile.isThere(path) else { throw error }
            let file = try DiskFile(path: path, mode: .update)
            try file.truncate(to: 0)
            return file
        }
    }

    func write(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        if let failure { throw failure }
        guard !isFinished else {
            throw MediaError(.invalidState, "cannot write \(file.path)", reason: "the file is closed already")
        }
        try keepingFailure { () throws(MediaError) in
            var packets: [SampleBuffer] = []
            try encoder.encode(pcm) { packets.append($0) }
            for packet in packets { try store(packet) }
            frameCount += Int64(pcm.count / inputFrameSize)
        }
    }

    func finish() throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        defer { file.close() }
        if let failure {
            // The file is complete up to the failure, if the disk still works. The first error is the cause.
            try? complete()
            throw failure
        }
        try keepingFailure { () throws(MediaError) in
            var packets: [SampleBuffer] = []
            try encoder.finish { packets.append($0) }
            for packet in packets { try store(packet) }
            // The last packet is counted as full until here.
            extent.frameCount = encoder.framesEncoded
            try complete()
        }
    }

    /// Writes the tail and the final head, and makes the file and its name durable.
    private func complete() throws(MediaError) {
        let (tail, end) = (container.tail(extent), headLength + extent.byteCount)
        try Self.write(tail, to: file, at: end)
        try Self.write(container.head(extent), to: file, at: 0)
        // A write that failed may have left a part of its bytes.
        try file.truncate(to: end + UInt64(tail.count))
        try file.synchronize()
        try DiskFile.synchronizeDirectory(of: file.path)
    }

    private func keepingFailure(_ work: () throws(MediaError) -> Void) throws(MediaError) {
        do throws(MediaError) {
            try work()
        } catch {
            failure = error
            throw error
        }
    }

    private func store(_ packet: SampleBuffer) throws(MediaError) {
        guard case .data(let data) = packet.content else { return }
        var bytes = [UInt8](data.bytes)
        container.adapt(&bytes)
        if let largest = container.largestByteCount, extent.byteCount + UInt64(bytes.count) > largest {
            throw MediaError(
                .invalidSettings, "cannot write \(file.path)", reason: "this kind of file has at most 2 GiB",
                wayOut: "use a .caf or .wav file")
        }
        try Self.write(bytes, to: file, at: headLength + extent.byteCount)
        extent.add(bytes.count, frames: Int64(packet.sampleCount), isPacket: format.pcm == nil)
    }

    private static func write(_ bytes: [UInt8], to file: DiskFile, at offset: UInt64) throws(MediaError) {
        guard !bytes.isEmpty else { return }
        var failure: MediaError?
        bytes.withUnsafeBytes { bytes in
            do throws(MediaError) { try file.write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
