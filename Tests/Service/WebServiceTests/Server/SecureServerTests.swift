import Foundation
import Glibc
import RecorderControl
import TestSupport
import Testing

@testable import WebService

/// The page's server with TLS, for which browsers use HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SecureServerTests {
    /// Runs the body with a server on loopback that has a certificate of its own.
    private func withServer(
        limits: ControlLimits = .page, metricsFrom range: String? = nil,
        _ body: (WebFixture, _ port: Int) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try await WebFixture.run(limits: limits, tls: identity(in: directory), from: range) { web in
            try await body(web, #require(web.port))
        }
    }

    /// Makes a certificate and its key.
    private func identity(in directory: TemporaryDirectory, _ name: String = "") throws -> TLSIdentity {
        let identity = TLSIdentity(
            certificate: directory.path(name + "cert.pem"), key: directory.path(name + "key.pem"))
        _ = try Command.run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=lab.example",
            "-keyout", identity.key, "-out", identity.certificate)
        return identity
    }

    /// Returns curl's output for concurrent requests.
    private func curl(_ port: Int, _ words: [String]) throws -> [String] {
        let answer = try Command.run(
            ["curl", "--silent", "--insecure", "--resolve", "lab.example:\(port):127.0.0.1"] + words)
        return answer.text.split(separator: "\n").map(String.init)
    }

    @Test func secureServer_eightPagesWatch_shareOneConnection() async throws {
        try await withServer { web, port in
            let cookie = try await web.cookie("ann").trimmingCharacters(in: .newlines)
            var words = ["--http2", "--parallel", "--max-time", "3", "-H", cookie]
            for name in 0..<8 {
                words += ["https://lab.example:\(port)/api/watch?recorders=r\(name)", "-o", "/dev/null"]
            }
            let lines = try curl(port, words + ["-w", "%{http_code} %{http_version} %{num_connects}\\n"])
            #expect(lines.count == 8)
            #expect(lines.allSatisfy { $0.hasPrefix("200 2 ") }, "\(lines)")
            #expect(lines.filter { $0.hasSuffix(" 1") }.count == 1, "\(lines)")
        }
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "192.0.2.0/24"], ["--http1.1", "--http2"])
    func metrics_addressList_admitsItsAddresses(range: String, version: String) async throws {
        try await withServer(metricsFrom: range) { _, port in
            let lines = try curl(
                port, [version, "https://lab.example:\(port)/metrics", "-o", "/dev/null", "-w", "%{http_code}\\n"])
            #expect(lines == [range.hasPrefix("127.") ? "200" : "403"])
        }
    }

    @Test func secureServer_oldClient_isAnsweredOverHTTP1() async throws {
        try await withServer { _, port in
            let lines = try curl(
                port,
                [
                    "--http1.1", "https://lab.example:\(port)/api/session", "-o", "/dev/null", "-w",
                    "%{http_code} %{http_version}\\n",
                ])
            #expect(lines == ["200 1.1"])
        }
    }

    @Test func secureServer_requestForAnotherHost_isRefusedOverHTTP2() async throws {
        try await withServer { _, port in
            let lines = try curl(
                port,
                [
                    "--http2", "-H", "Host: other.example", "https://lab.example:\(port)/api/session", "-w",
                    "\\n%{http_code} %{http_version}\\n",
                ])
            #expect(lines.last == "421 2", "\(lines)")
            #expect(lines.first?.contains("another host") == true, "\(lines)")
        }
    }

    @Test func certificate_renewed_isServedWithoutARestart() async throws {
        /// Returns the serial number of the certificate that a new connection gets.
        func served(_ port: Int) throws -> String {
            let line = "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>&1 | openssl x509 -noout -serial"
            return try Command.run("bash", "-c", line).text
        }
        let directory = try TemporaryDirectory()
        let (own, renewed) = (try identity(in: directory), try identity(in: directory, "renewed-"))
        let serials = try [own, renewed].map {
            try Command.run("openssl", "x509", "-noout", "-serial", "-in", $0.certificate).text
        }
        #expect(serials[0] != serials[1] && serials[0].hasPrefix("serial="))
        try await WebFixture.run(tls: own) { web in
            let port = try #require(web.port)
            #expect(try served(port) == serials[0])
            // The new certificate does not match the old key.
            #expect(rename(renewed.certificate, own.certificate) == 0)
            #expect(try served(port) == serials[0])
            #expect(rename(renewed.key, own.key) == 0)
            #expect(try served(port) == serials[1])
        }
    }

    @Test func secureServer_clientWithoutHandshake_isDisconnected() async throws {
        var limits = ControlLimits.page
        limits.requestTime = .milliseconds(300)
        try await withServer(limits: limits) { _, port in
            // Reads until the server closes; timeout(1) ends it with 124 if it never does.
            let answer = try Command.run(
                "timeout", "60", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat <&3; echo closed")
            #expect(answer.text == "closed\n")
        }
    }

    @Test func secureServer_http2ClientThatAnswersNothing_isDisconnected() async throws {
        var limits = ControlLimits.page
        (limits.requestTime, limits.crowdedTime) = (.milliseconds(300), .milliseconds(200))
        try await withServer(limits: limits) { _, port in
            // openssl does not know HTTP/2, so it ignores the request to close the connection.
            let answer = try Command.run(
                "timeout", "60", "bash", "-c",
                "openssl s_client -connect 127.0.0.1:\(port) -alpn h2 -quiet </dev/null >/dev/null 2>&1; echo closed")
            #expect(answer.text == "closed\n")
        }
    }
}
