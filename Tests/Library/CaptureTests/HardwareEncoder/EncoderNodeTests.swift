import Glibc
import MediaTypes
import Testing

@testable import Capture

/// Nodes that are no encoders. The device lab has one that is.
@Suite struct EncoderNodeTests {
    @Test(arguments: ["/dev/null", "/etc/hostname", "/"]) func init_noEncoder_isRefused(path: String) {
        let error = #expect(throws: MediaError.self) { try EncoderNode(path: path) }
        #expect(error?.code == .deviceUnsuitable && error?.action == "cannot encode with \(path)")
    }

    @Test func init_missingNode_isNotFound() {
        let error = #expect(throws: MediaError.self) { try EncoderNode(path: "/dev/no-such-encoder") }
        #expect(error?.code == .notFound && error?.underlying == .errno(ENOENT))
    }

    @Test(arguments: [
        (EACCES, MediaError.Code.notPermitted, "group `video`"), (EBUSY, .busy, "fuser"),
        (ENODEV, .notFound, "devices"),
    ])
    func error_errno_hasTheWayOut(number: Int32, code: MediaError.Code, words: String) {
        let error = EncoderNode.error(number, "/dev/video11")
        #expect(error.code == code && error.underlying == .errno(number))
        #expect(error.wayOut.contains(words) && error.action.contains("/dev/video11"))
    }
}
