import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

@Suite struct UnsupportedContainerTests {
    @Test func open_containerThatIsNotSupported_isNotCalledDamaged() throws {
        let words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=0.2"]
        let url = try MadeFile.of(words, ending: "tta")
        let error = #expect(throws: MediaError.self) { try MovieDemuxer(path: url.path) }
        #expect(error?.wayOut.contains("container is not supported") == true)
        #expect(error?.wayOut.contains("damaged") == false)
    }
}
