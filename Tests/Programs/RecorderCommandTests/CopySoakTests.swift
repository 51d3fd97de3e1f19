import CommandInterface
import Cryptography
import Foundation
import Glibc
import MediaTypes
import RecorderStorage
import TestSupport
import Testing

/// `recorder copy` as a program, against real servers that fail. It is killed repeatedly while retention deletes files.
///
/// RECORDER_COPIES sets the number of files, RECORDER_COPY_KILLS the number of kills; `scripts/soak copies` uses 1000
/// and 20.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CopySoakTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    private static let isLong = number("RECORDER_COPIES", 0) > 0

    /// The counts at the end.
    private struct Account: Sendable {
        var files = 0
        var kills = 0
        var faults = 0
        var deleted = 0
        var sent = 0
        var problems: [String] = []
    }

    @Test func copy_faultsAndKills_uploadsEachFileOnceBeforeItsDeletion() async throws {
        let files = Self.number("RECORDER_COPIES", 6)
        let kills = Self.number("RECORDER_COPY_KILLS", 1)
        let account = try await withThrowingTaskGroup(of: Account.self) { group in
            // One server is read back and renamed on; the other has checksums and stores whole objects.
            for kind in [RemoteServer.Kind.webdav, .s3] {
                group.addTask { try await Run(kind, files: files / 2, kills: (kills + 1) / 2).toItsEnd() }
            }
            return try await group.reduce(into: Account()) { sum, one in
                sum.files += one.files
                sum.kills += one.kills
                sum.faults += one.faults
                sum.deleted += one.deleted
                sum.sent += one.sent
                sum.problems += one.problems
            }
        }
        for problem in account.problems.prefix(20) { Issue.record("\(problem)") }
        #expect(account.files == files / 2 * 2)
        #expect(account.sent == account.files, "uploads that were whole, and files")
        print(
            "copied \(account.files) files: \(account.sent) whole uploads, \(account.kills) kills, \(account.faults) faults, "
                + "\(account.deleted) deleted here once they were safe")
    }

    /// One recorder's files, to one server.
    private final class Run: Sendable {
        private let directory: TemporaryDirectory
        private let kind: RemoteServer.Kind
        private let server: RemoteServer
        private let proxy: ChildProgram
        private let files: Int
        private let kills: Int
        private let environment: [String: String]
        private let catalogue: RecordingCatalogue
        /// The checksum of each file when it was finished.
        private let digests: [String: String]
        private var remote: String { server.remote }

        init(_ kind: RemoteServer.Kind, files: Int, kills: Int) throws {
            (self.kind, self.files, self.kills) = (kind, files, kills)
            let directory = try TemporaryDirectory()
            self.directory = directory
            for name in ["movies", "state", "run"] {
                try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
            }
            server = try RemoteServer(kind, in: directory)
            try Data("ok".utf8).write(to: directory.file("fault"))
            let target = server.port
            let port: Int
            (proxy, port) = try Loopback.serve(errors: directory.path("proxy.log")) { port in
                ChildProgram.Launch(
                    Project.path(".build/judges/bin/python"),
                    [
                        Project.path("Tests/Judges/faulty_proxy.py"), "\(port)", "\(target)", directory.path("fault"),
                        directory.path("sent"),
                    ])
            }
            try server.configuration.replacing(":\(server.port)", with: ":\(port)")
                .write(to: directory.file("rclone.conf"), atomically: true, encoding: .utf8)
            try server.configuration.write(to: directory.file("judge.conf"), atomically: true, encoding: .utf8)
            try """
            camera: test
            output: \(directory.path("movies"))/%H-%M-%S.mov
            copy-to: \(server.remote)
            keep-for: 1s
            keep-until-copied: always

            """.write(to: directory.file("front.yaml"), atomically: true, encoding: .utf8)
            environment = [
                "HOME": directory.url.path, "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": directory.path("state"),
                "RECORDER_RUNTIME_DIRECTORY": directory.path("run"), "RCLONE_CONFIG": directory.path("rclone.conf"),
            ]
            let state = StateDirectory(environment: environment)
            let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: state)
            self.catalogue = catalogue
            digests = try Self.record(files, directory, catalogue)
        }

        deinit {
            proxy.send(SIGKILL)
            _ = proxy.wait()
        }

        /// Makes small movies, each with unique bytes.
        private static func record(
            _ count: Int, _ directory: TemporaryDirectory, _ catalogue: RecordingCatalogue
        ) throws -> [String: String] {
            let movie = directory.path("movie.mov")
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-c:v", "mpeg4",
                movie)
            guard made.status == 0, let bytes = FileManager.default.contents(atPath: movie) else {
                throw TestSupport.Command.Failure(description: made.errors)
            }
            var digests: [String: String] = [:]
            for number in 1...count {
                let name = "\(number).mov"
                // A free atom at the end (QuickTime File Format, "Free Space Atoms").
                let free = Data([0, 0, 0, 16]) + Data("free".utf8) + withUnsafeBytes(of: UInt64(number)) { Data($0) }
                try (bytes + free).write(to: directory.file("movies/\(name)"))
                digests[name] = digest(bytes + free)
                try catalogue.add(directory.path("movies/\(name)"))
            }
            return digests
        }

        private static func digest(_ data: Data) -> String { SHA256.hash(data: data).description }

        func toItsEnd() async throws -> Account {
            var account = Account(files: files)
            // The events happen at these numbers of uploaded files.
            var events = (0..<kills).map { ($0 * files / max(kills, 1) + 1, "kill") }
            if CopySoakTests.isLong {
                let faults = ["507", "401", "slow", "500:9", "401", "507", "500:7"]
                events += faults.enumerated().map { (($0 + 1) * files / (faults.count + 1), $1) }
            } else {
                events += [(1, "500:9")]
            }
            events.sort { $0.0 < $1.0 }
            var copier = try start()
            // A fault that blocks everything ends by itself.
            var faultEnds: ContinuousClock.Instant?
            while true {
                let done = files - (try left())
                if let ends = faultEnds, ends < .now {
                    try Data("ok".utf8).write(to: directory.file("fault"))
                    faultEnds = nil
                }
                if let (place, event) = events.first, done >= place {
                    events.removeFirst()
                    if event == "kill" {
                        // This sleep does not wait for an event: the time of the kill is random.
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...900)))
                        copier.send(SIGKILL)
                        _ = copier.wait()
                        account.kills += 1
                        account = try tidy(account)
                        copier = try start()
                    } else {
                        try Data(event.utf8).write(to: directory.file("fault"))
                        account.faults += 1
                        faultEnds = .now + .seconds(event.count == 3 ? 8 : 30)
                    }
                }
                if done == files { break }
                guard copier.status == nil else {
                    account.problems.append("\(kind): the copier ended: \(errors)")
                    return account
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            copier.send(SIGTERM)
            let asked = ContinuousClock.now
            if copier.wait() != 0 { account.problems.append("\(kind): it ended badly: \(errors)") }
            if asked.duration(to: .now) > .seconds(5) { account.problems.append("\(kind): it ended late") }
            account = try tidy(account)
            return try judge(account)
        }

        private func start() throws -> ChildProgram {
            var launch = ChildProgram.Launch(
                Command.executable.path, ["copy", "front", "--config", directory.path("front.yaml")],
                environment: environment)
            launch.errors = directory.path("copier.log")
            return try ChildProgram(launch)
        }

        private var errors: String {
            String(((try? String(contentsOfFile: directory.path("copier.log"), encoding: .utf8)) ?? "").suffix(2000))
        }

        private func left() throws -> Int { Int(try catalogue.backlog(of: remote).files) }

        /// Lets retention delete files, and checks that they were uploaded.
        private func tidy(_ account: Account) throws -> Account {
            var account = account
            let before = Set(try movies())
            let launch = ChildProgram.Launch(
                Command.executable.path, ["retention", "front", "--config", directory.path("front.yaml")],
                environment: environment)
            let status = try ChildProgram(launch).wait()
            if status != 0 { account.problems.append("\(kind): the retention ended with \(status)") }
            let gone = before.subtracting(try movies())
            account.deleted += gone.count
            let there = try there()
            for name in gone where there[name] != digests[name] {
                account.problems.append("\(kind): \(name) was deleted, and there is no copy")
            }
            return account
        }

        private func movies() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path("movies"))
        }

        private func judge(_ account: Account) throws -> Account {
            var account = account
            let there = try there()
            for (name, digest) in digests where there[name] != digest {
                account.problems.append(
                    "\(kind): \(name) is \(there[name] == nil ? "not there" : "another file there")")
            }
            for name in there.keys where digests[name] == nil {
                account.problems.append("\(kind): \(name) is there too")
            }
            let sent = ((try? String(contentsOfFile: directory.path("sent"), encoding: .utf8)) ?? "")
                .split(separator: "\n").filter { $0.contains(".mov") }
            account.sent = sent.count
            for (line, count) in Dictionary(sent.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
                account.problems.append("\(kind): sent \(count) times: \(line)")
            }
            return account
        }

        /// Returns all uploaded files with their checksums, downloaded by another rclone without the proxy.
        private func there() throws -> [String: String] {
            let place = directory.file("judged-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: place) }
            var launch = ChildProgram.Launch(
                "/usr/bin/rclone", ["copy", remote, place.path],
                environment: environment.merging(["RCLONE_CONFIG": directory.path("judge.conf")]) { _, new in new })
            launch.errors = directory.path("judge.log")
            _ = try ChildProgram(launch).wait()
            var digests: [String: String] = [:]
            for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
                digests[name] = try Self.digest(Data(contentsOf: place.appendingPathComponent(name)))
            }
            return digests
        }
    }
}
