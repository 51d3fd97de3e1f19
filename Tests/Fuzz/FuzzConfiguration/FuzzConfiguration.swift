import CommandInterface
import MediaTypes

@testable import RecorderStorage

private let name = try! RecordingName(parsing: "front")

/// libFuzzer's entry point: any text is read as a recorder's configuration, or refused with the error and its position.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    let assignments: [SettingAssignment]
    do throws(MediaError) {
        assignments = try ConfigurationFile.parse(text, path: "front.yaml")
    } catch {
        precondition("\(error)".contains("front.yaml"), "an error without a file and line: \(error)")
        return 0
    }
    do throws(RecordingFailure) {
        _ = try EffectiveConfiguration.resolve([assignments], name: name, file: "front.yaml")
    } catch {
        precondition(error.stage == .configuration, "a file error is reported as a command-line error: \(error)")
    }
    return 0
}
