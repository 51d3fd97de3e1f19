import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebService

/// Responses that are still being sent when the user's session ends.
@Suite(.timeLimit(.minutes(10))) struct EndedSessionTests {
    enum End: CaseIterable { case logout, removal, newPassword }

    /// Ends the session of ben.
    private func end(_ way: End, _ web: WebFixture, _ cookie: String) throws {
        let accounts = AccountFile(in: web.state)
        switch way {
        case .logout: #expect(try web.send("POST", "/api/logout", headers: cookie).status == 204)
        case .removal: #expect(try accounts.remove("ben"))
        case .newPassword:
            let account = try #require(try accounts.account("ben"))
            try accounts.set(account)
        }
    }

    private func open(_ web: WebFixture, _ path: String, _ cookie: String) throws -> RawConnection {
        let connection = try RawConnection(web.socket)
        try connection.send("GET \(path) HTTP/1.1\r\nHost: lab.example\r\n\(cookie)Connection: close\r\n\r\n")
        return connection
    }

    @Test(arguments: End.allCases) func watch_sessionEnds_sendsNoMoreVideo(way: End) async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let (ann, ben) = (try await web.cookie("ann"), try await web.cookie("ben"))
                let other = try open(web, "/api/watch?recorders=front", ann)
                let viewer = try open(web, "/api/watch?recorders=front", ben)
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(0)
                for connection in [other, viewer] { _ = try connection.read(until: "mdat") }
                try end(way, web, ben)
                recorder.movie(1)
                let rest = try viewer.readToEnd()
                #expect(!rest.contains("mdat"), "\(rest.debugDescription)")
                // The other user continues to watch.
                _ = try other.read(until: "mdat")
            }
        }
    }

    @Test(arguments: End.allCases) func download_sessionEnds_isAborted(way: End) async throws {
        try await WebFixture.run { web in
            let fixture = try RecordingFixture(index: web.recordings)
            try fixture.write("a-front.mov")
            try fixture.scan()
            try await fixture.recordings { $0.count == 1 }
            fixture.stop()
            // A sparse file, larger than all buffers on the way.
            let size = 64 << 20
            #expect(truncate(fixture.path("a-front.mov"), size) == 0)
            try fixture.scan()
            defer { fixture.stop() }
            let found = try await fixture.recordings { $0.first?.identity.size == Int64(size) }
            let ben = try await web.cookie("ben")
            let id = try #require(found.first).id
            let download = try open(web, "/api/recordings/\(id)/file", ben)
            #expect(try !download.read().isEmpty)
            try end(way, web, ben)
            let rest = try download.readBytes().count
            #expect(rest < size / 2)
        }
    }
}
