import FuzzSupport
import MediaTypes
import MovieFile
import Signing

/// The public half of the key that signed the corpus; the private half no longer exists.
private let key = try! VerificationKey(
    pem: """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAFD5XufIXdGMlG9Q9V/1FWHYXnGpKYMQtHjrFnOv99zY=
        -----END PUBLIC KEY-----
        """)

/// libFuzzer's entry point: any bytes are verified as a recording, and the answer must be consistent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignature(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let storage = FuzzStorage(Array(UnsafeBufferPointer(start: start, count: count)))
    let answer = verification(of: storage)
    precondition(
        answer.problems.isEmpty == (answer.verdict != .altered), "problems without a verdict, or it without them")
    precondition((answer.ending == nil) == (answer.verdict == .unsigned || answer.verdict == .otherKey))
    precondition(answer.problems.allSatisfy { $0.from >= 0 && $0.from.isFinite }, "a problem is nowhere")
    precondition(verification(of: storage) == answer, "verified twice, it says two things")
    return 0
}

private func verification(of storage: FuzzStorage) -> Verification {
    var verifier = MovieVerifier(key: key)
    do throws(MediaError) {
        return try verifier.verify(storage, name: "movie.mov")
    } catch {
        preconditionFailure("what a file holds is no error: \(error)")
    }
}
