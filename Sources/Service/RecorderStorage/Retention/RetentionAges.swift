/// The minimum ages of recordings, in the order in which they were finished. A pure value.
///
/// The age of a recording of this boot comes from the boot's clock. The age of any other recording comes from its date,
/// if the date is plausible and agrees with the order. By the order, no recording is older than one that was finished
/// before it. A date is not plausible if the clock had not been set. The recording then is as old as the next one in
/// the order. Therefore ages never increase along the order, and a reader may stop at the first recording that is young
/// enough.
struct RetentionAges {
    typealias Dated = (number: Int64, moment: Moment)

    let moment: Moment
    let now: Double
    /// Returns the first entry after the given number whose age can be determined. Such an entry is from this boot, or
    /// its date is between `firstPlausibleDate` and now.
    let nextDated: (Int64) -> Dated?

    private var oldest = Double.infinity
    /// The next entry with a known age: its number, and the age of the undated entries before it.
    private var next: (number: Int64, age: Double)?

    /// The start of 2025 in seconds since 1970; the program was written later.
    static let firstPlausibleDate = 1_735_689_600.0

    /// Creates the ages at one time.
    ///
    /// - Parameters:
    ///   - moment: The current time by both clocks.
    ///   - now: The current time of `RetentionClock`, from which ages by date are computed.
    init(at moment: Moment, now: Double, nextDated: @escaping (Int64) -> Dated?) {
        self.moment = moment
        self.now = now
        self.nextDated = nextDated
    }

    /// Returns the age of a recording in seconds. Call it in the order of the entries' numbers.
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

    /// Returns the age of a recording in seconds; nil for an implausible date. Even the current time may be before
    /// `firstPlausibleDate`.
    private func known(_ finished: Moment) -> Double? {
        if finished.boot == moment.boot { return max(0, moment.uptime - finished.uptime) }
        return finished.wall >= Self.firstPlausibleDate && finished.wall <= now ? now - finished.wall : nil
    }
}
