/// What time it is for retention: the wall clock, unless somebody set it forward a moment ago. A pure value.
///
/// A clock that jumps makes every recording look older than it is. So a jump forward is not believed before the clock has
/// gone on steadily for a day; until then time goes on from where it was. A clock that goes back makes recordings look
/// younger, which costs nothing, and is believed at once. How old a file of this boot is, nobody needs a calendar for.
package struct RetentionClock: Codable, Sendable, Hashable {
    /// What was believed when it was last looked at.
    private(set) var last: Moment
    /// The first look at a time that is not believed yet.
    private(set) var doubted: Moment?

    /// Differences that an NTP client makes, or a slow call; seconds.
    private static let tolerance = 60.0
    private static let patience = 86_400.0
    /// A recorder that was off longer than that comes back with a time that must prove itself.
    private static let longestOff = 7 * 86_400.0

    package init(_ moment: Moment) { last = moment }

    /// Looks at the clocks.
    ///
    /// - Returns: the time to go by, seconds since 1970.
    package mutating func now(_ moment: Moment) -> Double {
        let isSameBoot = moment.boot == last.boot
        let off = moment.wall - last.wall
        let passed =
            if isSameBoot { max(0, moment.uptime - last.uptime) } else if (0...Self.longestOff).contains(off) {
                off
            } else {
                // At least that long ago was the boot.
                moment.uptime
            }
        let expected = last.wall + passed
        if moment.wall <= expected + Self.tolerance + passed / 1000 {
            believe(moment)
        } else if let first = doubted, isSteady(moment, since: first) {
            if moment.uptime - first.uptime >= Self.patience { believe(moment) } else { goOn(expected, moment) }
        } else {
            doubted = moment
            goOn(expected, moment)
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

    private mutating func goOn(_ wall: Double, _ moment: Moment) {
        last = Moment(wall: wall, uptime: moment.uptime, boot: moment.boot)
    }
}
