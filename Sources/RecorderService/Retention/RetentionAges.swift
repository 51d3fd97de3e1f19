/// How old recordings are at least, in the order in which they were finished. A pure value.
///
/// Those of this boot are as old as its clock says. Of the others the date counts, if it can be one, and as far as the order
/// agrees: none is older than one that was finished before it. One whose date is none, because the clock had not been set
/// then, is as old as the next one after it. So ages never grow along the order, and who has seen one that is young enough
/// has seen enough.
struct RetentionAges {
    typealias Dated = (number: Int64, moment: Moment)

    let moment: Moment
    let now: Double
    /// The first entry behind a number that may have a date: of this boot, or between `firstPlausibleDate` and now.
    let nextDated: (Int64) -> Dated?

    private var oldest = Double.infinity
    /// What the entries in front of it are as old as.
    private var next: (number: Int64, age: Double)?

    /// 2025: before this program was written.
    static let firstPlausibleDate = 1_735_689_600.0

    /// - Parameters:
    ///   - moment: now, by both clocks.
    ///   - now: the time to go by, from `RetentionClock`.
    init(at moment: Moment, now: Double, nextDated: @escaping (Int64) -> Dated?) {
        self.moment = moment
        self.now = now
        self.nextDated = nextDated
    }

    /// Seconds. Asked for in the order of their numbers.
    mutating func age(_ recording: FinishedRecording) -> Double {
        if let known = known(recording.moment) {
            oldest = min(oldest, known)
            return oldest
        }
        if let next, next.number > recording.number { return min(oldest, next.age) }
        var number = recording.number
        while let dated = nextDated(number), dated.number > number {
            if let age = known(dated.moment) {
                next = (dated.number, age)
                return min(oldest, age)
            }
            number = dated.number
        }
        next = (.max, 0)
        return 0
    }

    /// nil for a date that cannot be. The clock itself may stand before the first one.
    private func known(_ finished: Moment) -> Double? {
        if finished.boot == moment.boot { return max(0, moment.uptime - finished.uptime) }
        return finished.wall >= Self.firstPlausibleDate && finished.wall <= now ? now - finished.wall : nil
    }
}
