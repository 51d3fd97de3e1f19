/// The current time for retention: the wall clock, unless it was recently set forward. A pure value.
///
/// A clock that jumps forward makes every recording look older. Therefore a forward jump is accepted only after the
/// clock has run steadily for a day, or if several boots on several days agree, because a machine may be off every
/// night. Until then time continues from before the jump. A clock that is set back makes
/// recordings look younger. That is harmless, so its time is accepted immediately. The age of files from this boot does
/// not depend on the calendar.
package struct RetentionClock: Codable, Sendable, Hashable {
    /// The last accepted time.
    private(set) var last: Moment
    /// The first reading of a later time that is not accepted yet, in the current boot.
    private(set) var doubted: Moment?
    /// The readings in succession that are not accepted yet; nil without a doubt, and in a file of an earlier version.
    private var doubts: Doubts?

    private struct Doubts: Codable, Sendable, Hashable {
        let first: Double
        var last: Moment
        var boots = 1

        init(_ moment: Moment) { (first, last) = (moment.wall, moment) }

        var isConfirmed: Bool { boots >= 3 && last.wall - first >= 3 * 86_400 }
    }

    /// The maximum difference that an NTP client or a slow call may cause, in seconds.
    private static let tolerance = 60.0
    private static let patience = 86_400.0
    /// The maximum forward jump, in seconds, that is accepted at once after a boot, because the machine may have been
    /// off for that long.
    private static let longestOff = 7 * 86_400.0

    package init(_ moment: Moment) { last = moment }

    /// Updates the clock.
    ///
    /// - Returns: The time that counts, in seconds since 1970.
    package mutating func now(_ moment: Moment) -> Double {
        let isSameBoot = moment.boot == last.boot
        let off = moment.wall - last.wall
        let passed =
            if isSameBoot { max(0, moment.uptime - last.uptime) } else if (0...Self.longestOff).contains(off) {
                off
            } else {
                // The wall clock went back or too far forward, so only the time since the boot is certain to have
                // passed.
                moment.uptime
            }
        let expected = last.wall + passed
        if moment.wall <= expected + Self.tolerance + passed / 1000 {
            believe(moment)
        } else if let first = doubted, isSteady(moment, since: first) {
            doubts?.last = moment
            let isConfirmed = moment.uptime - first.uptime >= Self.patience || doubts?.isConfirmed == true
            if isConfirmed { believe(moment) } else { advance(expected, moment) }
        } else {
            doubts = continued(by: moment)
            doubted = moment
            if doubts?.isConfirmed == true { believe(moment) } else { advance(expected, moment) }
        }
        return last.wall
    }

    /// True while the wall clock is not accepted.
    var isDoubted: Bool { doubted != nil }

    /// Returns the doubts with a reading after a boot or a jump. A reading of another boot continues them if it is later
    /// than the last one, by no more than the machine may have been off.
    private func continued(by moment: Moment) -> Doubts {
        guard var doubts, moment.boot != doubts.last.boot,
            (0...Self.longestOff).contains(moment.wall - doubts.last.wall)
        else { return Doubts(moment) }
        doubts.last = moment
        doubts.boots += 1
        return doubts
    }

    private func isSteady(_ moment: Moment, since first: Moment) -> Bool {
        let passed = moment.uptime - first.uptime
        return moment.boot == first.boot && passed >= 0
            && abs(moment.wall - first.wall - passed) <= Self.tolerance + passed / 1000
    }

    private mutating func believe(_ moment: Moment) {
        last = moment
        (doubted, doubts) = (nil, nil)
    }

    private mutating func advance(_ wall: Double, _ moment: Moment) {
        last = Moment(wall: wall, uptime: moment.uptime, boot: moment.boot)
    }
}
