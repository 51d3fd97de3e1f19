import Foundation
import MediaTypes

/// A parsed line of a plan.
enum PlanLine {
    case header(ArchivePlan.Header)
    /// A task, and the byte offset of the list `after` in the line.
    case task(ArchivePlan.Task, after: Int)
    case skipped(ArchivePlan.Skipped)

    init(_ bytes: some Sequence<UInt8>) throws(JSONNode.Fault) {
        let node = try JSONNode(bytes)
        let fields = try Fields(node, "a line")
        if fields.has("archive") {
            self = .header(try Self.header(fields))
        } else if fields.has("task") {
            self = .task(try Self.task(fields), after: fields.place("after"))
        } else if fields.has("skipped") {
            self = .skipped(
                ArchivePlan.Skipped(path: try fields.path("skipped"), reason: try fields.text("reason")))
            try fields.finish(["skipped", "reason"])
        } else {
            throw node.fault("a line needs one of the keys “archive”, “task” and “skipped”")
        }
    }

    private static func header(_ fields: Fields) throws(JSONNode.Fault) -> ArchivePlan.Header {
        let version: Int = try fields.integer("archive")
        guard version == ArchivePlan.Header.version else {
            throw try fields.node("archive").fault("plans of version \(version) are not supported by this recorder")
        }
        try fields.finish(["archive", "program", "settings", "to", "from"])
        var directories: [RawPath] = []
        for node in try fields.list("from") { directories.append(try Fields.path(node)) }
        return ArchivePlan.Header(
            program: try fields.text("program"), settings: try settings(try fields.node("settings")),
            output: try fields.absolutePath("to"), directories: directories)
    }

    private static func task(_ fields: Fields) throws(JSONNode.Fault) -> ArchivePlan.Task {
        // Plans of earlier versions have another key.
        let files = fields.has(EarlierName.movies.rawValue) ? EarlierName.movies.rawValue : "files"
        try fields.finish(["task", "cost", files, "part", "from", "to", "after"])
        let number: Int = try fields.integer("task")
        guard number > 0 else { throw try fields.node("task").fault("task numbers begin at 1") }
        var movies: [ArchivePlan.Movie] = []
        for node in try fields.list(files) { movies.append(try movie(try Fields(node, "a file"))) }
        guard !movies.isEmpty else { throw try fields.node(files).fault("a task needs at least one file") }
        let work = try work(fields)
        guard work == .movies || movies.count == 1 else {
            throw try fields.node(files).fault("a task that makes a part must have exactly one file")
        }
        return ArchivePlan.Task(number: number, work, movies: movies)
    }

    private static func work(_ fields: Fields) throws(JSONNode.Fault) -> ArchivePlan.Work {
        guard fields.has("part") else {
            for key in ["from", "to", "after"] where fields.has(key) {
                throw try fields.node(key).fault("“\(key)” is only for a task that makes a part")
            }
            return .movies
        }
        let part = try fields.text("part")
        let allowed: Set<String>
        switch part {
        case "frames", EarlierName.frames.rawValue: allowed = ["from", "to"]
        case "audio", EarlierName.audio.rawValue: allowed = []
        case "join": allowed = ["after"]
        default: throw try fields.node("part").fault("“part” must be “frames”, “audio” or “join”")
        }
        for key in ["from", "to", "after"] where fields.has(key) && !allowed.contains(key) {
            throw try fields.node(key).fault("“\(key)” cannot be used with “\(part)”")
        }
        switch part {
        case "frames", EarlierName.frames.rawValue:
            let from = try fields.time("from")
            let to = fields.has("to") ? try fields.time("to") : nil
            if let to, to <= from { throw try fields.node("to").fault("the chunk ends before it begins") }
            return .frames(from: from, to: to)
        case "audio", EarlierName.audio.rawValue: return .audio
        default:
            var numbers: [Int] = []
            for node in try fields.list("after") { numbers.append(try Fields.integer(node, "after")) }
            return .join(after: numbers)
        }
    }

    private static func movie(_ fields: Fields) throws(JSONNode.Fault) -> ArchivePlan.Movie {
        try fields.finish([
            "source", "size", "modified", "inode", "hash", "output", "duration", "cost", "settings",
        ])
        return ArchivePlan.Movie(
            source: try fields.absolutePath("source"),
            identity: SourceIdentity(
                size: try fields.size("size"), modified: try fields.integer("modified"),
                inode: try fields.integer("inode"), hash: fields.has("hash") ? try fields.text("hash") : nil),
            output: try fields.absolutePath("output"), duration: try fields.seconds("duration"),
            cost: try fields.seconds("cost"),
            settings: fields.has("settings") ? try settings(try fields.node("settings")) : nil)
    }

    private static func settings(_ node: JSONNode) throws(JSONNode.Fault) -> ArchiveSettings {
        let fields = try Fields(node, "settings")
        try fields.finish([
            "codec", "quality", "crf", "preset", "audioCodec", "audioBitRate", "container", "threads",
        ])
        var settings = ArchiveSettings()
        settings.codec = try fields.text("codec")
        settings.container = try fields.text("container")
        settings.threads = try fields.integer("threads")
        if fields.has("quality") { settings.quality = try fields.text("quality") }
        if fields.has("crf") { settings.crf = try fields.seconds("crf") }
        if fields.has("preset") { settings.preset = try fields.text("preset") }
        if fields.has("audioCodec") { settings.audioCodec = try fields.text("audioCodec") }
        if fields.has("audioBitRate") { settings.audioBitRate = try fields.integer("audioBitRate") as Int }
        do { _ = try settings.request() } catch { throw node.fault(error.description) }
        return settings
    }
}

/// The members of an object, accessed by name.
private struct Fields {
    private let object: JSONNode
    private let members: [(key: String, value: JSONNode)]

    init(_ node: JSONNode, _ what: String) throws(JSONNode.Fault) {
        guard case .object(let members) = node.value else {
            throw node.fault("\(what) must be an object, not \(node.kind)")
        }
        (object, self.members) = (node, members)
    }

    func has(_ key: String) -> Bool {
        members.contains { member in
            if case .null = member.value.value { false } else { member.key == key }
        }
    }

    /// Checks that all keys are known.
    ///
    /// - Throws: An error for an unknown key. Otherwise a misspelled key would have no effect.
    func finish(_ known: Set<String>) throws(JSONNode.Fault) {
        if let (key, value) = members.first(where: { !known.contains($0.key) }) {
            throw value.fault("unknown key “\(key.prefix(40))”")
        }
    }

    func node(_ key: String) throws(JSONNode.Fault) -> JSONNode {
        guard let member = members.first(where: { $0.key == key }) else { throw object.fault("“\(key)” is missing") }
        return member.value
    }

    func text(_ key: String) throws(JSONNode.Fault) -> String {
        let node = try node(key)
        guard case .text(let text) = node.value else { throw node.fault("“\(key)” must be a string, not \(node.kind)") }
        return text
    }

    /// Returns the offset of a key's value in the line; 0 if the key is missing.
    func place(_ key: String) -> Int { members.first { $0.key == key }?.value.place ?? 0 }

    func time(_ key: String) throws(JSONNode.Fault) -> MediaTime {
        let node = try node(key)
        guard case .text(let text) = node.value, let time = PlanTime.parse(text) else {
            throw node.fault("“\(key)” must be a string with a number of seconds, such as \"480\" or \"61440/128\"")
        }
        return time
    }

    func integer<Number: FixedWidthInteger>(_ key: String) throws(JSONNode.Fault) -> Number {
        try Self.integer(try node(key), key)
    }

    func size(_ key: String) throws(JSONNode.Fault) -> Int64 {
        let number: Int64 = try integer(key)
        guard number >= 0 else { throw try node(key).fault("“\(key)” must be at least 0") }
        return number
    }

    static func integer<Number: FixedWidthInteger>(
        _ node: JSONNode, _ key: String
    ) throws(JSONNode.Fault) -> Number {
        guard case .number(let text) = node.value, let number = Number(text) else {
            throw node.fault("“\(key)” must be a whole number from \(Number.min) to \(Number.max)")
        }
        return number
    }

    /// The maximum number of seconds, and of other measures: a sum of a million of them is finite and exact enough.
    static let most = 1e12

    func seconds(_ key: String) throws(JSONNode.Fault) -> Double {
        let node = try node(key)
        guard case .number(let text) = node.value, let number = Double(text), (0...Self.most).contains(number) else {
            throw node.fault("“\(key)” must be a number, at least 0 and at most 10^12")
        }
        return number
    }

    func list(_ key: String) throws(JSONNode.Fault) -> [JSONNode] {
        let node = try node(key)
        guard case .array(let nodes) = node.value else { throw node.fault("“\(key)” must be a list, not \(node.kind)") }
        return nodes
    }

    func path(_ key: String) throws(JSONNode.Fault) -> RawPath { try Self.path(try node(key)) }

    static func path(_ node: JSONNode) throws(JSONNode.Fault) -> RawPath {
        guard case .text(let text) = node.value else { throw node.fault("a path must be a string, not \(node.kind)") }
        guard let path = RawPath(planText: text) else {
            throw node.fault("invalid path: write % in a name as %25, and a byte that is not UTF-8 as %XX")
        }
        return path
    }

    func absolutePath(_ key: String) throws(JSONNode.Fault) -> RawPath {
        let path = try path(key)
        guard path.isAbsolute else { throw try node(key).fault("“\(key)” must begin with a slash") }
        return path
    }
}
