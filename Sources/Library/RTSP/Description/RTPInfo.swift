/// The header `RTP-Info` of the response to PLAY: where each stream begins (RFC 2326, 12.33). A pure value.
///
/// Cameras write it in many forms. Each part is used as far as it can be read.
package struct RTPInfo: Sendable, Hashable {
    /// The beginning of one stream.
    package struct Stream: Sendable, Hashable {
        /// The stream's URL as the camera wrote it: absolute, relative or empty.
        package var url: String
        /// The sequence number of the first packet; nil if not stated.
        package var sequence: UInt16?
        /// The RTP time of the beginning, which is the same moment in all streams; nil if not stated.
        package var time: UInt32?

        package init(url: String, sequence: UInt16? = nil, time: UInt32? = nil) {
            (self.url, self.sequence, self.time) = (url, sequence, time)
        }
    }

    /// The streams in the order of the header.
    package private(set) var streams: [Stream] = []

    /// Parses the values of all headers with this name. Never fails: other text has no streams.
    package init(_ headers: [String]) {
        for header in headers {
            var parts: [Substring] = []
            for part in header.split(separator: ",") {
                // A URL may contain a comma.
                if let last = parts.last, !Self.beginsStream(part) {
                    parts[parts.count - 1] = header[last.startIndex..<part.endIndex]
                } else {
                    parts.append(part)
                }
            }
            streams += parts.map { Self.stream($0) }.prefix(max(0, SessionDescription.mostMedia - streams.count))
        }
    }

    private static func beginsStream(_ text: Substring) -> Bool {
        ["url=", "seq=", "rtptime="].contains { text.withoutSpaces.prefix($0.count).isSame(as: $0) }
    }

    /// Parses `url=URL;seq=NUMBER;rtptime=NUMBER`. The URL may contain a semicolon.
    private static func stream(_ text: Substring) -> Stream {
        var stream = Stream(url: "")
        var (end, isURL) = (text.startIndex, true)
        for field in text.split(separator: ";") {
            let (name, value) = field.parted(by: "=") ?? (field, "")
            let number = value.withoutSpaces.withoutQuotes
            switch name.withoutSpaces.lowercased() {
            case "seq": (stream.sequence, isURL) = (UInt16(number), false)
            case "rtptime":
                // Some cameras print it with a sign.
                (stream.time, isURL) = (UInt32(number) ?? Int32(number).map { UInt32(bitPattern: $0) }, false)
            default: if isURL { end = field.endIndex }
            }
        }
        let url = text[..<end].withoutSpaces
        stream.url = String((url.prefix(4).isSame(as: "url=") ? url.dropFirst(4) : url).withoutSpaces.withoutQuotes)
        return stream
    }

    /// Returns the beginning of each stream that was set up; nil for one that the header does not state.
    ///
    /// URLs are compared first, then the last parts of their paths, since a camera behind a router may state another
    /// host. If no URL matches but the header has the same number of streams, their order decides.
    ///
    /// - Parameters:
    ///   - urls: The URL of each stream.
    ///   - base: The URL to which relative ones are added.
    package func beginnings(of urls: [String], base: ControlURL?) -> [Stream?] {
        let stated = streams.map { base?.resolved($0.url) ?? $0.url }
        let comparisons: [(String, String) -> Bool] = [
            { $0 == $1 }, { Self.lastPart($0).isSame(as: Self.lastPart($1)) },
        ]
        for isSame in comparisons {
            let places = urls.map { url -> Int? in
                let fitting = stated.indices.filter { isSame(stated[$0], url) }
                return fitting.count == 1 ? fitting[0] : nil
            }
            let known = places.compactMap { $0 }
            if !known.isEmpty, Set(known).count == known.count { return places.map { $0.map { streams[$0] } } }
        }
        guard streams.count == urls.count else { return urls.map { _ in nil } }
        return streams.map { Optional($0) }
    }

    private static func lastPart(_ url: String) -> Substring {
        let path = url.last == "/" ? url.dropLast() : url[...]
        return path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
    }
}
