import CommandInterface
import Foundation
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct StatusTests {
    private var full: RecordingStatus {
        var account = Ledger()
        account.captured = 111_818
        account.written = 111_815
        account[dropped: .device] = 2
        account[dropped: .queue] = 1
        var audio = Ledger()
        audio.captured = 186_553_344
        audio.written = 186_553_344
        var status = RecordingStatus(name: "front", state: .stopping)
        status.file = "/home/ana/Videos/2026-11-21/14-03-22-front.mov"
        status.started = "2026-11-21T14:03:22+01:00"
        status.duration = 3731
        status.bytes = 2_100_000_000
        status.segments = [
            .init(file: status.file!, started: status.started, duration: status.duration, bytes: status.bytes)
        ]
        status.video = RecordingStatus.Video(account)
        status.audio = RecordingStatus.Audio(audio)
        status.video?.frameRate = 29.97
        status.video?.queueDepth = 0
        status.video?.width = 1920
        status.video?.height = 1080
        status.audio?.gaps = 0
        status.audio?.gapSamples = 0
        status.audio?.xruns = 0
        status.audio?.levelPeak = -6
        status.audio?.levelRMS = -20.5
        status.audio?.driftPPM = -12
        status.audio?.sampleRate = 48_000
        status.audio?.channels = 2
        status.video?.present = false
        status.video?.awayFor = 1.5
        status.video?.eased = 40
        status.video?.effort = .init(step: 0, steps: 4, summary: "everything")
        status.video?.queueMemory = 100_000_000
        status.video?.queueTime = 4
        status.audio?.present = true
        status.syncOffset = 0.0004
        status.preRoll = .init(duration: 31.5, bytes: 4_000_000)
        status.marks = 3
        status.group = "stage"
        status.disk = .init(free: 5_000_000_000, writeRate: 560_000.5)
        status.closedIn = 0.08
        return status
    }

    @Test func json_nothingKnown_hasEachKey() {
        #expect(
            JSONText.line(RecordingStatus(name: "front", state: .armed))
                == #"{"audio":null,"bytes":null,"closedIn":null,"copies":null,"disk":null,"duration":null,"error":null,"file":null,"#
                + #""group":null,"kept":null,"marks":null,"mirror":null,"name":"front","network":null,"preRoll":null,"retention":null,"segments":[],"started":null,"state":"armed","substream":null,"#
                + #""syncOffset":null,"video":null,"warning":null}"#)
    }

    @Test func json_keys_areStable() {
        #expect(
            JSONText.line(full)
                == #"{"audio":{"awayFor":null,"captured":186553344,"channels":2,"driftPPM":-12,"dropped":{"corrupt":0,"device":0,"disk":0,"#
                + #""encoder":0,"paused":0,"queue":0},"gapSamples":0,"gaps":0,"levelPeak":-6,"levelRMS":-20.5,"paused":null,"#
                + #""present":true,"sampleRate":48000,"written":186553344,"xruns":0},"bytes":2100000000,"closedIn":0.08,"copies":null,"#
                + #""disk":{"free":5000000000,"writeRate":560000.5},"duration":3731,"error":null,"#
                + #""file":"/home/ana/Videos/2026-11-21/14-03-22-front.mov","group":"stage","kept":null,"marks":3,"mirror":null,"name":"front","network":null,"#
                + #""preRoll":{"bytes":4000000,"duration":31.5},"retention":null,"#
                + #""segments":[{"bytes":2100000000,"duration":3731,"#
                + #""file":"/home/ana/Videos/2026-11-21/14-03-22-front.mov","started":"2026-11-21T14:03:22+01:00"}],"#
                + #""started":"2026-11-21T14:03:22+01:00","state":"stopping","substream":null,"syncOffset":0.0004,"#
                + #""video":{"awayFor":1.5,"captured":111818,"dropped":{"corrupt":0,"device":2,"disk":0,"encoder":0,"paused":0,"queue":1},"#
                + #""eased":40,"effort":{"step":0,"steps":4,"summary":"everything"},"#
                + #""frameRate":29.97,"height":1080,"paused":null,"present":false,"queueDepth":0,"queueMemory":100000000,"queueTime":4,"#
                + #""repeated":null,"width":1920,"written":111815},"warning":null}"#)
    }

    @Test func json_networkCamera_hasItsPackets() throws {
        var status = RecordingStatus(name: "front", state: .recording)
        status.network = .init(
            video: .init(packets: 9_997, lost: 3, late: 2, duplicates: 1, driftPPM: 12.5), audio: nil, clockNotices: 4)
        #expect(
            JSONText.line(status).contains(
                #""network":{"audio":null,"clockNotices":4,"video":{"driftPPM":12.5,"duplicates":1,"late":2,"lost":3,"#
                    + #""packets":9997}}"#))
        #expect(try JSONDecoder().decode(RecordingStatus.self, from: JSONText.data(status)) == status)
        #expect(status.account == "3 of 10,000 packets lost")
        status.network?.video?.lost = 0
        #expect(status.account.isEmpty)
    }

    @Test func json_roundTrip_isEqual() throws {
        #expect(try JSONDecoder().decode(RecordingStatus.self, from: JSONText.data(full)) == full)
        let bare = RecordingStatus(name: "x", state: .failed)
        #expect(try JSONDecoder().decode(RecordingStatus.self, from: JSONText.data(bare)) == bare)
        let old = Data(#"{"name":"x","state":"failed","segments":[]}"#.utf8)
        #expect(try JSONDecoder().decode(RecordingStatus.self, from: old) == bare)
    }

    @Test func summary_complete_isTwoLines() {
        #expect(
            full.summary == """
                  1 h 02 min 11 s · 1920×1080 · 29.97 fps · 48 kHz stereo · 2.1 GB · closed in 80 ms
                  video 111,818 captured, 111,815 written, 3 dropped (2 device, 1 queue), \
                40 with reduced effort · audio 186,553,344 frames, no gap · sync +0.4 ms, drift −12 ppm corrected
                """)
    }

    @Test func status_afterAPause_showsItAsTimeNotAsDrops() {
        var status = full
        status.video?.dropped = .init(Ledger())
        status.video?.paused = 189
        status.audio?.paused = 302_400
        #expect(!status.line.contains("dropped") && status.line.contains(" · paused 6.30 s"))
        #expect(!status.summary.contains("dropped") && status.summary.contains(" · paused 6.30 s · sync"))
        #expect(!status.serviceLine.contains("dropped"))
        // Without audio, the frame count and the recording's frame rate determine the duration.
        status.audio = nil
        status.video?.frameRate = 30
        #expect(status.line.contains(" · paused 6.30 s"))
    }

    @Test func line_dropsInBothTracks_showTheirUnits() {
        var (frames, audio) = (Ledger(), Ledger())
        frames[dropped: .encoder] = 364
        frames[dropped: .paused] = 9
        audio[dropped: .device] = 100_800
        var status = full
        status.video?.dropped = .init(frames)
        status.audio?.dropped = .init(audio)
        #expect(status.line.contains(" · dropped 364 frames, 2.10 s of audio · "), "\(status.line)")
        #expect(status.serviceLine.contains(", dropped 364 frames, 2.10 s of audio"))
        status.audio?.sampleRate = nil
        #expect(status.line.contains("dropped 364 frames, 100,800 audio frames"))
    }

    @Test func summary_unknownValues_areOmitted() {
        var status = full
        status.audio = nil
        status.syncOffset = nil
        status.closedIn = nil
        status.video?.frameRate = nil
        status.video?.eased = nil
        status.warning = "frames were dropped"
        status.error = "cannot read /dev/video0: it was unplugged"
        #expect(
            status.summary == """
                  1 h 02 min 11 s · 1920×1080 · 2.1 GB
                  video 111,818 captured, 111,815 written, 3 dropped (2 device, 1 queue)
                  warning: frames were dropped
                  cannot read /dev/video0: it was unplugged
                """)
    }

    @Test func text_recording_showsAMeter() {
        #expect(
            RecordingStatus.live.text == """
                front  recording  00:01:02 → /videos/front.mov (2.1 MB)
                  29.97 fps · 1 in the queue · pre-roll 9.80 s (7.1 MB) · 2 marks · disk 5.0 GB free · 560 kB/s
                  █████████████····│·· peak −6.0 dB, mean −20.5 dB
                  video 1,875 captured, 1,870 written · audio 3,000,000 frames, no gap · 3 of 10,000 packets lost · \
                sync +0.4 ms, drift −12 ppm corrected
                  2 kept files (200 B) · warning: little room
                """)
        #expect(
            RecordingStatus.live.line
                == "front  recording  00:01:02 → /videos/front.mov (2.1 MB) · 29.97 fps · peak −6.0 dB, mean −20.5 dB · "
                + "disk 5.0 GB free")
    }

    @Test func text_encoderLags_showsQueueAndEffort() {
        var status = RecordingStatus.live
        status.video?.queueMemory = 200_000_000
        status.video?.effort = .init(step: 2, steps: 4, summary: "no look-ahead")
        #expect(
            status.text.contains(" · 1 in the queue (limit 200 MB) · reduced effort, step 2 of 4: no look-ahead · "),
            "\(status.text)")
        status.video?.queueDepth = 0
        #expect(status.text.contains(" · queue empty (limit 200 MB) · "), "\(status.text)")
    }

    @Test func text_armedPausedOrDisconnected_isShown() {
        var armed = RecordingStatus(name: "front", state: .armed)
        armed.preRoll = .init(duration: 10, bytes: 999)
        #expect(armed.text == "front  armed\n  pre-roll 10.00 s (999 B)")
        #expect(armed.line == "front  armed")
        var status = RecordingStatus.live
        status.state = .paused
        status.video?.present = false
        status.video?.awayFor = 12.7
        status.audio?.present = false
        status.segments += status.segments
        status.error = "cannot read /dev/video0: it was unplugged"
        let lines = status.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("front  paused  00:01:02") == true)
        #expect(lines[1].contains(" · 2 files · "))
        #expect(
            lines.suffix(3) == [
                "  camera disconnected for 12 s · microphone disconnected",
                "  2 kept files (200 B) · warning: little room",
                "  cannot read /dev/video0: it was unplugged",
            ])
        #expect(
            status.line.hasSuffix(
                "camera disconnected for 12 s · microphone disconnected · cannot read /dev/video0: it was unplugged"))
    }

    @Test func stop_takesLong_reportsWhatItWaitsForAndHowLongItTook() {
        var status = RecordingStatus.live
        status.video?.queueDepth = 1512
        #expect(status.finishing.hasSuffix("is finishing: 1,512 frames wait for the encoder"))
        status.video?.queueDepth = 0
        status.error = nil
        #expect(status.finishing.hasSuffix("is finishing: the file is being finalized"))
        status.error = "cannot write /b/take.mov: stale file handle (ESTALE)"
        #expect(status.finishing.hasSuffix("being finalized; cannot write /b/take.mov: stale file handle (ESTALE)"))
        status.closedIn = 27.05
        #expect(status.summary.contains("closed in 27.1 s") || status.summary.contains("closed in 27.0 s"))
    }

    /// The number of facts in each line of the texts.
    private func shape(_ texts: [String]) -> [[Int]] {
        texts.map { $0.components(separatedBy: "\n").map { $0.components(separatedBy: " · ").count } }
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan]) func text_invalidNumbers_hasTheSameFacts(number: Double) {
        func texts(_ number: Double) -> [String] {
            var status = RecordingStatus.live
            (status.duration, status.closedIn) = (number, number)
            status.disk?.writeRate = number
            status.video?.present = false
            status.video?.awayFor = number
            status.audio?.levelPeak = number
            return [status.text, status.line, status.summary, status.clock]
        }
        let found = texts(number)
        #expect(shape(found) == shape(texts(5)), "\(found)")
        #expect(found[0].hasPrefix("front  recording  ") && found[1].contains("camera disconnected for "), "\(found)")
        #expect(found.allSatisfy { !$0.isEmpty })
    }

    @Test func meter_coversSixtyDecibelsToFullScale() {
        #expect(MeterText.bar(peak: -120, mean: -120) == "····················")
        #expect(MeterText.bar(peak: -60, mean: -60) == "····················")
        #expect(MeterText.bar(peak: 0, mean: 0) == "███████████████████│")
        #expect(MeterText.bar(peak: -30, mean: -60) == "·········│··········")
        #expect(MeterText.bar(peak: 1e300, mean: .nan) == "···················│")
        #expect(MeterText.bar(peak: 12, mean: -.infinity) == "···················│")
        #expect(MeterText.bar(peak: -59.9, mean: -59.9) == "│···················")
    }

    /// Another process may send any numbers.
    @Test(arguments: [1e300, -1e300, .greatestFiniteMagnitude])
    func text_extremeNumbers_hasTheSameFacts(figure: Double) {
        func texts(_ figure: Double) -> [String] {
            var status = RecordingStatus(name: "front", state: .recording)
            status.duration = figure
            status.closedIn = figure
            status.disk = .init(free: .min, writeRate: figure)
            var ledger = Ledger()
            for cause in DropCause.allCases { ledger[dropped: cause] = .max }
            ledger.captured = .max
            ledger.written = .min
            var video = RecordingStatus.Video(ledger)
            video.frameRate = figure
            video.queueDepth = .max
            ledger.written = .max
            var audio = RecordingStatus.Audio(ledger)
            audio.gaps = .min
            audio.gapSamples = .max
            audio.levelPeak = figure
            audio.levelRMS = figure
            audio.driftPPM = figure
            audio.sampleRate = .max
            audio.channels = .max
            status.video = video
            status.audio = audio
            return [status.text, status.line, status.summary, status.account]
        }
        let found = texts(figure)
        #expect(shape(found) == shape(texts(5)), "\(found)")
        #expect(
            found[3].contains("video 9,223,372,036,854,775,807 captured, −9,223,372,036,854,775,808 written"),
            "\(found[3])")
        #expect(found.allSatisfy { !$0.isEmpty })
    }
}
