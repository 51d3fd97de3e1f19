import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

@Suite struct UncopiedDescriptionTests {
    private func atom(_ type: String, _ body: [UInt8] = [0, 0, 0, 0]) -> [UInt8] {
        [0, 0, 0, UInt8(8 + body.count)] + Array(type.utf8) + body
    }

    @Test func uncopied_atomsOfASampleDescription_areFound() {
        let atoms = [
            atom("avcC"), atom("pasp", [0, 0, 0, 1, 0, 0, 0, 1]), atom("colr", Array("nclx".utf8) + [0, 1]),
            atom("dvvC"), atom("st3d"), atom("sv3d"), atom("amve"), atom("colr", Array("prof".utf8) + [1, 2]),
        ]
        let body = [UInt8](repeating: 0, count: 78) + atoms.joined()
        let entry = StoredEntry(code: "avc1", body: body, isQuickTime: false)
        #expect(
            UncopiedDescription.all(in: entry) == [
                .dolbyVision, .stereoscopic, .spherical, .ambientLight, .colorProfile,
            ])
        let plain = StoredEntry(code: "avc1", body: Array(body.prefix(78 + 12)), isQuickTime: false)
        #expect(UncopiedDescription.all(in: plain).isEmpty)
        #expect(UncopiedDescription.all(in: StoredEntry(code: "avc1", body: [1], isQuickTime: true)).isEmpty)
    }

    @Test(
        arguments: [
            ("a.webm", ["-pix_fmt", "yuva420p"], [UncopiedDescription.transparency]),
            ("a.webm", ["-pix_fmt", "yuv420p", "-metadata:s:v", "stereo_mode=left_right"], [.stereoscopic]),
            ("a.webm", ["-pix_fmt", "yuv420p"], []),
        ] as [(String, [String], [UncopiedDescription])])
    func uncopied_streamsOfMatroska_areFound(
        name: String, options: [String], expected: [UncopiedDescription]
    ) throws {
        let directory = try TemporaryDirectory()
        let made = try Command.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=5:d=1", "-c:v", "libvpx-vp9"] + options
                + [directory.path(name)])
        try #require(made.status == 0, "\(made.errors)")
        #expect(try MovieDemuxer(path: directory.path(name)).tracks[0].uncopied == expected)
    }
}
