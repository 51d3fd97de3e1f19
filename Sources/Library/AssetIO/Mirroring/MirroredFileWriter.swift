import Glibc
import MediaTypes
import MovieFile
import RealTime

/// One of the two mirrored files. Used by that file's thread alone; every call blocks until its disk responds.
final class MirroredFileWriter {
    private let place: FileMirror.Place
    private let configuration: MuxerConfiguration
    private(set) var isOpen = false
    private var isMade = false
    /// The end of the newest block.
    private var end: UInt64 = 0
    private var lastLook: Int64?

    init(_ place: FileMirror.Place, _ configuration: MuxerConfiguration) {
        self.place = place
        self.configuration = configuration
    }

    func open() throws(MediaError) {
        try place.prepare()
        try place.destination.open(configuration)
        (isOpen, isMade) = (true, true)
    }

    func reopen(beginning head: [UInt8]) throws(MediaError) {
        guard isMade else { return try open() }
        try place.prepare()
        try place.destination.reopen(beginning: head)
        isOpen = true
    }

    func write(_ block: MirrorBlock) throws(MediaError) {
        do throws(MediaError) {
            try block.write(to: place.destination.output)
            end = max(end, block.end)
        } catch {
            // Removes the bytes of the block that were written, because the next file gets the entire block.
            if configuration.isContinuedElsewhere, error.underlying == .errno(EFBIG) { place.destination.cut(to: end) }
            throw error
        }
    }

    /// The reason why the disk should not be written any more. It is checked at most twice a second. That is enough,
    /// because the reserve has room for many seconds of any recording.
    var refusal: MediaError? {
        let now = MonotonicClock().nanoseconds
        guard lastLook.map({ now - $0 >= 500_000_000 }) ?? true else { return nil }
        lastLook = now
        return place.refusal()
    }

    /// Copies a range from the other file.
    ///
    /// - Parameters:
    ///   - head: the first bytes of the recording.
    ///   - isRight: true if the other file's data is right.
    /// - Returns: the ranges where the two files differ and it is unknown which one is right; nil if the other file
    ///   cannot be read.
    func bringOver(
        _ range: Range<UInt64>, from other: String, head: [UInt8], isRight: Bool
    ) throws(MediaError) -> RangeSet<UInt64>? {
        guard let file = try? DiskFile(path: other, mode: .read), let target = place.destination.storage else {
            return nil
        }
        let source = WatchedSource(file)
        let size = UInt64(head.count)
        var conflicts = RangeSet<UInt64>()
        do throws(MediaError) {
            if range.lowerBound < size { try target.write(head, at: 0) }
            let rest = max(range.lowerBound, size)..<max(range.upperBound, size)
            conflicts = try MirrorMerge.bring(rest, from: source, to: target, isRight: isRight)
            try target.synchronize()
        } catch {
            guard source.hasFailed else { throw error }
            return nil
        }
        end = max(end, range.upperBound)
        return conflicts
    }

    func finish(_ facts: FinishingInfo) -> Result<UInt64, MediaError> {
        defer { close() }
        return Result { () throws(MediaError) in try place.destination.finish(facts) }
    }

    func follow(_ path: String, missing: RangeSet<UInt64>, end: UInt64) -> Result<UInt64, MediaError> {
        defer { close() }
        return Result { () throws(MediaError) in
            try place.destination.follow(path, missing: missing, end: end)
        }
    }

    func close() {
        if isOpen { place.destination.close() }
        isOpen = false
    }
}

/// Records errors of the file that is read, to distinguish them from errors of the file that is written.
private final class WatchedSource: MovieStorage {
    private let file: DiskFile
    private(set) var hasFailed = false

    init(_ file: DiskFile) { self.file = file }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        do throws(MediaError) {
            let count = try file.read(into: bytes, at: offset)
            // The file is shorter than the data that was written to it, so another file has its name.
            if count < bytes.count { hasFailed = true }
            return count
        } catch {
            hasFailed = true
            throw error
        }
    }

    func size() throws(MediaError) -> UInt64 { try file.size() }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) { throw Self.readOnly }
    func truncate(to size: UInt64) throws(MediaError) { throw Self.readOnly }
    func synchronize() throws(MediaError) {}

    private static var readOnly: MediaError {
        MediaError(.invalidState, "cannot write a mirrored file", reason: "it is open for reading only")
    }
}
