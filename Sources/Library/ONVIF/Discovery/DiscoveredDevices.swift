/// A camera that answered a probe.
package struct DiscoveredDevice: Sendable, Hashable {
    package let endpoint: String
    /// The numeric addresses from which the camera answered, in the order of its answers.
    package fileprivate(set) var addresses: [String]
    package fileprivate(set) var scopes: DeviceScopes
    package fileprivate(set) var urls: [DeviceURL]

    /// The URL of the camera's device service: the first `http` URL at an address from which it answered; nil if there
    /// is none.
    ///
    /// URLs at other addresses are not used. Otherwise a false answer could direct our requests to any machine.
    package var service: DeviceURL? { urls.first { !$0.isSecure && addresses.contains($0.host) } }
}

/// The list of cameras that answered a probe. It contains each camera once. A pure value.
///
/// A camera answers each probe, on each of its interfaces. Therefore the endpoint, not the address, identifies the
/// camera.
package struct DiscoveredDevices: Sendable {
    private static let mostAddresses = 8

    package private(set) var devices: [DiscoveredDevice] = []
    private let probe: Probe
    private let most: Int

    /// - Parameter most: The maximum number of cameras; further ones are ignored.
    package init(answering probe: Probe, most: Int) { (self.probe, self.most) = (probe, most) }

    package var isFull: Bool { devices.count >= most }

    /// Adds the cameras in a datagram. Ignores an invalid answer.
    ///
    /// - Parameter sender: The numeric address from which the datagram came.
    package mutating func add(_ datagram: [UInt8], from sender: String) {
        let matches: [ProbeMatch]
        do throws(XMLFailure) { matches = try ProbeMatch.read(datagram, answerTo: probe) } catch { return }
        for match in matches { add(match, from: sender) }
    }

    private mutating func add(_ match: ProbeMatch, from sender: String) {
        let known = devices.firstIndex { device in
            match.endpoint.isEmpty ? device.addresses.contains(sender) : device.endpoint == match.endpoint
        }
        guard let index = known else {
            guard !isFull else { return }
            devices.append(
                DiscoveredDevice(
                    endpoint: match.endpoint, addresses: [sender], scopes: match.scopes, urls: match.urls))
            return
        }
        if !devices[index].addresses.contains(sender), devices[index].addresses.count < Self.mostAddresses {
            devices[index].addresses.append(sender)
        }
        for url in match.urls where !devices[index].urls.contains(url) {
            guard devices[index].urls.count < ProbeMatch.mostURLs else { break }
            devices[index].urls.append(url)
        }
        if devices[index].scopes.name == nil { devices[index].scopes = match.scopes }
    }
}
