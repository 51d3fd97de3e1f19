import MediaTypes
import MovieFile

/// A track of a cut whose samples are compared with the signed ones.
struct CutTrack {
    let claim: CutStatement.Track
    let facts: SignedHead.Track.Description
    let stored: StoredTrack
    /// The number of samples of the cut; for PCM, of audio frames.
    let count: Int
    /// The number of samples that were checked.
    private(set) var next: Int
    /// True if a fragment had samples of the track.
    var hasBegun = false
    /// True if the recording has further samples that the cut does not have.
    var hasEnded = false
    /// True if the track begins with the first sample of the recording's track.
    var isWhole = false
    /// The times of the proven samples, in seconds from the start of the cut.
    private(set) var shown: ClosedRange<Double>?
    /// The times of the proven samples since `latest` was cleared.
    var latest: ClosedRange<Double>?
    /// The longest time between two samples, in seconds.
    private var longest = 0.0
    private var isProven: [Bool]

    /// The number of seconds by which a track may begin later or end earlier than other tracks without being reported.
    private static let tolerance = 0.1

    init(_ claim: CutStatement.Track, _ facts: SignedHead.Track.Description, _ stored: StoredTrack) {
        (self.claim, self.facts, self.stored) = (claim, facts, stored)
        count = stored.samples.reduce(0) { $0 + $1.count }
        next = claim.before
        isProven = [Bool](repeating: false, count: stored.samples.count)
    }

    /// Returns the hash of the next sample as it would have been signed; nil if the track has no further sample, or if
    /// the sample's bytes are not in the file.
    mutating func sample(from storage: any MovieStorage) throws(MediaError) -> [UInt8]? {
        guard stored.samples.indices.contains(next) else { return nil }
        let own = stored.samples[next]
        isProven[next] = true
        next += 1
        record(own)
        var hash = LeafHash(
            track: claim.source,
            .init(
                decodeTime: UInt64(bitPattern: own.decodeTime &+ claim.decodeTime),
                compositionOffset: own.compositionOffset &+ claim.compositionOffset, isKeyframe: own.isKeyframe,
                count: 1))
        return try Self.read(own.offset, own.byteCount, from: storage, into: &hash) ? hash.finish() : nil
    }

    /// The bytes of a PCM leaf before and after the frames that the cut contains.
    struct Rest {
        var before: [UInt8] = []
        var after: [UInt8] = []
    }

    /// Returns the hash of a PCM leaf, which consists of the next frames and the rest of the leaf around them.
    ///
    /// All frames of the track in a fragment form one leaf.
    mutating func frames(_ count: Int, _ rest: Rest, from storage: any MovieStorage) throws(MediaError) -> [UInt8]? {
        var hash: LeafHash?
        var (first, left, begun) = (0, count, Int64(0))
        for (index, chunk) in stored.samples.enumerated() {
            defer { first += chunk.count }
            guard left > 0, next < first + chunk.count else { continue }
            let place = next - first
            let part = min(left, chunk.count - place)
            let size = chunk.byteCount / UInt64(max(1, chunk.count))
            let time = chunk.decodeTime &+ Int64(place)
            if hash == nil { begun = time }
            // The signature contains the time of the first frame. The others must follow without gaps.
            guard time &- begun == Int64(count - left), Self.isEven(chunk) else { return nil }
            var own: LeafHash
            if let hash {
                own = hash
            } else {
                guard let begun = leaf(at: time, count, rest, frameSize: size) else { return nil }
                own = begun
            }
            isProven[index] = true
            record(chunk)
            next += part
            left -= part
            let offset = chunk.offset &+ UInt64(place) &* size
            guard try Self.read(offset, UInt64(part) &* size, from: storage, into: &own) else { return nil }
            hash = own
        }
        guard left == 0, var own = hash else { return nil }
        rest.after.withUnsafeBytes { own.add($0) }
        return own.finish()
    }

    /// Returns the hash of a leaf up to its first frame that is in the cut; nil if the rest is not an integral number
    /// of frames.
    ///
    /// - Parameter time: the time of that frame in the cut's tables.
    private func leaf(at time: Int64, _ count: Int, _ rest: Rest, frameSize: UInt64) -> LeafHash? {
        guard let size = Int(exactly: frameSize), size > 0, rest.before.count.isMultiple(of: size),
            rest.after.count.isMultiple(of: size)
        else { return nil }
        let lead = rest.before.count / size
        var hash = LeafHash(
            track: claim.source,
            .init(
                decodeTime: UInt64(bitPattern: time &+ claim.decodeTime &- Int64(lead)), compositionOffset: 0,
                isKeyframe: true, count: UInt32(clamping: lead + count + rest.after.count / size)))
        rest.before.withUnsafeBytes { hash.add($0) }
        return hash
    }

    /// Returns true if each frame of a chunk lasts one tick.
    private static func isEven(_ chunk: StoredTrack.Sample) -> Bool {
        chunk.presentation == chunk.decodeTime && chunk.span ?? 0 == Int64(chunk.count - 1) && chunk.isKeyframe
    }

    private static func read(
        _ offset: UInt64, _ count: UInt64, from storage: any MovieStorage, into hash: inout LeafHash
    ) throws(MediaError) -> Bool {
        var (place, left) = (offset, count)
        while left > 0 {
            let bytes = try storage.read(Int(min(1 << 20, left)), at: place)
            guard !bytes.isEmpty else { return false }
            bytes.withUnsafeBytes { hash.add($0) }
            place &+= UInt64(bytes.count)
            left -= UInt64(bytes.count)
        }
        return true
    }

    private mutating func record(_ sample: StoredTrack.Sample) {
        let scale = Double(facts.timeScale)
        let time = Double(time(sample)) / scale
        let end = max(time, time + Double(sample.span ?? 0) / scale)
        latest = min(time, latest?.lowerBound ?? time)...max(end, latest?.upperBound ?? end)
        if let known = shown {
            longest = max(longest, time - known.upperBound)
            shown = min(known.lowerBound, time)...max(known.upperBound, end)
        } else {
            shown = time...end
        }
    }

    /// Returns the signed time of a sample, in ticks from the start of the cut.
    private func time(_ sample: StoredTrack.Sample) -> Int64 {
        sample.presentation &+ claim.decodeTime &+ Int64(claim.compositionOffset) &- facts.start &- claim.zero
    }

    /// The samples, in the same form as those of a recording's track.
    var signed: FragmentVerification.Track {
        var track = FragmentVerification.Track(description: facts)
        track.samples = stored.samples.enumerated().map { index, sample in
            .init(
                offset: sample.offset, byteCount: sample.byteCount, time: time(sample), span: sample.span ?? 0,
                isKeyframe: sample.isKeyframe, isProven: isProven[index])
        }
        return track
    }

    /// Time ranges at the ends of the track in which no sample is proven, in seconds from the start of the cut.
    var unproven: [ClosedRange<Double>] {
        var ranges: [ClosedRange<Double>] = []
        if claim.before > 0 { ranges.append(range(0..<min(claim.before, count))) }
        if claim.after > 0, next < count { ranges.append(range(next..<count)) }
        return ranges
    }

    /// Returns the times of samples, given as a range of numbers; PCM is counted in audio frames.
    private func range(_ numbers: Range<Int>) -> ClosedRange<Double> {
        var (first, begin, end) = (0, Int64.max, Int64.min)
        for chunk in stored.samples {
            defer { first += chunk.count }
            guard first < numbers.upperBound, first + chunk.count > numbers.lowerBound else { continue }
            let time = time(chunk)
            begin = min(begin, time &+ Int64(max(0, numbers.lowerBound - first)))
            end = max(end, time &+ Int64(min(chunk.count, numbers.upperBound - first)))
        }
        let scale = Double(facts.timeScale)
        return begin <= end ? Double(begin) / scale...Double(end) / scale : 0...0
    }

    /// Returns the ranges at the ends of the cut in which the track has unsigned samples, or no samples.
    ///
    /// - Parameter end: the end of the cut, in seconds.
    func gaps(until end: Double) -> [String] {
        let name = "track \(claim.id)"
        guard let shown else { return [name] }
        var gaps: [String] = []
        if !isWhole, claim.before > 0 || shown.lowerBound > Self.tolerance {
            gaps.append("\(name) before \(SignedTime.seconds(max(0, shown.lowerBound)))")
        }
        // A timecode track has a single sample, which lasts to the end.
        let last = stored.isShown ? shown.upperBound + longest : end
        if claim.after > 0 || last < end - Self.tolerance {
            gaps.append("\(name) from \(SignedTime.seconds(min(end, last))) on")
        }
        return gaps
    }
}
