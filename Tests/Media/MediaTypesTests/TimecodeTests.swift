import MediaTypes
import Testing

@Suite struct TimecodeTests {
    private let movie = TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 24), framesPerSecond: 24)
    private let pal = TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 25), framesPerSecond: 25)
    private let ntsc = TimecodeFormat(frameDuration: MediaTime(value: 1001, timescale: 30000), framesPerSecond: 30)
    private let dropped = TimecodeFormat(
        frameDuration: MediaTime(value: 1001, timescale: 30000), framesPerSecond: 30, dropsFrames: true)
    private let dropped60 = TimecodeFormat(
        frameDuration: MediaTime(value: 1001, timescale: 60000), framesPerSecond: 60, dropsFrames: true)

    @Test func label_anyFrame_countsFrames() {
        #expect(pal.text(pal.label(ofFrame: 0)) == "00:00:00:00")
        #expect(pal.text(pal.label(ofFrame: 90_000 + 25 * 61 + 3)) == "01:01:01:03")
        #expect(pal.frameNumber(of: Timecode(hours: 1, minutes: 1, seconds: 1, frames: 3)) == 91_528)
        #expect(pal.framesPerDay == 2_160_000 && movie.framesPerDay == 2_073_600)
    }

    /// SMPTE ST 12-1 omits frame numbers 00 and 01 at the start of each minute, except every tenth.
    @Test func label_dropFrame_skipsDroppedLabels() {
        #expect(dropped.text(dropped.label(ofFrame: 1799)) == "00:00:59;29")
        #expect(dropped.text(dropped.label(ofFrame: 1800)) == "00:01:00;02")
        #expect(dropped.text(dropped.label(ofFrame: 17_981)) == "00:09:59;29")
        #expect(dropped.text(dropped.label(ofFrame: 17_982)) == "00:10:00;00")
        #expect(dropped.text(dropped.label(ofFrame: 107_892)) == "01:00:00;00")
        #expect(dropped.framesPerDay == 2_589_408)
        #expect(dropped60.text(dropped60.label(ofFrame: 3600)) == "00:01:00;04")
        #expect(dropped60.text(dropped60.label(ofFrame: 215_784)) == "01:00:00;00")
        #expect(dropped.frameNumber(of: Timecode(hours: 0, minutes: 1, seconds: 0, frames: 0)) == 1800)
    }

    @Test func label_everyFrameOfADay_isUnique() {
        for format in [pal, dropped, dropped60] {
            var last = Timecode(hours: 0, minutes: 0, seconds: 0, frames: -1)
            for number in stride(from: 0, to: format.framesPerDay, by: 1) where number < 40_000 || number % 997 == 0 {
                let label = format.label(ofFrame: number)
                #expect(format.frameNumber(of: label) == number)
                #expect(format.text(label) > format.text(last))
                last = label
            }
        }
    }

    @Test func label_afterADay_beginsAgain() {
        var endless = pal
        endless.wrapsAt24Hours = false
        #expect(pal.text(pal.label(ofFrame: pal.framesPerDay + 1)) == "00:00:00:01")
        #expect(endless.text(endless.label(ofFrame: pal.framesPerDay + 1)) == "24:00:00:01")
        #expect(dropped.text(dropped.label(ofFrame: -1)) == "23:59:59;29")
    }

    @Test func frameNumber_timeOfDay_showsTheClock() {
        let time = MediaTime(value: 36_000_500, timescale: 1000)  // 10:00:00.5
        #expect(pal.text(pal.label(ofFrame: Int64(pal.frameNumber(atTimeOfDay: time)))) == "10:00:00:12")
        #expect(movie.text(movie.label(ofFrame: Int64(movie.frameNumber(atTimeOfDay: time)))) == "10:00:00:12")
        #expect(ntsc.text(ntsc.label(ofFrame: Int64(ntsc.frameNumber(atTimeOfDay: time)))) == "10:00:00:15")
        // Real frames are counted; the label may differ from the clock by two frames.
        let label = dropped.label(ofFrame: Int64(dropped.frameNumber(atTimeOfDay: time)))
        #expect(label.hours == 10 && label.minutes == 0 && label.seconds == 0 && abs(label.frames - 15) <= 2)
        #expect(pal.frameNumber(atTimeOfDay: MediaTime(value: -1, timescale: 25)) == UInt32(pal.framesPerDay - 1))
        #expect(pal.frameNumber(atTimeOfDay: MediaTime(value: 86_400, timescale: 1)) == 0)
    }

    @Test func frameNumber_dropFrame_followsTheClockAllDay() {
        for hour in 0..<24 {
            let seconds = Int64(hour) * 3600 + 1799
            let number = dropped.frameNumber(atTimeOfDay: MediaTime(value: seconds, timescale: 1))
            let label = dropped.label(ofFrame: Int64(number))
            let shown = Double(label.hours * 3600 + label.minutes * 60 + label.seconds) + Double(label.frames) / 30
            #expect(abs(shown - Double(seconds)) < 0.1)
        }
    }

    @Test func timeOfDay_anyFrame_leadsBackToIt() {
        for format in [movie, pal, ntsc, dropped, dropped60] {
            for number in stride(from: 0, to: format.framesPerDay, by: 12_347) {
                #expect(Int64(format.frameNumber(atTimeOfDay: format.timeOfDay(ofFrame: number))) == number)
            }
        }
    }

    @Test func timecode_invalidFormat_staysWithinADay() {
        for rate in [Int.min, 0, 1, 255, 256, Int.max] {
            let format = TimecodeFormat(frameDuration: .invalid, framesPerSecond: rate, dropsFrames: true)
            for number in [Int64.max, .min] {
                let label = format.label(ofFrame: number)
                #expect((0..<24).contains(label.hours) && (0..<60).contains(label.minutes), "\(rate)")
                #expect((0..<60).contains(label.seconds), "\(rate)")
                #expect((0..<min(max(1, rate), 255)).contains(label.frames), "\(rate)")
            }
            #expect(format.frameNumber(of: Timecode(hours: .max, minutes: .min, seconds: .max, frames: .max)) > 0)
            #expect(Int64(format.frameNumber(atTimeOfDay: .positiveInfinity)) < format.framesPerDay, "\(rate)")
            let time = format.timeOfDay(ofFrame: .max)
            #expect(time.isNumeric && time.seconds >= 0 && time.seconds < 86_400, "\(rate)")
        }
    }
}
