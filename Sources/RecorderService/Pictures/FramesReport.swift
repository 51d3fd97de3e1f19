import MediaTypes

/// What `recorder frames` made, as its JSON object.
public struct FramesReport: Encodable, Sendable {
    public struct Frame: Encodable, Sendable {
        /// Seconds asked for.
        public var requested: Double
        /// Seconds at which the picture is first shown.
        public var actual: Double
        /// nil on a sheet.
        public var file: String?
        public var width: Int
        public var height: Int
    }

    public struct Failure: Encodable, Sendable {
        public var requested: Double
        public var error: String
    }

    public var source: String
    public var frames: [Frame] = []
    public var failures: [Failure] = []
    /// The contact sheet.
    public var sheet: String?

    /// The files that are there now.
    public var files: [String] { sheet.map { [$0] } ?? frames.compactMap(\.file) }
}
