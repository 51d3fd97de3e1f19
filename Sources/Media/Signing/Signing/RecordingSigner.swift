package import Foundation
import MediaTypes
package import MovieFile
import RealTime

/// Signs the files of one recording, and links each file to the previous one. Thread-safe.
package final class RecordingSigner: Sendable {
    /// The recorder and its devices.
    package struct Origin: Sendable {
        package var recorder: String
        package var software: String
        package var camera: String?
        package var microphone: String?

        package init(recorder: String, software: String, camera: String?, microphone: String?) {
            self.recorder = recorder
            self.software = software
            self.camera = camera
            self.microphone = microphone
        }
    }

    private struct State {
        var files = 0
        /// The newest head of each of the last files, by the file's number. A file names only a head of the previous
        /// file.
        var heads: [Int: SignedHead.FileBefore] = [:]
    }

    let key: SigningKey
    let origin: Origin
    let clock: @Sendable () -> SignedTime
    let recording = UUID().uuidString.lowercased()
    private let state = Locked(State())

    /// - Parameter clock: called once for each fragment, on the thread of its file.
    package init(_ key: SigningKey, _ origin: Origin, clock: @escaping @Sendable () -> SignedTime = SignedTime.now) {
        self.key = key
        self.origin = origin
        self.clock = clock
    }

    /// Creates a signer for another recording of the same devices.
    package convenience init(like other: RecordingSigner) { self.init(other.key, other.origin, clock: other.clock) }

    /// Returns a signer for the next file.
    ///
    /// - Parameter begun: the wall clock at its start.
    package func file(begun: Date) -> any FragmentSealing {
        let number = state.withLock { state in
            state.files += 1
            return state.files
        }
        return FileSigner(self, number: number, begun: begun)
    }

    func record(_ head: SignedHead.FileBefore) {
        state.withLock { state in
            state.heads[head.number] = head
            state.heads = state.heads.filter { $0.key + 8 > state.files }
        }
    }

    func newest(of number: Int) -> SignedHead.FileBefore? { state.withLock { $0.heads[number] } }
}

/// Signs the fragments of one file. Each head contains the hash of the previous one.
final class FileSigner: FragmentSealing {
    private struct State {
        var number: UInt32 = 0
        /// The hash of the last head in the file. `next` is the hash of the head that is being written.
        var last: String?
        var next: String?
        /// The hash of the newest head in the file that describes the file or a track of it.
        var describedBy: String?
        /// True if the head that is being written describes the file or a track.
        var nextDescribes = false
        /// True if a head of this file has named the end of the previous file.
        var hasNamedEnd = false
    }

    private let recording: RecordingSigner
    private let number: Int
    private let begun: Date
    private let state = Locked(State())

    init(_ recording: RecordingSigner, number: Int, begun: Date) {
        self.recording = recording
        self.number = number
        self.begun = begun
    }

    func seal(_ fragment: FragmentContents) -> [UInt8] {
        var tree = HashTree()
        for track in fragment.tracks {
            track.forEach(sample: { tree.begin(track: track.id, $0) }, data: { tree.add($0) })
        }
        let (last, describedBy, count, namesBefore) = state.withLock { state in
            state.number += 1
            return (state.last, state.describedBy, state.number, !state.hasNamedEnd)
        }
        var head = SignedHead(number: count, previous: last, time: recording.clock())
        head.describedBy = describedBy
        head.tree = tree.root()
        head.leaves = tree.leaves
        let isNew = fragment.tracks.contains(where: \.isNew)
        let descriptions = isNew ? TrackDescriptions(leadingHeader: fragment.leadingHeader) : nil
        if isNew { head.header = SignedHead.hash(fragment.leadingHeader) }
        head.tracks = fragment.tracks.map { track in
            SignedHead.Track(
                id: track.id, decodeTime: track.decodeTime,
                description: track.isNew ? descriptions?[track.id].map { .init($0, isOneLeaf: track.isOne) } : nil)
        }
        if count == 1 { head.file = file(descriptions?.movie ?? []) }
        // The end of the previous file may be written after the start of this one.
        if namesBefore, let before = recording.newest(of: number - 1) {
            head.fileBefore = before
            if before.isEnd { state.withLock { $0.hasNamedEnd = true } }
        }
        return signed(head)
    }

    private func file(_ movie: [UInt8]) -> SignedHead.File {
        SignedHead.File(
            recording: recording.recording, number: number, recorder: recording.origin.recorder,
            software: recording.origin.software, camera: recording.origin.camera,
            microphone: recording.origin.microphone, begun: SignedTime.text(begun),
            movie: SignedHead.hash(movie), key: recording.key.publicKey.fingerprint)
    }

    private func signed(_ head: SignedHead) -> [UInt8] {
        let bytes = head.bytes
        state.withLock { state in
            state.next = SignedHead.hash(bytes)
            state.nextDescribes = head.describes
        }
        return FragmentSeal(head: bytes, proof: recording.key.signature(of: SignedHead.message(bytes))).bytes
    }

    func fragmentWritten() { recordHeader(isEnd: false) }

    private func recordHeader(isEnd: Bool) {
        let head = state.withLock { state in
            state.last = state.next
            if state.nextDescribes { state.describedBy = state.next }
            return state.last
        }
        if let head { recording.record(.init(number: number, head: head, isEnd: isEnd)) }
    }

    func end(movieEnd: MediaTime?, trackEnds: [UInt32: MediaTime], metadata: [MetadataItem]) -> MetadataItem? {
        let (last, count) = state.withLock { ($0.last, $0.number) }
        guard let last else { return nil }
        var head = SignedHead(number: count + 1, previous: last, time: recording.clock())
        head.end = .init(
            fragments: count, movieEnd: movieEnd.map(Self.time),
            trackEnds: Dictionary(
                trackEnds.map { (String($0.key), Self.time($0.value)) }, uniquingKeysWith: { $1 }),
            metadata: Dictionary(
                metadata.map { item in (item.key, SignedHead.hash(Array(item.value.utf8))) },
                uniquingKeysWith: { $1 }))
        let seal = signed(head)
        recordHeader(isEnd: true)
        return MetadataItem(key: MetadataItem.signedEndKey, value: Data(seal).base64EncodedString())
    }

    private static func time(_ time: MediaTime) -> SignedHead.Time {
        SignedHead.Time(value: time.value, timeScale: time.timescale)
    }
}
