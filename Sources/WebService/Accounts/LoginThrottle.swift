/// How often a wrong password may be tried: a pure value.
///
/// For each name, and for all together: some at once, then one each so many seconds. Names that nobody has count as any other.
struct LoginThrottle {
    /// Tries that are free, of one name and of all together.
    static let free = (name: 5.0, all: 60.0)
    /// Seconds after which one more is.
    static let wait = (name: 10.0, all: 1.0)
    /// Names that are kept in mind: the oldest are forgotten, which the limit of all together makes slow.
    static let mostNames = 1000

    private struct Bucket {
        var tries: Double
        var moment: Double

        mutating func refill(_ now: Double, wait: Double, free: Double) {
            tries = min(free, tries + max(0, now - moment) / wait)
            moment = now
        }
    }

    private var names: [String: Bucket] = [:]
    private var all: Bucket

    /// - Parameter now: seconds of a clock that nobody sets, here and below.
    init(now: Double) { all = Bucket(tries: Self.free.all, moment: now) }

    /// Whether a password may be tried now; nil: yes, else seconds until it may.
    mutating func delay(_ name: String, now: Double) -> Double? {
        all.refill(now, wait: Self.wait.all, free: Self.free.all)
        names[name]?.refill(now, wait: Self.wait.name, free: Self.free.name)
        let own = names[name].map { ($0.tries < 1 ? (1 - $0.tries) * Self.wait.name : 0) } ?? 0
        let common = all.tries < 1 ? (1 - all.tries) * Self.wait.all : 0
        let delay = max(own, common)
        return delay > 0 ? delay : nil
    }

    /// One is being tried: counted at once, so that many at the same time are no way around it.
    mutating func begin(_ name: String, now: Double) {
        if names[name] == nil, names.count >= Self.mostNames,
            let oldest = names.min(by: { $0.value.moment < $1.value.moment })?.key
        {
            names[oldest] = nil
        }
        names[name, default: Bucket(tries: Self.free.name, moment: now)].tries -= 1
        all.tries -= 1
    }

    /// It was right: it does not count.
    mutating func succeed(_ name: String) {
        names[name] = nil
        all.tries += 1
    }
}
