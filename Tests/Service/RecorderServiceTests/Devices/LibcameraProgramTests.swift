import Foundation
import Glibc
import LibcameraCapture
import MediaTypes
import TestSupport
import Testing

@testable import RecorderService

@Suite struct LibcameraProgramTests {
    @Test func launcher_program_getsOnlyItsSocketAndTheLogLevels() throws {
        let place = try TemporaryDirectory()
        let path = place.path("recorder-libcamera")
        let script = """
            #!/bin/sh
            readlink /proc/self/fd/3 >'\(place.path("socket"))'
            ls /proc/self/fd >'\(place.path("descriptors"))'
            echo "$LIBCAMERA_LOG_LEVELS" >'\(place.path("levels"))'
            exec sleep 1000
            """
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o755)
        var ends: [Int32] = [-1, -1]
        let code = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        try #require(code == 0)
        // Not closed on exec, and not for the program.
        let other = dup(ends[0])
        defer { for end in ends + [other] { close(end) } }
        let program = try LibcameraProgram(places: ["/nowhere/recorder-libcamera", path]).launcher.start(ends[1])
        let levels = URL(fileURLWithPath: place.path("levels"))
        #expect(eventually { (try? String(contentsOf: levels, encoding: .utf8)) == "*:WARN\n" })
        let socket = try String(contentsOf: URL(fileURLWithPath: place.path("socket")), encoding: .utf8)
        #expect(socket.hasPrefix("socket:["))
        // 4 is the directory that ls(1) reads.
        let descriptors = try String(contentsOf: URL(fileURLWithPath: place.path("descriptors")), encoding: .utf8)
        #expect(descriptors == "0\n1\n2\n3\n4\n")
        #expect(program.end() == .signal(SIGKILL))
    }

    @Test func launcher_programThatIsNotInstalled_namesThePackage() {
        let error = #expect(throws: MediaError.self) {
            try LibcameraProgram(places: ["/nowhere/recorder-libcamera"]).launcher.start(-1)
        }
        #expect(error?.code == .notFound && error?.wayOut.contains("apt install recorder-libcamera") == true)
    }

    @Test func environment_ofAService_isWithoutItsOwnVariables() {
        let kept = ["LIBCAMERA_PIPELINES_MATCH_LIST": "vimc", "LIBCAMERA_LOG_LEVELS": "*:DEBUG"]
        var own = kept
        own["NOTIFY_SOCKET"] = "/run/x"
        #expect(LibcameraProgram.environment(of: own) == kept)
    }

    @Test func places_ofARecorder_areBelowItsPrefixAndUsr() {
        let installed = LibcameraProgram.places(ofRecorder: "/usr/local/bin/recorder")
        #expect(
            installed == [
                "/usr/local/bin/../libexec/recorder/recorder-libcamera", "/usr/libexec/recorder/recorder-libcamera",
            ])
        let built = LibcameraProgram.places(ofRecorder: "/home/a/recorder/.build/x86_64/debug/recorder")
        #expect(
            built.first == "/home/a/recorder/.build/x86_64/debug/../../recorder-libcamera/recorder-libcamera"
                && built.count == 3)
    }
}
