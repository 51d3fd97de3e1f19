import MediaTypes
import Testing

@testable import RecorderService
@testable import RecorderStorage

@Suite struct FolderCheckTests {
    private func folder(
        free: Int64? = 500_000_000_000, needed: Double? = 1_000_000,
        writing: FolderFacts.Writing = .measured(100_000_000), deletesOldest: Bool = false
    ) -> FolderFacts {
        FolderFacts(
            recorder: "front", path: "/srv/videos", free: free, reserve: 100_000_000, deletesOldest: deletesOldest,
            needed: needed, writing: writing)
    }

    private func verdicts(_ folder: FolderFacts) -> [DoctorFinding.Verdict] {
        FolderCheck.findings(folder).map(\.verdict)
    }

    @Test func findings_roomAndSpeed_areOKWithTheirNumbers() {
        let found = FolderCheck.findings(folder())
        #expect(found.map(\.verdict) == [.ok, .ok] && found.map(\.check) == [.space, .speed])
        #expect(found[0].text == "500 GB free, for about 5 days of recording")
        #expect(found[1].text == "the disk writes 100 MB/s, and recording needs about 1.0 MB/s")
        #expect(found[0].values["freeBytes"] == 500e9 && found[0].values["seconds"] == 499_900)
        #expect(found[1].values == ["bytesPerSecond": 100e6, "neededBytesPerSecond": 1e6])
        #expect(found.allSatisfy { $0.subject == "front: /srv/videos" })
    }

    @Test func findings_reserveReached_isAProblem() {
        let found = FolderCheck.findings(folder(free: 90_000_000))
        #expect(found[0].verdict == .problem && found[0].text == "only 90.0 MB free; the reserve is 100 MB")
    }

    @Test func findings_lessThanAnHour_isAHintWithoutRetention() {
        #expect(verdicts(folder(free: 1_100_000_000)) == [.hint, .ok])
        #expect(verdicts(folder(free: 1_100_000_000, deletesOldest: true)) == [.ok, .ok])
    }

    @Test func findings_slowDisk_isAProblemBelowTheNeededRate() {
        #expect(verdicts(folder(writing: .measured(900_000)))[1] == .problem)
        #expect(verdicts(folder(writing: .measured(2_000_000)))[1] == .hint)
        #expect(verdicts(folder(writing: .measured(4_000_000)))[1] == .ok)
    }

    @Test func findings_notMeasured_isUnknown() {
        let found = FolderCheck.findings(folder(free: nil, writing: .skipped("it does not answer")))
        #expect(found.map(\.verdict) == [.unknown, .unknown] && found[1].text.hasSuffix("unknown: it does not answer"))
    }

    @Test func findings_failedWrite_isAProblem() {
        let error = MediaError(errno: 30, "cannot write in /srv/videos")
        #expect(verdicts(folder(writing: .failed(error)))[1] == .problem)
    }

    @Test func findings_noPermission_isTheOnlyProblem() {
        var folder = folder()
        folder.problem = MediaError(.notPermitted, "cannot create /srv/videos/a.mov", reason: "no", wayOut: "choose")
        let found = FolderCheck.findings(folder)
        #expect(found.count == 1 && found[0].verdict == .problem && found[0].wayOut == "choose")
    }

    private func rate(_ change: (inout RecordingConfiguration) -> Void, _ devices: DeviceFacts? = nil) -> Double {
        var configuration = RecordingConfiguration()
        change(&configuration)
        return NeededRate.bytesPerSecond(configuration, devices)
    }

    @Test func neededRate_bitRate_isThatRate() {
        let interval = MediaTime(value: 2, timescale: 1)
        let needed = rate {
            $0.video = .h264(preset: "veryfast", rateControl: .bitRate(8_000_000), keyframeInterval: interval)
            $0.microphone = .none
        }
        #expect(needed == 1_000_000)
    }

    @Test func neededRate_constantQuality_dependsOnFramesAndFactor() {
        let small = DeviceFacts(
            camera: .test, microphone: .missing, frames: FrameFacts(size: FrameSize(640, 360), rate: 15))
        let usual = rate { $0.microphone = .none }
        let less = rate({ $0.microphone = .none }, small)
        #expect(less > 0 && less < usual / 10)
        let interval = MediaTime(value: 2, timescale: 1)
        let better = rate {
            $0.video = .h264(preset: "veryfast", rateControl: .constantQuality(17), keyframeInterval: interval)
            $0.microphone = .none
        }
        #expect(better == 2 * usual)
        let smaller = rate {
            $0.video = .encoded(
                .av1, preset: "superfast", rateControl: .constantQuality(34), keyframeInterval: interval)
            $0.microphone = .none
        }
        #expect(smaller == usual / 2)
    }

    @Test func neededRate_audioAlone_countsItsChannels() {
        #expect(rate({ $0.camera = .none }) == 16_000)
        let silent = DeviceFacts(camera: .unused, microphone: .missing)
        #expect(rate({ $0.camera = .none }, silent) == 0)
        let linear = rate {
            $0.camera = .none
            $0.audio.codec = .linearPCM
            $0.audio.channelCount = 4
        }
        #expect(linear == 48_000 * 4 * 4)
    }
}
