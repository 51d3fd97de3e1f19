import Foundation
import TestSupport
import Testing

/// Movies for the tests of `reencode`, in the working directory of a command.
extension Command {
    /// Makes three seconds of a moving pattern at 25 fps, with a keyframe each second, and a tone.
    func movie(
        _ name: String = "movie.mov", size: String = "160x120", rate: String = "25", seconds: Double = 3,
        hasAudio: Bool = true
    ) throws {
        let audio = ["-f", "lavfi", "-i", "sine=d=\(seconds):sample_rate=48000", "-c:a", "aac"]
        try MadeFile.copy(
            of: ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds)"]
                + (hasAudio ? audio : [])
                + ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p"],
            to: URL(fileURLWithPath: path("work/\(name)")))
    }

    func ffmpeg(_ arguments: [String]) throws {
        let made = try TestSupport.Command.run(["ffmpeg", "-v", "error", "-y"] + arguments)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Fills the video packet at a time with noise.
    func damage(_ name: String, at seconds: Double) throws {
        let url = URL(fileURLWithPath: path("work/\(name)"))
        let found = try Probe.ask(url.path, "packet=pts_time,pos,size", of: "v:0")
        let packets = found.text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
        let packet = try #require(packets.first { $0.count == 3 && abs($0[0] - seconds) < 0.001 })
        let (size, position) = (Int(packet[1]), Int(packet[2]))
        try #require(size > 40)
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: UInt64(position + 6))
        try file.write(contentsOf: Data(SyntheticMedia.noise(size - 6)))
        try file.close()
    }

    /// Runs `reencode` quickly, and expects success without output.
    func reencode(_ arguments: String...) async throws {
        let isEncoded = !arguments.contains("passthrough") && !arguments.contains("--quality")
        let isPreset = arguments.contains("--preset") || arguments.contains("--no-video")
        let result = try await run(
            ["reencode"] + arguments + ["--quiet"] + (isEncoded && !isPreset ? ["--preset", "ultrafast"] : []))
        #expect(result.exitCode == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
    }

    func probe(_ name: String) throws -> Probe {
        let probe = try Probe(path("work/\(name)"), decodes: true)
        // ffprobe has no decoder for chapters, and reports that for its own files too.
        let complaints = probe.complaints.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id") }
        #expect(complaints.isEmpty, "\(name): \(complaints)")
        return probe
    }

    func size(of name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path("work/\(name)"))[.size] as? Int ?? -1
    }
}
