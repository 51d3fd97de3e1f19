/// The disconnected devices of a session. A plain value.
struct Interruptions: Sendable, Equatable {
    private var away: Set<String> = []

    var areActive: Bool { !away.isEmpty }

    /// - Returns: true if the session's interruption begins with this device.
    mutating func gone(_ device: String) -> Bool {
        let begins = away.isEmpty
        return away.insert(device).inserted && begins
    }

    /// - Returns: true if the session's interruption ends with this device.
    mutating func back(_ device: String) -> Bool { away.remove(device) != nil && away.isEmpty }

    /// Removes a device that no longer belongs to the session.
    ///
    /// - Returns: true if the session's interruption ends thereby.
    mutating func left(_ device: String) -> Bool { back(device) }
}
