package import MediaTypes

/// A camera on the network, with the facts that it reports without a password.
package struct FoundNetworkCamera: Sendable, Hashable {
    /// The numeric address of the camera's device service. If no service can be used, the address of the camera's first
    /// answer.
    package let address: String
    package let scopes: DeviceScopes
    /// The URL of its device service; nil if none can be used.
    package let device: DeviceURL?
    package internal(set) var profiles: [FoundProfile] = []
    /// True if its streams need a password.
    package internal(set) var needsPassword = false
    /// The reason why its streams are unknown, if it is not a missing password.
    package internal(set) var problem: MediaError?

    init(_ device: DiscoveredDevice) {
        address = device.service?.host ?? device.addresses.first ?? ""
        scopes = device.scopes
        self.device = device.service
    }

    /// Orders cameras by their addresses, as numbers: 10.0.0.9 comes before 10.0.0.10.
    package static func isBefore(_ one: FoundNetworkCamera, _ other: FoundNetworkCamera) -> Bool {
        let (first, second) = (one.order, other.order)
        return first == second ? one.address < other.address : first.lexicographicallyPrecedes(second)
    }

    private var order: [Int] { address.split(separator: ".").map { Int($0) ?? 0 } }
}
