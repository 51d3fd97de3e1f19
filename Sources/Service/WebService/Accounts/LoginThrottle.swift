/// A limit for wrong passwords. A pure value.
///
/// Some attempts are allowed at once, then one attempt per interval. One limit applies to each name, and another limit
/// to all names together. Unknown names count like known names.
struct LoginThrottle {
    /// The number of attempts without a wait: `name` for one name, `all` for all names together.
    static let free = (name: 5.0, all: 60.0)
    /// The time until another attempt is allowed, in seconds.
    static let wait = (name: 10.0, all: 1.0)
    /// The maximum number of names that are remembered. Beyond that number, the oldest names are forgotten, and their
    /// limits start again. The limit for all names makes it slow for an attacker to cause this.
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

    /// Creates the limit.
    ///
    /// - Parameter now: Seconds of a monotonic clock, as for all methods.
    init(now: Double) { all = Bucket(tries: Self.free.all, moment: now) }

    /// Returns the seconds until a password may be tried; nil if it may be tried now.
    mutating func delay(_ name: String, now: Double) -> Double? {
        all.refill(now, wait: Self.wait.all, free: Self.free.all)
        names[name]?.refill(now, wait: Self.wait.name, free: Self.free.name)
        let own = names[name].map { ($0.tries < 1 ? (1 - $0.tries) * Self.wait.name : 0) } ?? 0
        let common = all.tries < 1 ? (1 - all.tries) * Self.wait.all : 0
        let delay = max(own, common)
        return delay > 0 ? delay : nil
    }

    /// Counts an attempt. Called when the attempt begins, so that parallel attempts cannot bypass the limit.
    mutating func begin(_ name: String, now: Double) {
        if names[name] == nil, names.count >= Self.mostNames,
            let oldest = names.min(by: { $0.value.moment < $1.value.moment })?.key
        {
            names[oldest] = nil
        }
        names[name, default: Bucket(tries: Self.free.name, moment: now)].tries -= 1
        all.tries -= 1
    }

    /// Removes a successful attempt from the count.
    mutating func succeed(_ name: String) {
        names[name] = nil
        all.tries += 1
    }
}
