import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite struct ProgramLaunchTests {
    private let place: TemporaryDirectory
    private let log: String

    init() throws {
        place = try TemporaryDirectory()
        log = place.path("log")
    }

    private func launch(_ script: String) -> ProgramLaunch {
        ProgramLaunch(
            ["/bin/sh", "-c", script],
            descriptors: [.file("/dev/null", O_RDONLY), .file(log, O_WRONLY | O_CREAT | O_APPEND), .copy(1)])
    }

    /// Returns the words that the program wrote.
    private func words(_ launch: ProgramLaunch) throws -> [String] {
        let process = try launch.start("cannot start it")
        var status: Int32 = -1
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        #expect(status == 0)
        return try String(contentsOfFile: log, encoding: .utf8).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    @Test func launch_descriptorsAndEnvironment_areOnlyTheListedOnes() throws {
        // A descriptor that programs inherit.
        let other = open(place.path("other"), O_WRONLY | O_CREAT, 0o600)
        defer { close(other) }
        var launch = launch("/bin/echo error >&2; /bin/echo $NAME $HOME; /bin/ls /proc/$$/fd; :")
        launch.environment = ["NAME": "value"]
        let found = try words(launch)
        #expect(found.prefix(2) == ["error", "value"])
        let numbers = found.dropFirst(2).compactMap { Int($0) }
        // The shell may hold descriptors of its own from 10 on (dash(1)).
        #expect(numbers.filter { $0 < 10 } == [0, 1, 2] && !numbers.contains(Int(other)), "\(found)")
    }

    @Test func launch_withoutEnvironment_inheritsIt() throws {
        #expect(try words(launch("/bin/echo $PATH")) == [ProcessInfo.processInfo.environment["PATH"] ?? ""])
    }

    @Test func launch_ownGroupOrSession_hasItsProcessID() throws {
        let script = "read -r id name state parent group session rest < /proc/$$/stat; echo $id $group $session"
        let inGroup = try words(launch(script)).map { Int($0) }
        #expect(inGroup.count == 3 && inGroup[0] == inGroup[1] && inGroup[2] == Int(getsid(0)))
        try FileManager.default.removeItem(atPath: log)
        var launch = launch(script)
        launch.hasOwnSession = true
        let inSession = try words(launch).map { Int($0) }
        #expect(inSession.count == 3 && Set(inSession).count == 1, "\(inSession)")
    }

    @Test func launch_otherPath_startsThatProgram() throws {
        var launch = ProgramLaunch(
            ["name", "-c", "echo $0"], descriptors: [.copy(0), .file(log, O_WRONLY | O_CREAT), .copy(2)])
        launch.path = "/bin/missing"
        #expect(throws: MediaError.self) { _ = try launch.start("cannot start it") }
        launch.path = "/bin/sh"
        #expect(try words(launch) == ["name"])
    }
}
