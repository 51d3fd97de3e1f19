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
        precondition(again.wasFinishedAlready, "a finalized file is finalized again")
    } catch {
        preconditionFailure("a finalized file is rejected: \(error)")
    }
    precondition(storage.bytes == finished, "finalizing again changes the file")
    return 0
}
