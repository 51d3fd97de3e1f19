extension InputMatrix {
    /// Invalid or rare files that players still play.
    public static let odd: [InputFile] = [
        InputFile(
            "ac3-doubled.ts", from: "ac3-long.ts", [.init("h264", frames: nil)], [.init("ac3")],
            change: doubleAudioStamp),
        InputFile(
            "ac3-long.ts",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=frequency=440:sample_rate=48000:duration=4 -c:v libx264 -pix_fmt yuv420p -c:a ac3",
            [.init("h264", frames: nil)], [.init("ac3")]),
        // Frames that are decoded and never shown.
        InputFile(
            "vp9-hidden.webm",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -c:v libvpx-vp9 -auto-alt-ref 1 -lag-in-frames 25 -cpu-used 4 -b:v 60k -pix_fmt yuv420p",
            [.init("vp9", frames: 50)], []),
        InputFile(
            "hevc-10.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -c:v libx265 -x265-params log-level=none:keyint=25 -pix_fmt yuv420p10le -tag:v hvc1",
            [.init("hevc", frames: 50, depth: 10)], []),
        // The edit list hides the first frames.
        InputFile("hevc-10-edited.mp4", "-ss 0.5 {hevc-10.mp4} -c copy", [.init("hevc", frames: nil, depth: 10)], []),
        InputFile("mp3-bare.mp3", "{t} -c:a libmp3lame -write_xing 0", [], [.init("mp3")]),
        InputFile("broken-cover.mp3", from: "mp3-cover.mp3", [], [.init("mp3")], change: breakCover),
        InputFile(
            "mp3-cover.mp3",
            "{t} -f lavfi -i color=red:s=32x32:d=0.04 -map 0 -map 1 -c:a libmp3lame -c:v mjpeg -pix_fmt yuvj420p -id3v2_version 3 -disposition:v attached_pic",
            [], [.init("mp3")]),
        InputFile("lying-length.mp4", from: "h264-relative.mp4", [.h264], [.aac], change: insertLongLength),
        InputFile(
            "h264-relative.mp4",
            "{p} {t} -c:v libx264 -g 10 -pix_fmt yuv420p -c:a aac -movflags frag_keyframe+empty_moov+default_base_moof",
            [.h264], [.aac]),
        // Silence of 4.75 kbit/s: a second of frames (RFC 4867, 5).
        InputFile("hand-made.amr", from: nil, [], [.init("amr_nb", sampleRate: 8000)]) { bytes in
            bytes = Array("#!AMR\n".utf8)
            for _ in 0..<50 { bytes += [0x04] + [UInt8](repeating: 0, count: 12) }
        },
        InputFile("no-count.flac", from: "flac.flac", [], [.init("flac", channels: 6)]) { bytes in
            // STREAMINFO's count of samples: 36 bits after the format (RFC 9639, 8.2).
            bytes[21] &= 0xF0
            for place in 22..<26 { bytes[place] = 0 }
        },
    ]

    /// Gives the ninth audio packet the timestamp of the previous one (ITU-T H.222.0, 2.4.3.6).
    @Sendable private static func doubleAudioStamp(_ bytes: inout [UInt8]) throws {
        var last: [UInt8]?
        var count = 0
        for packet in stride(from: 0, to: bytes.count - 187, by: 188) where bytes[packet + 1] & 0x40 != 0 {
            var start = packet + 4
            if bytes[packet + 3] & 0x20 != 0 { start += 1 + Int(bytes[packet + 4]) }
            guard start + 14 <= packet + 188, Array(bytes[start..<(start + 4)]) == [0, 0, 1, 0xBD],
                bytes[start + 7] & 0x80 != 0
            else { continue }
            count += 1
            let stamp = start + 9..<start + 14
            let own = Array(bytes[stamp])
            if count == 9, let last { bytes.replaceSubrange(stamp, with: last) }
            last = own
        }
        guard count >= 9 else { throw Command.Failure(description: "there are \(count) packets of audio") }
    }

    @Sendable private static func breakCover(_ bytes: inout [UInt8]) throws {
        guard let start = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF]) })
        else { throw Command.Failure(description: "there is no cover") }
        for place in (start + 2)..<(start + 120) { bytes[place] = 0x5A }
    }

    /// Inserts a `mehd` that announces forty hours (ISO/IEC 14496-12, 8.8.2).
    @Sendable private static func insertLongLength(_ bytes: inout [UInt8]) throws {
        func place(_ type: String) throws -> Int {
            let code = Array(type.utf8)
            guard let at = bytes.indices.dropLast(4).first(where: { bytes[$0...].starts(with: code) }) else {
                throw Command.Failure(description: "there is no \(type)")
            }
            return at - 4
        }
        let (moov, mvex) = (try place("moov"), try place("mvex"))
        let length = UInt32(40 * 3600 * 1000)
        var mehd: [UInt8] = [0, 0, 0, 16]
        mehd += Array("mehd".utf8)
        mehd += [0, 0, 0, 0]
        for shift: UInt32 in [24, 16, 8, 0] { mehd.append(UInt8(truncatingIfNeeded: length >> shift)) }
        for atom in [moov, mvex] {
            let size: UInt32 = (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[atom + $1]) } + 16
            for byte in 0..<4 { bytes[atom + byte] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(byte))) }
        }
        bytes.insert(contentsOf: mehd, at: mvex + 8)
    }
}
