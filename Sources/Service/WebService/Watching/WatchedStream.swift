/// One of the streams of a recorder: the main stream, or the sub-stream.
struct WatchedStream: Sendable, Hashable {
    enum Kind: String, Sendable, Encodable {
        case main
        case sub
    }

    let name: String
    let kind: Kind

    /// The key of the stream's number. No recorder's name contains a slash.
    var key: String { kind == .main ? name : name + "/sub" }
    /// The path of the request to the recorder for this stream.
    var path: String { kind == .main ? "/v1/live" : "/v1/live?stream=sub" }
}
