import FileSystem
package import MediaTypes

/// Repairs both files of a mirrored recording, each with the data of the other.
///
/// Existing data is never overwritten with different data: only missing bytes and zeros are filled. If the files have
/// different data, each is repaired on its own. A file that is being recorded is left alone.
package enum MirrorRepair {
    package enum Outcome: Sendable, Equatable {
        /// Both files were complete and equal.
        case alike
        /// Both files are now complete and equal.
        case completed
        /// Both files are complete but differ: each has data that the other does not have.
        case different
    }

    package struct Result: Sendable, Equatable {
        package var outcome: Outcome
        /// The paths of the movies after the repair, in the order of the arguments.
        package var paths: [String]
        /// The number of copied bytes.
        package var broughtOver: UInt64 = 0

        fileprivate var swapped: Result {
            Result(outcome: outcome, paths: paths.reversed(), broughtOver: broughtOver)
        }
    }

    /// The state of a mirrored file, according to which of its names exists.
    private enum Standing {
        case nothing
        case recording(String)
        case final(String)

        init(_ final: String) throws(MediaError) {
            let recording = RecordingFileName(final: final).recording
            // The unfinished file is checked first: if both exist, the finalized one belongs to another recording.
            if try Self.isThere(recording) {
                self = .recording(recording)
            } else {
                self = try Self.isThere(final) ? .final(final) : .nothing
            }
        }

        private static func isThere(_ path: String) throws(MediaError) -> Bool {
            switch FilePresence(of: path) {
            case .present: return true
            case .absent: return false
            case .unknown(let number): throw MediaError(errno: number, "cannot examine \(path)")
            }
        }
    }

    /// Repairs both mirrored files. Blocks for as long as reading both takes.
    ///
    /// - Parameters:
    ///   - first: the final name of one mirrored file.
    ///   - second: the final name of the other; its directory exists.
    /// - Throws: `notFound` if neither exists; `busy` while one is being recorded; `corruptData` if one is not a
    ///   recording; a disk's error. Both are then unchanged, or can be repaired again.
    package static func repair(_ first: String, _ second: String) throws(MediaError) -> Result {
        switch (try Standing(first), try Standing(second)) {
        case (.nothing, .nothing):
            throw MediaError(.notFound, "cannot repair \(first)", reason: "neither mirrored file exists")
        case (.final(let one), .final(let other)): return try compare(one, other)
        case (.final(let whole), .nothing): return try copy(whole, to: second)
        case (.nothing, .final(let whole)): return try copy(whole, to: first).swapped
        case (.final(let whole), .recording(let rest)): return try complete(rest, from: whole)
        case (.recording(let rest), .final(let whole)): return try complete(rest, from: whole).swapped
        case (.recording(let rest), .nothing): return try copy(RecordingRepair.repair(path: rest).path, to: second)
        case (.nothing, .recording(let rest)):
            return try copy(RecordingRepair.repair(path: rest).path, to: first).swapped
        case (.recording(let one), .recording(let other)): return try merge(one, other)
        }
    }

    private static func compare(_ one: String, _ other: String) throws(MediaError) -> Result {
        let isAlike = try MirrorMerge.isEqual(DiskFile(path: one, mode: .read), DiskFile(path: other, mode: .read))
        return Result(outcome: isAlike ? .alike : .different, paths: [one, other])
    }

    /// Creates a mirrored file that is missing completely.
    private static func copy(_ whole: String, to target: String) throws(MediaError) -> Result {
        let source = try DiskFile(path: whole, mode: .read)
        let unfinished = PrivateName.beside(target, for: "mirror")
        let file = try DiskFile(path: unfinished, mode: .create)
        let size = try source.size()
        do throws(MediaError) {
            try source.copy(0..<size, to: file, at: 0)
            try file.settle()
            try DiskFile.rename(unfinished, to: target, replacing: false)
            try DiskFile.synchronizeName(of: target)
        } catch {
            DiskFile.remove(unfinished, ifStill: file.identity)
            throw error
        }
        return Result(outcome: .completed, paths: [whole, target], broughtOver: size)
    }

    /// Completes an unfinished recording: fills its missing data from the other file, which is finalized. If the two
    /// files have different data, the unfinished one is repaired on its own.
    private static func complete(_ rest: String, from whole: String) throws(MediaError) -> Result {
        let before = try size(of: rest)
        let isAlike = try becomesAlike(DiskFile(path: rest, mode: .update), DiskFile(path: whole, mode: .read))
        let path = try RecordingRepair.repair(path: rest).path
        guard isAlike else { return Result(outcome: .different, paths: [whole, path]) }
        let after = try size(of: path)
        return Result(outcome: .completed, paths: [whole, path], broughtOver: after - min(before, after))
    }

    private static func becomesAlike(_ target: DiskFile, _ source: DiskFile) throws(MediaError) -> Bool {
        defer { target.close() }
        let size = try source.size()
        guard try isPart(target, of: source, size: size) else { return false }
        try MirrorMerge.bring(headSize..<max(headSize, size), from: source, to: target, isRight: false)
        // Removes zeros after the end, which a power loss may leave.
        if try target.size() > size { try target.truncate(to: size) }
        try target.settle()
        // The first bytes are written last: until then the file is a recording that can be repaired.
        try MirrorMerge.bring(0..<min(headSize, size), from: source, to: target, isRight: true)
        try target.settle()
        return try MirrorMerge.isEqual(source, target)
    }

    /// Repairs two unfinished files: each gets the missing data from the other, then both are finalized in the same
    /// way.
    private static func merge(_ one: String, _ other: String) throws(MediaError) -> Result {
        let brought: UInt64
        do {
            let (first, second) = (try DiskFile(path: one, mode: .update), try DiskFile(path: other, mode: .update))
            let (size, present) = (max(try first.size(), try second.size()), try first.size())
            guard try MirrorMerge.conflicts(0..<size, between: first, and: second).isEmpty else {
                first.close()
                second.close()
                let paths = [try RecordingRepair.repair(path: one).path, try RecordingRepair.repair(path: other).path]
                return Result(outcome: .different, paths: paths)
            }
            brought = size - min(present, try second.size())
            for (source, target) in [(first, second), (second, first)] {
                try MirrorMerge.bring(0..<source.size(), from: source, to: target, isRight: false)
                try target.settle()
            }
        }
        let whole = try RecordingRepair.repair(path: one).path
        var result = try complete(other, from: whole)
        result.broughtOver += brought
        return result
    }

    /// Returns true if everything in a recording is also in the movie, except zeros at the recording's end. Does not
    /// compare the first bytes, because finalizing changes a few of them, between the file type and the header.
    private static func isPart(
        _ recording: DiskFile, of movie: DiskFile, size: UInt64
    ) throws(MediaError) -> Bool {
        let (own, other) = (try recording.read(Int(headSize), at: 0), try movie.read(Int(headSize), at: 0))
        let known = min(own.count, other.count)
        let isHeadAlike = known <= changedSize || own[changedSize..<known].elementsEqual(other[changedSize..<known])
        guard isHeadAlike || own.allSatisfy({ $0 == 0 }) else { return false }
        let length = try recording.size()
        if length > size {
            guard try MirrorMerge.isZero(size..<length, in: recording) else { return false }
        }
        guard min(length, size) > headSize else { return true }
        return try MirrorMerge.conflicts(headSize..<min(length, size), between: movie, and: recording).isEmpty
    }

    private static func size(of path: String) throws(MediaError) -> UInt64 {
        try DiskFile(path: path, mode: .read).size()
    }

    /// The length of the range at the start in which finalizing changes bytes (see `MovieFinisher`).
    package static let headSize: UInt64 = 512
    /// The end of the changed bytes: `ftyp` has 20 to 32 bytes, and the next sixteen change.
    private static let changedSize = 64
}
