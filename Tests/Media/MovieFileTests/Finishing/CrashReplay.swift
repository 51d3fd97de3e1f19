import MediaTypes
import TestSupport

@testable import MovieFile

/// Storage that records every operation on a file, so that a test can stop after any of them.
final class RecordingStorage: MovieStorage {
    enum Operation {
        case write(offset: UInt64, bytes: [UInt8])
        case truncate(UInt64)
        case synchronize
    }

    private let file: MemoryStorage
    private(set) var operations: [Operation] = []

    init(_ bytes: [UInt8]) { file = MemoryStorage(bytes) }

    var bytes: [UInt8] { file.bytes }

    func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        operations.append(.write(offset: offset, bytes: Array(source)))
        try file.write(source, at: offset)
    }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        try file.read(into: target, at: offset)
    }

    func size() throws(MediaError) -> UInt64 { try file.size() }

    func truncate(to size: UInt64) throws(MediaError) {
        operations.append(.truncate(size))
        try file.truncate(to: size)
    }

    func synchronize() throws(MediaError) { operations.append(.synchronize) }
}

/// The files that a power cut can leave after a sequence of operations.
enum CrashReplay {
    /// Every prefix of the sequence, with the next write cut at each 512-byte step of the file. In that order.
    static func prefixes(_ operations: [RecordingStorage.Operation], of start: [UInt8]) -> [[UInt8]] {
        let file = MemoryStorage(start)
        var images = [start]
        for operation in operations {
            switch operation {
            case .synchronize: continue
            case .truncate(let size): try! file.truncate(to: size)
            case .write(let offset, let bytes):
                for cut in steps(offset, bytes.count) {
                    let part = MemoryStorage(file.bytes)
                    try! part.write(Array(bytes[..<cut]), at: offset)
                    images.append(part.bytes)
                }
                try! file.write(bytes, at: offset)
            }
            images.append(file.bytes)
        }
        return images
    }

    /// A sample of the states that remain if the disk reorders the writes between two syncs: of each such group of
    /// sectors some are new and some are old.
    static func mixtures(_ operations: [RecordingStorage.Operation], of start: [UInt8], seed: UInt64) -> [[UInt8]] {
        var state = start
        var group: [RecordingStorage.Operation] = []
        var random = seed
        var images: [[UInt8]] = []
        for operation in operations {
            guard case .synchronize = operation else {
                group.append(operation)
                continue
            }
            for _ in 0..<6 {
                let file = MemoryStorage(state)
                for case .write(let offset, let bytes) in group {
                    let cuts = [0] + steps(offset, bytes.count) + [bytes.count]
                    for (from, to) in zip(cuts, cuts.dropFirst()) {
                        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        guard random >> 63 == 0 else { continue }
                        try! file.write(Array(bytes[from..<to]), at: offset + UInt64(from))
                    }
                }
                images.append(file.bytes)
            }
            let file = MemoryStorage(state)
            for operation in group {
                switch operation {
                case .write(let offset, let bytes): try! file.write(bytes, at: offset)
                case .truncate(let size): try! file.truncate(to: size)
                case .synchronize: break
                }
            }
            state = file.bytes
            group = []
        }
        return images
    }

    /// The places in a write where a new sector begins.
    private static func steps(_ offset: UInt64, _ count: Int) -> [Int] {
        Array(stride(from: 512 - Int(offset % 512), to: count, by: 512))
    }
}
