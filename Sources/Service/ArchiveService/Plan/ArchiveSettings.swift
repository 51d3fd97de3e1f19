package import CommandInterface
import Cryptography
import Foundation
package import MovieCommands

/// The settings for encoding the copies. They have the names and values of the options of `recorder reencode`.
package struct ArchiveSettings: Sendable, Hashable, Codable {
    /// The codec, as in `--codec` of `reencode`.
    package var codec = "h264"
    /// The quality: a word or a number, as in `--quality`.
    package var quality: String?
    package var crf: Double?
    package var preset: String?
    package var audioCodec: String?
    /// The audio bit rate in bits per second.
    package var audioBitRate: Int?
    /// The container and file extension of the copies: `mov` or `mp4`.
    package var container = "mov"
    /// The number of threads of an encoder. The same number produces the same bytes on every machine.
    package var threads = ArchiveSettings.standardThreads

    /// The default number of threads. It does not depend on the machine's processors, so that every machine makes the
    /// same plan.
    package static let standardThreads = 4

    package init() {}

    /// Returns the request for the re-encoder.
    ///
    /// - Throws: An error for invalid or contradictory settings.
    package func request() throws(OptionError) -> ReencodeRequest {
        guard let codec = ReencodeVideoCodec(rawValue: codec) else {
            throw OptionError(
                codec, isNot: "a codec that an archive supports",
                write: ReencodeVideoCodec.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard container == "mov" || container == "mp4" else {
            throw OptionError(container, isNot: "a container that an archive supports", write: "mov or mp4")
        }
        guard (1...1024).contains(threads) else {
            throw OptionError(String(threads), isNot: "a number of threads", write: "1 to 1024")
        }
        var request = ReencodeRequest(inputs: [])
        (request.preset, request.video, request.audio) = try ReencodeText.encoding(
            ReencodeText.Words(
                codec: codec, threads: codec == .prores || codec == .passthrough ? nil : threads,
                preset: try preset.map { text throws(OptionError) in try EncodingText.parsePreset(text) },
                crf: try crf.map { value throws(OptionError) in try EncodingText.parseQuality("\(value)") },
                bitRate: nil, twoPass: false, maxSize: nil,
                quality: try quality.map { text throws(OptionError) in try ReencodeText.parseQuality(text) },
                isReshaped: false,
                noVideo: false, noAudio: false,
                audioCodec: try audioCodec.map { text throws(OptionError) in try Self.audio(text) },
                audioBitRate: audioBitRate, volume: nil))
        // A damaged movie is reported as failed. Its intact part is not copied.
        request.isStrict = true
        return request
    }

    private static func audio(_ text: String) throws(OptionError) -> ReencodeAudioCodec {
        guard let codec = ReencodeAudioCodec(rawValue: text) else {
            throw OptionError(
                text, isNot: "an audio codec",
                write: ReencodeAudioCodec.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return codec
    }

    /// Returns the fingerprint of the copy that this program makes of this source with these settings. The fingerprint
    /// is stored in the copy's own metadata, so that no sidecar is needed.
    package func fingerprint(of source: SourceIdentity, program: String) -> String {
        var words = [program, "\(source.size)", "\(source.modified)", "\(source.inode)", source.hash ?? ""]
        words.append(JSONText.line(self))
        return SHA256.hash(data: Data(words.joined(separator: "\0").utf8)).hexadecimal
    }
}
