import Glibc
import ONVIF

/// A route for a probe: the address of the interface that sends it, and the address that receives it.
struct ProbeRoute: Sendable, Hashable {
    let source: InternetAddress
    let target: InternetAddress

    /// Returns a route for each IPv4 address of an interface that is up and supports multicast (getifaddrs(3)).
    static func all() -> [ProbeRoute] {
        guard let group = NameResolver().numeric(Probe.group)?.first?.with(port: Probe.port) else { return [] }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        let needed = UInt32(IFF_UP) | UInt32(IFF_MULTICAST)
        var routes: [ProbeRoute] = []
        var next = list
        while let interface = next {
            next = interface.pointee.ifa_next
            // The list also contains interfaces without an address.
            guard interface.pointee.ifa_flags & needed == needed, let address = interface.pointee.ifa_addr,
                Int32(address.pointee.sa_family) == AF_INET,
                let source = InternetAddress(address, socklen_t(MemoryLayout<sockaddr_in>.size))?.with(port: 0)
            else { continue }
            let route = ProbeRoute(source: source, target: group)
            if !routes.contains(route) { routes.append(route) }
        }
        return routes
    }
}
