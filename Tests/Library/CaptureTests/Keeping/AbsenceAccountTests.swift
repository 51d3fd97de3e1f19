import FakeDevices
import MediaTypes
import Testing

@testable import Capture

@Suite struct AbsenceAccountTests {
    private func frame(_ time: Int) -> SampleBuffer {
        let layout = PixelLayout(format: .nv12, width: 64, height: 32)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        return SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))
    }

    /// Returns a packet that is decoded before it is shown.
    private func packet(_ time: Int, decoded: Int) -> SampleBuffer { frame(time).decoded(at: milliseconds(decoded)) }

    private func camera(_ rate: FrameRate?) -> AbsenceAccount {
        AbsenceAccount(start: .zero, format: FakeSource.camera().format, frameRate: rate)
    }

    @Test func absence_camera_isCountedInFramesOfItsRate() {
        var account = camera(FrameRate(25))
        account.add(frame(1000))
        #expect(account.end == milliseconds(1040))
        #expect(account.missing(before: milliseconds(1040)) == 0)
        #expect(account.missing(before: milliseconds(1080)) == 1)
        #expect(account.missing(before: milliseconds(3040)) == 50)
        // A frame counts as missing only half an interval after it was due.
        #expect(account.missing(before: milliseconds(1055)) == 0)
        #expect(account.missing(before: .zero) == 0)
    }

    @Test func absence_cameraWithoutRate_usesTheLastFrameInterval() {
        var account = camera(nil)
        account.add(frame(0))
        #expect(account.missing(before: milliseconds(1000)) == 0, "it is not known yet")
        account.add(frame(100))
        #expect(account.missing(before: milliseconds(1000)) == 8)
    }

    /// The camera disconnects after a single frame.
    @Test func absence_cameraWithoutRate_ignoresTheIntervalAcrossAnAbsence() {
        var account = camera(nil)
        account.add(frame(0))
        account.add(frame(40))
        #expect(account.missing(before: milliseconds(20_000)) == 498)
        account.expect(FakeSource.camera().format, nil)
        account.add(frame(20_000))
        #expect(account.missing(before: milliseconds(34_000)) == 349)
        account.expect(FakeSource.camera().format, nil)
        account.add(frame(34_000))
        account.add(frame(34_100))
        #expect(account.missing(before: milliseconds(35_000)) == 8)
    }

    @Test func absence_damagedFrame_isCountedOnce() {
        var account = camera(FrameRate(10))
        account.add(frame(0))
        account.addBroken(at: milliseconds(100))
        #expect(account.missing(before: milliseconds(300)) == 1)
    }

    @Test func absence_frameFromBeforeIt_isStale() {
        var account = camera(FrameRate(10))
        #expect(!account.isStale(frame(0)))
        account.add(frame(500))
        account.expect(FakeSource.camera().format, FrameRate(5))
        #expect(account.isStale(frame(500)) && !account.isStale(frame(501)))
    }

    @Test func absence_reorderedFrames_areNotStale() {
        var account = camera(nil)
        for (time, decoded) in [(0, -80), (160, -40), (80, 0), (40, 40), (120, 80)] {
            let packet = packet(time, decoded: decoded)
            #expect(!account.isStale(packet))
            account.add(packet)
        }
        #expect(account.end == milliseconds(200))
        #expect(account.missing(before: milliseconds(1000)) == 20)
        #expect(account.isStale(packet(120, decoded: 80)) && account.isStale(frame(40)))
        // The first keyframe of the next connection has a decode time by a guess.
        #expect(!account.isStale(packet(240, decoded: 70)))
    }

    @Test func absence_microphone_isCountedInAudioFrames() {
        var account = AbsenceAccount(start: .zero, format: FakeSource.microphone().format, frameRate: nil)
        account.add(audio(at: 100))
        let end = account.end
        #expect(account.missing(before: end) == 0)
        #expect(account.missing(before: end + milliseconds(1000)) == 48_000)
        // A block that begins a little early overlaps; nothing is missing then.
        #expect(account.missing(before: end - milliseconds(5)) == 0)
    }
}
