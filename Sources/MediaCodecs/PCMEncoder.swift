import CFFmpeg
package import MediaTypes

/// Stores linear PCM: converts sample format, rate and channels, compresses nothing.
package final class PCMEncoder: AudioEncoder {
    package let format: AudioFormat
    package let primingFrames = 0
    package private(set) var framesEncoded: Int64 = 0

    private let converter: AudioConverter
    private let widens: Bool
    private let narrows: Bool
    /// Bytes of one converted frame.
    private let convertedFrameSize: Int
    private var anchor: Int64 = 0
    /// Frames in one packet: small enough to interleave well, large enough to cost nothing.
    private let framesPerBlock = 1024

    init(input: AudioFormat, output: AudioFormat) throws(MediaError) {
        let pcm = output.pcm ?? .s16
        var widened = input
        widens = input.pcm == .s24
        if widens { widened.pcm = .s32 }
        narrows = pcm == .s24
        format = output
        converter = try AudioConverter(input: widened, output: output, sampleFormat: pcm.libavFormat)
        convertedFrameSize = (narrows ? 4 : pcm.byteCount) * output.channelCount
    }

    package func setAnchor(_ time: MediaTime) { anchor = time.ticks(in: Int32(format.sampleRate)) }

    package func encode(_ pcm: UnsafeRawBufferPointer, output: (SampleBuffer) -> Void) throws(MediaError) {
        if widens { try converter.put(PackedPCM.widen(pcm)) } else { try converter.put(pcm) }
        try emit(output: output)
    }

    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        converter.drain()
        try emit(output: output)
    }

    private func emit(output: (SampleBuffer) -> Void) throws(MediaError) {
        while true {
            var count = 0
            var failure: MediaError?
            var block = [UInt8](unsafeUninitializedCapacity: framesPerBlock * convertedFrameSize) {
                bytes, initialized in
                var plane: UnsafeMutablePointer<UInt8>? = bytes.baseAddress
                do throws(MediaError) {
                    count = try converter.fetch(&plane, frames: framesPerBlock)
                } catch { failure = error }
                initialized = count * convertedFrameSize
            }
            if let failure { throw failure }
            guard count > 0 else { return }
            if narrows { block = block.withUnsafeBytes { PackedPCM.narrow($0) } }
            let scale = Int32(format.sampleRate)
            output(
                SampleBuffer(
                    format: .audio(format), content: .data(MediaData(block)),
                    presentationTime: MediaTime(value: anchor + framesEncoded, timescale: scale),
                    duration: MediaTime(value: Int64(count), timescale: scale), sampleCount: count))
            framesEncoded += Int64(count)
        }
    }
}
