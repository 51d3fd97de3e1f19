/// One device in the answer to a `Probe` (WS-Discovery, 5.3).
package struct ProbeMatch: Sendable, Hashable {
    /// The permanent identifier of the device, which does not change with its address (ONVIF Core, 7.3.1); empty if it
    /// sent none.
    package let endpoint: String
    package let scopes: DeviceScopes
    /// The valid URLs of its device service. The one that it prefers is first.
    package let urls: [DeviceURL]

    static let mostURLs = 16

    /// Reads a datagram.
    ///
    /// - Returns: The cameras in the datagram; none if it answers another probe.
    static func read(_ bytes: [UInt8], answerTo probe: Probe) throws(XMLFailure) -> [ProbeMatch] {
        let (header, body) = try SOAPEnvelope.read(bytes)
        if let relation = header?.text(at: "RelatesTo"), !relation.lowercased().hasSuffix(probe.identifier) {
            return []
        }
        let matches = body["ProbeMatches"]?.all("ProbeMatch") ?? []
        return matches.filter(isCamera).map { match in
            ProbeMatch(
                endpoint: normalized(match.text(at: "EndpointReference", "Address") ?? ""),
                scopes: DeviceScopes(match["Scopes"]?.words ?? []),
                urls: Array((match["XAddrs"]?.words ?? []).compactMap { DeviceURL($0) }.prefix(mostURLs)))
        }
    }

    /// Checks the types, because some devices that are not cameras answer every probe. Types are qualified names, and
    /// each device chooses the prefixes.
    private static func isCamera(_ match: XMLTree) -> Bool {
        let types: [String] = (match["Types"]?.words ?? []).map { $0.split(separator: ":").last.map(String.init) ?? "" }
        return types.isEmpty || types.contains("NetworkVideoTransmitter") || types.contains("Device")
    }

    /// Returns an endpoint in one form, because some cameras write their UUID in two forms.
    private static func normalized(_ endpoint: String) -> String {
        let text = endpoint.lowercased()
        let prefix = ["urn:uuid:", "uuid:"].first { text.hasPrefix($0) } ?? ""
        return String(text.dropFirst(prefix.count))
    }
}
