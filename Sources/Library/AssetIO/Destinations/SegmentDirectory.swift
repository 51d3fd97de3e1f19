import FileSystem
import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// Writes a playlist, and its segments in the same directory. Any web server can deliver them: `NAME.m3u8`,
/// `NAME-init.mp4`, `NAME-00001.m4s` …
///
/// A segment is synced before the playlist names it, and the playlist is replaced in one step. A player only sees
/// complete files, and after a crash every listed segment plays.
final class SegmentDirectory: SegmentConsumer {
    /// A file that was created here. It can be identified even if another file gets its name later.
    private struct MadeFile: Equatable {
        var path: String
        var identity: DiskFile.Identity?
        /// The time of the file's last change; nil until the file is complete. The identity alone is not enough,
        /// because a new file may get the identity of a closed file that was deleted.
        var modified: Int64?

        /// Deletes the file, unless another file has its name by now. Does nothing if the file system has rounded the
        /// file's times in the meantime.
        func remove() { DiskFile.remove(path, ifStill: identity, modified: modified) }
    }

    private struct State {
        var playlist: HLSPlaylist
        var made: [MadeFile] = []
        var isDiscarded = false
        /// The playlist that was published last.
        var published: MadeFile?
        /// The open file of the published playlist. It stays open so that no new file can get its inode number.
        var publishedFile: DiskFile?
    }

    private let playlistPath: String
    private let state: Locked<State>

    init(playlistPath: String) {
        self.playlistPath = playlistPath
        state = Locked(State(playlist: Self.playlist(playlistPath, interval: MediaTime(value: 6, timescale: 1))))
    }

    private static func playlist(_ path: String, interval: MediaTime) -> HLSPlaylist {
        HLSPlaylist(
            interval: interval.isNumeric ? interval : MediaTime(value: 6, timescale: 1),
            initialization: uri(name(of: .initialization, number: 0, beside: path)))
    }

    var name: String { playlistPath }

    func open(_ configuration: MuxerConfiguration) throws(MediaError) {
        guard !OutputPath.exists(playlistPath) else {
            throw MediaError(
                .outputExists, "cannot write \(playlistPath)", reason: "the file exists already",
                wayOut: "choose another name")
        }
        state.withLock { $0.playlist = Self.playlist(playlistPath, interval: configuration.segmentInterval) }
    }

    func receive(_ segment: AssetSegment) throws(MediaError) {
        let name = Self.name(of: segment.kind, number: segment.number, beside: playlistPath)
        try write(segment.data, to: directory + "/" + name)
        guard let report = segment.report else {
            if segment.number > 0 { state.withLock { $0.playlist.begin(Self.uri(name)) } }
            return
        }
        state.withLock { $0.playlist.append(Self.uri(name), duration: report.duration) }
        try publish(isEnded: false)
    }

    func finish() throws(MediaError) { try publish(isEnded: true) }

    func discard() {
        let made = state.withLock { state in
            state.isDiscarded = true
            defer { state.made = [] }
            return state.made
        }
        for file in made { file.remove() }
    }

    private var directory: String { playlistPath.parentDirectory }

    private func publish(isEnded: Bool) throws(MediaError) {
        let text = state.withLock { $0.playlist.text(isEnded: isEnded) }
        let new = PrivateName.beside(playlistPath, for: "new")
        let (file, opened) = try write(MediaData(Array(text.utf8)), to: new)
        var named = file
        named.path = playlistPath
        let isWanted = state.withLock { state in
            state.made.removeAll { $0.path == new || $0.path == playlistPath }
            if !state.isDiscarded {
                state.made += [named, state.published].compactMap(\.self)
            }
            return !state.isDiscarded
        }
        guard isWanted else {
            file.remove()
            throw Self.cancelled
        }
        do throws(MediaError) {
            try put(new, named, opened)
        } catch {
            file.remove()
            throw error
        }
        try DiskFile.synchronizeName(of: playlistPath)
    }

    /// Replaces the playlist if it is still the one published last. Never replaces another file.
    private func put(_ new: String, _ playlist: MadeFile, _ file: DiskFile) throws(MediaError) {
        let published = state.withLock { $0.published?.identity }
        let isOurs = published != nil && DiskFile.Identity(of: playlistPath) == published
        try DiskFile.rename(new, to: playlistPath, replacing: isOurs)
        state.withLock { state in
            (state.published, state.publishedFile) = (playlist, file)
            // The playlist that this one has replaced does not exist any more.
            state.made.removeAll { $0.path == playlistPath && $0 != playlist }
        }
    }

    /// Writes and syncs one file. Removes it again if the writer was cancelled meanwhile.
    @discardableResult
    private func write(
        _ data: MediaData, to path: String
    ) throws(MediaError) -> (made: MadeFile, file: DiskFile) {
        let file = try DiskFile(path: path, mode: .create)
        let made = MadeFile(path: path, identity: file.identity)
        let isWanted = state.withLock { state in
            if !state.isDiscarded { state.made.append(made) }
            return !state.isDiscarded
        }
        guard isWanted else {
            made.remove()
            throw Self.cancelled
        }
        try file.write(data.bytes, at: 0)
        try file.synchronize()
        var complete = made
        complete.modified = file.modified
        state.withLock { state in
            if let index = state.made.firstIndex(of: made) { state.made[index] = complete }
        }
        return (complete, file)
    }

    private static let cancelled = MediaError(
        .cancelled, "cannot write a segment", reason: "the writer was cancelled")

    /// Returns a relative reference (RFC 3986, 4.2): a name may contain spaces, quotes and colons.
    private static func uri(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":;\"/"))
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }

    private static func name(of kind: AssetSegment.Kind, number: Int, beside playlist: String) -> String {
        let stem = playlist.lastComponent.removingExtension
        switch kind {
        case .initialization: return number == 0 ? "\(stem)-init.mp4" : "\(stem)-init-\(number + 1).mp4"
        case .media:
            let digits = String(number)
            return "\(stem)-\(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits).m4s"
        }
    }
}
