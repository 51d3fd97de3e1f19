import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl

/// The program behind `recorder web`. A call that succeeds would replace the test, so all of these fail.
@Suite struct PageProgramTests {
    @Test func path_ofARecorder_isBesideIt() {
        #expect(PageProgram(ofRecorder: "/usr/local/bin/recorder").path == "/usr/local/bin/recorder-web")
    }

    @Test func execute_programThatIsNotInstalled_namesThePackage() throws {
        let place = try TemporaryDirectory()
        let program = PageProgram(ofRecorder: place.path("recorder"))
        #expect(!program.isInstalled)
        let error = program.execute(["--open"])
        #expect(error.code == .notFound && error.underlying == .errno(ENOENT))
        let reason = "\(place.path("recorder-web")) is not installed (ENOENT)"
        #expect(error.description == "cannot show the page: \(reason); \(PageProgram.wayOut)")
        #expect(PageProgram.wayOut.contains("`apt install recorder-web`"))
    }

    @Test func execute_fileThatIsNoProgram_saysWhy() throws {
        let place = try TemporaryDirectory()
        // No user may execute it, not even root.
        try "text".write(toFile: place.path("recorder-web"), atomically: false, encoding: .utf8)
        try #require(chmod(place.path("recorder-web"), 0o644) == 0)
        let program = PageProgram(ofRecorder: place.path("recorder"))
        #expect(!program.isInstalled)
        let error = program.execute([])
        #expect(error.code == .notPermitted && error.underlying == .errno(EACCES))
        #expect(error.description.contains("cannot run \(place.path("recorder-web"))"))
        #expect(error.wayOut.contains("apt install --reinstall recorder-web"))
    }
}
