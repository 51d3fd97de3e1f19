import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct PreRollBufferTests {
    private func frame(_ number: Int, group: Int = 25) -> SampleBuffer {
        SampleBuffer(
            format: RouterBench.videoFormat, content: .data(MediaData([UInt8](repeating: 0, count: 10))),
            presentationTime: milliseconds(number * 40), duration: milliseconds(40),
            isKeyframe: number % group == 0)
    }

    private func block(_ number: Int) -> SampleBuffer {
        SampleBuffer(
            format: RouterBench.audioFormat, content: .data(MediaData([1, 2, 3])),
            presentationTime: milliseconds(number * 20), duration: milliseconds(20), sampleCount: 960)
    }

    /// Returns a large frame; all of them share their memory.
    private func large(_ number: Int, group: Int) -> SampleBuffer {
        SampleBuffer(
            format: RouterBench.videoFormat, content: .data(Self.largeData),
            presentationTime: milliseconds(number * 40),
            duration: milliseconds(40), isKeyframe: number % group == 0)
    }

    private static let largeData = MediaData([UInt8](repeating: 0, count: 4 << 20))

    /// Returns a buffer that was filled with `seconds` of frames and audio.
    private func filled(seconds: Int, length: MediaTime, video: Bool = true, audio: Bool = true) -> PreRollBuffer {
        var buffer = PreRollBuffer(length: length)
        for number in 0..<(seconds * 25) {
            if video { buffer.append(frame(number)) }
            if audio { for half in 0..<2 { buffer.append(block(number * 2 + half)) } }
        }
        return buffer
    }

    @Test func excerpt_ofAStill_lastsUntilItsNewestFrame() throws {
        var buffer = PreRollBuffer(length: milliseconds(3000))
        for number in 0..<100 {
            if number % 25 == 0 {
                buffer.append(frame(number))
            } else {
                buffer.continueVideo(at: milliseconds(number * 40), until: milliseconds(number * 40 + 40))
            }
        }
        #expect(buffer.duration >= milliseconds(3000))
        let excerpt = try #require(buffer.excerpt(last: milliseconds(1500)))
        #expect(excerpt.opening.start == milliseconds(2500) && excerpt.end == milliseconds(4000))
        // The frame on screen at the start is moved there; the last one lasts until the end.
        #expect(excerpt.packets.map(\.presentationTime) == [milliseconds(2500), milliseconds(3000)])
        #expect(excerpt.packets.last?.endTime == milliseconds(4000))
        #expect(excerpt.packets.allSatisfy { $0.isKeyframe && $0.ledgerCount == 1 })
    }

    @Test func buffer_keepsItsLengthAndAtMostOneMoreGOP() {
        let buffer = filled(seconds: 60, length: milliseconds(5000))
        #expect(buffer.duration >= milliseconds(5000) && buffer.duration <= milliseconds(6000))
        #expect(buffer.video.first?.isKeyframe == true)
        // The audio packets that decoding the first one depends on are kept.
        let first = buffer.video.first?.presentationTime ?? .zero
        #expect(buffer.audio.first.map { $0.presentationTime < first } == true)
        #expect(buffer.audio.first.map { first - $0.presentationTime < milliseconds(300) } == true)
    }

    @Test func buffer_zeroLength_keepsTheNewestGOP() {
        let buffer = filled(seconds: 10, length: .zero)
        #expect(buffer.video.first?.presentationTime == milliseconds(9000))
        #expect(buffer.video.count == 25)
    }

    @Test func buffer_audioOnly_keepsItsLength() {
        let buffer = filled(seconds: 60, length: milliseconds(5000), video: false)
        #expect(buffer.duration >= milliseconds(5000) && buffer.duration < milliseconds(5500))
    }

    @Test func buffer_largeFrames_isBoundedInBytes() {
        var buffer = PreRollBuffer(length: milliseconds(3_600_000))
        let size = 4 << 20
        var most = 0
        for number in 0..<200 {
            buffer.append(large(number, group: 5))
            most = max(most, buffer.byteCount)
        }
        #expect(most <= PreRollBuffer.mostBytes + size)
        #expect(buffer.byteCount > PreRollBuffer.mostBytes / 2)
        #expect(buffer.video.first?.isKeyframe == true)
        #expect(buffer.byteCount == buffer.video.count * size)
    }

    @Test func buffer_singleKeyframe_isBoundedInBytes() {
        // A part of a GOP cannot be dropped alone, so all of it is dropped.
        var buffer = PreRollBuffer(length: milliseconds(3_600_000))
        let size = 4 << 20
        for number in 0..<200 { buffer.append(large(number, group: 1_000_000)) }
        #expect(buffer.byteCount <= PreRollBuffer.mostBytes + size)
        // Frames before the next keyframe cannot be shown, and are not kept.
        #expect(buffer.video.isEmpty && buffer.byteCount == 0 && buffer.duration == .zero)
        buffer.append(frame(1_000_000, group: 1_000_000))
        buffer.append(frame(1_000_001, group: 1_000_000))
        #expect(buffer.video(from: .zero).count == 2 && buffer.byteCount == 20)
    }

    @Test func buffer_largeAudio_isBoundedInBytes() {
        var buffer = PreRollBuffer(length: milliseconds(3_600_000))
        let size = 4 << 20
        for number in 0..<200 {
            buffer.append(
                SampleBuffer(
                    format: RouterBench.audioFormat, content: .data(Self.largeData),
                    presentationTime: milliseconds(number * 20), duration: milliseconds(20), sampleCount: 960))
        }
        #expect(buffer.byteCount <= PreRollBuffer.mostBytes + size)
        #expect(buffer.byteCount == buffer.audio.count * size)
    }

    @Test func video_fromATime_beginsAtTheKeyframeBefore() {
        let buffer = filled(seconds: 10, length: milliseconds(5000))
        #expect(buffer.video(from: milliseconds(7350)).first?.presentationTime == milliseconds(7000))
        #expect(buffer.video(from: milliseconds(7000)).first?.presentationTime == milliseconds(7000))
        #expect(buffer.video(from: .zero).first?.presentationTime == buffer.video.first?.presentationTime)
        #expect(buffer.video(from: milliseconds(99_000)).first?.presentationTime == milliseconds(9000))
    }

    @Test func remove_oneTrack_keepsTheByteCountCorrect() {
        var buffer = filled(seconds: 10, length: milliseconds(5000))
        buffer.removeVideo()
        #expect(buffer.byteCount == buffer.audio.count * 3)
        for number in 250..<300 { buffer.append(frame(number)) }
        #expect(buffer.video(from: milliseconds(11_100)).first?.presentationTime == milliseconds(11_000))
        buffer.removeAudio()
        #expect(buffer.byteCount == buffer.video.count * 10)
    }

    @Test func excerpt_reorderedFrames_endsBeforeAMissingFrame() throws {
        // Decoded in the order 0, 3, 1, …: when 3 has arrived, 1 and 2 have not.
        var buffer = PreRollBuffer(length: milliseconds(5000))
        for (shown, decoded) in [(2, 0), (3, 1), (6, 2), (4, 3)] {
            buffer.append(
                SampleBuffer(
                    format: RouterBench.videoFormat, content: .data(MediaData([1])),
                    presentationTime: milliseconds(shown * 40), decodeTime: milliseconds(decoded * 40),
                    duration: milliseconds(40), isKeyframe: decoded == 0))
        }
        let part = try #require(buffer.excerpt(last: nil))
        #expect(part.opening.start == milliseconds(80) && part.end == milliseconds(160))
    }

    @Test func excerpt_lastSeconds_beginsThereAndEndsWithTheNewest() throws {
        let buffer = filled(seconds: 10, length: milliseconds(5000))
        let part = try #require(buffer.excerpt(last: milliseconds(1500)))
        #expect(part.end == milliseconds(10_000))
        #expect(part.opening.start == milliseconds(8500))
        // The audio that begins the file comes first, then the frames from a keyframe on.
        let frames = part.packets.filter { $0.format.mediaType == .video }
        #expect(frames.first?.presentationTime == milliseconds(8000) && frames.first?.isKeyframe == true)
        #expect(part.packets.first?.format.mediaType == .audio)
        let all = try #require(buffer.excerpt(last: nil))
        #expect(all.opening.start == buffer.video.first?.presentationTime)
        #expect(PreRollBuffer(length: .zero).excerpt(last: nil) == nil)
    }

    @Test func excerpt_beginsAfterAChangeOfMasks_beginsAtAKeyframeAfterIt() throws {
        let buffer = filled(seconds: 10, length: milliseconds(5000))
        let part = try #require(buffer.excerpt(last: milliseconds(1500), masksChangedAt: milliseconds(8200)))
        #expect(part.opening.start == milliseconds(9000))
        #expect(part.packets.filter { $0.format.mediaType == .video }.first?.presentationTime == milliseconds(9000))
        // A part from before the change is as it was captured.
        let earlier = try #require(buffer.excerpt(last: milliseconds(1500), masksChangedAt: milliseconds(8600)))
        #expect(earlier.opening.start == milliseconds(8500))
        #expect(buffer.excerpt(last: milliseconds(500), masksChangedAt: milliseconds(9200)) == nil)
    }
}
