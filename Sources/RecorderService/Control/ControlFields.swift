import MediaTypes

/// The body of a request that needs none.
struct NoFields: ControlFields {
    static let names: [String] = []
}

/// `POST /v1/stop`
struct StopFields: ControlFields {
    static let names = ["disarm"]

    let disarm: Bool?
}

/// `POST /v1/save`
struct SaveFields: ControlFields {
    static let names = ["last", "file"]

    /// Seconds.
    let last: Double?
    let file: String?

    /// Characters (Unicode scalars) of a path: so many fit into Linux' 4095 bytes whatever they are.
    static let longestPath = 1023

    /// - Throws: for less than a millisecond and for more than a year.
    func duration() throws(ControlError) -> MediaTime? {
        guard let last else { return nil }
        guard last >= 0.001, last <= 31_536_000 else {
            throw .badRequest("cannot save: “last” is at least 0.001 seconds and at most a year")
        }
        return MediaTime(seconds: last)
    }

    func path() throws(ControlError) -> String? {
        guard let file else { return nil }
        guard file.hasPrefix("/"), file.unicodeScalars.count <= Self.longestPath, !file.utf8.contains(0) else {
            throw .badRequest("cannot save: “file” is an absolute path of at most \(Self.longestPath) characters")
        }
        return file
    }
}

/// `POST /v1/mark`
struct MarkFields: ControlFields {
    static let names = ["title"]
    /// Characters (Unicode scalars); far below what a chapter's text sample can hold.
    static let longest = 256

    let title: String

    func text() throws(ControlError) -> String {
        let isLine = title.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !title.isEmpty, title.unicodeScalars.count <= Self.longest, isLine else {
            throw .badRequest("cannot set a mark: “title” is one line of 1 to \(Self.longest) characters")
        }
        return title
    }
}

/// The answer of `POST /v1/reload`.
struct ReloadAnswer: Codable, Sendable, Equatable {
    /// One line for each setting that changed.
    let changes: [String]
}
