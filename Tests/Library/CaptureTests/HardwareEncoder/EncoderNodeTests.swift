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

    @Test func bitRate_outsideTheEncodersRange_isRefused() throws {
        try V4L2EncoderQueues.checkBitRate(25_000_000, 25_000...25_000_000, "/dev/video11")
        for (rate, range) in [(25_000_001, 25_000...25_000_000), (1, 25_000...25_000_000), (1000, nil)]
            as [(Int64, ClosedRange<Int64>?)]
        {
            let error = #expect(throws: MediaError.self) {
                try V4L2EncoderQueues.checkBitRate(rate, range, "/dev/video11")
            }
            #expect(error?.code == .invalidSettings && error?.action.contains("\(rate)") == true)
            #expect(error?.reason.contains(range == nil ? "no control" : "25000 to 25000000") == true)
        }
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
