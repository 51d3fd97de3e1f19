import MediaTypes
import RealTime

/// Encoders of SVT-AV1 that are open in this process. It keeps apart those that cannot work at the same time.
///
/// All encoders of a process share tables of the prediction structure. An encoder whose tables were replaced by another
/// encoder, before it was drained, never returns from one of its next frames. Which encoders have the same tables was
/// measured with pairs of encoders of every preset, with and without reordered frames, for the versions in Debian 12,
/// 13 and unstable (1.4.1, 2.3 and 4.2). The size of the frames does not matter.
struct SVTTables {
    /// A group of encoders with the same tables.
    enum Group: Hashable, Sendable {
        case slow
        case fast

        /// - Parameters:
        ///   - preset: the preset of SVT-AV1. A lower number is slower.
        ///   - reordersFrames: false for an encoder with `pred-struct=1`.
        /// - Returns: nil for a version whose encoders share nothing.
        init?(preset: Int, reordersFrames: Bool, version: SVTVersion) {
            // Versions between the measured ones count as the older one, where more pairs are refused.
            guard (version.major, version.minor) < (4, 2) else { return nil }
            let isSlow = version.major < 2 ? reordersFrames && preset <= 5 : preset <= 7
            self = isSlow ? .slow : .fast
        }
    }

    private var users: [Group: Int] = [:]

    /// Adds an encoder.
    ///
    /// - Returns: false if encoders of the other group are open. The encoder is then not added.
    mutating func add(_ group: Group) -> Bool {
        guard users.allSatisfy({ $0.key == group || $0.value == 0 }) else { return false }
        users[group, default: 0] += 1
        return true
    }

    mutating func remove(_ group: Group) { users[group, default: 0] -= 1 }
}

/// The right of one encoder to use SVT-AV1's tables. It ends when this object is released.
final class SVTTableUse: Sendable {
    private static let tables = Locked(SVTTables())

    private let group: SVTTables.Group

    /// Waits for nothing.
    ///
    /// - Throws: `busy` if an encoder of the other group is open in this process.
    init(_ group: SVTTables.Group) throws(MediaError) {
        guard Self.tables.withLock({ $0.add(group) }) else {
            throw MediaError(
                .busy, "cannot open the AV1 encoder",
                reason: "an AV1 encoder with a much \(group == .slow ? "faster" : "slower") preset is open in this "
                    + "process, and this version of SVT-AV1 cannot run both",
                wayOut: "wait until it has ended, or choose the same preset for both")
        }
        self.group = group
    }

    deinit { Self.tables.withLock { $0.remove(group) } }
}
