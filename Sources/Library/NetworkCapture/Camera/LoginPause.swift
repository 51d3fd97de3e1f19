import MediaTypes
import RTSP

/// Decides when a user and a password that a camera refused are sent again. A plain value; times are nanoseconds.
///
/// Many cameras lock an account after several wrong attempts, and then refuse the right password too. Other credentials
/// are sent at once.
struct LoginPause: Sendable {
    static let shortest: Int64 = 10_000_000_000
    static let longest: Int64 = 300_000_000_000
    /// The responses that refuse credentials. Some cameras answer a wrong password with 403.
    private static let refusals: [MediaError.Underlying] = [.other("RTSP", 401), .other("RTSP", 403)]

    private var refused: Credentials?
    private var lastError: MediaError?
    private var pause = LoginPause.shortest
    private var end: Int64 = 0

    /// Returns the camera's refusal if it is too early for another attempt; nil if these credentials may be sent.
    func refusal(of credentials: Credentials?, at now: Int64) -> MediaError? {
        now < end && credentials == refused ? lastError : nil
    }

    /// Records that an attempt failed. Only a refusal of the credentials begins a pause. Each pause is longer than the
    /// last.
    mutating func failed(_ error: MediaError, with credentials: Credentials?, at now: Int64) {
        guard let credentials, let response = error.underlying, Self.refusals.contains(response) else { return }
        pause = credentials == refused ? min(Self.longest, pause * 2) : Self.shortest
        (refused, lastError, end) = (credentials, error, now + pause)
    }

    /// Records that the camera accepted the credentials.
    mutating func succeeded() { self = LoginPause() }
}
