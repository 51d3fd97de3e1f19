import Glibc
import MediaTypes
import RealTime
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The choice of recordings to delete. A clock that jumps does not change it.
@Suite struct RetentionPlannerTests {
    private static let day = 86_400.0
    /// 2026-11-21
    private static let now = 1_795_269_802.0

    private func candidate(
        _ name: String, age: Double, size: Int64 = 100, boot: String = "old", fileSystem: UInt64 = 1,
        isCopied: Bool = false
    ) -> RetentionPlanner.Candidate {
        var kind = stat()
        kind.st_size = Int(size)
        return RetentionPlanner.Candidate(
            recording: FinishedRecording(
                number: 0, path: name, identity: .init(kind),
                moment: Moment(wall: Self.now - age, uptime: 10 * Self.day - age, boot: boot), root: nil),
            fileSystem: fileSystem, isCopied: isCopied)
    }

    /// Numbers the candidates as a catalogue does.
    private func numbered(_ candidates: [RetentionPlanner.Candidate]) -> [RetentionPlanner.Candidate] {
        candidates.enumerated().map { index, candidate in
            let recording = candidate.recording
            return RetentionPlanner.Candidate(
                recording: FinishedRecording(
                    number: Int64(index + 1), path: recording.path, identity: recording.identity,
                    moment: recording.moment, root: nil), fileSystem: candidate.fileSystem, isThere: candidate.isThere,
                isCopied: candidate.isCopied, isKept: candidate.isKept, isLinked: candidate.isLinked)
        }
    }

    private func removed(
        _ candidates: [RetentionPlanner.Candidate], _ rules: RetentionRules, free: [UInt64: Int64] = [:],
        clockError: Double = 0, read: Locked<Int> = Locked(0)
    ) -> [String] {
        let all = numbered(candidates)
        let moment = Moment(wall: Self.now + clockError, uptime: 10 * Self.day, boot: "new")
        let stock = RetentionPlanner.Stock(
            total: all.reduce(0) { $0 + $1.recording.identity.size },
            newest: all.last { $0.isThere }?.recording.number, free: free)
        let ages = RetentionAges(at: moment, now: Self.now + clockError) { number in
            all.first {
                $0.recording.number > number
                    && ($0.recording.moment.boot == "new"
                        || $0.recording.moment.wall >= RetentionAges.firstPlausibleDate)
            }.map { ($0.recording.number, $0.recording.moment) }
        }
        let counted = all.lazy.map { candidate in
            read.withLock { $0 += 1 }
            return candidate
        }
        return RetentionPlanner(rules).plan(
            of: counted, on: { system in all.lazy.filter { $0.fileSystem == system } }, stock: stock, ages: ages
        ).removals.map { "\($0.path): \($0.reason)" }
    }

    @Test func removals_heldUntilUploaded_keepThoseNotUploaded() {
        let all = [
            candidate("a", age: 5 * Self.day), candidate("b", age: 4 * Self.day, isCopied: true),
            candidate("c", age: 3 * Self.day), candidate("d", age: 2 * Self.day, isCopied: true),
            candidate("e", age: 10),
        ]
        var rules = RetentionRules(age: days(1))
        #expect(removed(all, rules).count == 4)
        rules.hold = .init(.always, remote: "nas:")
        #expect(removed(all, rules) == ["b: older than 1d", "d: older than 1d"])
        var size = RetentionRules(totalSize: 250)
        size.hold = .init(.always, remote: "nas:")
        // Held recordings count towards the total size.
        #expect(removed(all, size).map { String($0.prefix(1)) } == ["b", "d"])
    }

    @Test func removals_kept_areNeitherDeletedNorCounted() {
        var all = [
            candidate("a", age: 5 * Self.day), candidate("b", age: 4 * Self.day), candidate("c", age: 3 * Self.day),
            candidate("d", age: 10),
        ]
        all[0].isKept = true
        #expect(removed(all, RetentionRules(age: days(1))) == ["b: older than 1d", "c: older than 1d"])
        // The catalogue does not list it as kept yet, so it is subtracted when it is read.
        #expect(removed(all, RetentionRules(totalSize: 300)).isEmpty)
        #expect(removed(all, RetentionRules(totalSize: 250)).map { String($0.prefix(1)) } == ["b"])
        #expect(removed(all, RetentionRules(freeSpace: 1000), free: [1: 900]).map { String($0.prefix(1)) } == ["b"])
    }

    @Test func removals_fullDisk_takeFilesNotUploadedLastAndIfAllowed() {
        let all = [
            candidate("a", age: 5), candidate("b", age: 4), candidate("c", age: 3, isCopied: true),
            candidate("d", age: 2),
        ]
        var rules = RetentionRules(freeSpace: 1000)
        rules.hold = .init(.always, remote: "nas:")
        #expect(removed(all, rules, free: [1: 750]) == ["c: less than 1k free"])
        rules.hold = .init(.unlessFull, remote: "nas:")
        #expect(removed(all, rules, free: [1: 900]) == ["c: less than 1k free"])
        #expect(
            removed(all, rules, free: [1: 850]) == ["a: less than 1k free, not copied yet", "c: less than 1k free"])
        // The newest recording is kept.
        #expect(removed(all, rules, free: [1: 0]).count == 3)
    }

    /// A board without a battery clock. Its recordings are from another boot, when the clock was right.
    @Test(arguments: [-Self.now, -Self.now + 86_400, -2 * 365 * Self.day]) func removals_clockBeforeFirstDate_areNone(
        clockError: Double
    ) {
        let all = [candidate("a", age: 3 * Self.day), candidate("1970", age: Self.now), candidate("b", age: 10)]
        let rules = RetentionRules(age: days(1), totalSize: 1000, freeSpace: 100)
        #expect(removed(all, rules, free: [1: 5000], clockError: clockError) == [])
    }

    @Test func removals_manyRecordings_readFewMoreThanTheyDelete() {
        let all = (0..<1000).map { candidate("\($0)", age: Double(1000 - $0) * 3600) }
        let read = Locked(0)
        #expect(
            removed(all, RetentionRules(age: MediaTime(value: 997 * 3600, timescale: 1), totalSize: 99_500), read: read)
                .count == 5)
        #expect(read.withLock { $0 } <= 7)
    }

    @Test func removals_missingFile_isNotCounted() {
        var gone = candidate("gone", age: 5)
        gone.isThere = false
        let all = [gone, candidate("a", age: 4), candidate("b", age: 3)]
        #expect(removed(all, RetentionRules(totalSize: 200)) == [])
        #expect(removed(all, RetentionRules(totalSize: 150)) == ["a: more than 150B in total"])
    }

    private func days(_ count: Int64) -> MediaTime { MediaTime(value: count * 86_400, timescale: 1) }

    @Test func removals_noRules_areNone() {
        #expect(removed([candidate("a", age: 1e9)], RetentionRules(), free: [1: 0]) == [])
    }

    @Test func removals_age_includeTheNewest() {
        let all = [3.5, 2.5, 1.5].map { candidate("\($0)", age: $0 * Self.day) }
        #expect(removed(all, RetentionRules(age: days(2))) == ["3.5: older than 2d", "2.5: older than 2d"])
        #expect(removed(all, RetentionRules(age: days(1))).count == 3)
    }

    @Test func removals_totalSize_takeTheOldestAndKeepTheNewest() {
        let all = ["a", "b", "c"].map { candidate($0, age: 1) }
        #expect(removed(all, RetentionRules(totalSize: 300)) == [])
        #expect(removed(all, RetentionRules(totalSize: 250)) == ["a: more than 250B in total"])
        #expect(removed(all, RetentionRules(totalSize: 1)).count == 2)
    }

    @Test func removals_freeSpace_takeFilesOfTheFullDiskOnly() {
        let all = [
            candidate("a", age: 4, fileSystem: 1), candidate("b", age: 3, fileSystem: 2),
            candidate("c", age: 2, fileSystem: 1), candidate("d", age: 1, fileSystem: 1),
        ]
        #expect(
            removed(all, RetentionRules(freeSpace: 1000), free: [1: 850, 2: 5000])
                == ["a: less than 1k free", "c: less than 1k free"])
        #expect(removed(all, RetentionRules(freeSpace: 1000), free: [1: 950, 2: 5000]) == ["a: less than 1k free"])
        #expect(removed(all, RetentionRules(freeSpace: 1000), free: [1: 1000, 2: 5000]) == [])
        // The newest recording is kept, and a file system that does not answer causes no deletion.
        #expect(removed(all, RetentionRules(freeSpace: 1000), free: [1: 0]).count == 2)
    }

    @Test func removals_filesWithOtherLinks_areNotTakenForSpace() {
        var all = ["a", "b", "c", "d"].map { candidate($0, age: 3 * Self.day) }
        all[0].isLinked = true
        let rules = RetentionRules(freeSpace: 1000)
        #expect(removed(all, rules, free: [1: 900]) == ["b: less than 1k free"])
        // Deleting it because of its age frees nothing either.
        all = [candidate("a", age: 5 * Self.day), candidate("b", age: 10), candidate("c", age: 5)]
        all[0].isLinked = true
        let both = RetentionRules(age: days(2), freeSpace: 1000)
        #expect(removed(all, both, free: [1: 900]) == ["a: older than 2d", "b: less than 1k free"])
    }

    @Test func removals_age_countForTheOtherRules() {
        let all = [candidate("a", age: 3 * Self.day), candidate("b", age: 10), candidate("c", age: 5)]
        let rules = RetentionRules(age: days(2), totalSize: 200, freeSpace: 100)
        #expect(removed(all, rules, free: [1: 0]) == ["a: older than 2d"])
    }

    @Test(arguments: [-400.0, -1, 1, 400]) func age_fileOfThisBoot_usesTheUptime(days jump: Double) {
        let all = [candidate("a", age: 3600, boot: "new"), candidate("b", age: 60, boot: "new")]
        #expect(removed(all, RetentionRules(age: days(1)), clockError: jump * Self.day) == [])
        #expect(
            removed(all, RetentionRules(age: MediaTime(value: 1800, timescale: 1)), clockError: jump * Self.day)
                == ["a: older than 30m"])
    }

    @Test func age_implausibleDate_usesTheNextRecording() {
        // Recorded before the clock was set, in 1970, and with a clock that was years ahead.
        let all = [
            candidate("1970", age: Self.now), candidate("2033", age: -7 * 365 * Self.day),
            candidate("a", age: 3 * Self.day), candidate("1970 again", age: Self.now), candidate("b", age: Self.day),
        ]
        #expect(removed(all, RetentionRules(age: days(10))) == [])
        #expect(
            removed(all, RetentionRules(age: days(2))) == [
                "1970: older than 2d", "2033: older than 2d", "a: older than 2d",
            ])
        #expect(removed([candidate("1970", age: Self.now)], RetentionRules(age: days(2))) == [])
    }

    @Test func age_olderThanItsPredecessor_usesThePredecessor() {
        let all = [candidate("a", age: Self.day), candidate("b", age: 300 * Self.day)]
        #expect(removed(all, RetentionRules(age: days(2))) == [])
    }

    // MARK: The clock

    private typealias Look = (wall: Double, uptime: Double, boot: String)

    private func clock(_ looks: [Look]) -> [Double] {
        var clock = RetentionClock(Moment(wall: Self.now, uptime: 0, boot: "a"))
        return looks.map { look in
            (clock.now(Moment(wall: Self.now + look.wall, uptime: look.uptime, boot: look.boot)) - Self.now).rounded()
        }
    }

    @Test func clock_steady_isTrusted() {
        #expect(
            clock([(60, 60, "a"), (3600, 3590, "a"), (40 * Self.day, 40 * Self.day, "a")]) == [60, 3600, 40 * Self.day])
    }

    @Test func clock_jumpsForward_isTrustedAfterASteadyDay() {
        let jump = 365 * Self.day
        #expect(
            clock([
                (60 + jump, 60, "a"), (3600 + jump, 3600, "a"), (60 + jump + Self.day, 60 + Self.day, "a"),
                (70 + jump + Self.day, 70 + Self.day, "a"),
            ]) == [60, 3600, 60 + jump + Self.day, 70 + jump + Self.day])
    }

    @Test func clock_jumpIsReverted_isForgotten() {
        #expect(
            clock([
                (60 + Self.day, 60, "a"), (120, 120, "a"), (180 + Self.day, 180, "a"),
                (180 + 1.9 * Self.day, 180 + 0.9 * Self.day, "a"), (170 + 2.1 * Self.day, 170 + 1.1 * Self.day, "a"),
            ]) == [60, 120, 180, (180 + 0.9 * Self.day).rounded(), (170 + 2.1 * Self.day).rounded()])
    }

    /// The machine is switched off every night, and was off for two months.
    @Test func clock_severalBootsAgree_isTrusted() {
        let looks = (60...65).flatMap { day -> [Look] in
            let wall = Double(day) * Self.day
            return [(wall + 30, 30, "\(day)"), (wall + 8 * 3600, 8 * 3600, "\(day)")]
        }
        let found = clock(looks)
        // The uptime of each boot is certain to have passed.
        #expect(found[0] == 30 && found[5] < 2 * Self.day)
        #expect(found[6] == 63 * Self.day + 30 && found[11] == 65 * Self.day + 8 * 3600)
    }

    /// A dead battery: the clock is a year ahead after each boot, until NTP sets it.
    @Test func clock_wrongAfterEachBoot_isNeverTrusted() {
        let year = 365 * Self.day
        let looks = (1...10).flatMap { day -> [Look] in
            let wall = Double(day) * Self.day
            return [(wall + year, 30, "\(day)"), (wall + 300, 300, "\(day)")]
        }
        #expect(clock(looks).allSatisfy { $0 < 11 * Self.day })
    }

    @Test func clock_bootsDisagree_isNeverTrusted() {
        let looks = (1...10).map { (wall: Double($0) * 30 * Self.day, uptime: 60.0, boot: "\($0)") }
        #expect(clock(looks).last == 600.0)
        // All of them on one day.
        let early = (1...10).map { (wall: 60 * Self.day + Double($0) * 3600, uptime: 60.0, boot: "\($0)") }
        #expect(clock(early).last == 600.0)
    }

    @Test func clock_keepsJumping_isNeverTrusted() {
        let looks = (1...100).map { (wall: Double($0) * 3 * Self.day, uptime: Double($0) * 3600, boot: "a") }
        #expect(clock(looks).last == 360_000.0)
    }

    @Test func clock_jumpsBack_isTrustedAtOnce() {
        #expect(clock([(60 - Self.day, 60, "a"), (120 - Self.day, 120, "a")]) == [60 - Self.day, 120 - Self.day])
    }

    @Test func clock_afterABoot_isTrustedAWeekAheadButNotAYear() {
        #expect(clock([(6 * Self.day, 30, "b")]) == [6 * Self.day])
        let year = 365 * Self.day
        #expect(clock([(year, 30, "b"), (year + Self.day, 30 + Self.day, "b")]) == [30, year + Self.day])
        #expect(clock([(-year, 30, "b")]) == [-year])
    }
}
