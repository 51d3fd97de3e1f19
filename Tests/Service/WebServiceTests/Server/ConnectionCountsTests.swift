import NIOCore
import Testing

@testable import WebService

/// The limit of the connections of one client.
@Suite struct ConnectionCountsTests {
    private func client(_ address: String) throws -> ConnectionCounts.Client? {
        ConnectionCounts.client(try SocketAddress(ipAddress: address, port: 40_000))
    }

    @Test func connections_ofOneClient_areLimited() throws {
        var counts = ConnectionCounts(mostPerClient: 2)
        let (one, other) = (try client("192.0.2.1"), try client("192.0.2.2"))
        let admitted = [counts.begin(one), counts.begin(one), counts.begin(one), counts.begin(other)]
        #expect(admitted == [true, true, false, true] && counts.all == 4)
        // The refused connection counts until it is closed.
        counts.end(one)
        let isFourthAdmitted = counts.begin(one)
        #expect(!isFourthAdmitted)
        counts.end(one)
        counts.end(one)
        let isFifthAdmitted = counts.begin(one)
        #expect(isFifthAdmitted && counts.all == 3)
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
    func connections_ofThisMachine_areNotLimited(address: String) throws {
        var counts = ConnectionCounts(mostPerClient: 1)
        let local = try client(address)
        #expect(local == nil)
        let admitted = (0..<3).map { _ in counts.begin(local) }
        #expect(admitted == [true, true, true])
        for _ in 0..<3 { counts.end(local) }
        #expect(counts.all == 0)
    }

    @Test func client_addressesOfOneHost_areOneClient() throws {
        #expect(try client("2001:db8:1:2::1") == client("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try client("2001:db8:1:2::1") != client("2001:db8:1:3::1"))
        #expect(try client("::ffff:192.0.2.1") == client("192.0.2.1"))
        #expect(try client("192.0.2.1") != client("192.0.2.2"))
        #expect(ConnectionCounts.client(nil) == nil)
    }
}
