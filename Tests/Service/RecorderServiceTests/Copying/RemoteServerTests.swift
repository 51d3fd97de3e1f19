import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Uploads to third-party servers. The result is read from the server, not from the recorder.
@Suite(.timeLimit(.minutes(10))) struct RemoteServerTests {
    private let bench: CopyBench

    init() throws { bench = try CopyBench() }

    @Test(arguments: RemoteServer.Kind.allCases)
    func upload_eachKindOfServer_storesTheFiles(kind: RemoteServer.Kind) throws {
        let server = try RemoteServer(kind, in: bench.directory)
        try bench.configure(server.configuration)
        for name in ["day/a.mov", "day/b.mov"] { try bench.record(name) }
        let settings = try bench.settings(server.remote)
        bench.copyAll(settings)
        #expect(try bench.backlog(settings) == 0)
        for name in ["day/a.mov", "day/b.mov"] {
            let own = FileManager.default.contents(atPath: bench.directory.path("movies/\(name)"))
            #expect(try there(name, server) == own)
        }
        #expect(bench.calls("copyto").count == 2)
        // Files on a server without checksums are read back.
        #expect(bench.calls("cat").isEmpty == (kind == .sftpWithShell || kind == .s3))
        #expect(bench.calls("moveto").isEmpty == (kind == .s3))
        // As after a kill before the entry: nothing is sent again.
        for entry in try bench.catalogue.recordings { try bench.catalogue.add(entry.path, root: entry.root) }
        #expect(try bench.backlog(settings) == 2)
        bench.copyAll(settings)
        #expect(try bench.backlog(settings) == 0)
        #expect(bench.calls("copyto").count == 2)
    }

    @Test(arguments: [RemoteServer.Kind.sftp, .webdav])
    func upload_wrongPassword_isReportedAndKeepsTheBacklog(kind: RemoteServer.Kind) throws {
        let server = try RemoteServer(kind, in: bench.directory, wrongPassword: true)
        try bench.configure(server.configuration)
        try bench.record("a.mov")
        let settings = try bench.settings(server.remote)
        let running = try bench.begin(settings)
        #expect(eventually { bench.log.contains("the remote rejects the user and password") })
        #expect(eventually { CopierState(at: bench.runtime.copierState(bench.front))?.nextTry != nil })
        running.end()
        #expect(try bench.backlog(settings) == 1)
        #expect(!bench.log.lines.contains { $0.contains("wrong") })
    }

    @Test func upload_serverDown_isReportedAndKeepsTheBacklog() throws {
        let server = try RemoteServer(.webdav, in: bench.directory)
        try bench.configure(server.configuration)
        server.end()
        try bench.record("a.mov")
        let settings = try bench.settings(server.remote)
        let running = try bench.begin(settings)
        #expect(eventually { bench.log.contains("the remote does not answer") })
        running.end()
        #expect(try bench.backlog(settings) == 1)
    }

    @Test func upload_unknownRemote_isReported() throws {
        try bench.record("a.mov")
        let running = try bench.begin(try bench.settings("nas:front"))
        #expect(eventually { bench.log.contains("rclone has no such remote") })
        running.end()
    }

    private func there(_ name: String, _ server: RemoteServer) throws -> Data? {
        if let files = server.files { return FileManager.default.contents(atPath: files.path + "/" + name) }
        var launch = ChildProgram.Launch(
            "/usr/bin/rclone", ["cat", "\(server.remote)/\(name)"], environment: bench.environment)
        launch.output = bench.directory.path("out")
        #expect(try ChildProgram(launch).wait() == 0)
        return FileManager.default.contents(atPath: launch.output)
    }
}
