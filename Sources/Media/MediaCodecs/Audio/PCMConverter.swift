import CFFmpeg
package import MediaTypes

/// Converts linear PCM between sample formats, rates and channels. The duration stays exactly the same.
///
/// The number of audio frames of the result is the input's duration times the output's rate, rounded to the nearest.
/// Called by one thread at a time.
package final class PCMConverter {
    package let input: AudioFormat
    package let output: AudioFormat
    private let converter: AudioConverter
    private let packing: PackedPCM
    private let scratch = ScratchMemory()
    private let storedFrameSize: Int
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    private var isFinished = false

    /// The maximum number of audio frames that are fetched at once.
    private static let blockLength = 4096

    /// - Parameters:
    ///   - input: interleaved linear PCM.
    ///   - output: interleaved linear PCM. Channels are mixed if their number or their loudspeakers differ.
    ///   - filterSize: the length of the resampler's filter in input frames; nil means 32.
    /// - Throws: `invalidSettings` for a format that is not linear PCM, or is out of range.
    package init(input: AudioFormat, output: AudioFormat, filterSize: Int? = nil) throws(MediaError) {
        guard let pcm = output.pcm else {
            throw MediaError(.invalidSettings, "cannot convert to \(output.codec)", reason: "it is not linear PCM")
        }
        for format in [input, output] {
            guard (1...768_000).contains(format.sampleRate), (1...64).contains(format.channelCount) else {
                throw MediaError(
                    .invalidSettings,
                    "cannot convert audio of \(format.channelCount) channels at \(format.sampleRate) Hz",
                    reason: "the limits are 1 to 64 channels and 1 to 768,000 Hz")
            }
        }
        self.input = input
        self.output = output
        packing = PackedPCM(pcm, isBigEndian: output.isBigEndian)
        storedFrameSize = pcm.byteCount * output.channelCount
        converter = try AudioConverter(
            input: input, output: output, sampleFormat: packing.libavFormat,
            filterSize: input.sampleRate == output.sampleRate ? nil : filterSize)
    }

    /// Accepts complete frames of the input format.
    package func put(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        try converter.put(pcm)
        framesIn += Int64(pcm.count / max(1, input.bytesPerFrame ?? 1))
    }

    /// Ends the input. From now on, `take` returns the remaining audio.
    package func finish() {
        converter.drain()
        isFinished = true
    }

    /// Writes as many converted frames into `target` as fit. Returns the number of frames that were written: fewer than
    /// fit only if more input is needed, or at the end.
    package func take(into target: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let expected = MediaTime(value: framesIn, timescale: Int32(clamping: input.sampleRate))
            .ticks(in: Int32(clamping: output.sampleRate))
        var wanted = target.count / storedFrameSize
        if isFinished { wanted = Int(min(Int64(wanted), max(0, expected - framesOut))) }
        var done = 0
        while done < wanted {
            let count = min(wanted - done, Self.blockLength)
            let block = scratch.bytes(count * packing.unpackedByteCount * output.channelCount)
            var plane = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let fetched = try converter.fetch(&plane, frames: count)
            guard fetched > 0 else { break }
            pack(block, frames: fetched, into: target, at: done)
            done += fetched
        }
        // The resampler may end a frame early. Silence replaces missing audio.
        if isFinished, done < wanted {
            let missing = (done * storedFrameSize)..<(wanted * storedFrameSize)
            _ = UnsafeMutableRawBufferPointer(rebasing: target[missing]).initializeMemory(as: UInt8.self, repeating: 0)
            done = wanted
        }
        framesOut += Int64(done)
        return done
    }

    private func pack(
        _ block: UnsafeMutableRawBufferPointer, frames: Int, into target: UnsafeMutableRawBufferPointer, at place: Int
    ) {
        let converted = frames * packing.unpackedByteCount * output.channelCount
        let stored = (place * storedFrameSize)..<((place + frames) * storedFrameSize)
        packing.pack(
            UnsafeRawBufferPointer(rebasing: block[..<converted]),
            into: UnsafeMutableRawBufferPointer(rebasing: target[stored]))
    }
}
