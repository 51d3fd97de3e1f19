import FuzzSupport
import MediaTypes
import MovieFile

/// libFuzzer's entry point: any bytes are finalized as a recording, or refused; finalizing again changes nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFinisher(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let storage = FuzzStorage(Array(UnsafeBufferPointer(start: start, count: count)))
    _ = try? MovieFinisher.health(of: storage)
    do throws(MediaError) {
        try MovieFinisher.finish(storage)
    } catch {
        return 0
    }
    let finished = storage.bytes
    do throws(MediaError) {
        let again = try MovieFinisher.finish(storage)
        precondition(again.wasFinishedAlready, "what was finished is finished once more")
    } catch {
        preconditionFailure("what was finished is refused: \(error)")
    }
    precondition(storage.bytes == finished, "finishing once more changes the file")
    return 0
}
