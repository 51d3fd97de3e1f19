import AssetIO
import AVFoundation
import MediaCodecs
import MediaTypes

/// Converts a microphone's blocks to the form that the delegate wants, on the delegate's queue.
///
/// A block that already has this form is returned unchanged. If the rate is changed, the resampler's filter holds the
/// last audio frames of a block until the next block comes or the audio ends. These are about 16 frames at the lower of
/// the two rates. Called by one thread at a time.
final class AudioPreparer {
    /// The form that the delegate wants, or nil for the microphone's own.
    private let form: PCMOutput?
    private var run: AudioRun?

    /// - Parameter settings: The settings, with the keys of a reader's output; nil to keep the microphone's own form.
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

    /// Returns the format to which blocks of a source format are converted.
    func format(for source: AudioFormat) -> AudioFormat { form?.format(for: source) ?? source }

    /// Converts a block. If it does not continue the previous block, the frames that the resampler held come first.
    ///
    /// - Returns: an empty array if the resampler needs more input.
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

    /// Returns the frames that the resampler holds. Called before a gap, so the next block starts a new run.
    func finish() -> [SampleBuffer] {
        defer { run = nil }
        // After an error, no frames are left in the resampler.
        return (try? run?.finish()) ?? []
    }
}

/// Audio without a gap, on its way through a converter.
///
/// A result's time is the capture time of its first audio frame, computed from the time of the block that had this
/// frame. The times are therefore not delayed by the filter, and still show the drift of the microphone's clock.
private final class AudioRun {
    private let input: AudioFormat
    private let output: AudioFormat
    private let converter: PCMConverter
    /// The blocks whose frames the converter may still hold, each with the number and the time of its first frame.
    private var blocks: [(start: Int64, time: MediaTime)] = []
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    /// The time at which the next block begins if no audio is missing.
    private var end = MediaTime.zero

    init(from input: AudioFormat, to output: AudioFormat) throws(MediaError) {
        self.input = input
        self.output = output
        converter = try PCMConverter(input: input, output: output)
    }

    private var inputRate: Int32 { Int32(clamping: input.sampleRate) }
    private var outputRate: Int32 { Int32(clamping: output.sampleRate) }

    /// Returns true if the block has the same format, and if its time differs from `end` by no more than jitter.
    ///
    /// A jump of more than half a block is a gap, because a block may have been lost. A jump of more than 40 ms is
    /// always a gap.
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

    /// Returns the capture time of the next result, and removes the blocks before it.
    private func nextTime() -> MediaTime {
        let position = MediaTime(value: framesOut, timescale: outputRate)
        let frame = position.ticks(in: inputRate, rounding: .down)
        while blocks.count > 1, blocks[1].start <= frame { blocks.removeFirst() }
        guard let block = blocks.first else { return end }
        return block.time + (position - MediaTime(value: block.start, timescale: inputRate))
    }
}
