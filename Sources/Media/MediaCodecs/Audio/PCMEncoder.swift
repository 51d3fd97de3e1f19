import CFFmpeg
package import MediaTypes

/// Encodes linear PCM without compression: converts sample format, rate and channels.
package final class PCMEncoder: AudioEncoder {
    package let format: AudioFormat
    package let primingFrames = 0
    package private(set) var framesEncoded: Int64 = 0
    package var silencedValues: Int64 { converter.silencedValues }

    private let converter: AudioConverter
    private let packing: PackedPCM
    /// A block as returned by the converter.
    private let block: UnsafeMutableRawBufferPointer
    private let packets: MediaDataPool
    /// The size of an audio frame in bytes, in `block` (`convertedFrameSize`) and in the file (`storedFrameSize`).
    private let convertedFrameSize: Int
    private let storedFrameSize: Int
    private var anchor: Int64 = 0
    /// The number of audio frames in a packet: small enough for fine interleaving, large enough for low overhead.
    private static let framesPerBlock = 1024

    init(input: AudioFormat, output: AudioFormat) throws(MediaError) {
        let pcm = output.pcm ?? .s16
        packing = PackedPCM(pcm, isBigEndian: output.isBigEndian)
        format = output
        // Floating-point samples are stored as they are.
        converter = try AudioConverter(
            input: input, output: output, sampleFormat: packing.libavFormat, clearsInvalid: !pcm.isFloatingPoint)
        convertedFrameSize = packing.unpackedByteCount * output.channelCount
        storedFrameSize = pcm.byteCount * output.channelCount
        packets = MediaDataPool(byteCount: Self.framesPerBlock * storedFrameSize, capacity: 64)
        block = .allocate(byteCount: Self.framesPerBlock * convertedFrameSize, alignment: 64)
    }

    deinit { block.deallocate() }

    package func setAnchor(_ time: MediaTime) { anchor = time.ticks(in: Int32(format.sampleRate)) }

    package func encode(_ pcm: UnsafeRawBufferPointer, output: (SampleBuffer) -> Void) throws(MediaError) {
        try converter.put(pcm)
        try emit(output: output)
    }

    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        converter.drain()
        try emit(output: output)
    }

    private func emit(output: (SampleBuffer) -> Void) throws(MediaError) {
        let scale = Int32(format.sampleRate)
        while true {
            var plane = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let count = try converter.fetch(&plane, frames: Self.framesPerBlock)
            guard count > 0 else { return }
            let converted = UnsafeRawBufferPointer(rebasing: block[..<(count * convertedFrameSize)])
            let size = count * storedFrameSize
            let data = packets.makeData { target in
                packing.pack(converted, into: UnsafeMutableRawBufferPointer(rebasing: target[..<size]))
                return size
            }
            guard let data else { return }
            output(
                SampleBuffer(
                    format: .audio(format), content: .data(data),
                    presentationTime: MediaTime(value: anchor + framesEncoded, timescale: scale),
                    duration: MediaTime(value: Int64(count), timescale: scale), sampleCount: count))
            framesEncoded += Int64(count)
        }
    }
}
