import Glibc
import MediaTypes
import RealTime

/// What the wall clock said since a session began, about once a minute: so that its files can be placed beside those of other
/// machines along their whole length. Any thread.
final class WallTimes: Sendable {
    /// Past so many every other one goes, and they come half as often from then on.
    static let most = 1024

    private struct State {
        var times: [RecordingClock.WallTime] = []
        var interval: Int64 = 60_000_000_000
        var last: Int64?
    }

    private let foundations: SessionFoundations
    private let state = Locked(State())

    init(_ foundations: SessionFoundations) { self.foundations = foundations }

    /// Both clocks at one moment: read again where somebody else had the processor between the two.
    var now: RecordingClock.WallTime {
        var attempt = 0
        while true {
            let before = foundations.clock.nanoseconds
            let date = foundations.wallClock()
            attempt += 1
            guard foundations.clock.nanoseconds - before < 1_000_000 || attempt == 5 else { continue }
            return RecordingClock.WallTime(
                at: Double(before) / 1e9, wall: date.timeIntervalSince1970, uncertainty: foundations.wallError())
        }
    }

    /// Looks at the clock where that is due.
    func tick(at now: Int64) {
        let isDue = state.withLock { state in
            guard state.last.map({ now - $0 >= state.interval }) ?? true else { return false }
            state.last = now
            return true
        }
        guard isDue else { return }
        let time = self.now
        state.withLock { state in
            state.times.append(time)
            guard state.times.count > Self.most else { return }
            state.times = state.times.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            state.interval *= 2
        }
    }

    /// Those since a moment.
    func since(_ time: Double) -> [RecordingClock.WallTime] {
        state.withLock { $0.times.filter { $0.at > time } }
    }
}

/// The boot of this machine (random(4), boot_id).
enum BootIdentity {
    static let text: String = {
        let boot = read("/proc/sys/kernel/random/boot_id")
        // In a time namespace the clock counts from elsewhere (time_namespaces(7)).
        let offsets = read("/proc/self/timens_offsets").split(separator: "\n").first { $0.hasPrefix("monotonic") }
        let offset = offsets?.split(whereSeparator: \.isWhitespace).dropFirst().joined(separator: ".") ?? "0.0"
        return offset == "0.0" || offset == "0.000000000" ? boot : "\(boot)+\(offset)"
    }()

    private static func read(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }
}
