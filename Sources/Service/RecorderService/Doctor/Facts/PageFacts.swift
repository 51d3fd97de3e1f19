/// An address or a socket at which the page's server listens or would listen.
struct PageAddress: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// No program uses it.
        case free
        /// The socket was left by an earlier server. The next server replaces it.
        case stale
        /// `recorder-web` listens there.
        case served
        /// Another program uses it. The associated value is the program's name; nil if unknown.
        case taken(String?)
        /// The state cannot be read. The associated value is the reason.
        case unknown(String)
    }

    /// The path of a socket, or an address and a port.
    var place: String
    var state: State
}

/// The state of the page (`recorder web`).
struct PageFacts: Sendable, Equatable {
    /// The path where `recorder web` looks for its program. `hasProgram` is true if the program is there.
    var program: String
    var hasProgram: Bool
    var addresses: [PageAddress]
}
