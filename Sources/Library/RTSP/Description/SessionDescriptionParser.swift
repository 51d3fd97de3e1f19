/// Reads a session description line by line (RFC 8866, 5).
struct SessionDescriptionParser {
    private var session = SessionDescription()
    private var medium: MediaDescription?
    /// The parameters of formats in the current medium by payload type, in case they precede `rtpmap`.
    private var parameters: [UInt8: FormatParameters] = [:]
    /// The direction of the session, for media without one of their own.
    private var direction = MediaDescription.Direction.sendAndReceive
    /// True after a media line that cannot be used. Its attributes are ignored.
    private var isSkipping = false
    /// The maximum number of complaints that are kept.
    private static let mostComplaints = 50
    /// The maximum number of characters of an encoding, which errors name.
    private static let mostCharacters = 40

    mutating func take(_ line: Substring) {
        let line = line.withoutSpaces
        guard !line.isEmpty else { return }
        guard let (type, value) = line.parted(by: "="), type.withoutSpaces.count == 1 else {
            return complain("not a line of a description: \(line.prefix(40))")
        }
        switch type.withoutSpaces {
        case "s": if medium == nil { session.name = String(value.withoutSpaces) }
        case "m": beginMedium(value)
        case "a": if !isSkipping { attribute(value) }
        default: break
        }
    }

    mutating func finish() -> SessionDescription {
        endMedium()
        if session.media.isEmpty { complain("it describes no stream") }
        return session
    }

    private mutating func complain(_ text: String) {
        if session.complaints.count < Self.mostComplaints { session.complaints.append(text) }
    }

    /// Parses `kind port protocol formats…`.
    private mutating func beginMedium(_ value: Substring) {
        endMedium()
        isSkipping = true
        let words = value.split(separator: " ").map { $0.withoutSpaces }
        guard words.count >= 3 else { return complain("a media line without a protocol: m=\(value.prefix(40))") }
        guard session.media.count < SessionDescription.mostMedia else { return complain("too many streams") }
        isSkipping = false
        var medium = MediaDescription(
            kind: words[0].isSame(as: "video")
                ? .video : words[0].isSame(as: "audio") ? .audio : .other(String(words[0])),
            transport: String(words[2]), direction: direction)
        if !words[2].lowercased().hasPrefix("rtp/") { complain("an unknown protocol: \(words[2].prefix(20))") }
        for word in words.dropFirst(3) {
            guard let type = UInt8(word), type < 128 else {
                complain("\(words[0].prefix(20)): not a payload type: \(word.prefix(20))")
                continue
            }
            medium.formats.append(
                PayloadFormat.fixed(type) ?? PayloadFormat(payloadType: type, encoding: "", clockRate: 0))
        }
        self.medium = medium
        parameters = [:]
    }

    private mutating func endMedium() {
        guard var medium else { return }
        for index in medium.formats.indices {
            let type = medium.formats[index].payloadType
            if let found = parameters[type] { medium.formats[index].parameters = found }
            if medium.formats[index].encoding.isEmpty { guess(&medium.formats[index], medium.kind) }
        }
        session.media.append(medium)
        self.medium = nil
    }

    /// Recognizes video without `rtpmap` by its parameters.
    private mutating func guess(_ format: inout PayloadFormat, _ kind: MediaDescription.Kind) {
        let parameters = format.parameters
        if kind == .video, parameters["sprop-vps"] != nil || parameters["sprop-pps"] != nil {
            (format.encoding, format.clockRate) = ("H265", 90_000)
        } else if kind == .video, parameters["sprop-parameter-sets"] != nil || parameters["packetization-mode"] != nil {
            (format.encoding, format.clockRate) = ("H264", 90_000)
        }
        let result = format.encoding.isEmpty ? "it cannot be used" : "assumed to be \(format.encoding)"
        complain("payload type \(format.payloadType) has no rtpmap: \(result)")
    }

    private mutating func attribute(_ text: Substring) {
        let (name, value) = text.parted(by: ":") ?? (text, "")
        let content = value.withoutSpaces
        switch name.withoutSpaces.lowercased() {
        case "control":
            guard !content.isEmpty else { return complain("an empty control attribute") }
            if medium == nil { session.control = String(content) } else { medium?.control = String(content) }
        case "range": if medium == nil { session.range = String(content) }
        case "rtpmap": map(content)
        case "fmtp": format(content)
        case "framerate":
            guard let rate = Double(content), rate.isFinite, rate > 0, rate <= 1000 else {
                return complain("not a frame rate: \(content.prefix(20))")
            }
            medium?.frameRate = rate
        case let word:
            guard let direction = MediaDescription.Direction(rawValue: word) else { return }
            if medium == nil { self.direction = direction } else { medium?.direction = direction }
        }
    }

    /// Parses `type encoding/rate/channels`.
    private mutating func map(_ text: Substring) {
        guard medium != nil else { return }
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let type = UInt8(words[0]), type < 128 else {
            return complain("an invalid rtpmap: \(text.prefix(40))")
        }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false).map { $0.withoutSpaces }
        guard let encoding = parts.first, !encoding.isEmpty else {
            return complain("an rtpmap without an encoding: \(text.prefix(40))")
        }
        let fixed = PayloadFormat.fixed(type)
        let rate = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let channels = parts.count > 2 ? Int(parts[2]) ?? 1 : 1
        if !(1...10_000_000).contains(rate) { complain("an rtpmap without a clock rate: \(text.prefix(40))") }
        if !(1...255).contains(channels) { complain("an rtpmap with \(channels) channels") }
        let format = PayloadFormat(
            payloadType: type, encoding: encoding.prefix(Self.mostCharacters).uppercased(),
            clockRate: (1...10_000_000).contains(rate) ? rate : fixed?.clockRate ?? 0,
            channels: (1...255).contains(channels) ? channels : 1)
        if let index = medium?.formats.firstIndex(where: { $0.payloadType == type }) {
            medium?.formats[index] = format
        } else {
            complain("payload type \(type) is not in its media line")
            medium?.formats.append(format)
        }
    }

    /// Parses `type parameters`.
    private mutating func format(_ text: Substring) {
        guard medium != nil else { return }
        let words = text.split(separator: " ", maxSplits: 1)
        guard let type = words.first.flatMap({ UInt8($0) }), type < 128 else {
            return complain("an invalid fmtp: \(text.prefix(40))")
        }
        parameters[type] = FormatParameters(words.count > 1 ? words[1] : "")
    }
}
