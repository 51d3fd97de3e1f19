import Foundation
import TestSupport

/// The JSON output of a program, with access to single values.
enum Finding {
    case object([String: Any])
    case array([Any])
    case value(String)
    case none

    init(_ any: Any?) {
        switch any {
        case let object as [String: Any]: self = .object(object)
        case let array as [Any]: self = .array(array)
        case let value?: self = .value("\(value)")
        case nil: self = .none
        }
    }

    init(json data: Data) throws { self.init(try JSONSerialization.jsonObject(with: data)) }

    subscript(key: String) -> Finding {
        if case .object(let object) = self { Finding(object[key]) } else { .none }
    }
    subscript(index: Int) -> Finding { index < all.count ? all[index] : .none }

    var all: [Finding] { if case .array(let array) = self { array.map { Finding($0) } } else { [] } }
    var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
    var text: String? { if case .value(let text) = self { text } else { nil } }
    var number: Double? { text.flatMap(Double.init) }

    func first(where key: String, is value: String) -> Finding { all.first { $0[key].text == value } ?? .none }
}

/// Other programs that read movies.
enum Judges {
    static func ffprobe(_ path: String) throws -> Finding {
        let result = try Probe.ask(
            path, as: "json", level: "warning", options: ["-show_streams", "-show_format", "-show_chapters"])
        // ffprobe complains that it has no decoder for each track that is neither video nor audio.
        let complaints = result.errors.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id") }
        guard result.status == 0, complaints.isEmpty else {
            throw Command.Failure(description: "ffprobe \(path): \(result.errors)")
        }
        return try Finding(json: result.output)
    }

    /// mediainfo's tracks, the first one "General".
    static func mediainfo(_ path: String) throws -> Finding {
        try Finding(json: Command.run("mediainfo", "--Output=JSON", path).output)["media"]["track"]
    }

    static func gstreamer(_ path: String) throws -> String {
        let result = try Command.run("gst-discoverer-1.0", "-v", path)
        guard result.status == 0 else { throw Command.Failure(description: "gst-discoverer \(path): \(result.errors)") }
        return result.text
    }

    /// Chromium's report, through Tests/Judges/browser.py. Chromium plays MPEG-4 and nothing of QuickTime's own.
    static func browser(_ path: String) throws -> Finding {
        let result = try Command.run("python3", Project.path("Tests/Judges/browser.py"), path)
        guard result.status == 0 else { throw Command.Failure(description: "browser.py: \(result.errors)") }
        return try Finding(json: result.output)
    }

    /// The atoms as Python's mp4analyser reads them, through Tests/Judges/atoms.py.
    static func atoms(_ path: String) throws -> JudgedAtom {
        let result = try PythonJudge.run("atoms.py", path)
        guard result.status == 0 else { throw Command.Failure(description: "atoms.py: \(result.errors)") }
        return JudgedAtom(
            type: "file", info: .none, hex: "", children: JudgedAtom.list(try Finding(json: result.output)))
    }
}

struct JudgedAtom {
    var type: String
    var info: Finding
    /// The payload, if there are no children.
    var hex: String
    var children: [JudgedAtom]

    static func list(_ finding: Finding) -> [JudgedAtom] {
        finding.all.map {
            JudgedAtom(
                type: $0["type"].text ?? "", info: $0["info"], hex: $0["hex"].text ?? "", children: list($0["children"])
            )
        }
    }

    func all(_ type: String) -> [JudgedAtom] { children.filter { $0.type == type } }

    /// A descendant, by types with slashes between; an empty atom if there is none.
    func find(_ path: String) -> JudgedAtom {
        path.split(separator: "/").reduce(self) { atom, type in
            atom.children.first { $0.type == type } ?? JudgedAtom(type: "", info: .none, hex: "", children: [])
        }
    }
}
