import Glibc
import RealTime

/// Finds the addresses of hosts. getaddrinfo(3) may block for a minute, so each lookup runs on a separate thread. A
/// thread that takes too long is abandoned. At most four lookups run at the same time.
final class NameResolver: Sendable {
    /// The reason why a host has no address, in words.
    struct Failure: Error, Hashable { let reason: String }

    /// One lookup. `done` is fired once `result` is set.
    final class Lookup: Sendable {
        let host: String
        let done = WakeUp()
        private let found = Locked<Result<[InternetAddress], Failure>?>(nil)

        init(_ host: String) { self.host = host }

        /// The addresses, in the order in which to try them; nil while the lookup runs.
        var result: Result<[InternetAddress], Failure>? { found.withLock { $0 } }

        func finish(_ result: Result<[InternetAddress], Failure>) {
            found.withLock { $0 = result }
            done.fire()
        }
    }

    private static let most = 4
    private let running = Locked<[Lookup]>([])

    /// Begins a lookup, or returns the one that still runs for the host. Does not block.
    func begin(_ host: String) -> Lookup {
        if let numeric = numeric(host) {
            let lookup = Lookup(host)
            lookup.finish(.success(numeric))
            return lookup
        }
        let (lookup, isNew) = running.withLock { running -> (Lookup, Bool) in
            running.removeAll { $0.result != nil }
            if let known = running.first(where: { $0.host == host }) { return (known, false) }
            let lookup = Lookup(host)
            guard running.count < Self.most else {
                lookup.finish(.failure(Failure(reason: "earlier lookups of names do not end")))
                return (lookup, false)
            }
            running.append(lookup)
            return (lookup, true)
        }
        guard isNew else { return lookup }
        do throws(ThreadError) {
            _ = try NamedThread("look-up-name") {
                do throws(Failure) {
                    lookup.finish(.success(try Self.addresses(of: host, flags: AI_ADDRCONFIG)))
                } catch {
                    lookup.finish(.failure(error))
                }
            }
        } catch {
            lookup.finish(.failure(Failure(reason: "no thread is available")))
        }
        return lookup
    }

    /// Returns the addresses for a text that is a numeric address; nil for a name. Does not block.
    func numeric(_ host: String) -> [InternetAddress]? { try? Self.addresses(of: host, flags: AI_NUMERICHOST) }

    private static func addresses(of host: String, flags: Int32) throws(Failure) -> [InternetAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        guard code == 0 else { throw Failure(reason: String(cString: gai_strerror(code)).lowercased()) }
        defer { freeaddrinfo(found) }
        var addresses: [InternetAddress] = []
        var next = found
        while let entry = next {
            if let address = InternetAddress(entry.pointee.ai_addr, entry.pointee.ai_addrlen) {
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw Failure(reason: "it has no address") }
        return addresses
    }
}
