import Glibc

/// What `recorder start` says once it records, or waits armed.
public struct Announcement: Encodable, Sendable {
    private let name: String
    private let file: String?
    private let pid: Int32

    /// - Parameter file: nil: it waits to be told to record.
    public init(name: RecordingName, file: String?, processID: Int32) {
        self.name = name.description
        self.file = file
        pid = processID
    }

    /// "recording front → /home/ana/Videos/front.mov (pid 4711)"
    public func text(json: Bool) -> String {
        if json { return JSONText.line(self) }
        guard let file else { return "armed \(name) (pid \(pid)); `recorder start \(name)` begins a recording" }
        return "recording \(name) → \(file) (pid \(pid))"
    }
}

public enum CurrentProcess {
    public static var id: Int32 { getpid() }
}
