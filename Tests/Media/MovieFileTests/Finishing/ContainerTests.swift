import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct ContainerTests {
    private func video(_ codec: VideoCodec) -> FormatDescription {
        .video(VideoFormat(codec: codec, width: 64, height: 48))
    }
    private func audio(_ codec: String) -> FormatDescription {
        .audio(AudioFormat(codec: AudioCodec(rawValue: codec), sampleRate: 48_000, channelCount: 2))
    }
    private let timecode = FormatDescription.timecode(
        TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 25), framesPerSecond: 25))

    @Test(arguments: FileType.writable)
    func fileType_anyType_isFollowedByRoomForALongHeader(type: FileType) {
        var writer = AtomWriter()
        FileTypeAtom.write(type, into: &writer)
        let size = writer.count
        FileTypeAtom.writeRoom(MovieDialect(type), into: &writer)
        #expect(Array(writer.bytes[4..<8]) == Array("ftyp".utf8))
        #expect(
            Array(writer.bytes[8..<12])
                == Array((type == .mov ? "qt  " : type == .m4v ? "M4V " : type == .m4a ? "M4A " : "mp42").utf8))
        #expect(Array(writer.bytes[size...]) == [0, 0, 0, 8] + Array((type == .mov ? "wide" : "free").utf8))
        // The brand itself is among the compatible brands.
        #expect(
            stride(from: 16, to: size, by: 4).contains {
                Array(writer.bytes[$0..<($0 + 4)]) == Array(writer.bytes[8..<12])
            })
    }

    @Test(arguments: ["flac", "opus", "mp3"]) func m4a_codecOfMPEG4_suggestsAnMP4File(codec: String) {
        #expect(ContainerRules.isPermitted(audio(codec), in: .mp4))
        let refusal = ContainerRules.refusal(of: audio(codec), in: .m4a)
        #expect(refusal?.wayOut.hasPrefix("write .mp4") == true && refusal?.reason.contains("MPEG-4") == false)
    }

    @Test func quickTime_codecWithACode_isPermitted() {
        for codec in [.h264, .hevc, .mjpeg, .proRes, .av1, .png, VideoCodec(rawValue: "vp8")] as [VideoCodec] {
            #expect(ContainerRules.isPermitted(video(codec), in: .mov))
        }
        for codec in ["pcm", "aac", "alac", "opus", "pcm_mulaw"] {
            #expect(ContainerRules.isPermitted(audio(codec), in: .mov))
        }
        // An unknown codec needs the code of its source file.
        #expect(!ContainerRules.isPermitted(video(VideoCodec(rawValue: "xyz")), in: .mov))
        let coded = VideoFormat(codec: VideoCodec(rawValue: "xyz"), width: 64, height: 48, codecTag: "xyz1")
        #expect(ContainerRules.isPermitted(.video(coded), in: .mov))
        #expect(!ContainerRules.isPermitted(audio("vorbis"), in: .mov))
        #expect(
            ContainerRules.isPermitted(timecode, in: .mov) && ContainerRules.isPermitted(.text(TextFormat()), in: .mov))
        for format in PixelFormat.allCases {
            let raw = FormatDescription.video(VideoFormat(pixelFormat: format, width: 64, height: 48))
            #expect(
                ContainerRules.isPermitted(raw, in: .mov)
                    == [.yuyv, .uyvy, .bgra, .argb, .rgba, .rgb24].contains(format))
        }
    }

    @Test func refusal_ofMPEG4_suggestsQuickTimeOnlyIfThatPermitsTheCodec() {
        func wayOut(_ format: FormatDescription, _ type: FileType = .mp4) -> String? {
            ContainerRules.refusal(of: format, in: type)?.wayOut
        }
        #expect(wayOut(video(.proRes)) == "write .mov, or encode to h264")
        #expect(wayOut(audio("pcm_mulaw")) == "write .mov, or encode to aac or alac")
        #expect(wayOut(audio("truehd")) == "encode to aac or alac")
        // DVCPRO HD of a container without QuickTime's codes.
        let dvcProHD = FormatDescription.video(
            VideoFormat(codec: VideoCodec(rawValue: "dvvideo"), width: 1440, height: 1080))
        #expect(wayOut(dvcProHD) == "encode to h264" && wayOut(dvcProHD, .mov) == "encode to h264")
        let many = AudioFormat(codec: AudioCodec(rawValue: "truehd"), sampleRate: 48_000, channelCount: 16)
        #expect(wayOut(.audio(many), .m4a) == "write .mov, and encode to pcm")
    }

    @Test(arguments: [FileType.mp4, .m4v])
    func mpeg4_standardizedCodec_isPermitted(type: FileType) {
        for codec in [.h264, .hevc, .mpeg4, .av1, .vp9] as [VideoCodec] {
            #expect(ContainerRules.isPermitted(video(codec), in: type))
        }
        for codec in [.mjpeg, .proRes, .raw, .png] as [VideoCodec] {
            #expect(!ContainerRules.isPermitted(video(codec), in: type))
        }
        for codec in ["aac", "alac", "mp3", "ac3", "eac3", "opus", "flac"] {
            #expect(ContainerRules.isPermitted(audio(codec), in: type))
        }
        #expect(!ContainerRules.isPermitted(audio("pcm"), in: type) && !ContainerRules.isPermitted(timecode, in: type))
        #expect(ContainerRules.isPermitted(.text(TextFormat()), in: type))
    }

    @Test func m4a_onlyAudioAndChapters_arePermitted() {
        #expect(
            ContainerRules.isPermitted(audio("aac"), in: .m4a) && ContainerRules.isPermitted(audio("alac"), in: .m4a))
        #expect(ContainerRules.isPermitted(.text(TextFormat()), in: .m4a))
        for format in [video(.h264), audio("pcm"), audio("mp3"), timecode] {
            #expect(!ContainerRules.isPermitted(format, in: .m4a))
        }
    }

    @Test func refusal_pcmInMPEG4_namesBothAndHowToFixIt() throws {
        let error = try #require(ContainerRules.refusal(of: audio("pcm"), in: .mp4))
        #expect(error.code == .unsupported)
        #expect(
            error.description.contains("pcm") && error.description.contains(".mp4") && error.wayOut.contains(".mov"))
    }
}
