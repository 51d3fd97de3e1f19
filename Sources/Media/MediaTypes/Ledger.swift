/// The reason why a sample that the device captured is not in the file.
public enum DropCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Lost before it reached the recorder: a gap in the driver's sequence numbers, or an xrun.
    case device
    /// Refused at admission: the input's budget was used up although encoder and disk kept up.
    case queue
    /// Refused because the encoder could not keep up, or failed.
    case encoder
    /// Damaged when the device delivered it (`V4L2_BUF_FLAG_ERROR`, an undecodable JPEG).
    case corrupt
    /// Left out because the user paused the recording. Not counted as dropped.
    case paused
    /// Left out because the frame repeats the frame before it. That frame lasts longer instead. Not counted as dropped.
    case repeated
    /// Refused because the disk could not keep up, or failed.
    case disk

    /// True if content is lost. Pauses and repeated frames are no loss.
    package var isDrop: Bool { self != .paused && self != .repeated }
}

/// The drop counts of one track. Every sample that the device captured is counted as written, paused, repeated, or
/// dropped for a cause.
///
/// Video counts frames, audio counts audio frames (one sample of each channel). Sums never trap, because a ledger from a
/// file may contain any numbers: a sum that is out of range becomes the nearest `Int64`.
public struct Ledger: Sendable, Hashable, Codable {
    public var captured: Int64 = 0
    public var written: Int64 = 0
    /// Frames that were encoded with less effort than requested, so that none had to be dropped.
    public var eased: Int64 = 0
    // The counts are separate properties, because ledgers are added for every packet, and an array would allocate
    // memory each time.
    private var device: Int64 = 0
    private var queue: Int64 = 0
    private var encoder: Int64 = 0
    private var corrupt: Int64 = 0
    private var paused: Int64 = 0
    private var repeated: Int64 = 0
    private var disk: Int64 = 0

    public init() {}

    /// The number of samples that are not in the file because of one cause.
    public subscript(dropped cause: DropCause) -> Int64 {
        get {
            switch cause {
            case .device: device
            case .queue: queue
            case .encoder: encoder
            case .corrupt: corrupt
            case .paused: paused
            case .repeated: repeated
            case .disk: disk
            }
        }
        set {
            switch cause {
            case .device: device = newValue
            case .queue: queue = newValue
            case .encoder: encoder = newValue
            case .corrupt: corrupt = newValue
            case .paused: paused = newValue
            case .repeated: repeated = newValue
            case .disk: disk = newValue
            }
        }
    }

    /// Drops of every cause. Paused and repeated samples are not drops.
    public var droppedInAll: Int64 {
        device.addingClamped(queue).addingClamped(encoder).addingClamped(corrupt).addingClamped(disk)
    }

    /// Captured samples that are not in the file: dropped, paused or repeated.
    package var leftOut: Int64 { droppedInAll.addingClamped(paused).addingClamped(repeated) }

    /// The number of captured samples that are still in a queue or inside an encoder. 0 after finalizing.
    public var pending: Int64 { captured.subtractingClamped(written).subtractingClamped(leftOut) }

    public static func + (a: Ledger, b: Ledger) -> Ledger {
        var sum = a
        sum.captured = a.captured.addingClamped(b.captured)
        sum.written = a.written.addingClamped(b.written)
        sum.eased = a.eased.addingClamped(b.eased)
        sum.device = a.device.addingClamped(b.device)
        sum.queue = a.queue.addingClamped(b.queue)
        sum.encoder = a.encoder.addingClamped(b.encoder)
        sum.corrupt = a.corrupt.addingClamped(b.corrupt)
        sum.paused = a.paused.addingClamped(b.paused)
        sum.repeated = a.repeated.addingClamped(b.repeated)
        sum.disk = a.disk.addingClamped(b.disk)
        return sum
    }

    private enum CodingKeys: String, CodingKey { case captured, written, dropped, paused, repeated, eased }

    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        captured = try container.decode(Int64.self, forKey: .captured)
        written = try container.decode(Int64.self, forKey: .written)
        eased = try container.decodeIfPresent(Int64.self, forKey: .eased) ?? 0
        for (name, count) in try container.decode([String: Int64].self, forKey: .dropped) {
            // Files of earlier versions list pauses among the drops.
            if let cause = DropCause(rawValue: name) { self[dropped: cause] = count }
        }
        if let count = try container.decodeIfPresent(Int64.self, forKey: .paused) { paused = count }
        repeated = try container.decodeIfPresent(Int64.self, forKey: .repeated) ?? 0
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(captured, forKey: .captured)
        try container.encode(written, forKey: .written)
        if eased > 0 { try container.encode(eased, forKey: .eased) }
        try container.encode(paused, forKey: .paused)
        if repeated > 0 { try container.encode(repeated, forKey: .repeated) }
        // Programs written for earlier versions add up the drops, so pauses must not be among the drops.
        let named = DropCause.allCases.filter { $0 != .repeated }
            .map { ($0.rawValue, $0 == .paused ? 0 : self[dropped: $0]) }
        try container.encode(Dictionary(uniqueKeysWithValues: named), forKey: .dropped)
    }
}
