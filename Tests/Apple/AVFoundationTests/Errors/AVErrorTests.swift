import AVFoundation
import Foundation
import Testing

@Suite struct AVErrorTests {
    @Test func errorCodes_matchAVFoundationAndCanBeCaught() throws {
        let codes: [AVError.Code: Int] = [
            .unknown: -11800, .diskFull: -11807, .exportFailed: -11820, .decodeFailed: -11821,
            .fileAlreadyExists: -11823,
            .noImageAtTime: -11832, .videoCompositorFailed: -11858, .operationNotAllowed: -11862,
            .noSourceTrack: -11869,
            .operationCancelled: -11878, .encodeFailed: -11883,
        ]
        for (code, value) in codes {
            #expect(code.rawValue == value && AVError(code).errorCode == value && AVError(code).code == code)
            #expect((AVError(code) as NSError).code == value)
        }
        do {
            throw AVError(.fileAlreadyExists)
        } catch AVError.fileAlreadyExists {
            #expect(AVError.fileAlreadyExists == .fileAlreadyExists)
        }
        #expect(
            AVError.errorDomain == AVFoundationErrorDomain
                && (AVError(.unknown) as NSError).domain == AVError.errorDomain)
    }

    @Test func error_withUserInfo_returnsItsTexts() {
        let error = AVError(
            .exportFailed,
            userInfo: [
                NSLocalizedDescriptionKey: "It went wrong.", NSLocalizedFailureReasonErrorKey: "Because.",
                NSLocalizedRecoverySuggestionErrorKey: "Try again.", AVErrorFileTypeKey: "mov",
            ])
        #expect(error.localizedDescription == "It went wrong." && error.failureReason == "Because.")
        #expect(error.recoverySuggestion == "Try again." && error.userInfo[AVErrorFileTypeKey] as? String == "mov")
        #expect((error as NSError).localizedDescription == "It went wrong." && error != AVError(.exportFailed))
        #expect(
            AVError(.exportFailed) == AVError(.exportFailed)
                && AVError(.unknown).localizedDescription.contains("-11800"))
    }

    @Test func error_printed_isOneLineWithItsCode() async throws {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/movie.mov"))
        let thrown = await #expect(throws: AVError.self) { _ = try await asset.load(.tracks) }
        let error = try #require(thrown)
        let line = "\(error)"
        #expect(line == error.localizedDescription + " (AVFoundationErrorDomain -11863, contentIsUnavailable)")
        #expect(line.contains("/nowhere/movie.mov") && !line.contains("\n") && !line.contains("Optional"))
        #expect(String(reflecting: error) == line && "\(AVError(.diskFull))".contains("diskFull"))
    }

    @Test func error_userInfoKeys_areReturnedAsProperties() {
        let time = CMTime(value: 3, timescale: 2)
        let error = AVError(
            .maximumDurationReached,
            userInfo: [
                AVErrorMediaTypeKey: AVMediaType.video.rawValue, AVErrorMediaSubTypeKey: [1, 2],
                AVErrorFileTypeKey: AVFileType.mov.rawValue, AVErrorPersistentTrackIDKey: NSNumber(value: 7),
                AVErrorFileSizeKey: NSNumber(value: 1 << 40), AVErrorTimeKey: NSValue(time: time),
                AVErrorPresentationTimeStampKey: NSValue(time: time), AVErrorPIDKey: NSNumber(value: 99),
                AVErrorRecordingSuccessfullyFinishedKey: NSNumber(value: true),
            ])
        #expect(error.mediaType == .video && error.mediaSubtypes == [1, 2] && error.fileType == .mov)
        #expect(error.persistentTrackID == 7 && error.fileSize == 1 << 40 && error.processID == 99)
        #expect(
            error.time == time && error.presentationTimeStamp == time && error.recordingSuccessfullyFinished == true)
        #expect(AVError(.unknown).time == nil && AVError(.unknown).fileSize == nil)
    }

    @Test func error_ofTheEngine_isTheUnderlyingError() async throws {
        let error = await #expect(throws: AVError.self) {
            _ = try await AVURLAsset(url: URL(fileURLWithPath: "/nowhere/a.mov")).load(.duration)
        }
        #expect(error?.userInfo[NSUnderlyingErrorKey] != nil && error?.failureReason?.isEmpty == false)
        #expect((error as NSError?)?.userInfo[NSUnderlyingErrorKey] != nil)
    }
}
