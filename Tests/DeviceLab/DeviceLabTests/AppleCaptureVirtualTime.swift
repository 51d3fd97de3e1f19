import AVCapture
import MediaTypes
import RealTime
import TestSupport
import Testing

/// Capture under Apple's names, with the lab's camera.
@Suite(.serialized) struct AppleCaptureVirtualTime {
    @Test func movieOutput_cameraUnpluggedAndBack_recordsTheRestAndCountsTheGap() throws {
        let place = try TemporaryDirectory()
        let movie = MovieMeasure(url: place.file("movie.mov"))
        let (session, output, recipient) = (AVCaptureSession(), AVCaptureMovieFileOutput(), AppleCaptureLab.Recipient())
        session.addInput(try AVCaptureDeviceInput(device: try AppleCaptureLab.camera()))
        session.addOutput(output)
        session.startRunning()
        try #require(session.isRunning)
        output.startRecording(to: movie.url, recordingDelegate: recipient)
        #expect(eventually(within: 30) { output.recordedDuration.seconds > 2 })
        let unplug = LabPlug.unplugCamera()
        #expect(eventually(within: 30) { session.isInterrupted })
        unplug.wait()
        let clock = MonotonicClock()
        clock.sleep(until: clock.nanoseconds + 3_000_000_000)
        try LabPlug.plugInCamera()
        #expect(eventually(within: 30) { !session.isInterrupted })
        #expect(eventually(within: 30) { output.recordedDuration.seconds > 7 })
        session.stopRunning()
        #expect(eventually(within: 30) { recipient.isFinished } && recipient.error == nil)
        let connection = try #require(output.connection(with: .video))
        let ledger = try #require(output.ledger(for: connection))
        #expect(ledger.waiting == 0 && ledger.lost >= 85 && ledger.dropped == ledger.lost)
        #expect(try movie.shownPackets("v") == Int(ledger.delivered))
        #expect(try movie.decodingErrors() == "")
        let times = try movie.packetTimes("v")
        let gap = zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? 0
        #expect(gap > 3 && abs(gap - Double(ledger.lost + 1) / 30) < 0.1)
    }

    @Test func movieOutput_fullDisk_keepsWhatWasRecorded() throws {
        let disk = try LabDisk(size: 8, backing: 32)
        defer { disk.remove() }
        let movie = MovieMeasure(url: URL(fileURLWithPath: disk.mount + "/movie.mov"))
        let (session, output, recipient) = (
            AVCaptureSession(), AVCaptureMovieFileOutput(), AppleCaptureLab.Recipient()
        )
        session.addInput(try AVCaptureDeviceInput(device: try AppleCaptureLab.camera()))
        session.addOutput(output)
        let connection = try #require(output.connection(with: .video))
        output.setOutputSettings([AVVideoCodecKey: AVVideoCodecType.jpeg], for: connection)
        session.startRunning()
        try #require(session.isRunning)
        output.startRecording(to: movie.url, recordingDelegate: recipient)
        #expect(eventually(within: 600) { recipient.isFinished })
        #expect(recipient.error?.code == .diskFull && recipient.error?.recordingSuccessfullyFinished == true)
        #expect(session.isRunning && !output.isRecording)
        session.stopRunning()
        #expect(try movie.decodingErrors() == "")
        #expect(try movie.duration("v") > 1)
        let ledger = try #require(output.ledger(for: connection))
        #expect(ledger.waiting == 0 && ledger.full > 0 && ledger.dropped == ledger.full)
    }

    private final class Silent: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate {}

    @Test func control_ofARunningSession_isSetWithoutAGap() throws {
        let camera = try AppleCaptureLab.camera()
        let (session, output, delegate) = (AVCaptureSession(), AVCaptureVideoDataOutput(), Silent())
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        session.addInput(try AVCaptureDeviceInput(device: camera))
        session.addOutput(output)
        session.startRunning()
        try #require(session.isRunning)
        #expect(eventually(within: 30) { output.ledger.captured > 30 })
        try camera.lockForConfiguration()
        camera.setControl("brightness", to: 77)
        camera.unlockForConfiguration()
        #expect(LabCommand.run("v4l2-ctl -d /dev/video0 -C brightness | grep -q 'brightness: 77'") == 0)
        let before = output.ledger.captured
        #expect(eventually(within: 30) { output.ledger.captured > before + 30 })
        #expect(output.ledger.lost == 0 && !session.isInterrupted)
        // The device would set it for every later session, too dark for the flashes of other tests.
        try camera.lockForConfiguration()
        camera.setControl("brightness", to: 128)
        camera.unlockForConfiguration()
        session.stopRunning()
    }
}
