import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import TestSupport

/// Audio encoded by one of our encoders, and ffmpeg's decoding of it.
struct EncodedAudio {
    let format: AudioFormat
    let primingFrames: Int
    let packets: [SampleBuffer]

    /// - Parameter pcm: complete audio frames of `input`; they are encoded in blocks of a device's size.
    init(_ settings: AudioSettings, input: AudioFormat, pcm: UnsafeRawBufferPointer) throws {
        let encoder = try AudioEncoders.open(settings, input: input)
        encoder.setAnchor(.zero)
        var packets: [SampleBuffer] = []
        let block = 441 * (input.bytesPerFrame ?? 1)
        for start in stride(from: 0, to: pcm.count, by: block) {
            let piece = UnsafeRawBufferPointer(rebasing: pcm[start..<min(start + block, pcm.count)])
            try encoder.encode(piece) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        format = encoder.format
        primingFrames = encoder.primingFrames
        self.packets = packets
    }

    init<Number>(_ settings: AudioSettings, input: AudioFormat, _ samples: [Number]) throws {
        self = try samples.withUnsafeBytes { try EncodedAudio(settings, input: input, pcm: $0) }
    }

    var bytes: [UInt8] {
        packets.flatMap { packet -> [UInt8] in
            if case .data(let data) = packet.content { Array(data.bytes) } else { [] }
        }
    }

    /// Decodes the AAC packets with headers of their own (ISO/IEC 13818-7, 6.2): priming and padding are still there.
    func decodedADTS() throws -> [Float] {
        var stream: [UInt8] = []
        let rateIndex = format.decoderConfiguration[0] << 1 & 0x0E | format.decoderConfiguration[1] >> 7
        let channels = format.decoderConfiguration[1] >> 3 & 0x0F
        for packet in packets {
            let length = packet.byteCount + 7
            stream += [
                0xFF, 0xF1, 0x40 | rateIndex << 2 | channels >> 2, channels << 6 | UInt8(length >> 11),
                UInt8(truncatingIfNeeded: length >> 3), UInt8(truncatingIfNeeded: length << 5) | 0x1F, 0xFC,
            ]
            if case .data(let data) = packet.content { stream += Array(data.bytes) }
        }
        let directory = try TemporaryDirectory()
        try Data(stream).write(to: directory.file("audio.aac"))
        return try Self.decode(directory.path("audio.aac"))
    }

    /// Decodes the packets from a movie: the samples of all channels in the decoder's order, interleaved.
    func decodedMovie() throws -> [Float] {
        let directory = try TemporaryDirectory()
        let storage = try DiskFile(path: directory.path("audio.mov"), mode: .create)
        let track = MovieTrack(
            id: 1, mediaType: .audio, format: .audio(format), timeScale: Int32(format.sampleRate),
            primingFrames: primingFrames)
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: 0, metadata: [], tracks: [track], sessionStart: .zero)
        try writer.writeFragment(packets.map { TrackSample(track: 0, sample: $0) })
        return try Self.decode(directory.path("audio.mov"))
    }

    private static func decode(_ path: String) throws -> [Float] {
        let result = try Command.run(
            "ffmpeg", "-v", "fatal", "-i", path, "-map", "0:a:0", "-f", "f32le", "-c:a", "pcm_f32le", "-")
        guard result.status == 0 else { throw Command.Failure(description: "ffmpeg \(path): \(result.errors)") }
        return result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
