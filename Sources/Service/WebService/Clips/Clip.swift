import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// One exported clip: a time range of a recorder's recordings as one file, as clients see it.
package struct Clip: Encodable, Sendable {
    enum State: String, Encodable, Sendable { case waiting, working, done, failed }

    let id: String
    let recorder: String
    /// The time range of the clip, in seconds since 1970.
    let range: ClosedRange<Double>
    /// The file name under which a browser stores it.
    let file: String
    /// The playing time in seconds.
    var duration: Double
    var state = State.waiting
    /// The progress from 0 to 1.
    var progress = 0.0
    /// The size of the finished clip in bytes.
    var bytes: Int64?
    var leftOut: [String] = []
    /// The reason for a failure, without directories.
    var problem: String?

    private enum Keys: CodingKey {
        case id, recorder, from, to, file, state, progress, duration, bytes, leftOut, problem
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(id, forKey: .id)
        try container.encode(recorder, forKey: .recorder)
        try container.encode(range.lowerBound, forKey: .from)
        try container.encode(range.upperBound, forKey: .to)
        try container.encode(file, forKey: .file)
        try container.encode(state, forKey: .state)
        try container.encode(progress, forKey: .progress)
        try container.encode(duration, forKey: .duration)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(leftOut, forKey: .leftOut)
        try container.encode(problem, forKey: .problem)
    }

    /// Returns a name such as `front-2026-11-24-07-05-41.mov`. Its time is the machine's local time, as in the names of
    /// recordings.
    static func name(_ recorder: String, at moment: Double, like file: String) -> String {
        var parts = LocalTime.fields(of: Date(timeIntervalSince1970: moment))
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%Y-%m-%d-%H-%M-%S", &parts)
        let stamp = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(recorder)-\(stamp).\(file.fileExtension.lowercased())"
    }
}
