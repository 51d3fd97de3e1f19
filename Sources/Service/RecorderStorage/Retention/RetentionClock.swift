/// The current time for retention: the wall clock, unless it was recently set forward. A pure value.
///
/// A clock that jumps forward makes every recording look older. Therefore a forward jump is accepted only after the
/// clock has run steadily for a day; until then time continues from before the jump. A clock that is set back makes
/// recordings look younger. That is harmless, so its time is accepted immediately. The age of files from this boot does
/// not depend on the calendar.
package struct RetentionClock: Codable, Sendable, Hashable {
    /// The last accepted time.
    private(set) var last: Moment
    /// The first reading of a later time that is not accepted yet.
    private(set) var doubted: Moment?

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
            if moment.uptime - first.uptime >= Self.patience { believe(moment) } else { advance(expected, moment) }
        } else {
            doubted = moment
            advance(expected, moment)
        }
        return last.wall
    }

    private func isSteady(_ moment: Moment, since first: Moment) -> Bool {
        let passed = moment.uptime - first.uptime
        return moment.boot == first.boot && passed >= 0
            && abs(moment.wall - first.wall - passed) <= Self.tolerance + passed / 1000
    }

    private mutating func believe(_ moment: Moment) {
        last = moment
        doubted = nil
    }

    private mutating func advance(_ wall: Double, _ moment: Moment) {
        last = Moment(wall: wall, uptime: moment.uptime, boot: moment.boot)
    }
}
