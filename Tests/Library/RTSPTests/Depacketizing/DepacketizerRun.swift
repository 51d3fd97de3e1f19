import MediaTypes
import RTSP

/// A depacketizer and everything that it returned.
struct DepacketizerRun {
    var depacketizer: any Depacketizer
    var items: [DepacketizedItem] = []
    private var sequence: Int64 = 0

    init(_ encoding: String, clockRate: Int = 90_000, channels: Int = 1, parameters: Substring = "") throws {
        depacketizer = try PayloadFormat(
            payloadType: 96, encoding: encoding, clockRate: clockRate, channels: channels,
            parameters: FormatParameters(parameters)
        ).makeDepacketizer()
    }

    /// Adds the next packet, after `lost` missing ones.
    mutating func add(_ payload: [UInt8], time: Int64 = 0, marker: Bool = false, lost: Int64 = 0) throws {
        sequence += 1 + lost
        let packet = try RTPBytes.received(payload, sequence: sequence, time: time, marker: marker, lostBefore: lost)
        depacketizer.add(packet, to: &items)
    }

    mutating func flush() { depacketizer.flush(to: &items) }

    var samples: [NetworkSample] { items.compactMap { if case .sample(let sample) = $0 { sample } else { nil } } }
    var formats: [FormatDescription] { items.compactMap { if case .format(let format) = $0 { format } else { nil } } }
    var unsupported: [String] { items.compactMap { if case .unsupported(let text) = $0 { text } else { nil } } }
    var drops: [DropReason] { items.compactMap { if case .dropped(_, let reason, _) = $0 { reason } else { nil } } }
    /// The bytes of each sample.
    var data: [[UInt8]] { samples.map { Array($0.data.bytes) } }

    /// Returns NAL units after their lengths.
    static func stored(_ units: [UInt8]...) -> [UInt8] {
        units.flatMap { RTPBytes.bigEndian(UInt32($0.count)) + $0 }
    }
}
