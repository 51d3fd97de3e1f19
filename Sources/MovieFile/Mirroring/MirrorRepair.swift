package import MediaTypes

/// Makes both copies of a mirrored recording whole, each with what the other has.
///
/// Nothing that a copy holds is overwritten with something else: only what is missing in it, or zero, is filled. Where both hold
/// something and differ each is made whole by itself, and stays as it is. A file that is being recorded is left alone.
package enum MirrorRepair {
    package enum Outcome: Sendable, Equatable {
        /// Both were whole, and the same.
        case alike
        /// Both are whole and the same now.
        case completed
        /// Both are whole, and differ: each holds what the other has not.
        case different
    }

    package struct Result: Sendable, Equatable {
        package var outcome: Outcome
        /// Where the movies are now, the first one first.
        package var paths: [String]
        /// Bytes that were brought over.
        package var broughtOver: UInt64 = 0

        fileprivate var swapped: Result {
            Result(outcome: outcome, paths: paths.reversed(), broughtOver: broughtOver)
        }
    }

    /// What stands under the names that a copy can have.
    private enum Standing {
        case nothing
        case recording(String)
        case final(String)

        init(_ final: String) {
            let recording = RecordingFileName(final: final).recording
            // The recording first: where both are there, the whole one is another recording's.
            if DiskFile.Identity(of: recording) != nil {
                self = .recording(recording)
            } else {
                self = DiskFile.Identity(of: final) == nil ? .nothing : .final(final)
            }
        }
    }

    /// Blocks for as long as reading both takes.
    ///
    /// - Parameters:
    ///   - first: the final name of one copy.
    ///   - second: that of the other; its directory is there.
    /// - Throws: `notFound` where there is neither; `busy` while one is being recorded; `corruptData` for what is no recording;
    ///   a disk's error. Both are then as they were, or can be repaired again.
    package static func repair(_ first: String, _ second: String) throws(MediaError) -> Result {
        switch (Standing(first), Standing(second)) {
        case (.nothing, .nothing):
            throw MediaError(.notFound, "cannot repair \(first)", reason: "neither copy is there")
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
        let isAlike = try CopyMerge.isEqual(DiskFile(path: one, mode: .read), DiskFile(path: other, mode: .read))
        return Result(outcome: isAlike ? .alike : .different, paths: [one, other])
    }

    /// One that is missing altogether.
    private static func copy(_ whole: String, to target: String) throws(MediaError) -> Result {
        let source = try DiskFile(path: whole, mode: .read)
        let unfinished = DiskFile.privateName(beside: target, for: "mirror")
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

    /// The rest of a recording whose other copy is whole: becomes the same, by what it lacks. Where they hold different things each
    /// is made whole for itself.
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
        try CopyMerge.bring(headSize..<max(headSize, size), from: source, to: target, isRight: false)
        // Zeros, as a power cut leaves behind the end.
        if try target.size() > size { try target.truncate(to: size) }
        try target.settle()
        // Last: until then it is a recording that can be repaired.
        try CopyMerge.bring(0..<min(headSize, size), from: source, to: target, isRight: true)
        try target.settle()
        return try CopyMerge.isEqual(source, target)
    }

    /// Two rests: each gets what the other has, then both are made whole in the same way.
    private static func merge(_ one: String, _ other: String) throws(MediaError) -> Result {
        let brought: UInt64
        do {
            let (first, second) = (try DiskFile(path: one, mode: .update), try DiskFile(path: other, mode: .update))
            let (size, present) = (max(try first.size(), try second.size()), try first.size())
            guard try CopyMerge.conflicts(0..<size, between: first, and: second).isEmpty else {
                first.close()
                second.close()
                let paths = [try RecordingRepair.repair(path: one).path, try RecordingRepair.repair(path: other).path]
                return Result(outcome: .different, paths: paths)
            }
            brought = size - min(present, try second.size())
            for (source, target) in [(first, second), (second, first)] {
                try CopyMerge.bring(0..<source.size(), from: source, to: target, isRight: false)
                try target.settle()
            }
        }
        let whole = try RecordingRepair.repair(path: one).path
        var result = try complete(other, from: whole)
        result.broughtOver += brought
        return result
    }

    /// Whether all that a recording holds stands in the movie too, and behind that nothing but zeros. Finishing changes a few bytes
    /// between the file type and the header.
    private static func isPart(
        _ recording: DiskFile, of movie: DiskFile, size: UInt64
    ) throws(MediaError) -> Bool {
        let (own, other) = (try recording.read(Int(headSize), at: 0), try movie.read(Int(headSize), at: 0))
        let known = min(own.count, other.count)
        let isHeadAlike = known <= changedSize || own[changedSize..<known].elementsEqual(other[changedSize..<known])
        guard isHeadAlike || own.allSatisfy({ $0 == 0 }) else { return false }
        let length = try recording.size()
        if length > size {
            guard try CopyMerge.isZero(size..<length, in: recording) else { return false }
        }
        guard min(length, size) > headSize else { return true }
        return try CopyMerge.conflicts(headSize..<min(length, size), between: movie, and: recording).isEmpty
    }

    private static func size(of path: String) throws(MediaError) -> UInt64 {
        try DiskFile(path: path, mode: .read).size()
    }

    /// Finishing changes bytes in here only, in one write (see `MovieFinisher`).
    package static let headSize: UInt64 = 512
    /// Which lie in front of this place: `ftyp` is 20 to 32 bytes, then come the sixteen.
    private static let changedSize = 64
}
