import Demuxing
import TestSupport
import Testing

/// The field order of movies whose containers do not state it.
@Suite struct FieldOrderTests {
    @Test(
        arguments: [
            ("-pix_fmt yuv420p -c:v dvvideo", "dv", "lowerFirst"),
            ("-pix_fmt yuv420p -c:v dvvideo", "avi", "lowerFirst"),
            // FFmpeg's QuickTime files state that these frames are progressive.
            ("-pix_fmt yuv420p -c:v dvvideo", "mov", "progressive"),
            ("-vf setfield=tff -c:v mpeg4 -flags +ildct+ilme", "avi", "upperFirst"),
            ("-vf setfield=bff -c:v mpeg4 -bf 2 -flags +ildct+ilme", "avi", "lowerFirst"), ("-c:v mpeg4", "avi", nil),
            ("-c:v mjpeg -pix_fmt yuvj420p", "avi", nil),
        ] as [(String, String, String?)])
    func track_orderOnlyInItsFrames_isRead(options: String, ending: String, order: String?) throws {
        let source = "ffmpeg -v error -y -f lavfi -i testsrc2=s=720x576:r=25:d=0.2 "
        let words = (source + options).split(separator: " ").map(String.init)
        let summary = try MovieInspector.summary(ofFileAt: try MadeFile.of(words, ending: ending).path)
        let track = try #require(summary.tracks.first)
        #expect(track.fieldOrder == order)
    }
}
