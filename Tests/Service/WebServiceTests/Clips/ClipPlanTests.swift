import MediaTypes
import Testing

@testable import WebService

@Suite struct ClipPlanTests {
    private func recording(
        _ number: Int64, _ begin: Double, _ duration: Double, pauses: [RecordingClock.Pause] = [],
        isReadable: Bool = true, size: Int64 = 1000, file: String? = nil
    ) -> IndexedRecording {
        var info = IndexedRecording.Info(duration: duration, hasVideo: isReadable, hasAudio: isReadable)
        info.pauses = pauses
        info.problem = isReadable ? nil : "it is damaged"
        return IndexedRecording(
            number: number, id: "g-\(number)", recorder: "front", path: "/movies/\(file ?? "\(number).mov")",
            identity: .init(inode: 1, size: size, modified: 0), begin: begin, end: begin + duration, info: info,
            ending: nil)
    }

    @Test func plan_acrossFiles_beginsAndEndsWithinThem() {
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 60, 60), recording(3, 120, 60)], 30...130)
        #expect(plan.parts.map(\.range) == [30...60, 0...60, 0...10])
        #expect(plan.duration == 100 && plan.leftOut.isEmpty && plan.bytes == 500 + 1000 + 166)
    }

    @Test func plan_touchingFiles_areNotIncluded() {
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 60, 60), recording(3, 120, 60)], 60...120)
        #expect(plan.parts.map(\.recording.number) == [2])
    }

    @Test func plan_pause_isLeftOut() {
        let plan = ClipPlan([recording(1, 0, 60, pauses: [.init(time: 20, duration: 100)])], 10...130)
        #expect(plan.parts.map(\.range) == [10...30])
    }

    @Test func plan_withinAPause_isEmpty() {
        let plan = ClipPlan([recording(1, 0, 60, pauses: [.init(time: 20, duration: 100)])], 50...80)
        #expect(plan.parts.isEmpty && plan.leftOut.isEmpty)
    }

    @Test func plan_savedPreRoll_isNotIncludedTwice() {
        let plan = ClipPlan([recording(1, 0, 600), recording(2, 100, 30), recording(3, 600, 60)], 50...620)
        #expect(plan.parts.map(\.recording.number) == [1, 3] && plan.leftOut.isEmpty)
    }

    @Test func plan_preRollSavedAcrossTwoFiles_isNotIncluded() {
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 50, 20), recording(3, 60, 60)], 0...120)
        #expect(plan.parts.map(\.recording.number) == [1, 3] && plan.leftOut.isEmpty)
    }

    private static let clip = "front-2026-11-29-13-52-24-clip-1a2b3c4d.mov"

    @Test func plan_keptClip_isNotIncludedBesideItsRecordings() {
        let plan = ClipPlan(
            [
                recording(1, 0, 60), recording(2, 49.6, 20.4, file: Self.clip), recording(3, 60, 60),
                recording(4, 119.5, 10, file: Self.clip),
            ], 0...120)
        #expect(plan.parts.map(\.recording.number) == [1, 3] && plan.leftOut.isEmpty)
    }

    @Test func plan_keptClipOfDeletedRecordings_isIncluded() {
        let plan = ClipPlan([recording(1, 0, 60, file: Self.clip), recording(2, 100, 60)], 10...130)
        #expect(plan.parts.map(\.recording.number) == [1, 2] && plan.parts.map(\.range) == [10...60, 0...30])
    }

    @Test func plan_sameRecordingTwice_isIncludedOnce() {
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 0, 60)], 10...50)
        #expect(plan.parts.count == 1 && plan.leftOut.isEmpty)
    }

    @Test func plan_overlap_isReported() {
        // The second recording began with ten seconds of pre-roll.
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 50, 60)], 0...100)
        #expect(plan.parts.count == 2 && plan.leftOut.count == 1 && plan.leftOut[0].hasPrefix("10.0 s"))
    }

    @Test func plan_unreadableFile_isReported() {
        let plan = ClipPlan([recording(1, 0, 60), recording(2, 60, 60, isReadable: false)], 0...100)
        #expect(plan.parts.count == 1 && plan.leftOut == ["2.mov: it is damaged"])
    }

    @Test func plan_hugeSizes_doNotOverflow() {
        let plan = ClipPlan([recording(1, 0, 60, size: .max), recording(2, 60, 60, size: .max)], 0...120)
        #expect(plan.bytes == 1 << 56)
    }

    @Test func name_containsRecorderAndTime() {
        let name = Clip.name("front.door", at: 1_795_000_000, like: "a.MOV")
        #expect(
            name.wholeMatch(of: /front\.door-2026-1[0-9]-[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9]{2}\.mov/) != nil, "\(name)")
    }
}
