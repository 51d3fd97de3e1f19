import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

/// Codes of sample descriptions that Matroska stores.
@Suite struct MatroskaTagTests {
    @Test(arguments: [("0", "apco"), ("3", "apch"), ("4", "ap4h")] as [(String, FourCharCode)])
    func format_proResInMatroska_hasTheCodeOfItsKind(profile: String, code: FourCharCode) throws {
        let directory = try TemporaryDirectory()
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2", "-c:v", "prores_ks", "-profile:v",
            profile, directory.path("a.mkv"))
        try #require(made.status == 0, "\(made.errors)")
        #expect(try MovieDemuxer(path: directory.path("a.mkv")).tracks[0].format?.video?.codecTag == code)
    }
}
