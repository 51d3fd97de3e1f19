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
        answer.problems.isEmpty == (answer.verdict != .altered), "problems that do not match the verdict")
    precondition((answer.ending == nil) == (answer.verdict == .unsigned || answer.verdict == .otherKey))
    precondition(answer.problems.allSatisfy { $0.from >= 0 && $0.from.isFinite }, "a problem without a valid time")
    precondition(verification(of: storage) == answer, "two verifications give different answers")
    return 0
}

private func verification(of storage: FuzzStorage) -> Verification {
    var verifier = MovieVerifier(key: key)
    do throws(MediaError) {
        return try verifier.verify(storage, name: "movie.mov")
    } catch {
        preconditionFailure("the contents of a file must not cause an error: \(error)")
    }
}
