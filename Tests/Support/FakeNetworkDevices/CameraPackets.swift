import Glibc
import MediaTypes

/// Makes the RTP packets of a script's streams (RFC 3550, 6184, 7798, 3551, 3640).
struct CameraPackets {
    /// One packet, and the time at which it is sent, in nanoseconds after PLAY.
    struct Packet {
        var stream: Int
        var isControl = false
        var time: Int64
        var bytes: [UInt8]
        /// The number of the frame; nil for audio and reports.
        var frame: Int?
    }

    private static let sources: [UInt32] = [0x1111_1111, 0x2222_2222]
    private var sequences: [UInt16] = [65_500, 7]
    private let script: CameraScript
    /// Seconds since 1900.
    private let today = UInt32(truncatingIfNeeded: Int64(Glibc.time(nil)) + 2_208_988_800)
    /// The first RTP time, which wraps soon.
    private let origin: UInt32 = 0xFFFF_F000

    init(_ script: CameraScript) { self.script = script }

    /// Returns all packets in the order of their times.
    mutating func all() -> [Packet] {
        var packets: [Packet] = []
        var latest = 0
        for (number, frame) in script.frames.enumerated() {
            // A frame that is shown before an earlier one depends on it, and is sent right after it.
            latest = max(latest, frame.shown)
            let time = Int64(latest) * script.distance
            let jump = jump(at: number)
            let ticks = UInt32(truncatingIfNeeded: (Int64(frame.shown) * script.distance + jump) * 9 / 100_000)
            let parts = payloads(of: frame)
            for (index, payload) in parts.enumerated() {
                let isLast = index + 1 == parts.count
                let bytes = packet(payload, 0, payloadType(of: number), origin &+ ticks, marker: isLast)
                packets.append(Packet(stream: 0, time: time, bytes: bytes, frame: number))
            }
            let now = UInt32(truncatingIfNeeded: (time + jump) * 9 / 100_000)
            if number % 10 == 5 { packets.append(report(0, time, origin &+ now)) }
        }
        let end = Int64(script.frames.count) * script.distance
        packets += audio(until: end)
        return packets.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    private func payloadType(of frame: Int) -> UInt8 {
        if case .otherType(let first)? = script.fault, frame >= first { 98 } else { 96 }
    }

    /// Returns the nanoseconds by which the RTP times have jumped before a frame.
    private func jump(at frame: Int) -> Int64 {
        guard case .jump(let first, let seconds)? = script.fault, frame >= first else { return 0 }
        return seconds * 1_000_000_000
    }

    private mutating func audio(until end: Int64) -> [Packet] {
        var packets: [Packet] = []
        var (time, index) = (script.audioDelay, 0)
        while time < end {
            let shift = script.audioDelay + jump(at: Int(time / script.distance))
            switch script.audio {
            case nil: return []
            case .law?:
                let payload = (0..<160).map { UInt8(truncatingIfNeeded: index * 160 + $0) }
                let ticks = UInt32(truncatingIfNeeded: shift / 125_000 + Int64(index) * 160)
                let bytes = packet(payload, 1, 0, ticks, marker: index == 0)
                packets.append(Packet(stream: 1, time: time, bytes: bytes))
                time += 20_000_000
            case .aac(let units)?:
                let unit = units[index % units.count]
                // One AU header of 16 bits: the size in 13 bits, the index in 3.
                let header: [UInt8] = [0, 16, UInt8(unit.count >> 5), UInt8((unit.count << 3) & 0xFF)]
                let ticks = UInt32(truncatingIfNeeded: shift * 48 / 1_000_000 + Int64(index) * 1024)
                let bytes = packet(header + unit, 1, 97, ticks, marker: true)
                packets.append(Packet(stream: 1, time: time, bytes: bytes))
                time = script.audioDelay + Int64(index + 1) * 1024 * 1_000_000_000 / 48_000
            }
            index += 1
        }
        return packets
    }

    /// Returns the payloads of a frame: NAL units, or their fragments.
    private func payloads(of frame: CameraScript.Frame) -> [[UInt8]] {
        frame.units.flatMap { unit -> [[UInt8]] in
            let size = script.codec == .hevc ? 2 : 1
            let most = script.mostPayload - size - 1
            guard unit.count > script.mostPayload else { return [unit] }
            let body = unit.dropFirst(size)
            let starts = Array(stride(from: body.startIndex, to: body.endIndex, by: most))
            return starts.map { start in
                let part = body[start..<min(body.endIndex, start + most)]
                let flags: UInt8 = (start == starts.first ? 0x80 : 0) | (start == starts.last ? 0x40 : 0)
                return fragmentHead(of: unit, flags) + part
            }
        }
    }

    /// Returns the header of a fragment: that of the unit with the type of fragments, then the flags with the type of
    /// the unit.
    private func fragmentHead(of unit: [UInt8], _ flags: UInt8) -> [UInt8] {
        guard script.codec == .hevc else { return [unit[0] & 0xE0 | 28, flags | unit[0] & 0x1F] }
        return [unit[0] & 0x81 | 49 << 1, unit[1], flags | unit[0] >> 1 & 0x3F]
    }

    private mutating func packet(
        _ payload: [UInt8], _ stream: Int, _ type: UInt8, _ timestamp: UInt32, marker: Bool
    ) -> [UInt8] {
        let sequence = sequences[stream]
        sequences[stream] = sequence &+ 1
        let head: [UInt8] = [0x80, (marker ? 0x80 : 0) | type, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
        return head + big(timestamp) + big(Self.sources[stream]) + payload
    }

    /// Returns a sender report, whose wall clock begins now, or in 1970.
    private func report(_ stream: Int, _ time: Int64, _ timestamp: UInt32) -> Packet {
        let start = script.fault == .date ? 2_208_988_800 : today
        let seconds = start &+ UInt32(truncatingIfNeeded: time / 1_000_000_000)
        let rest = (time % 1_000_000_000) << 32
        let fraction = UInt32(truncatingIfNeeded: rest / 1_000_000_000)
        var bytes: [UInt8] = [0x80, 200, 0, 6]
        for number in [Self.sources[stream], seconds, fraction, timestamp, 0, 0] { bytes += big(number) }
        return Packet(stream: stream, isControl: true, time: time, bytes: bytes)
    }

    private func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
