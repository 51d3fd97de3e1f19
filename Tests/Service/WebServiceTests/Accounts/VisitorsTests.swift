import Foundation
import RealTime
import RecorderControl
import TestSupport
import Testing

@testable import WebService

/// Logins and the lifetime of sessions.
@Suite struct VisitorsTests {
    private static func with(_ body: (String, AccountFile) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let accounts = AccountFile(in: directory.path("state"))
        try accounts.set(
            UserAccount(name: "ann", role: .operator, password: PasswordHash.make("correct horse"), changed: 1000))
        try await body(directory.path("state"), accounts)
    }

    @Test func login_restart_keepsTheSession() async throws {
        try await Self.with { directory, _ in
            let secret = try #require(try await Visitors(in: directory, now: { 2000 }).login("ann", "correct horse"))
            let visitor = Visitors(in: directory, now: { 3000 }).visitor(secret)
            #expect(visitor == .init(user: "ann", role: .operator))
            #expect(try await Visitors(in: directory, now: { 2000 }).login("ann", "wrong horse") == nil)
            #expect(try await Visitors(in: directory, now: { 2000 }).login("unknown", "correct horse") == nil)
        }
    }

    @Test func storedFiles_containNoSecret() async throws {
        try await Self.with { directory, _ in
            let secret = try #require(try await Visitors(in: directory, now: { 2000 }).login("ann", "correct horse"))
            let file = try String(contentsOfFile: directory + "/sessions.json", encoding: .utf8)
            #expect(!file.contains(secret))
            for name in ["sessions.json", "accounts.json"] {
                let mode = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
        }
    }

    @Test func session_expiryLogoutRemovalOrNewPassword_endsIt() async throws {
        try await Self.with { directory, accounts in
            let now = Locked(2000.0)
            let visitors = Visitors(in: directory, now: { now.withLock { $0 } })
            let first = try #require(try await visitors.login("ann", "correct horse"))
            now.withLock { $0 += 14 * 86_400 + 1 }
            #expect(visitors.visitor(first) == nil)
            let second = try #require(try await visitors.login("ann", "correct horse"))
            try visitors.logout(second)
            #expect(visitors.visitor(second) == nil)
            let third = try #require(try await visitors.login("ann", "correct horse"))
            let account = try #require(try accounts.account("ann"))
            try accounts.set(account)
            #expect(visitors.visitor(third) == nil)
            let fourth = try #require(try await visitors.login("ann", "correct horse"))
            #expect(visitors.visitor(fourth) != nil)
            #expect(try accounts.remove("ann"))
            #expect(visitors.visitor(fourth) == nil)
        }
    }

    @Test(arguments: [-86_400.0, 86_400])
    func session_accountSetByAnotherClock_endsForGood(offset: Double) async throws {
        try await Self.with { directory, accounts in
            let visitors = Visitors(in: directory, now: { 1_000_000 })
            let secret = try #require(try await visitors.login("ann", "correct horse"))
            #expect(visitors.visitor(secret) != nil)
            var account = try #require(try accounts.account("ann"))
            account.changed = 1_000_000 + offset
            // The same name, later for another person.
            #expect(try accounts.remove("ann"))
            try accounts.set(account)
            #expect(visitors.visitor(secret) == nil)
            #expect(Visitors(in: directory, now: { 1_000_000 }).visitor(secret) == nil)
        }
    }

    @Test func login_accountWasSetInTheFuture_endsNoOtherSession() async throws {
        try await Self.with { directory, accounts in
            let visitors = Visitors(in: directory, now: { 1_000_000 })
            let ann = try #require(try await visitors.login("ann", "correct horse"))
            try accounts.set(
                UserAccount(
                    name: "ben", role: .viewer, password: PasswordHash.make("correct horse"), changed: 6_000_000))
            let ben = try #require(try await visitors.login("ben", "correct horse"))
            #expect(visitors.visitor(ann) != nil && visitors.visitor(ben) != nil)
            // The session lasts two weeks from now.
            #expect(Visitors(in: directory, now: { 1_000_000 + 15 * 86_400 }).visitor(ben) == nil)
        }
    }

    @Test func session_accountOfAnEarlierVersion_endsWithItsTime() async throws {
        try await Self.with { directory, _ in
            let hash = try PasswordHash.make("correct horse")
            func write(changed: Int) throws {
                try Data(#"[{"name":"ann","role":"viewer","password":"\#(hash)","changed":\#(changed)}]"#.utf8)
                    .write(to: URL(fileURLWithPath: directory + "/accounts.json"), options: .atomic)
            }
            try write(changed: 1000)
            let visitors = Visitors(in: directory, now: { 2000 })
            let secret = try #require(try await visitors.login("ann", "correct horse"))
            #expect(visitors.visitor(secret) != nil)
            try write(changed: 3000)
            #expect(visitors.visitor(secret) == nil)
        }
    }

    @Test func clockJump_extendsNoSessionAndBypassesNoThrottle() async throws {
        try await Self.with { directory, _ in
            let now = Locked(1_000_000.0)
            let visitors = Visitors(in: directory, now: { now.withLock { $0 } }, uptime: { 0 })
            let before = try #require(try await visitors.login("ann", "correct horse"))
            // Years ahead, the session has expired like any other. With a corrected clock it is valid again.
            now.withLock { $0 = 1e9 }
            #expect(visitors.visitor(before) == nil)
            now.withLock { $0 = 1_000_000 }
            #expect(visitors.visitor(before) != nil)
            // A session that begins while the clock is years ahead ends two weeks later by that clock.
            now.withLock { $0 = 1e9 }
            let ahead = try #require(try await visitors.login("ann", "correct horse"))
            now.withLock { $0 = 1e9 + 15 * 86_400 }
            #expect(visitors.visitor(ahead) == nil)
            // The delay uses the monotonic clock.
            for _ in 0..<5 { _ = try await visitors.login("ann", "wrong") }
            now.withLock { $0 = 2e9 }
            await #expect(throws: ControlError.self) { try await visitors.login("ann", "correct horse") }
        }
    }

    @Test func oneTimeAddress_worksOnceWhileItsServerRuns() async throws {
        let directory = try TemporaryDirectory()
        let visitors = Visitors(in: directory.path("s"), opening: "secret", now: { 2000 })
        #expect(try visitors.open("secre") == nil)
        let secret = try #require(try visitors.open("secret"))
        #expect(try visitors.open("secret") == nil)
        #expect(visitors.visitor(secret)?.role == .operator)
        #expect(Visitors(in: directory.path("s"), now: { 2000 }).visitor(secret) == nil)
    }

    @Test func oneTimeAddress_nextServerHasOneToo_refusesOldCookies() async throws {
        let directory = try TemporaryDirectory()
        let visitors = Visitors(in: directory.path("s"), opening: "secret", now: { 2000 })
        let secret = try #require(try visitors.open("secret"))
        let next = Visitors(in: directory.path("s"), opening: "another", now: { 2000 })
        #expect(next.visitor(secret) == nil)
        // A file of an earlier version contains such sessions.
        try Data(#"{"\#(Sessions.hash("old"))":{"begin":1000,"end":9000}}"#.utf8)
            .write(to: URL(fileURLWithPath: directory.path("s") + "/sessions.json"))
        #expect(Visitors(in: directory.path("s"), opening: "x", now: { 2000 }).visitor("old") == nil)
    }

    @Test func login_afterWrongPasswords_isDelayed() async throws {
        try await Self.with { directory, _ in
            let uptime = Locked(0.0)
            let visitors = Visitors(in: directory, now: { 2000 }, uptime: { uptime.withLock { $0 } })
            for _ in 0..<5 {
                let secret = try await visitors.login("ann", "wrong")
                #expect(secret == nil)
            }
            let refusal = await #expect(throws: ControlError.self) { try await visitors.login("ann", "correct horse") }
            #expect(refusal?.status == .tooManyRequests && refusal?.retryAfter == 11)
            uptime.withLock { $0 = 10 }
            let secret = try await visitors.login("ann", "correct horse")
            #expect(secret != nil)
        }
    }

    @Test func login_noPasswordCanBeChecked_isNotCounted() async throws {
        try await Self.with { directory, _ in
            let visitors = Visitors(in: directory, hashes: 0, now: { 2000 }, uptime: { 0 })
            for _ in 0..<10 {
                let refusal = await #expect(throws: ControlError.self) { try await visitors.login("ann", "wrong") }
                // After five counted attempts it would be 11 s.
                #expect(refusal?.status == .tooManyRequests && refusal?.retryAfter == 2)
            }
        }
    }

    @Test func accounts_changedAtTheSameTime_areAllChanged() throws {
        let directory = try TemporaryDirectory()
        let state = directory.path("state")
        @Sendable func account(_ name: String) -> UserAccount {
            UserAccount(name: name, role: .viewer, password: "x", changed: 0)
        }
        for number in 0..<10 { try AccountFile(in: state).set(account("old\(number)")) }
        // Each change has a file object of its own, as each process has.
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            let accounts = AccountFile(in: state)
            if number < 10 {
                _ = try? accounts.remove("old\(number)")
            } else {
                try? accounts.set(account("new\(number)"))
            }
        }
        let names = try AccountFile(in: state).accounts().map(\.name)
        #expect(names == (10..<20).map { "new\($0)" })
        let mode = try FileManager.default.attributesOfItem(atPath: state + "/accounts.lock")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func login_unreadableAccounts_isRefused() async throws {
        try await Self.with { directory, accounts in
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: accounts.path))
            let visitors = Visitors(in: directory, now: { 2000 })
            await #expect(throws: (any Error).self) { try await visitors.login("ann", "correct horse") }
            // Adding an account loses nothing either.
            #expect(throws: (any Error).self) {
                try accounts.set(UserAccount(name: "ben", role: .viewer, password: "x", changed: 0))
            }
            #expect(try String(contentsOfFile: accounts.path, encoding: .utf8) == "nonsense")
        }
    }
}
