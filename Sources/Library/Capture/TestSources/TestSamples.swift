package import MediaTypes

/// The samples of a test camera and a test microphone in virtual time: the same bytes at the same times in every run.
///
/// Both sources begin at a full second of the monotonic clock, which the caller chooses; nothing reads a clock.
/// For comparisons of movies. Used by one thread.
package final class TestSamples {
    /// The format of the frames.
    package let videoFormat: FormatDescription
    /// The format of the audio blocks.
    package let audioFormat: AudioFormat

    private let pattern: TestPattern
    private let tone: TestTone
    private let frames: TestSourceTiming
    private let blocks: TestSourceTiming

    /// Creates the samples.
    ///
    /// - Parameters:
    ///   - size: The frame size; even, and at least 64×32.
    ///   - audio: PCM with 16 bits or floating point, at a sample rate that is a multiple of 50.
    ///   - second: The full second at which both begin. Frames show this second, so each value gives different frames.
    package init(size: FrameSize, frameRate: FrameRate, audio: AudioFormat, second: Int64) {
        let start = second * 1_000_000_000
        pattern = TestPattern(width: size.width, height: size.height)
        tone = TestTone(format: audio, blockFrames: audio.sampleRate / 50)
        frames = TestSourceTiming(rate: frameRate, now: start)
        blocks = TestSourceTiming(
            rate: FrameRate(Int32(audio.sampleRate), per: Int32(audio.sampleRate / 50)), now: start)
        videoFormat = .video(
            VideoFormat(pixelFormat: .nv12, width: size.width, height: size.height, color: .bt709))
        audioFormat = audio
    }

    /// Returns frame `index`; 0 is the one at the full second.
    package func frame(_ index: Int64) -> SampleBuffer {
        pattern.sample(index, number: index, timing: frames, format: videoFormat)
    }

    /// Returns the audio block `index`, 20 ms long; 0 is the one at the full second.
    package func block(_ index: Int64) -> SampleBuffer {
        tone.sample(index, frames: audioFormat.sampleRate / 50, timing: blocks, format: audioFormat)
    }
}

extension TestPattern {
    /// Returns the frame that the test camera captures at an index of its timing.
    ///
    /// - Parameter number: The number that the frame shows.
    func sample(_ index: Int64, number: Int64, timing: TestSourceTiming, format: FormatDescription) -> SampleBuffer {
        let frame = draw(number: number, time: timing.nanoseconds(of: index), isFlash: timing.containsFullSecond(index))
        return SampleBuffer(format: format, content: .pixels(frame), presentationTime: timing.time(of: index))
    }
}

extension TestTone {
    /// Returns the block that the test microphone captures at an index of its timing.
    func sample(_ index: Int64, frames: Int, timing: TestSourceTiming, format: AudioFormat) -> SampleBuffer {
        let position = Int(index * Int64(frames) % Int64(format.sampleRate))
        return SampleBuffer(
            pcm: block(from: position, frames: frames), format: format,
            presentationTime: MediaTime(nanoseconds: timing.nanoseconds(of: index)))
    }
}
