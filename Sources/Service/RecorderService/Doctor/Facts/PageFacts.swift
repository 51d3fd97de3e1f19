/// A place at which the page's server listens, or could.
struct PageAddress: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// No program uses it.
        case free
        /// A socket of an earlier server, which the next server replaces.
        case stale
        /// `recorder-web` listens there.
        case served
        /// Another program uses it: its name, if that is known.
        case taken(String?)
        /// The state cannot be read, with the reason.
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
