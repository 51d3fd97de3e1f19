import Glibc
import MediaTypes
import Testing

@testable import CommandInterface

@Suite struct ExitCodeTests {
    private static let table: [(RecordingFailure.Stage, MediaError.Code, Int32)] = [
        (.devices, .notFound, 69), (.devices, .busy, 75),
        (.devices, .notPermitted, 77), (.devices, .deviceUnsuitable, 69), (.devices, .unsupported, 69),
        (.devices, .deviceLost, 69), (.devices, .ioFailure, 69), (.devices, .invalidSettings, 64),
        (.output, .notFound, 73), (.output, .outputExists, 73), (.output, .cannotCreate, 73),
        (.output, .notPermitted, 77),
        (.output, .diskFull, 74), (.output, .ioFailure, 74), (.output, .invalidSettings, 64),
        (.output, .unsupported, 64),
        (.recording, .diskFull, 74), (.recording, .ioFailure, 74), (.recording, .deviceLost, 1),
        (.recording, .notPermitted, 74), (.recording, .unsupported, 64),
        (.recording, .codecFailure, 1), (.recording, .cancelled, 1),
        (.control, .busy, 75), (.control, .notFound, 69), (.control, .notPermitted, 77),
        (.usage, .invalidSettings, 64), (.configuration, .invalidSettings, 78), (.configuration, .notPermitted, 78),
        (.input, .notFound, 66), (.input, .corruptData, 65), (.input, .unsupported, 65), (.input, .notPermitted, 77),
    ]

    @Test(arguments: table)
    func exitCode_stageAndErrorCode_isTheDocumentedOne(
        stage: RecordingFailure.Stage, code: MediaError.Code, exitCode: Int32
    ) {
        let failure = RecordingFailure(stage, MediaError(code, "x", reason: "y"))
        #expect(ExitCode(for: failure).rawValue == exitCode)
    }

    @Test(
        arguments: [EBUSY, EINVAL, EIO, EROFS, ENOSPC, ESTALE, ENXIO, EACCES, EPERM, EAGAIN, ENOMEM, EMFILE, ENFILE])
    func exitCode_systemErrorWhileRecording_isIOError(number: Int32) {
        let failure = RecordingFailure(.recording, MediaError(errno: number, "cannot write a.mov"))
        #expect(ExitCode(for: failure) == .ioError)
    }

    @Test(arguments: [EBUSY, EINVAL])
    func exitCode_systemErrorAtTheOutput_isCannotCreate(number: Int32) {
        let failure = RecordingFailure(.output, MediaError(errno: number, "cannot create a.mov"))
        #expect(ExitCode(for: failure) == .cannotCreate)
    }

    @Test func exitCode_anyFailure_isNotSuccess() {
        for code in MediaError.Code.allCases {
            for stage in [
                RecordingFailure.Stage.usage, .configuration, .control, .devices, .output, .recording, .input,
            ] {
                #expect(ExitCode(for: RecordingFailure(stage, MediaError(code, "x", reason: "y"))) != .done)
            }
        }
    }
}
