import AssetIO
import AVFoundation
import MediaCodecs
import MediaTypes

/// Converts a microphone's blocks to the form that the delegate wants, on the delegate's queue.
///
/// A block that has that form already is returned unchanged. At a different rate, the resampler's filter holds the last
/// frames of a block, about 16 at the lower rate, until the next block comes or the audio ends. Called by one thread at
/// a time.
final class AudioPreparer {
    /// The form that the delegate wants, or nil for the microphone's own.
    private let form: PCMOutput?
    private var run: AudioRun?

    /// - Parameter settings: The settings, with the keys of a reader's output; nil to deliver blocks as the microphone
    ///   does.
    /// - Throws: `invalidSettings` naming every invalid key.
    init(_ settings: [String: Any]?) throws(MediaError) {
        guard let settings else {
            form = nil
            return
        }
        let reason: String
        do throws(MediaError) {
            let words = try ReaderSettings.pcm(settings)
            guard let fault = words.fault else {
                form = PCMOutput(
                    pcm: words.format, isBigEndian: words.isBigEndian, sampleRate: words.sampleRate,
                    channelCount: words.channelCount, layout: words.layout)
                return
            }
            reason = fault
        } catch { reason = error.reason }
        throw MediaError(
            .invalidSettings, "cannot set audioSettings", reason: reason,
            wayOut: "use interleaved kAudioFormatLinearPCM, or nil for the microphone's own format")
    }

    /// Returns the form of the results for blocks of a source format.
    func format(for source: AudioFormat) -> AudioFormat { form?.format(for: source) ?? source }

    /// Converts a block. If it does not continue the previous block, the frames that the resampler held come first.
    ///
    /// - Returns: No buffer if the resampler needs more input.
    func prepare(_ block: SampleBuffer) throws(MediaError) -> [SampleBuffer] {
        let rest = run?.isContinued(by: block) == false ? finish() : []
        guard let source = block.format.audio, case .data(let data) = block.content else { return rest + [block] }
        let target = format(for: source)
        guard target != source else { return rest + [block] }
        do throws(MediaError) {
            if run == nil { run = try AudioRun(from: source, to: target) }
            let made = try run?.convert(block, data)
            return rest + (made ?? [])
        } catch {
            run = nil
            throw error
        }
    }

    /// Returns the frames that the resampler holds, before a gap. The next block starts a new run.
    func finish() -> [SampleBuffer] {
        defer { run = nil }
        // A resampler that fails has nothing left.
        return (try? run?.finish()) ?? []
    }
}

/// Audio without a gap, on its way through a converter.
///
/// The time of a result is that of the captured frame where it begins, computed from the time of that frame's block.
/// The times therefore have no delay from the filter, and still show the drift of the microphone's clock.
private final class AudioRun {
    private let input: AudioFormat
    private let output: AudioFormat
    private let converter: PCMConverter
    /// The blocks whose frames the converter may still hold, each with the number and the time of its first frame.
    private var blocks: [(start: Int64, time: MediaTime)] = []
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    /// When the next block begins if nothing is missing.
    private var end = MediaTime.zero

    init(from input: AudioFormat, to output: AudioFormat) throws(MediaError) {
        self.input = input
        self.output = output
        converter = try PCMConverter(input: input, output: output)
    }

    private var inputRate: Int32 { Int32(clamping: input.sampleRate) }
    private var outputRate: Int32 { Int32(clamping: output.sampleRate) }

    /// Returns true unless the format changes, or the times jump by more than jitter.
    ///
    /// A jump of half a block is a gap, since a whole block may have been lost; so is one of more than 40 ms.
    func isContinued(by block: SampleBuffer) -> Bool {
        guard block.format.audio == input else { return false }
        let jump = (block.presentationTime - end).ticks(in: inputRate)
        return jump.magnitude <= UInt64(min(block.sampleCount / 2, input.sampleRate / 25))
    }

    func convert(_ block: SampleBuffer, _ data: MediaData) throws(MediaError) -> [SampleBuffer] {
        blocks.append((framesIn, block.presentationTime))
        end = block.endTime
        try converter.put(data.bytes)
        framesIn += Int64(block.sampleCount)
        return try take()
    }

    /// Returns the frames that the converter still holds. All results together last as long as the input.
    func finish() throws(MediaError) -> [SampleBuffer] {
        converter.finish()
        return try take()
    }

    private func take() throws(MediaError) -> [SampleBuffer] {
        let most = MediaTime(value: framesIn, timescale: inputRate).ticks(in: outputRate, rounding: .up)
        let frameSize = output.bytesPerFrame ?? 1
        let room = Int(max(0, most - framesOut)) * frameSize
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 64)
        defer { memory.deallocate() }
        let count = try converter.take(into: memory)
        guard count > 0 else { return [] }
        let time = nextTime()
        framesOut += Int64(count)
        let made = MediaData(copying: UnsafeRawBufferPointer(rebasing: memory[..<(count * frameSize)]))
        return [SampleBuffer(pcm: made, format: output, presentationTime: time)]
    }

    /// Returns when the next result was captured, and forgets the blocks before it.
    private func nextTime() -> MediaTime {
        let position = MediaTime(value: framesOut, timescale: outputRate)
        let frame = position.ticks(in: inputRate, rounding: .down)
        while blocks.count > 1, blocks[1].start <= frame { blocks.removeFirst() }
        guard let block = blocks.first else { return end }
        return block.time + (position - MediaTime(value: block.start, timescale: inputRate))
    }
}
