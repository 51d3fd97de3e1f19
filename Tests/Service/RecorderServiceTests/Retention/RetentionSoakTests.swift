import Dispatch
import FileSystem
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService
@testable import RecorderStorage

/// Keeping and deleting at the same time, with a lost or damaged catalogue: the short form of `scripts/soak retention`.
@Suite struct RetentionSoakTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName
    private let log = LogLines()
    private static let size = 100

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    private var movies: [String] {
        let names = FolderContents.names(in: directory.path("movies")) ?? []
        return names.filter { $0.hasPrefix("rec") && $0.hasSuffix(".mov") }.sorted()
    }

    private func path(_ name: String) -> String { directory.path("movies/\(name)") }

    private func contents(_ name: String) -> Data {
        Data((name + String(repeating: ".", count: Self.size - name.utf8.count)).utf8)
    }

    /// A retention as each process has it: with a connection of its own to the catalogue.
    private func retention() -> Retention {
        let movies = directory.path("movies")
        return Retention(
            front, below: movies, in: state, log: log.logger,
            moment: { Moment(wall: 1_795_269_802, uptime: 1000, boot: "a") }, freeSpace: { _ in .max },
            find: {
                let names = FolderContents.names(in: movies) ?? []
                let own = names.filter { $0.hasSuffix(".mov") && !$0.hasPrefix(".") }
                return own.sorted().compactMap { name -> FinishedRecording? in
                    var kind = stat()
                    let path = movies.appendingComponent(name)
                    guard lstat(path, &kind) == 0 else { return nil }
                    return FinishedRecording(
                        number: 0, path: path, identity: .init(kind),
                        moment: Moment(wall: 1_795_000_000, uptime: 1, boot: "a"), root: movies)
                }
            })
    }

    private func pins() -> OwnerPins { OwnerRemoval(of: front, in: state).pins }

    /// Creates the catalogue again from the files, as after damage.
    private func createCatalogueAgain() throws {
        for ending in ["", "-wal", "-shm"] { unlink(state.finished(front) + ending) }
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: true)
        try Data(repeating: 0x20, count: 9000).write(to: URL(fileURLWithPath: state.finished(front)))
        // The first run finds the damage.
        retention().lookAtAll(RetentionRules(totalSize: .max))
        retention().lookAtAll(RetentionRules(totalSize: .max))
    }

    @Test(arguments: [1, 2, 3]) func retention_randomPinsAndFaults_losesNoKeptFile(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for number in 0..<300 {
            let name = "recording\(1000 + number).mov"
            try contents(name).write(to: URL(fileURLWithPath: path(name)))
        }
        try createCatalogueAgain()
        var kept: Set<String> = []
        for round in 0..<6 {
            let names = movies.shuffled(using: &random)
            let (keeping, releasing) = (Array(names.prefix(20)), Array(names.dropFirst(20).prefix(10)))
            let goal = Int64.random(in: Int64(names.count) / 2...Int64(names.count), using: &random) * Int64(Self.size)
            switch round % 3 {
            case 1: for ending in ["", "-wal", "-shm"] { unlink(state.finished(front) + ending) }
            case 2: try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: state.finished(front)))
            default: break
            }
            let (nowKept, nowReleased) = (Locked<Set<String>>([]), Locked<Set<String>>([]))
            DispatchQueue.concurrentPerform(iterations: 3) { worker in
                switch worker {
                case 0:
                    for name in keeping where (try? pins().keep(path(name))) != nil {
                        nowKept.withLock { _ = $0.insert(name) }
                    }
                case 1:
                    for name in releasing where (try? pins().unkeep(path(name))) != nil {
                        nowReleased.withLock { _ = $0.insert(name) }
                    }
                default: for _ in 0..<3 { retention().apply(RetentionRules(totalSize: goal)) }
                }
            }
            kept.formUnion(nowKept.withLock { $0 })
            kept.subtract(releasing)
            check(kept, "seed \(seed), round \(round)")
            try createCatalogueAgain()
            retention().apply(RetentionRules(totalSize: goal))
            check(kept, "seed \(seed), end of round \(round)")
            // What `unkeep` did not reach may be kept still. The newest recording always stays.
            let others = movies.filter { !RecordingPins.isKept(path($0)) }
            #expect(Int64(others.count - 1) * Int64(Self.size) <= goal, "seed \(seed), round \(round)")
        }
        #expect(!kept.isEmpty && movies.count < 300)
    }

    private func check(_ kept: Set<String>, _ when: String) {
        for name in kept.sorted() {
            let bytes = FileContents.bytes(of: path(name))
            #expect(bytes.map { Data($0) } == contents(name), "\(when): \(name) was kept")
        }
    }
}
