import MediaTypes
import Testing

@testable import RecorderStorage

/// The parts of files that a clip consists of, and the order of the steps that make it.
@Suite struct RangePlanTests {
    private func source(_ file: String, _ begin: Double, _ duration: Double) -> RangePlan.Source {
        .init(file: file, clock: MovieClock(begin: begin, duration: duration, pauses: []))
    }

    @Test func plan_rangeWithinOneFile_isOnePart() throws {
        let plan = RangePlan([source("a", 1000, 60)], 1010...1020)
        let part = try #require(plan.parts.first)
        #expect(plan.parts.count == 1 && part.range == 10...20 && part.begin == 1010 && !part.isToTheEnd)
        #expect(abs(part.share - 1.0 / 6) < 1e-9)
    }

    @Test func plan_threeFiles_takesTheEndsOfTheOuterOnes() {
        let plan = RangePlan([source("c", 1120, 60), source("a", 1000, 60), source("b", 1060, 60)], 1050...1130)
        #expect(plan.parts.map(\.file) == ["a", "b", "c"])
        #expect(plan.parts.map(\.range) == [50...60, 0...60, 0...10])
        #expect(plan.parts.map(\.isToTheEnd) == [true, true, false])
        #expect(plan.isSeamless)
    }

    /// Each file has its own reading of the wall clock: they must not cost a frame.
    @Test func plan_filesThatSeemToOverlap_loseNothing() {
        let plan = RangePlan([source("a", 1000, 60.02), source("b", 1060, 60)], 1050...1070)
        #expect(plan.parts.map(\.range) == [50...60.02, 0...10])
        #expect(plan.isSeamless)
    }

    @Test func plan_recordedTwice_isTakenOnce() {
        let plan = RangePlan([source("a", 1000, 60), source("b", 1050, 60)], 1040...1070)
        #expect(plan.parts.map(\.range) == [40...60, 10...20])
        #expect(!plan.isSeamless)
        let saved = RangePlan([source("a", 1000, 60), source("saved", 1030, 10)], 1020...1050)
        #expect(saved.parts.map(\.file) == ["a"])
    }

    @Test func plan_pause_isLeftOut() {
        let clock = MovieClock(begin: 1000, duration: 60, pauses: [.init(time: 10, duration: 100)])
        let plan = RangePlan([.init(file: "a", clock: clock)], 1005...1120)
        #expect(plan.parts.map(\.range) == [5...20])
        #expect(RangePlan([.init(file: "a", clock: clock)], 1020...1100).parts.isEmpty)
    }

    private func clip(_ file: String, _ begin: Double, _ duration: Double) -> RangePlan.Source {
        .init(file: file, clock: MovieClock(begin: begin, duration: duration, pauses: []), isClip: true)
    }

    /// The date of a clip has full seconds, so the clip seems to begin earlier than it does.
    @Test func plan_earlierClipOfTheSameFiles_isNotUsed() {
        let files = [source("a", 1000.7, 3), source("b", 1003.7, 3)]
        let plan = RangePlan(files + [clip("clip", 1000, 4.9)], 1000...1006)
        #expect(plan == RangePlan(files, 1000...1006))
        #expect(plan.parts.map(\.file) == ["a", "b"] && plan.isSeamless)
    }

    @Test func plan_recordingDeleted_usesTheClipForItsTime() {
        let plan = RangePlan([source("b", 1060, 60), clip("clip", 1050, 20)], 1040...1080)
        #expect(plan.parts.map(\.file) == ["clip", "b"])
        #expect(plan.parts.map(\.range) == [0...10, 0...20])
        #expect(!plan.isSeamless)
    }

    @Test func plan_onlyClips_takesEachTimeOnce() {
        let plan = RangePlan([clip("x", 1000, 10), clip("y", 1005, 10), clip("z", 1002, 5)], 1000...1020)
        #expect(plan.parts.map(\.file) == ["x", "y"])
        #expect(plan.parts.map(\.range) == [0...10, 5...10])
    }

    @Test func plan_rangeOutside_isEmpty() {
        #expect(RangePlan([source("a", 1000, 60)], 2000...2010).parts.isEmpty)
        #expect(RangePlan([], 0...1).parts.isEmpty)
    }

    // MARK: Steps

    /// Carries out a step.
    private func take(_ step: RangeSteps.Step, _ steps: inout RangeSteps) {
        switch step {
        case .keepFiles: steps.areFilesKept = true
        case .plan: steps.clips = [.missing, .missing]
        case .makeClip(let index): steps.clips[index] = .named
        case .keepClip(let index): steps.clips[index] = .kept
        case .releaseFiles: (steps.areFilesKept, steps.areFilesReleased) = (false, true)
        case .end: break
        }
    }

    @Test(arguments: 0..<9) func steps_interruptedAfterEach_keepFilesOrClips(count: Int) {
        var steps = RangeSteps(releasesFiles: true)
        for taken in 0..<count where steps.next != .end {
            take(steps.next, &steps)
            #expect(steps.isSafe || taken == 0, "\(steps)")
        }
        // After a crash only the disk is known: pins of files are not looked for.
        var again = RangeSteps(releasesFiles: true)
        again.clips = steps.clips
        var order: [RangeSteps.Step] = []
        while again.next != .end, order.count < 20 {
            order.append(again.next)
            take(again.next, &again)
            #expect(again.isSafe)
        }
        #expect(again.clips == [.kept, .kept] && again.areFilesReleased, "\(order)")
        // The files are released last, and never kept again after clips have taken their place.
        #expect(order.last == .releaseFiles)
    }

    @Test func steps_bothWanted_releaseNothing() {
        var steps = RangeSteps(releasesFiles: false)
        var order: [RangeSteps.Step] = []
        while steps.next != .end, order.count < 20 {
            order.append(steps.next)
            take(steps.next, &steps)
        }
        #expect(order == [.keepFiles, .plan, .makeClip(0), .makeClip(1), .keepClip(0), .keepClip(1)])
        #expect(steps.areFilesKept)
    }
}
