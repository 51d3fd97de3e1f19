import Cryptography
import Foundation
import MediaTypes
import RealTime

/// The sessions of logged-in users, found by the secret that a browser keeps as a cookie. Thread-safe.
///
/// A file stores the sessions, so that a restart of the server logs no user out. It contains only hashes of the
/// secrets. Sessions of the one-time address are not stored: they end with the program.
package final class Sessions: Sendable {
    struct Session: Codable, Sendable, Equatable {
        /// The user's name; nil for a session of the one-time address.
        var user: String?
        /// The account's `edition` when the session began.
        var edition: String?
        /// Seconds since 1970.
        var begin: Double
        var end: Double
    }

    /// The lifetime of a session in seconds: two weeks.
    static let lifetime = 14.0 * 86_400
    /// The maximum number of sessions; beyond it, the oldest sessions end.
    static let most = 10_000

    private let path: String
    private let sessions: Locked<[String: Session]>
    /// Held while the file is written, so that an older state never replaces a newer one.
    private let writing = NSLock()

    package init(in directory: String) {
        path = directory + "/sessions.json"
        // A file that cannot be read is ignored; all users then have to log in again.
        let kept = ((try? PrivateFile.read([String: Session].self, path)) ?? nil) ?? [:]
        sessions = Locked(kept.filter { $0.value.user != nil })
    }

    /// Begins a session.
    ///
    /// - Parameter account: The user's account; nil for the one-time address.
    /// - Returns: The secret for the cookie.
    func begin(_ account: UserAccount?, now: Double) throws(MediaError) -> String {
        let secret = Secret.make()
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.end > now }
            if sessions.count >= Self.most, let oldest = sessions.min(by: { $0.value.begin < $1.value.begin })?.key {
                sessions[oldest] = nil
            }
            sessions[Self.hash(secret)] = Session(
                user: account?.name, edition: account?.edition, begin: now, end: now + Self.lifetime)
        }
        try save()
        return secret
    }

    func session(_ secret: String, now: Double) -> Session? {
        guard let session = sessions.withLock({ $0[Self.hash(secret)] }), session.end > now else { return nil }
        return session
    }

    func end(_ secret: String) throws(MediaError) {
        guard sessions.withLock({ $0.removeValue(forKey: Self.hash(secret)) }) != nil else { return }
        try save()
    }

    private func save() throws(MediaError) {
        writing.lock()
        defer { writing.unlock() }
        try PrivateFile.write(sessions.withLock { $0.filter { $0.value.user != nil } }, path)
    }

    static func hash(_ secret: String) -> String { SHA256.hash(data: secret.utf8).hexadecimal }
}

/// Random texts that cannot be guessed.
enum Secret {
    /// Returns 256 random bits in characters that are safe in URLs and cookies.
    static func make() -> String {
        SymmetricKey().withUnsafeBytes { Data($0).base64EncodedString() }
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
