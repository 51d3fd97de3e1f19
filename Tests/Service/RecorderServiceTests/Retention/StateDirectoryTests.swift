import Foundation
import Glibc
import TestSupport
import Testing

@testable import RecorderStorage

/// The directory of a user's logs and lists. It names cameras and recordings, which concern that user alone.
@Suite struct StateDirectoryTests {
    enum Maker: CaseIterable, Sendable { case itself, list, catalogue, lock, request }

    @Test(arguments: Maker.allCases) func directory_createdByAnyPart_isForItsUserAlone(maker: Maker) throws {
        let place = try TemporaryDirectory()
        let state = StateDirectory(environment: ["XDG_STATE_HOME": place.path("state")])
        let front = try RecordingName(parsing: "front")
        switch maker {
        case .itself: try state.create()
        case .list: try UnfinishedRecordings(front, in: state).add(place.path("a.mov"))
        case .catalogue:
            try Data(count: 1).write(to: place.file("a.mov"))
            try RecordingCatalogue(front, in: state).add(place.path("a.mov"), root: place.path(""))
        case .lock: _ = try RangeLock(sharedIn: state, front)
        case .request:
            try RangeRequests(name: front, state: state).store(
                RangeRequest(
                    id: "1f3a9c2b", recorder: "front", from: 0, to: 1, note: nil, releasesFiles: false, files: []))
        }
        var facts = stat()
        try #require(stat(state.path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o700)
    }
}
