import FakeDevices
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AVCapture

/// Tests that a movie's matrix shows its frames as the connection was set, by ffprobe.
@Suite struct MovieOrientationTests {
    private let directory: TemporaryDirectory
    private let output = AVCaptureMovieFileOutput()

    init() throws { directory = try TemporaryDirectory() }

    private func started() throws -> (FakeSession, AVCaptureConnection) {
        let fake = try FakeSession()
        fake.session.addOutput(output)
        fake.session.startRunning()
        return (fake, try #require(output.connection(with: .video)))
    }

    /// Records two frames of 64×32.
    private func record(
        _ name: String, with fake: FakeSession, from time: Int, meanwhile: () -> Void = {}
    ) async throws -> URL {
        let (movie, recipient) = (directory.file(name), Recipient())
        output.startRecording(to: movie, recordingDelegate: recipient)
        fake.source.frame(at: time)
        meanwhile()
        fake.source.frame(at: time + 40)
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error == nil)
        return movie
    }

    /// Returns a, b, c, d, tx and ty of the track's matrix; nil for the identity, which ffprobe leaves out.
    private func matrix(of movie: URL) throws -> [Int]? {
        let text = try Probe.ask(movie.path, "stream_side_data=displaymatrix", of: "v").text
        // Lines of an offset and three numbers.
        let numbers = text.split(whereSeparator: \.isNewline).flatMap { line in
            line.split(separator: ":").last?.split(separator: " ").compactMap { Int($0) } ?? []
        }
        guard numbers.count >= 9 else { return nil }
        return [0, 1, 3, 4, 6, 7].map { numbers[$0] / 65_536 }
    }

    static let matrices: [(VideoTurn, [Int]?)] = [
        (VideoTurn(angle: 0, isMirrored: false), nil),
        (VideoTurn(angle: 0, isMirrored: true), [-1, 0, 0, 1, 64, 0]),
        (VideoTurn(angle: 90, isMirrored: false), [0, 1, -1, 0, 32, 0]),
        (VideoTurn(angle: 90, isMirrored: true), [0, 1, 1, 0, 0, 0]),
        (VideoTurn(angle: 180, isMirrored: false), [-1, 0, 0, -1, 64, 32]),
        (VideoTurn(angle: 180, isMirrored: true), [1, 0, 0, -1, 0, 32]),
        (VideoTurn(angle: 270, isMirrored: false), [0, -1, 1, 0, 0, 64]),
        (VideoTurn(angle: 270, isMirrored: true), [0, -1, -1, 0, 32, 64]),
    ]

    @Test(arguments: matrices)
    func movieOutput_turnedConnection_setsTheMatrix(_ turn: VideoTurn, _ expected: [Int]?) async throws {
        let (fake, connection) = try started()
        turn.apply(to: connection)
        let movie = try await record("movie.mov", with: fake, from: 1_000)
        #expect(try matrix(of: movie) == expected)
        let size = try Probe.ask(movie.path, "stream=width,height", of: "v:0").text
        #expect(size.contains("64,32"), "the stored frames are not rotated")
        fake.session.stopRunning()
    }

    @Test func movieOutput_turnedDuringARecording_turnsTheNextOne() async throws {
        let (fake, connection) = try started()
        connection.videoOrientation = .portrait
        let first = try await record("first.mov", with: fake, from: 1_000) {
            connection.videoOrientation = .landscapeLeft
        }
        let second = try await record("second.mov", with: fake, from: 2_000)
        #expect(try matrix(of: first) == [0, 1, -1, 0, 32, 0])
        #expect(try matrix(of: second) == [-1, 0, 0, -1, 64, 32])
        fake.session.stopRunning()
    }

    @Test func movieOutput_settingsWithASize_moveTheirFrameIntoView() async throws {
        let (fake, connection) = try started()
        output.setOutputSettings(
            [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 96, AVVideoHeightKey: 48], for: connection)
        connection.videoRotationAngle = 90
        let movie = try await record("movie.mov", with: fake, from: 1_000)
        #expect(try matrix(of: movie) == [0, 1, -1, 0, 48, 0])
        fake.session.stopRunning()
    }
}
