import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// A movie that was encoded at once and in chunks, and FFmpeg's view of both.
struct ChunkedMovie {
    struct Packet: Hashable {
        var shown: Int
        var decoded: Int
        var duration: Int
        var isKey: Bool
    }

    let source: URL
    let whole: URL
    let joined: URL
    /// The starts of its chunks, in seconds.
    let seams: [Double]

    /// - Parameter count: number of chunks.
    init(
        _ source: URL, _ codec: VideoCodec, count: Int, in directory: TemporaryDirectory, as type: String = "mov",
        audio: ReencodeRequest.Audio = .standard, change: (inout VideoSettings) -> Void = { _ in }
    ) async throws {
        self.source = source
        whole = directory.file("whole.\(type)")
        joined = directory.file("joined.\(type)")
        var settings = VideoSettings(
            codec: codec, rateControl: .constantQuality(codec == .av1 ? 35 : codec == .hevc ? 24 : 23),
            preset: codec == .h264 ? "veryfast" : "superfast")
        settings.threadCount = 2
        change(&settings)
        var request = ReencodeRequest(inputs: [source])
        request.video = .encode(settings, twoPass: false)
        request.audio = audio
        request.undatedCreationDate = Date(timeIntervalSince1970: 1_600_000_000)
        request.isStrict = true
        request.output = whole
        _ = try await Reencoder(request).run()
        request.output = joined
        let stretched = try await ChunkedReencoder(request, count: count)
        _ = try await stretched.run()
        seams = stretched.seams
        #expect(stretched.progress == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(left.allSatisfy { !$0.hasPrefix(".") }, "\(left)")
    }

    static func packets(_ url: URL) throws -> [Packet] {
        let result = try Probe.ask(url.path, "packet=pts,dts,duration,flags", of: "v:0", as: "csv=p=0")
        return result.text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ",")
            guard parts.count >= 4, let shown = Int(parts[0]), let decoded = Int(parts[1]) else { return nil }
            // FFmpeg returns no duration for reordered frames.
            return Packet(
                shown: shown, decoded: decoded, duration: Int(parts[2]) ?? 0, isKey: parts[3].contains("K"))
        }
    }

    /// Returns the times of the decoded frames in FFmpeg.
    static func frameTimes(_ url: URL) throws -> [String] {
        let result = try Probe.ask(url.path, "frame=pts,pkt_duration", of: "v:0", as: "csv=p=0")
        return result.text.split(separator: "\n").map(String.init)
    }

    /// Returns hashes of the decoded audio, track by track.
    static func audio(_ url: URL) throws -> [String] {
        // Without a map, FFmpeg would select the video.
        guard try !Probe.ask(url.path, "stream=index", of: "a", as: "csv=p=0").text.isEmpty else { return [] }
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", url.path, "-map", "0:a", "-f", "streamhash", "-hash", "md5", "-")
        #expect(result.status == 0, "\(result.errors)")
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Returns the bytes of video and audio. The container's overhead is ignored: a copy that is joined from packets
    /// has longer fragments, and so fewer fragment headers.
    static func size(_ url: URL) throws -> Double {
        try Probe.ask(url.path, "packet=size", as: "csv=p=0").text.split(separator: "\n").reduce(0) { sum, line in
            sum + (Double(line.prefix { $0 != "," }) ?? 0)
        }
    }

    /// Returns each frame's similarity to the source, by FFmpeg's `ssim`.
    func likeness(_ url: URL, in directory: TemporaryDirectory) throws -> [Double] {
        let log = directory.path("ssim-\(UUID().uuidString)")
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-i", source.path, "-lavfi",
            "[0:v:0]settb=AVTB,setpts=N[a];[1:v:0]settb=AVTB,setpts=N[b];[a][b]ssim=stats_file=\(log)", "-f", "null",
            "-")
        #expect(result.status == 0, "\(result.errors)")
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.components(separatedBy: "All:").last.flatMap { $0.split(separator: " ").first }.flatMap { Double($0) }
        }
    }

    /// Expects the properties that both must share.
    func expectAlike(in directory: TemporaryDirectory, size tolerance: Double = 0.02) throws {
        let (one, other) = (try Self.packets(whole), try Self.packets(joined))
        #expect(one.count > 50 && one.count == other.count)
        #expect(one.map(\.shown).sorted() == other.map(\.shown).sorted())
        #expect(one.map(\.decoded) == other.map(\.decoded))
        #expect(one.map(\.duration) == other.map(\.duration))
        #expect(try Self.frameTimes(whole) == Self.frameTimes(joined))
        #expect(try Self.audio(whole) == Self.audio(joined))
        let decoded = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", joined.path, "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors == "", "\(decoded.errors)")
        let (before, after) = (try Self.size(whole), try Self.size(joined))
        #expect(abs(after - before) <= before * tolerance, "\(Int(before)) and \(Int(after)) bytes")
        #expect(try description(whole) == description(joined))
        try expectLikeSeams(one, in: directory)
    }

    private func expectLikeSeams(_ packets: [Packet], in directory: TemporaryDirectory) throws {
        let usual = try likeness(whole, in: directory)
        let likeness = try likeness(joined, in: directory)
        #expect(usual.count == packets.count && likeness.count == packets.count)
        guard !usual.isEmpty, likeness.count == usual.count else { return }
        let floor = usual.sorted()[usual.count / 100]
        let times = try Probe.ask(whole.path, "packet=pts_time", of: "v:0", as: "csv=p=0").text
            .split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
        for seam in seams.dropFirst() {
            let place = times.firstIndex { $0 > seam - 0.001 } ?? 0
            let around = max(0, place - 5)..<min(likeness.count, place + 5)
            let (least, own) = (likeness[around].min() ?? 0, usual[around].min() ?? 0)
            // In a short movie, the worst frames of the copy without chunks may be at the same position.
            #expect(least >= min(floor, own), "at \(seam): \(least) is below \(floor), and the whole has \(own)")
        }
    }

    /// Returns tracks, metadata, chapters and edit lists, without what depends on bytes.
    private func description(_ url: URL) throws -> String {
        let result = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-show_streams", "-show_chapters", "-show_entries",
            "format=nb_streams,start_time,duration:format_tags", "-of", "default", url.path)
        let varying = ["bit_rate", "extradata", "max_bit_rate"]
        return result.text.split(separator: "\n").filter { line in
            !varying.contains { line.hasPrefix($0) }
        }.joined(separator: "\n")
    }
}
