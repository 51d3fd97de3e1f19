import Foundation
import Glibc
import TestSupport
import Testing

/// `recorder start`, interrupted while the process that it has started opens its devices.
@Suite struct InterruptedStartTests {
    @Test(arguments: [SIGINT, SIGTERM]) func start_signal_saysThatTheRecorderContinues(signal: Int32) async throws {
        try await Command.inDirectory { command in
            // A network camera that accepts the connection, and never answers.
            let camera = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(camera) }
            var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(camera, $0, size) == 0 && listen(camera, 16) == 0 && getsockname(camera, $0, &size) == 0
                }
            }
            try #require(isListening)
            let url = "rtsp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/front"
            let start = try command.start(["start", "front", "--camera", url, "--microphone", "none"])
            try await waitUntil { command.files(in: "run/recorder").contains("front.sock") }
            start.send(signal)
            let result = try await start.result()
            #expect(result.exitCode == -signal && result.output.isEmpty)
            #expect(
                result.errors
                    == "recorder: front continues to start in the background; `recorder stop front --disarm` ends it\n")
            _ = try await command.run("stop", "front", "--disarm")
            #expect(command.files(in: "run/recorder").allSatisfy { $0 == "front.lock" })
        }
    }
}
