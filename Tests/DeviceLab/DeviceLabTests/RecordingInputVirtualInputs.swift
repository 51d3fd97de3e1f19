import Foundation
import TestSupport
import Testing

/// The recorder with an HDMI input, whose signal is lost or changes during a recording.
@Suite(.serialized) struct RecordingInputVirtualInputs {
    private func recorder(_ place: TemporaryDirectory) -> LabRecorder {
        LabRecorder(
            [
                "--camera", LabSignal.path, "--camera-input", "HDMI", "--microphone", "hw:Loopback,1,0", "--preset",
                "ultrafast", "--output", place.path("movie.mov"),
            ], in: place)
    }

    /// Returns the frame sizes of the files, as "640,480".
    private func sizes(_ answer: RecorderAnswer) throws -> [String] {
        try answer.segments.map { segment in
            try Probe.ask(segment.file, "stream=width,height", of: "v").text
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private func occurrences(_ text: String, in messages: String) -> Int {
        messages.components(separatedBy: text).count - 1
    }

    @Test func recording_signalLost_continuesWithAudio() throws {
        try LabSignal.show("640x480p59")
        let place = try TemporaryDirectory()
        let recorder = recorder(place)
        #expect(recorder.waitsForStart(), "\(recorder.messages)")
        LabSignal.hold(seconds: 2)
        try LabSignal.lose()
        #expect(eventually(within: 20) { recorder.messages.contains("no signal at its input") })
        LabSignal.hold(seconds: 4)
        try LabSignal.show("640x480p59")
        #expect(eventually(within: 20) { recorder.messages.contains("reconnected: ") })
        LabSignal.hold(seconds: 3)
        let answer = try #require(try recorder.stop())
        #expect(try sizes(answer) == ["640,480", "640,480"])
        let (video, audio) = (try #require(answer.video), try #require(answer.audio))
        #expect(audio.droppedInAll == 0 && audio.captured == audio.written)
        #expect(video.captured == video.written + video.droppedInAll)
        // About four seconds at 59.94 fps; the retries are at most two seconds apart.
        #expect((220...420).contains(video.dropped["device"] ?? 0), "\(video)")
        #expect(occurrences("no signal at its input", in: recorder.messages) == 1, "\(recorder.messages)")
        for segment in answer.segments {
            #expect(try MovieMeasure(url: URL(fileURLWithPath: segment.file)).decodingErrors() == "")
        }
    }

    @Test func recording_signalOfAnotherSize_beginsAFileOfThatSize() throws {
        try LabSignal.show("1280x720p50")
        let place = try TemporaryDirectory()
        let recorder = recorder(place)
        #expect(recorder.waitsForStart(), "\(recorder.messages)")
        LabSignal.hold(seconds: 2)
        try LabSignal.show("640x480p59")
        #expect(eventually(within: 20) { recorder.messages.contains("reconnected: ") })
        LabSignal.hold(seconds: 3)
        let answer = try #require(try recorder.stop())
        #expect(try sizes(answer) == ["1280,720", "640,480"])
        #expect(answer.audio?.droppedInAll == 0)
        #expect(
            occurrences("the input's signal changed to 640x480", in: recorder.messages) == 1, "\(recorder.messages)")
    }
}
