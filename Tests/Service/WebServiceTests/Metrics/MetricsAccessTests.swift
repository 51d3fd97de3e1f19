import Foundation
import MediaTypes
import RecorderControl
import TestSupport
import Testing

@testable import WebService

/// Tests of the access to the metrics, by address and by token.
@Suite struct MetricsAccessTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("192.0.2.7", "::ffff:192.0.2.7", true),
        ("192.0.2.0/25", "192.0.2.127", true), ("192.0.2.0/25", "192.0.2.128", false),
        ("192.0.2.9/24", "192.0.2.1", true), ("0.0.0.0/0", "203.0.113.5", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("::/0", "192.0.2.7", true), ("::1", "::1", true), ("192.0.2.7", "", false), ("192.0.2.7", "/run/s", false),
    ])
    func range_containsItsAddresses(range: String, address: String, isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(address) == isIn)
    }

    @Test(arguments: [
        "", "/", "192.0.2", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1", "192.0.2.0/8/8", "2001:db8::/129",
        "lab.example",
        "192.0.2.0/+8000", "192.0.2.0/+8", "192.0.2.0/-0", "192.0.2.0/ 8", "2001:db8::/+32", "fe80::1%eth0",
    ])
    func range_invalidText_isNone(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func addressList_refusesOtherAddressesAndSockets() throws {
        let access = try MetricsAccess(tokenFile: nil, from: [#require(AddressRange("192.0.2.0/24"))])
        #expect(access.refusal(authorization: nil, from: "192.0.2.7") == nil)
        #expect(access.refusal(authorization: nil, from: "198.51.100.7")?.status.code == 403)
        #expect(access.refusal(authorization: nil, from: nil)?.status.code == 403)
    }

    @Test func tokenAndAddressList_requireBoth() throws {
        let directory = try TemporaryDirectory()
        try Data("0123456789abcdef\r\nsecond line".utf8).write(to: directory.file("token"))
        let access = try MetricsAccess(
            tokenFile: directory.path("token"), from: [#require(AddressRange("192.0.2.0/24"))])
        let right = "bearer 0123456789abcdef"
        #expect(access.refusal(authorization: right, from: "192.0.2.7") == nil)
        #expect(access.refusal(authorization: right, from: "198.51.100.7")?.status.code == 403)
        #expect(access.refusal(authorization: nil, from: "192.0.2.7")?.status.code == 401)
    }

    @Test(arguments: ["", "short", "0123456789 abcdef", "0123456789äbcdef"])
    func tokenFile_withoutAUsableToken_isRefused(text: String) throws {
        let directory = try TemporaryDirectory()
        try Data(text.utf8).write(to: directory.file("token"))
        let error = #expect(throws: MediaError.self) {
            try MetricsAccess(tokenFile: directory.path("token"), from: [])
        }
        #expect(error?.code == .invalidSettings)
    }

    @Test func tokenFile_missing_isNamed() throws {
        let error = #expect(throws: MediaError.self) { try MetricsAccess(tokenFile: "/nowhere/token", from: []) }
        #expect(error?.description.contains("/nowhere/token") == true)
    }
}
