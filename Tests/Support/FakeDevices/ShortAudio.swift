package import MediaTypes

package func milliseconds(_ count: Int) -> MediaTime { MediaTime(value: Int64(count), timescale: 1000) }

/// Returns a block of audio, by default 100 ms.
package func audio(at start: Int, frames: Int = 4800, value: UInt8 = 0) -> SampleBuffer {
    SampleBuffer(
        pcm: MediaData([UInt8](repeating: value, count: frames * 2)),
        format: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1), presentationTime: milliseconds(start))
}
