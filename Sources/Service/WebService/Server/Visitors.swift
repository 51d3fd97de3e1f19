import Foundation
import MediaTypes
import RealTime
import RecorderControl

/// Authenticates users. A user logs in with name and password, or with the one-time address. In later requests, the
/// cookie identifies the user. Thread-safe.
package final class Visitors: Sendable {
    private let accounts: AccountFile
    private let sessions: Sessions
    /// The secret of the one-time address, until it is used.
    private let opening: Locked<String?>
    /// True if the server has a one-time address, whose user is an operator.
    private let isOpen: Bool
    private let throttle: Locked<LoginThrottle>
    /// Limits the number of password hashes that are computed at the same time. By design, each needs much CPU time and
    /// memory.
    private let hashing: Slots
    private let now: @Sendable () -> Double
    private let uptime: @Sendable () -> Double
    /// The hash that is used for the comparison if the name is unknown, so that the answer takes the same time.
    private static let dummyHash = try? PasswordHash.make(Secret.make())

    /// Creates the authentication.
    ///
    /// - Parameters:
    ///   - directory: The directory of accounts and sessions.
    ///   - opening: The secret of the one-time address; nil if there is no such address.
    ///   - hashes: The maximum number of passwords that are checked at the same time.
    ///   - now: Returns seconds since 1970.
    ///   - uptime: Returns seconds of a monotonic clock.
    package init(
        in directory: String, opening: String? = nil, hashes: Int = 2,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        uptime: @escaping @Sendable () -> Double = { Double(MonotonicClock().nanoseconds) / 1e9 }
    ) {
        accounts = AccountFile(in: directory)
        sessions = Sessions(in: directory)
        self.opening = Locked(opening)
        hashing = Slots(hashes)
        isOpen = opening != nil
        throttle = Locked(LoginThrottle(now: uptime()))
        (self.now, self.uptime) = (now, uptime)
    }

    /// True if there are accounts that can log in.
    var hasAccounts: Bool { !((try? accounts.accounts()) ?? []).isEmpty }

    /// Returns the user with this secret; nil if the secret is unknown or no longer valid.
    func visitor(_ secret: String?) -> WebRequest.Visitor? {
        guard let secret, let session = sessions.session(secret, now: now()) else { return nil }
        guard let user = session.user else { return isOpen ? .init(user: nil, role: .operator) : nil }
        // A user is logged out if the account was removed, or if its password or role was set since the login.
        guard let account = (try? accounts.account(user)) ?? nil, account.edition == session.edition,
            account.edition != nil || account.changed <= session.begin
        else { return nil }
        return .init(user: user, role: account.role)
    }

    /// Checks a name and password.
    ///
    /// - Returns: The secret for the cookie; nil for a wrong name or password.
    /// - Throws: `ControlError` 429 after too many attempts, or while too many passwords are being checked.
    func login(_ user: String, _ password: String) async throws -> String? {
        let moment = uptime()
        let (delay, slot) = throttle.withLock { throttle -> (Double?, Slots.Slot?) in
            if let delay = throttle.delay(user, now: moment) { return (delay, nil) }
            // Without a slot, the password is not checked, so the request does not count as an attempt.
            guard let slot = hashing.take() else { return (nil, nil) }
            throttle.begin(user, now: moment)
            return (nil, slot)
        }
        if let delay { throw Self.tooMany(seconds: delay) }
        guard let slot else { throw Self.tooMany(seconds: 1) }
        defer { withExtendedLifetime(slot) {} }
        let account = try accounts.account(user)
        guard let stored = account?.password ?? Self.dummyHash else { return nil }
        let isRight = await blockingCall("password") { PasswordHash.verify(password, stored) }
        guard isRight, let account else { return nil }
        throttle.withLock { $0.succeed(user) }
        return try sessions.begin(account, now: now())
    }

    /// Begins a session for the one-time address, which then becomes invalid.
    ///
    /// - Returns: The secret for the cookie; nil if the given secret is wrong or was already used.
    func open(_ secret: String) throws(MediaError) -> String? {
        let isRight = opening.withLock { opening in
            guard let wanted = opening, wanted.utf8.count == secret.utf8.count,
                zip(wanted.utf8, secret.utf8).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0
            else { return false }
            opening = nil
            return true
        }
        return isRight ? try sessions.begin(nil, now: now()) : nil
    }

    func logout(_ secret: String?) throws(MediaError) {
        if let secret { try sessions.end(secret) }
    }

    private static func tooMany(seconds: Double) -> ControlError {
        var error = ControlError(
            .tooManyRequests, "tooMany", "too many attempts",
            wayOut: "try again in \(Int(clamping: seconds) + 1) s")
        error.retryAfter = Int(clamping: seconds) + 1
        return error
    }
}
